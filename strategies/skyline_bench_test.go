package strategies_test

import (
	"slices"
	"testing"

	"github.com/arenalab/arenalab/datasets"
	"github.com/arenalab/arenalab/lifetime"
	"github.com/arenalab/arenalab/strategies"
)

// BenchmarkSkyline plans neural-like tables of growing size by the skyline
// strategies, and a tiling that no member of the portfolio solves.
func BenchmarkSkyline(b *testing.B) {
	list, err := strategies.Lookup("skyline,skyline-beam,skyline-best")
	if err != nil {
		b.Fatal(err)
	}
	tables := []*lifetime.Table{family(b, "pinwheel", 300)}
	for _, n := range []int{300, 1e4, 1e5, 1e6} {
		tables = append(tables, family(b, "neural", n))
	}
	for _, t := range tables {
		if len(t.Buffers) > 1000 {
			list = slices.DeleteFunc(list, func(s strategies.Strategy) bool { return s.Info().Name == "skyline-beam" })
		}
		load := t.Load()
		for _, s := range list {
			b.Run(t.Name+"/"+s.Info().Name, func(b *testing.B) {
				b.ReportAllocs()
				var plan *lifetime.Plan
				for b.Loop() {
					if plan, err = s.Plan(b.Context(), t, strategies.Options{}); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(plan.Arena)/float64(load), "arena/load")
			})
		}
	}
}

// family returns the table of a family with about n buffers.
func family(b *testing.B, name string, n int) *lifetime.Table {
	b.Helper()
	for _, f := range datasets.Synthetics() {
		if f.Name == name {
			s, err := f.Generate(n, 1)
			if err != nil {
				b.Fatal(err)
			}
			return s.Table
		}
	}
	b.Fatalf("no family %s", name)
	return nil
}
