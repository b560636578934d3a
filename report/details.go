package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/arenalab/arenalab/bench"
	"github.com/arenalab/arenalab/report/internal/table"
)

// Details writes a table for every model, profile and order of the records:
// the exact bytes of each strategy, its fragmentation and reuse, the planning
// time with its confidence interval, and how the plan was validated; and where
// there are planners of shared objects, a second one with the objects of each.
func Details(w io.Writer, recs []bench.Record, o Options) error {
	o, err := o.check()
	if err != nil {
		return err
	}
	o.Metric = Gap
	m := newMatrix(recs)
	d := &document{title: m.title(), counts: m.counts()}
	for _, b := range m.blocks {
		for _, r := range b.rows {
			one := &detail{m: m, b: b, r: r, o: o}
			d.sections = append(d.sections, one.section())
			if s, ok := one.objects(); ok {
				d.sections = append(d.sections, s)
			}
		}
	}
	if s, ok := m.unreadSection(o); ok {
		d.sections = append(d.sections, s)
	}
	return d.write(w, o)
}

// detail builds the table of one row.
type detail struct {
	m     *matrix
	b     *block
	r     *row
	o     Options
	notes []note
	few   bool // some time has too few runs for a confidence interval
}

var detailHead = []string{"strategy", "arena B", "over bound", "fragm.", "reuse", "time", "interval", "validated"}

func (d *detail) section() section {
	t := &table.Table{Head: append([]string(nil), detailHead...)}
	for _, rec := range d.sorted() {
		t.Body = append(t.Body, d.line(rec))
	}
	if d.few {
		d.notes = append(d.notes, note{text: "interval: 95% confidence from 6 runs on, else the least and the most"})
	}
	s := section{heading: d.heading(), table: t, notes: d.notes}
	if d.o.Format == Text {
		fitDetail(t, d.o)
	}
	return s
}

// sorted returns the cells from the worst to the best, failures first.
func (d *detail) sorted() []*bench.Record {
	var recs []*bench.Record
	for _, c := range d.b.columns {
		if rec := d.r.cells[c.strategy]; rec != nil {
			recs = append(recs, rec)
		}
	}
	slices.SortStableFunc(recs, func(a, b *bench.Record) int {
		if safe(a) != safe(b) {
			return cmp.Compare(btoi(safe(a)), btoi(safe(b)))
		}
		return -cmp.Compare(a.ArenaBytes, b.ArenaBytes)
	})
	return recs
}

// heading tells what is common to all strategies.
func (d *detail) heading() string {
	r, any := d.r, d.any()
	name := table.Shorten(r.name, 60)
	parts := []string{name + ": " + plural(r.buffers, "buffer")}
	if !d.b.tables {
		parts = append(parts, plural(r.operators, "operator"))
	}
	parts = append(parts, d.b.words())
	bound := fmt.Sprintf("proven bound %s B", exact(r.bound))
	if any.BoundKind != "" {
		bound += fmt.Sprintf(" (%s, step %s)", table.Clean(string(any.BoundKind)), exact(any.BoundStep))
	}
	parts = append(parts, bound, fmt.Sprintf("peak live %s B", exact(any.PeakLiveBytes)),
		fmt.Sprintf("sum of sizes %s B", exact(any.NaiveBytes)))
	if any.PersistentBytes > 0 {
		parts = append(parts, fmt.Sprintf("persistent, not in the arena, %s B", exact(any.PersistentBytes)))
	}
	return strings.Join(parts, ", ")
}

// any returns the record of the row that knows most about it: the first, in
// the order of the columns, with the best bound.
func (d *detail) any() *bench.Record {
	var out *bench.Record
	for _, c := range d.b.columns {
		rec := d.r.cells[c.strategy]
		if rec != nil && (out == nil || rec.LowerBoundBytes > out.LowerBoundBytes ||
			rec.LowerBoundBytes == out.LowerBoundBytes && safe(rec) && !safe(out)) {
			out = rec
		}
	}
	return out
}

func (d *detail) line(rec *bench.Record) []table.Cell {
	line := make([]table.Cell, len(detailHead))
	line[0].Text = table.Clean(rec.Strategy)
	if !safe(rec) {
		line[1] = table.Cell{Text: statusWord(rec), Style: table.Failed}
		if rec.Error != "" {
			n := len(d.notes) + 1
			d.notes = append(d.notes, note{n, d.o.table().Truncate(reason(rec), 300)})
			line[1].Note = n
		}
		return line
	}
	bt := &blockTable{o: d.o}
	line[1].Text = exact(rec.ArenaBytes)
	if rec.ArenaBytes == d.r.best {
		line[1].Style = table.Best
	}
	line[2] = bt.cell(d.r, &column{strategy: rec.Strategy})
	line[2].Style = table.Normal
	line[3].Text = percent(rec.Fragmentation)
	line[4].Text = percent(rec.Reuse)
	if rec.PlanReps > 0 {
		d.few = d.few || rec.PlanReps < 6
		line[5].Text = duration(rec.PlanNS)
		line[6].Text = fmt.Sprintf("%s–%s, n=%d", duration(rec.PlanNSLow), duration(rec.PlanNSHigh), rec.PlanReps)
	}
	line[7].Text = table.Clean(rec.Validated)
	return line
}

// fitDetail drops what is least missed until the lines fit: the interval, then
// reuse, fragmentation, and in the end all but the bytes.
func fitDetail(t *table.Table, o Options) {
	avail := o.Width - indent
	for _, name := range []string{"interval", "reuse", "fragm.", "validated", "time", "over bound"} {
		widths := t.ColumnWidths(o.table())
		widths[0] = min(widths[0], nameWidth)
		if table.LineWidth(widths) <= avail {
			break
		}
		for i, h := range t.Head {
			if h == name {
				t.Remove(i)
				break
			}
		}
	}
	shortenNames(t, avail, o)
}
