package strategies

import (
	"errors"
	"fmt"
	"math/rand/v2"
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
				_, err := s.Plan(b.Context(), t, Options{})
				if errors.Is(err, ErrTooLarge) {
					b.Skip(err)
				}
				if err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkDense plans tables in which many buffers are alive at once, with
// lives of exponential length.
func BenchmarkDense(b *testing.B) {
	for _, d := range []struct{ n, alive int }{{20_000, 1000}, {20_000, 10_000}, {100_000, 1000}, {100_000, 10_000}} {
		benchmarkAll(b, dense(d.n, d.alive))
	}
}

func dense(n, alive int) *lifetime.Table {
	r := rand.New(rand.NewPCG(1, uint64(alive)))
	t := &lifetime.Table{Name: fmt.Sprintf("dense-%d-%d", n, alive), Buffers: make([]lifetime.Buffer, n)}
	for i := range t.Buffers {
		t.Buffers[i] = lifetime.Buffer{
			Name: fmt.Sprint(i), Size: 1 + r.Int64N(1<<20), Lower: int64(i),
			Upper: int64(i) + 1 + int64(r.ExpFloat64()*float64(alive)),
		}
	}
	return t
}
