package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"

	"github.com/arenalab/arenalab/bench"
	"github.com/arenalab/arenalab/lifetime"
	"github.com/arenalab/arenalab/report/internal/table"
)

// fitRows is the most buffers that a table of Fit shows.
const fitRows = 20

// Fit writes what is known of the smallest arena of a cell's table: the verdict,
// the buffers that stand in the way of less, and what changing one would save.
func Fit(w io.Writer, c *bench.Cell, f *bench.Fit, o Options) error {
	o, err := o.check()
	if err != nil {
		return err
	}
	d := &document{title: table.Clean(c.Record.Model) + ", profile " + table.Clean(c.Record.Profile)}
	if s, ok := coreSection(c.Table, f); ok {
		d.sections = append(d.sections, s)
	}
	if s, ok := priceSection(c.Table, f); ok {
		d.sections = append(d.sections, s)
	}
	if o.Format == Text {
		for i := range d.sections {
			shortenNames(d.sections[i].table, o.Width-indent, o)
		}
	}
	d.closing = append(d.closing, fitVerdict(f)...)
	if c.PersistentBytes > 0 {
		d.closing = append(d.closing, fmt.Sprintf("outside the arena: %s B that last from run to run", exact(c.PersistentBytes)))
	}
	return d.write(w, o)
}

// fitVerdict answers in words.
func fitVerdict(f *bench.Fit) (out []string) {
	p := f.Plan
	if f.Capacity > 0 {
		switch {
		case f.Status == lifetime.Feasible:
			out = append(out, fmt.Sprintf("fits into %s B: %s B are left", exact(f.Capacity), exact(f.Capacity-p.Arena)))
		case f.Status == lifetime.Infeasible:
			out = append(out, fmt.Sprintf("does not fit into %s B, proven; %s B are missing", exact(f.Capacity), exact(p.Arena-f.Capacity)))
		default:
			out = append(out, fmt.Sprintf("open whether it fits into %s B: at least %s B are needed, %s B are enough", exact(f.Capacity), exact(p.LowerBound), exact(p.Arena)))
		}
	}
	why := "not proven"
	if b := p.Bound; b != nil {
		why = fmt.Sprintf("%s, %s at step %d", b.Kind, plural(len(b.Buffers), "buffer"), b.Step)
	}
	if p.Status == lifetime.Optimal {
		return append(out, fmt.Sprintf("smallest arena: %s B, optimal (bound by %s)", exact(p.Arena), why))
	}
	return append(out, fmt.Sprintf("smallest arena: between %s B (bound by %s) and %s B", exact(p.LowerBound), why, exact(p.Arena)))
}

// coreSection lists the buffers that block a smaller arena.
func coreSection(t *lifetime.Table, f *bench.Fit) (s section, ok bool) {
	if f.Core == nil {
		return s, false
	}
	s.heading = fmt.Sprintf("buffers that do not fit into %s B together", exact(f.Core.Capacity))
	if f.Core.Irreducible {
		s.heading += "; without any one of them the others do"
	}
	s.table = &table.Table{Head: []string{"buffer", "bytes", "from step", "to step", "offset"}}
	list := slices.Clone(f.Core.Buffers)
	slices.SortStableFunc(list, func(i, j int) int { return cmp.Compare(t.Buffers[j].Size, t.Buffers[i].Size) })
	for _, i := range list[:min(len(list), fitRows)] {
		b := &t.Buffers[i]
		s.table.Body = append(s.table.Body, []table.Cell{
			{Text: table.Clean(b.Name)}, {Text: exact(b.Size)}, {Text: fmt.Sprint(b.Lower)}, {Text: fmt.Sprint(b.Upper - 1)}, {Text: exact(f.Plan.Offsets[i])},
		})
	}
	if more := len(list) - fitRows; more > 0 {
		s.notes = append(s.notes, note{text: fmt.Sprintf("and %s of at most %s B", plural(more, "other"), exact(t.Buffers[list[fitRows]].Size))})
	}
	return s, true
}

// priceSection shows what changes of a buffer would save.
func priceSection(t *lifetime.Table, f *bench.Fit) (s section, ok bool) {
	column := map[string]int{"gone": 2, "halved": 3, "later": 4, "earlier": 5}
	s.heading = "bytes of arena that would be saved"
	s.table = &table.Table{Head: []string{"buffer", "bytes", "if gone", "if half as large", "if born a step later", "if dead a step earlier"}}
	row := map[int]int{}
	for _, p := range f.Prices {
		at, seen := row[p.Buffer]
		if !seen {
			if len(s.table.Body) == fitRows {
				continue
			}
			at = len(s.table.Body)
			row[p.Buffer] = at
			b := &t.Buffers[p.Buffer]
			s.table.Body = append(s.table.Body, []table.Cell{{Text: table.Clean(b.Name)}, {Text: exact(b.Size)}, {Text: "0"}, {Text: "0"}, {Text: "0"}, {Text: "0"}})
		}
		text := exact(p.Low)
		if p.High > p.Low {
			text += " to " + exact(p.High)
		}
		s.table.Body[at][column[string(p.Change)]].Text = text
	}
	return s, len(s.table.Body) > 0
}
