package report

import (
	"fmt"
	"io"

	"github.com/arenalab/arenalab/bench"
	"github.com/arenalab/arenalab/report/internal/table"
)

// causeWords say what is taken away with each cause.
var causeWords = map[string][2]string{
	"numbering": {"tensor numbers", "tensors stored in another sequence"},
	"order":     {"operator order", "the best order for this planner"},
	"allocator": {"planner", "the best order, and offsets of one's own"},
	"open":      {"not known", "neither found nor excluded"},
	"alignment": {"alignment", "sizes and offsets not rounded"},
	"in-place":  {"no in-place", "results on top of dead operands"},
}

// Explain writes where the bytes go between the arena of the stored order and
// what the operators need at least.
func Explain(w io.Writer, model, planner, profile string, a *bench.Attribution, o Options) error {
	o, err := o.check()
	if err != nil {
		return err
	}
	t := &table.Table{Head: []string{"lost to", "bytes", "of the arena", "left", "without it"}, Left: []int{4}}
	share := func(n int64) string { return percent(float64(n) / float64(max(a.Arena, 1))) }
	most := -1
	for i, p := range a.Parts {
		words, ok := causeWords[string(p.Cause)]
		if !ok {
			words = [2]string{string(p.Cause), ""}
		}
		if p.Bytes == 0 {
			t.Body = append(t.Body, []table.Cell{{Text: words[0]}, {Text: "–"}, {Text: ""}, {Text: exact(p.Left)}, {Text: words[1], Style: table.Weak}})
			continue
		}
		if most < 0 || p.Bytes > a.Parts[most].Bytes {
			most = i
		}
		t.Body = append(t.Body, []table.Cell{{Text: words[0]}, {Text: exact(p.Bytes)}, {Text: share(p.Bytes)}, {Text: exact(p.Left)}, {Text: words[1], Style: table.Weak}})
	}
	t.Foot = [][]table.Cell{{{Text: "in all"}, {Text: exact(a.Arena - a.Bound)}, {Text: share(a.Arena - a.Bound)}, {Text: exact(a.Bound)}, {Text: ""}}}
	s := section{
		heading: fmt.Sprintf("arena %s B by %s, profile %s, operators as stored; each cause taken away after those above it",
			exact(a.Arena), table.Clean(planner), table.Clean(profile)),
		table: t,
	}
	if o.Format == Text {
		fit(t, o, 4)
	}
	verdict := "nothing is lost: no order, planner, alignment or in-place needs less, proven"
	switch {
	case most >= 0:
		verdict = fmt.Sprintf("most is lost to %s: %s B (%s)", causeWords[string(a.Parts[most].Cause)][0], exact(a.Parts[most].Bytes), share(a.Parts[most].Bytes))
	case !a.Closed:
		verdict = "nothing is lost that is known"
	}
	if most >= 0 && a.Closed {
		verdict += "; the least of each row is proven"
	}
	d := &document{title: table.Clean(model), sections: []section{s}, closing: []string{verdict}}
	return d.write(w, o)
}
