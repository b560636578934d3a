package report

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/arenalab/arenalab/bench"
	"github.com/arenalab/arenalab/report/internal/table"
)

// Spreads writes how far arenas move when only ties and the order of rows do:
// a row for each strategy, over the tables that every strategy planned in every
// variant, sorted from the steadiest to the least steady.
func Spreads(w io.Writer, spreads []bench.Spread, o Options) error {
	o, err := o.check()
	if err != nil {
		return err
	}
	rows, tables, excluded := groupSpreads(spreads)
	t := &table.Table{Head: []string{"strategy", "moves", "as it is", "luckiest", "median", "unluckiest", "widest", "on"}}
	for _, r := range rows {
		line := []table.Cell{{Text: r.strategy}, {Text: fmt.Sprintf("%d of %d", r.moved, tables)}}
		for _, x := range []float64{r.native, r.least, r.median, r.most} {
			line = append(line, ratioCell(x))
		}
		widest, on := table.Cell{Text: "="}, ""
		if r.widest > 1 {
			widest, on = ratioCell(r.widest), table.Clean(r.on)
		}
		t.Body = append(t.Body, append(line, widest, table.Cell{Text: on}))
	}
	s := section{
		heading: "arena over the proven bound, geomean over the tables, when ties and the order of rows change; widest: largest arena of a table over its smallest",
		table:   t,
	}
	if o.Format == Text {
		for _, least := range []string{"on", "median", "moves"} {
			if table.LineWidth(t.ColumnWidths(o.table())) > o.Width-indent {
				t.Remove(slices.Index(t.Head, least))
			}
		}
		shortenNames(t, o.Width-indent, o)
	}
	if excluded > 0 {
		s.notes = append(s.notes, note{text: fmt.Sprintf("%s left out: a strategy has no safe plan for every variant", plural(excluded, "table"))})
	}
	d := &document{
		title:    fmt.Sprintf("%s × %s", plural(tables, "table"), plural(len(rows), "strategy")),
		counts:   fmt.Sprintf("%s plans", exact(totalRuns(spreads))),
		sections: []section{s},
	}
	if len(rows) > 0 {
		d.closing = []string{spreadVerdict(rows, tables)}
	}
	return d.write(w, o)
}

// spreadRow sums up one strategy. The ratios are geometric means of arena over
// bound.
type spreadRow struct {
	strategy                    string
	moved                       int
	native, least, median, most float64
	widest                      float64 // largest over smallest arena of one table
	on                          string  // that table
}

func groupSpreads(spreads []bench.Spread) (rows []spreadRow, tables, excluded int) {
	type unit struct{ model, profile, order string }
	bad := map[unit]bool{}
	seen := map[unit]bool{}
	by := map[string][]*bench.Spread{}
	var names []string
	for i := range spreads {
		s := &spreads[i]
		u := unit{s.Model, s.Profile, s.Order}
		seen[u] = true
		if s.Failed > 0 || s.Bound <= 0 || s.Runs == 0 {
			bad[u] = true
		}
		if by[s.Strategy] == nil && s.Strategy != "" {
			names = append(names, s.Strategy)
		}
		by[s.Strategy] = append(by[s.Strategy], s)
	}
	for _, name := range names {
		r := spreadRow{strategy: table.Clean(name), widest: 1}
		n := 0.0
		for _, s := range by[name] {
			if bad[unit{s.Model, s.Profile, s.Order}] {
				continue
			}
			n++
			bound := float64(s.Bound)
			r.native += math.Log(float64(s.Native) / bound)
			r.least += math.Log(float64(s.Min) / bound)
			r.median += math.Log(float64(s.Median) / bound)
			r.most += math.Log(float64(s.Max) / bound)
			if s.Max > s.Min {
				r.moved++
			}
			if x := float64(s.Max) / float64(s.Min); x > r.widest {
				r.widest, r.on = x, s.Model
			}
		}
		for _, x := range []*float64{&r.native, &r.least, &r.median, &r.most} {
			*x = math.Exp(*x / n) // NaN without a table
		}
		rows = append(rows, r)
	}
	slices.SortStableFunc(rows, func(a, b spreadRow) int {
		return cmp.Or(cmp.Compare(a.most/a.least, b.most/b.least), cmp.Compare(a.most, b.most))
	})
	return rows, len(seen) - len(bad), len(bad)
}

func totalRuns(spreads []bench.Spread) int64 {
	var n int64
	for _, s := range spreads {
		n += int64(s.Runs + s.Failed)
	}
	return n
}

func spreadVerdict(rows []spreadRow, tables int) string {
	steady := 0
	for _, r := range rows {
		if r.moved == 0 {
			steady++
		}
	}
	last := rows[len(rows)-1]
	if last.moved == 0 {
		return fmt.Sprintf("no strategy depends on ties or on the order of rows on these %s", plural(tables, "table"))
	}
	return fmt.Sprintf("%d of %s never move; %s moves most: on %s its arena is up to %s larger by ties or rows alone",
		steady, plural(len(rows), "strategy"), last.strategy, last.on, overhead(last.widest))
}
