package strategies_test

import (
	"fmt"
	"testing"

	"github.com/arenalab/arenalab/strategies"
)

// BenchmarkSkyline plans neural-like tables of growing size by the skyline
// strategies.
func BenchmarkSkyline(b *testing.B) {
	list, err := strategies.Lookup("skyline")
	if err != nil {
		b.Fatal(err)
	}
	for _, n := range []int{300, 1e4, 1e5, 1e6} {
		t := neural(b, n)
		for _, s := range list {
			b.Run(fmt.Sprintf("n=%d/%s", n, s.Info().Name), func(b *testing.B) {
				b.ReportAllocs()
				share := 0.0
				for b.Loop() {
					p, err := s.Plan(b.Context(), t, strategies.Options{})
					if err != nil {
						b.Fatal(err)
					}
					share = float64(p.Arena) / float64(t.Load())
				}
				b.ReportMetric(share, "arena/load")
			})
		}
	}
}
