package bound

import (
	"fmt"
	"testing"

	"github.com/arenalab/arenalab/graph"
)

// BenchmarkCut finds the best cut of layered graphs, given an order.
func BenchmarkCut(b *testing.B) {
	for _, n := range []int{100, 1000} {
		m := layered(n, 8, 1)
		order, _ := greedy(m)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				f, err := New(m)
				if err != nil {
					b.Fatal(err)
				}
				f.Cut(b.Context(), order, 0, nil)
			}
		})
	}
}

// BenchmarkPropagation propagates a budget that no layered graph here keeps, to
// the contradiction.
func BenchmarkPropagation(b *testing.B) {
	for _, n := range []int{100, 1000} {
		m := layered(n, 8, 1)
		f, err := New(m)
		if err != nil {
			b.Fatal(err)
		}
		cut := f.Cut(b.Context(), nil, 0, nil)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				p := f.Propagation(nil)
				if p.Run(b.Context(), cut.Value, nil) != Refuted || p.Bound(b.Context()) == nil {
					b.Fatal("open")
				}
			}
		})
	}
}

// BenchmarkGraphs proves the recorded optima.
func BenchmarkGraphs(b *testing.B) {
	expected(b, func(name string, m *graph.Memory, optimum string) {
		var kib float64
		if _, err := fmt.Sscan(optimum, &kib); err != nil {
			b.Fatal(err)
		}
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				f, err := New(m)
				if err != nil {
					b.Fatal(err)
				}
				p := f.Propagation(graph.Stored(m.Subgraph).Ops)
				budget := (int64((kib-0.05)*1024) - 1) / f.Unit() * f.Unit()
				if o, _ := p.Branch(b.Context(), budget, nil, nil); o != Refuted {
					b.Fatal(o)
				}
				p.Bound(b.Context())
			}
		})
	})
}

// BenchmarkSet finds the best set of layered graphs.
func BenchmarkSet(b *testing.B) {
	for _, n := range []int{100, 1000} {
		m := layered(n, 8, 1)
		order, _ := greedy(m)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				f, err := New(m)
				if err != nil {
					b.Fatal(err)
				}
				f.Set(b.Context(), order, 0, nil)
			}
		})
	}
}
