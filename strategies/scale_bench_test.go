package strategies_test

import (
	"fmt"
	"testing"

	"github.com/arenalab/arenalab/datasets"
	"github.com/arenalab/arenalab/lifetime"
	"github.com/arenalab/arenalab/strategies"
)

// neural returns the table of the family neural with n buffers.
func neural(b *testing.B, n int) *lifetime.Table {
	b.Helper()
	for _, f := range datasets.Synthetics() {
		if f.Name != "neural" {
			continue
		}
		s, err := f.Generate(n, 1)
		if err != nil {
			b.Fatal(err)
		}
		return s.Table
	}
	b.Fatal("no family neural")
	return nil
}

// BenchmarkScale plans neural-like tables of growing size; results/scale.md
// holds a run.
func BenchmarkScale(b *testing.B) {
	list, err := strategies.Lookup("first-fit,best-fit,greedy-size,greedy-size-best-fit,litert,tflm,xla-spatial")
	if err != nil {
		b.Fatal(err)
	}
	for _, n := range []int{1e3, 1e4, 1e5, 1e6} {
		t := neural(b, n)
		for _, s := range list {
			b.Run(fmt.Sprintf("n=%d/%s", n, s.Info().Name), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if _, err := s.Plan(b.Context(), t, strategies.Options{}); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
		b.Run(fmt.Sprintf("n=%d/Load", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				t.Load()
			}
		})
		p, err := list[0].Plan(b.Context(), t, strategies.Options{})
		if err != nil {
			b.Fatal(err)
		}
		b.Run(fmt.Sprintf("n=%d/Check", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := lifetime.Check(t, p); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
