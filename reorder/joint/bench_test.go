package joint

import (
	"context"
	"testing"

	"github.com/arenalab/arenalab/datasets"
	"github.com/arenalab/arenalab/graph"
	"github.com/arenalab/arenalab/reorder"
)

// BenchmarkNamed shows how many orders of some thousand operators are looked at
// in a second.
func BenchmarkNamed(b *testing.B) {
	listed, ok := datasets.LookupOperatorGraph("pnasnet-5-cifar")
	if !ok {
		b.Fatal("no such graph")
	}
	g, err := listed.Build()
	if err != nil {
		b.Fatal(err)
	}
	for _, name := range []string{"plain", "plain-inplace"} {
		m := memoryOf(b, g.Model, keeping(profile(b, name), 64))
		bracket, err := Exact(b.Context(), m, reorder.Options{})
		if err != nil {
			b.Fatal(err)
		}
		bracket.Lower = 0 // no end before the last move
		for _, planner := range []string{"litert", "tflm"} {
			c := namedConfig(b, planner)
			c.Bracket = func(context.Context, *graph.Memory, reorder.Options) (*Bracket, error) { return bracket, nil }
			b.Run(planner+"/"+name, func(b *testing.B) {
				moves := int64(0)
				for b.Loop() {
					r, err := Solve(b.Context(), m, c, reorder.Options{Steps: 5000})
					if err != nil {
						b.Fatal(err)
					}
					moves += r.Moves
				}
				b.ReportMetric(float64(moves)/b.Elapsed().Seconds(), "orders/s")
			})
		}
	}
}
