package bench

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/arenalab/arenalab/lifetime"
	"golang.org/x/perf/benchmath"
)

const (
	minSample  = 20 * time.Microsecond // a shorter run is repeated within a sample
	minSamples = 6                     // the fewest that have a 95 % interval
	maxSamples = 100
	confidence = 0.95
)

// timed is a plan and how long a call took to make it.
type timed struct {
	plan    *lifetime.Plan
	perCall time.Duration
}

// samples repeats the run of a cell until its samples are enough or its budget
// is spent. A sample is the mean of as many calls in a row as fill minSample.
// The first run, and one to find that number, warm up the caches: the first
// counts only if it stays alone. Warnings tell of runs that failed or gave
// another plan.
func (r *runner) samples(ctx context.Context, first timed, again func(calls int) (timed, error)) (ns []float64, warnings []string) {
	spent := first.perCall
	calls := 1
	if r.cfg.Reps != 1 && first.perCall < 10*minSample {
		warm, err := again(callsFor(first.perCall))
		if err == nil {
			calls = callsFor(warm.perCall)
		}
	}
	for r.wantsMore(len(ns), spent) && ctx.Err() == nil {
		next, err := again(calls)
		if err != nil {
			warnings = append(warnings, fmt.Sprintf("repetition %d failed: %v", len(ns)+1, err))
			break
		}
		ns = append(ns, float64(next.perCall.Nanoseconds()))
		spent += next.perCall * time.Duration(calls)
		if !slices.Equal(first.plan.Offsets, next.plan.Offsets) {
			warnings = append(warnings, fmt.Sprintf("not deterministic: repetition %d gave an arena of %d bytes by other offsets, the first %d",
				len(ns), next.plan.Arena, first.plan.Arena))
			break
		}
	}
	if len(ns) == 0 {
		ns = []float64{float64(first.perCall.Nanoseconds())}
	}
	return ns, warnings
}

// callsFor returns how many calls make a sample that a clock can measure.
func callsFor(perCall time.Duration) int {
	return int(minSample/max(perCall, 20*time.Nanosecond)) + 1
}

func (r *runner) wantsMore(n int, spent time.Duration) bool {
	switch {
	case r.cfg.Reps == 1:
		return false
	case r.cfg.Reps > 1:
		return n < r.cfg.Reps
	case n < minSamples:
		return spent < 10*r.cfg.Budget
	}
	return n < maxSamples && spent < r.cfg.Budget
}

// setTimes fills in the planning time of the record from its samples, and
// warns if there are too few of them for an interval.
func (r *Record) setTimes(ns []float64, sizeOnly bool) {
	sample := benchmath.NewSample(slices.Clone(ns), &benchmath.DefaultThresholds)
	summary := benchmath.AssumeNothing.Summary(sample, confidence)
	r.Samples, r.PlanReps = ns, len(ns)
	r.PlanNS = summary.Center
	r.PlanNSLow, r.PlanNSHigh = summary.Lo, summary.Hi
	if len(ns) < minSamples {
		// The interval is the whole line, which JSON cannot say.
		r.PlanNSLow, r.PlanNSHigh = slices.Min(ns), slices.Max(ns)
	}
	if sizeOnly {
		return
	}
	for _, w := range append(sample.Warnings, summary.Warnings...) {
		r.Warnings = append(r.Warnings, "planning time: "+w.Error())
	}
}
