package strategies

import (
	"fmt"
	"testing"

	"github.com/arenalab/arenalab/lifetime"
)

func BenchmarkPlan(b *testing.B) {
	for _, n := range []int{30, 300, 3000, 30000} {
		benchmarkAll(b, large(n))
	}
}

func BenchmarkTables(b *testing.B) {
	for _, file := range data(b, "tables/*.csv") {
		if t := readTable(b, file); t.Validate() == nil {
			benchmarkAll(b, t)
		}
	}
}

func benchmarkAll(b *testing.B, t *lifetime.Table) {
	for _, s := range builtin() {
		b.Run(fmt.Sprintf("%s/%s", t.Name, s.Info().Name), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := s.Plan(b.Context(), t, Options{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
