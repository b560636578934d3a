//go:build unix

package strategies

import (
	"errors"
	"syscall"
	"testing"
	"time"

	"github.com/arenalab/arenalab/lifetime"
)

// oneShotLeast is the number of buffers above which BenchmarkOneShot plans a
// table.
const oneShotLeast = 10_000

// searches are the strategies that try many plans, for as long as they may.
var searches = map[string]bool{
	"anytime": true, "ejection": true, "exact": true,
	"skyline-beam": true, "tvm-hill-climb": true, "vela-hill-climb": true,
}

// oneShotSums are the seconds of all one-shot strategies together: those that
// place every buffer by itself, and those that share objects.
type oneShotSums struct{ offsets, objects time.Duration }

// BenchmarkOneShot plans the largest real tables with every strategy that does
// not search. cpu-s is the processor time of a plan, which a loaded host
// disturbs less than the time on the clock. The last lines have those of all
// together; results/scale.md holds a run.
func BenchmarkOneShot(b *testing.B) {
	var sums oneShotSums
	for _, file := range data(b, "tables/*.csv") {
		if t := readTable(b, file); len(t.Buffers) > oneShotLeast && t.Validate() == nil {
			for _, s := range builtin() {
				if !searches[s.Info().Name] {
					sums.add(b, t, s)
				}
			}
		}
	}
	report := func(name string, sum time.Duration) {
		b.Run(name, func(b *testing.B) {
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(sum.Seconds(), "cpu-s")
		})
	}
	report("all/offsets", sums.offsets)
	report("all/objects", sums.objects)
}

// add plans the table with the strategy and adds the time to a sum.
func (sums *oneShotSums) add(b *testing.B, t *lifetime.Table, s Strategy) {
	sum := &sums.offsets
	var took time.Duration
	b.Run(t.Name+"/"+s.Info().Name, func(b *testing.B) {
		b.ReportAllocs()
		before := processorTime(b)
		for b.Loop() {
			p, err := s.Plan(b.Context(), t, Options{})
			if errors.Is(err, ErrTooLarge) {
				b.Skip(err)
			}
			if err != nil {
				b.Fatal(err)
			}
			if p.Objects != nil {
				sum = &sums.objects
			}
		}
		took = (processorTime(b) - before) / time.Duration(b.N)
		b.ReportMetric(took.Seconds(), "cpu-s")
	})
	*sum += took
}

// processorTime returns the time that this process has had on processors.
func processorTime(b *testing.B) time.Duration {
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		b.Fatal(err)
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}
