package strategies

import (
	"errors"
	"testing"
	"time"

	"github.com/arenalab/arenalab/lifetime"
)

// oneShotLeast is the number of buffers above which BenchmarkOneShot plans a
// table.
const oneShotLeast = 10_000

// searches are the strategies that try many plans, for as long as they may.
var searches = map[string]bool{"ejection": true, "exact": true, "tvm-hill-climb": true, "vela-hill-climb": true}

// BenchmarkOneShot plans the largest real tables with every strategy that does
// not search. The last line has the seconds of all together; results/scale.md
// holds a run.
func BenchmarkOneShot(b *testing.B) {
	var sum time.Duration
	for _, file := range data(b, "tables/*.csv") {
		if t := readTable(b, file); len(t.Buffers) > oneShotLeast && t.Validate() == nil {
			sum += oneShots(b, t)
		}
	}
	b.Run("all", func(b *testing.B) {
		b.ReportMetric(0, "ns/op")
		b.ReportMetric(sum.Seconds(), "s")
	})
}

// oneShots returns the time that all strategies together take for the table.
func oneShots(b *testing.B, t *lifetime.Table) (sum time.Duration) {
	for _, s := range builtin() {
		if searches[s.Info().Name] {
			continue
		}
		var took time.Duration
		b.Run(t.Name+"/"+s.Info().Name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				_, err := s.Plan(b.Context(), t, Options{})
				if errors.Is(err, ErrTooLarge) {
					b.Skip(err)
				}
				if err != nil {
					b.Fatal(err)
				}
			}
			took = b.Elapsed() / time.Duration(b.N)
		})
		sum += took
	}
	return sum
}
