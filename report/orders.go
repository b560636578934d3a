package report

import (
	"fmt"
	"math"
	"slices"

	"github.com/arenalab/arenalab/report/internal/table"
)

// maxBlocks is how many combinations of profile and order get a table of their
// own, unless all rows are asked for.
const maxBlocks = 4

// overview has a row per profile and order, with the geometric means.
func (m *matrix) overview(o Options) section {
	var strategies []string
	for _, b := range m.blocks {
		for _, c := range b.columns {
			if !slices.Contains(strategies, c.strategy) {
				strategies = append(strategies, c.strategy)
			}
		}
	}
	t := &table.Table{Head: []string{"profile, order", "n"}}
	for _, s := range strategies {
		t.Head = append(t.Head, table.Clean(s))
	}
	for _, b := range m.blocks {
		name := b.profile + ", " + b.order
		if b.align > 0 {
			name += fmt.Sprintf(", aligned to %d", b.align)
		}
		line := []table.Cell{{Text: name}, {Text: fmt.Sprint(len(b.common))}}
		for _, s := range strategies {
			x := math.NaN()
			for _, c := range b.columns {
				if c.strategy == s {
					x = c.geomean
				}
			}
			line = append(line, ratioCell(x))
		}
		t.Body = append(t.Body, line)
	}
	s := section{
		heading: "geomean of arena over the proven bound (= meets it on all, ×n from 2× on), n models that every strategy planned; -format csv has each",
		table:   t,
	}
	if o.Format == Text {
		s.notes = droppedNote(fit(t, o, 2))
	}
	return s
}

// orderTables compares the orders of each profile that was run with several:
// the geometric mean of arena over the bound of the first order.
func (m *matrix) orderTables(o Options) []section {
	var out []section
	var profiles []string
	for _, b := range m.blocks {
		if !b.tables && !slices.Contains(profiles, b.profile) {
			profiles = append(profiles, b.profile)
		}
	}
	for _, p := range profiles {
		var blocks []*block
		for _, b := range m.blocks {
			if !b.tables && b.profile == p && b.align == m.blocks[0].align {
				blocks = append(blocks, b)
			}
		}
		if len(blocks) > 1 && len(commonModels(blocks)) > 0 {
			out = append(out, orderTable(blocks, o))
		}
	}
	return out
}

// orderTable has a row per order and a column per strategy.
func orderTable(blocks []*block, o Options) section {
	first := blocks[0]
	strategies := first.columns
	common := commonModels(blocks)
	t := &table.Table{Head: []string{"order", "bound"}}
	for _, c := range strategies {
		t.Head = append(t.Head, table.Clean(c.strategy))
	}
	for _, b := range blocks {
		line := []table.Cell{
			{Text: b.order},
			ratioCell(geomean(common, func(name string) (float64, bool) {
				base, this := first.find(name), b.find(name)
				return float64(this.bound) / float64(base.bound), this.bound > 0
			})),
		}
		for _, c := range strategies {
			line = append(line, ratioCell(geomean(common, func(name string) (float64, bool) {
				rec := b.find(name).safe(c.strategy)
				if rec == nil {
					return 0, false
				}
				return float64(rec.ArenaBytes) / float64(first.find(name).bound), rec.ArenaBytes > 0
			})))
		}
		t.Body = append(t.Body, line)
	}
	s := section{
		heading: fmt.Sprintf("orders compared, profile %s: geomean over %s of bound and arena against the bound of the %s order",
			first.profile, plural(len(common), "model"), first.order),
		table: t,
	}
	if o.Format == Text {
		dropped := fit(t, o, 2)
		s.notes = append(s.notes, droppedNote(dropped)...)
	}
	return s
}

func (b *block) find(name string) *row { return b.byName[name] }

// commonModels returns the models that are among the common rows of every
// block.
func commonModels(blocks []*block) []string {
	count := map[string]int{}
	for _, b := range blocks {
		for _, r := range b.common {
			count[r.name]++
		}
	}
	var out []string
	for _, r := range blocks[0].common {
		if count[r.name] == len(blocks) && r.bound > 0 {
			out = append(out, r.name)
		}
	}
	return out
}

// geomean returns the geometric mean of f over the names, NaN if it is not
// defined for one of them or there are none.
func geomean(names []string, f func(string) (float64, bool)) float64 {
	var logs float64
	for _, n := range names {
		x, ok := f(n)
		if !ok || x <= 0 {
			return math.NaN()
		}
		logs += math.Log(x)
	}
	if len(names) == 0 {
		return math.NaN()
	}
	return math.Exp(logs / float64(len(names)))
}

func ratioCell(x float64) table.Cell {
	switch {
	case math.IsNaN(x):
		return table.Cell{Text: "–"}
	case x == 1:
		return table.Cell{Text: "="}
	}
	return table.Cell{Text: overhead(x)}
}
