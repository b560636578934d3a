package report

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/arenalab/arenalab/bench"
	"github.com/arenalab/arenalab/report/internal/table"
)

// Summary writes what the run says: for each profile and order a table of
// models against strategies, sorted from the worst strategy to the best,
// aggregates over the models that all strategies planned, and a verdict in one
// sentence. Planners of shared objects, if there are any, are also compared by
// their objects, in all formats but Text. Records are taken in their order; the last record of a cell counts.
func Summary(w io.Writer, recs []bench.Record, o Options) error {
	o, err := o.check()
	if err != nil {
		return err
	}
	m := newMatrix(recs)
	d := &document{title: m.title(), counts: m.counts()}
	if o.Rows > 0 && len(m.blocks) > maxBlocks {
		d.sections = append(d.sections, m.overview(o))
	} else {
		show := m.rowsShown(o)
		for i, b := range m.blocks {
			d.sections = append(d.sections, newBlockTable(m, b, o, show, i == 0).section())
		}
	}
	d.sections = append(d.sections, peakTables(recs, o)...)
	d.sections = append(d.sections, m.orderTables(o)...)
	if s, ok := m.objectsSection(o); ok {
		d.sections = append(d.sections, s)
	}
	if s, ok := m.unreadSection(o); ok {
		d.sections = append(d.sections, s)
	}
	if s, ok := notesSection(recs, o); ok {
		d.sections = append(d.sections, s)
	}
	if v := orderVerdict(recs); v != "" {
		d.closing = append(d.closing, v)
	}
	d.closing = append(d.closing, m.verdict())
	return d.write(w, o)
}

func (m *matrix) title() string {
	var things []string
	if m.models > 0 || m.tables == 0 {
		things = append(things, plural(m.models, "model"))
	}
	if m.tables > 0 {
		things = append(things, plural(m.tables, "table"))
	}
	s := strings.Join(things, " and ")
	if len(m.blocks) == 0 {
		return s + ", nothing planned"
	}
	s += " × " + plural(m.strategies, "strategy")
	if m.orders > 1 {
		s += " × " + plural(m.orders, "order")
	}
	if m.profiles > 1 {
		s += " × " + plural(m.profiles, "profile")
	}
	if len(m.blocks) == 1 {
		s += ", " + m.blocks[0].words()
	}
	return s
}

// words names profile and order of a block.
func (b *block) words() string {
	s := fmt.Sprintf("profile %s, %s order", b.profile, b.order)
	if b.tables {
		s = "lifetime tables as given"
	}
	if b.align > 0 {
		s += fmt.Sprintf(", aligned to %d", b.align)
	}
	return s
}

// counts says how the cells ended: "30 plans, 29 safe, 1 error".
func (m *matrix) counts() string {
	var parts []string
	if m.plans > 0 {
		parts = append(parts, plural(m.plans, "plan"), fmt.Sprintf("%s safe", exact(int64(m.status["safe"]))))
	}
	for _, word := range slices.Sorted(maps.Keys(m.status)) {
		if word != "safe" {
			parts = append(parts, fmt.Sprintf("%s %s", exact(int64(m.status[word])), word))
		}
	}
	if n := len(m.unread); n > 0 {
		parts = append(parts, plural(n, "file")+" not planned")
	}
	return strings.Join(parts, ", ")
}

// rowsShown returns how many models a block may show: all if they fit, else
// few in each.
func (m *matrix) rowsShown(o Options) int {
	total := 0
	for _, b := range m.blocks {
		total += len(b.rows)
	}
	switch {
	case o.Rows < 0 || total <= o.Rows:
		return total
	case len(m.blocks) > 2:
		return min(5, o.Rows)
	}
	return min(10, o.Rows)
}

// unreadSection lists the models that were never planned.
func (m *matrix) unreadSection(o Options) (section, bool) {
	if len(m.unread) == 0 {
		return section{}, false
	}
	const most = 10
	s := section{heading: "not planned"}
	for i, rec := range m.unread {
		if i == most && o.Format != HTML {
			s.list = append(s.list, fmt.Sprintf("[%s]", others(len(m.unread)-most)))
			break
		}
		s.list = append(s.list, o.table().Shorten(rowName(rec), 40)+": "+reason(rec))
	}
	return s, true
}

// reason is the error of a record on one line.
func reason(rec *bench.Record) string {
	text := strings.TrimPrefix(rec.Error, rec.Path+": ") // it stands before the reason
	text = strings.TrimSpace(strings.ReplaceAll(text, "\n", "; "))
	if text == "" {
		return statusWord(rec)
	}
	return table.Clean(text)
}

func others(n int) string {
	if n == 1 {
		return "1 other"
	}
	return exact(int64(n)) + " others"
}
