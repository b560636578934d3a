package report

import (
	"fmt"
	"io"

	"github.com/arenalab/arenalab/bench"
	"github.com/arenalab/arenalab/report/internal/table"
)

// Gain is what another order makes of a subgraph.
type Gain struct {
	Before, After bench.Record // of the same subgraph, profile and strategy
	Taken         bool         // the arena is smaller, so that the order is worth writing
}

// Reordered writes what other orders make of the subgraphs of a model.
func Reordered(w io.Writer, gains []Gain, o Options) error {
	o, err := o.check()
	if err != nil {
		return err
	}
	t := &table.Table{Head: []string{"subgraph", "ops", "peak live", "after", "any order", "arena", "after", "saved"}}
	var notes []note
	for _, g := range gains {
		b, a := &g.Before, &g.After
		bound := table.Cell{Text: "–"}
		switch {
		case a.OrderBoundBytes > 0 && a.OrderBoundBytes == min(a.PeakLiveBytes, b.PeakLiveBytes):
			bound = table.Cell{Text: "= proven"}
		case a.OrderBoundBytes > 0:
			bound = table.Cell{Text: "≥ " + exact(a.OrderBoundBytes)}
		}
		saved := "stays as it is"
		if g.Taken {
			saved = percent(1 - float64(a.ArenaBytes)/float64(max(b.ArenaBytes, 1)))
		}
		t.Body = append(t.Body, []table.Cell{
			{Text: rowName(b)}, {Text: fmt.Sprint(b.Operators), Style: table.Weak},
			{Text: exact(b.PeakLiveBytes)}, {Text: exact(a.PeakLiveBytes)}, bound,
			{Text: exact(b.ArenaBytes)}, {Text: exact(a.ArenaBytes)}, {Text: saved},
		})
		if a.OrderBoundBytes > 0 && min(a.ArenaBytes, b.ArenaBytes) == a.OrderBoundBytes {
			notes = append(notes, note{text: fmt.Sprintf("%s: no order and no planner needs less than %s B: proven", rowName(b), exact(a.OrderBoundBytes))})
		}
	}
	title := "nothing to reorder"
	if len(gains) > 0 {
		title = fmt.Sprintf("order %s, planner %s, profile %s, in bytes",
			gains[0].After.Order, gains[0].After.Strategy, gains[0].After.Profile)
	}
	d := &document{title: title}
	if len(gains) > 0 {
		s := section{table: t, notes: notes}
		if o.Format == Text {
			fit(t, o, 2)
		}
		d.sections = append(d.sections, s)
	}
	return d.write(w, o)
}
