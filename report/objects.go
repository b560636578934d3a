package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/arenalab/arenalab/bench"
	"github.com/arenalab/arenalab/report/internal/table"
)

// sharing reports whether the record is of a plan of shared objects, with
// figures that can be compared.
func sharing(rec *bench.Record) bool { return rec != nil && safe(rec) && rec.ObjectCount > 0 }

// objects has the exact bytes of the planners of shared objects, from the worst
// to the best.
func (d *detail) objects() (section, bool) {
	var recs []*bench.Record
	for _, rec := range d.sorted() {
		if sharing(rec) {
			recs = append(recs, rec)
		}
	}
	if len(recs) == 0 {
		return section{}, false
	}
	slices.SortStableFunc(recs, func(a, b *bench.Record) int { return -cmp.Compare(a.ObjectBytes, b.ObjectBytes) })
	t := &table.Table{Head: []string{"strategy", "objects", "bytes", "over bound", "arena B"}}
	for _, rec := range recs {
		line := []table.Cell{
			{Text: table.Clean(rec.Strategy)},
			{Text: exact(int64(rec.ObjectCount))},
			{Text: exact(rec.ObjectBytes)},
			ratioCell(ratioOf(rec.ObjectBytes, rec.ObjectBoundBytes)),
			{Text: exact(rec.ArenaBytes)},
		}
		if rec.ObjectBytes == recs[len(recs)-1].ObjectBytes {
			line[2].Style = table.Best
		}
		t.Body = append(t.Body, line)
	}
	if d.o.Format == Text {
		shortenNames(t, d.o.Width-indent, d.o)
	}
	return section{
		heading: fmt.Sprintf("%s: shared objects, for runtimes that allocate each apart; their proven bound, the sum of positional maxima, %s B",
			table.Shorten(d.r.name, 60), exact(recs[0].ObjectBoundBytes)),
		table: t,
	}, true
}

// ratioOf returns a/b, NaN if it is not defined.
func ratioOf(a, b int64) float64 {
	if a <= 0 || b <= 0 {
		return math.NaN()
	}
	return float64(a) / float64(b)
}

// objectsSection sums up the planners of shared objects, over the models that
// all of them planned. Text leaves it out: it is about other memory than that
// of the tables there.
func (m *matrix) objectsSection(o Options) (section, bool) {
	if o.Format == Text {
		return section{}, false
	}
	t := &table.Table{Head: []string{"strategy", "n", "objects", "over bound", "meet it", "arena"}}
	for _, b := range m.blocks {
		for _, line := range b.objectLines() {
			if len(m.blocks) > 1 {
				line[0].Text += ": " + b.words()
			}
			t.Body = append(t.Body, line)
		}
	}
	return section{
		heading: "shared objects, for runtimes that allocate each apart",
		table:   t,
		notes: []note{{text: fmt.Sprintf("over the n %ss that all these strategies planned: the median number of objects, "+
			"their bytes over their own proven bound, the sum of positional maxima (geomean), how often they meet it, "+
			"and the arena of all end to end over those bytes (geomean)", m.noun())}},
	}, len(t.Body) > 0
}

// objectLines has a line for each strategy of the block that shares objects,
// from the worst to the best.
func (b *block) objectLines() [][]table.Cell {
	shares := map[string]bool{}
	for _, r := range b.rows {
		for name, rec := range r.cells {
			shares[name] = shares[name] || sharing(rec)
		}
	}
	var columns []*column
	for _, c := range b.columns {
		if shares[c.strategy] {
			columns = append(columns, c)
		}
	}
	var rows []*row
	for _, r := range b.rows {
		if !r.twin && !slices.ContainsFunc(columns, func(c *column) bool { return !sharing(r.cells[c.strategy]) }) {
			rows = append(rows, r)
		}
	}
	sums := make([]objectSum, len(columns))
	for i, c := range columns {
		sums[i] = sumObjects(c.strategy, rows)
	}
	slices.SortStableFunc(sums, func(x, y objectSum) int {
		return cmp.Or(-cmp.Compare(x.over, y.over), cmp.Compare(x.strategy, y.strategy))
	})
	var out [][]table.Cell
	for _, s := range sums {
		out = append(out, []table.Cell{
			{Text: table.Clean(s.strategy)}, {Text: fmt.Sprint(len(rows))}, {Text: medianText(s.counts)},
			ratioCell(s.over), {Text: fmt.Sprint(s.meets)}, ratioCell(s.stacked),
		})
	}
	return out
}

// objectSum sums up a planner of shared objects. Ratios are geometric means.
type objectSum struct {
	strategy string
	counts   []float64 // of objects, by row
	over     float64   // bytes of the objects over their bound
	meets    int       // rows on which they meet it
	stacked  float64   // arena over the bytes of the objects
}

func sumObjects(strategy string, rows []*row) objectSum {
	s := objectSum{strategy: strategy}
	for _, r := range rows {
		rec := r.cells[strategy]
		s.counts = append(s.counts, float64(rec.ObjectCount))
		s.over += math.Log(ratioOf(rec.ObjectBytes, rec.ObjectBoundBytes))
		s.stacked += math.Log(ratioOf(rec.ArenaBytes, rec.ObjectBytes))
		if rec.ObjectBytes == rec.ObjectBoundBytes {
			s.meets++
		}
	}
	n := float64(len(rows))
	s.over, s.stacked = math.Exp(s.over/n), math.Exp(s.stacked/n)
	if s.meets == len(rows) && n > 0 {
		s.over = 1 // no rounding where all is exact
	}
	return s
}

// medianText is the median of whole numbers.
func medianText(x []float64) string {
	if len(x) == 0 {
		return "–"
	}
	return strconv.FormatFloat(median(x), 'f', -1, 64)
}
