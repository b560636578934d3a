package exact

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/arenalab/arenalab/datasets"
	"github.com/arenalab/arenalab/graph"
)

// solves solves a memory again and again, and reports the gap that is left.
func solves(b *testing.B, m *graph.Memory, o Options) {
	b.ReportAllocs()
	var r *Result
	for b.Loop() {
		var err error
		if r, err = Solve(b.Context(), m, o); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(100*float64(r.Peak-r.LowerBound)/float64(r.Peak), "%gap")
	b.ReportMetric(float64(r.Stats.States), "states")
	witness := 0.0
	if r.Optimal {
		witness = 1
	}
	b.ReportMetric(witness, "proven")
}

func BenchmarkRecorded(b *testing.B) {
	for _, g := range recordedGraphs(b) {
		for _, profile := range []string{"plain", "plain-inplace"} {
			m := graphMemory(b, g.file, profile)
			b.Run(fmt.Sprintf("%s/%s", filepath.Base(g.file), profile), func(b *testing.B) {
				solves(b, m, Options{})
			})
		}
	}
}

func BenchmarkGenerated(b *testing.B) {
	for _, l := range datasets.OperatorGraphs() {
		g, err := l.Build()
		if err != nil {
			b.Fatal(err)
		}
		p, err := graph.LookupProfile("plain")
		if err != nil {
			b.Fatal(err)
		}
		m, err := graph.NewMemory(g.Model, g.Model.Subgraphs[0], p)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(l.Name, func(b *testing.B) { solves(b, m, Options{Steps: 20_000_000}) })
	}
}

func BenchmarkBeam(b *testing.B) {
	m := generated(b, "layered-f", datasets.GraphParams{Size: 1000, Width: 8}, 1, "plain")
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Beam(b.Context(), m, Options{Steps: 2_000_000}); err != nil {
			b.Fatal(err)
		}
	}
}
