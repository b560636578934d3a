package strategies

// Ejection search fixes the size of the arena below the best plan, takes out
// the buffers that end above it, and puts them back one by one. One that finds
// no room is put where what it overlaps is cheapest, and pushes that out.
// Buffers that come back often become dear, so that the search leaves deadlocks.
//
// Complexity: O(k log k) for an insertion, k the pieces placed that are live in
// the same stretches of time; it does not grow with n. O(n) memory, and O(n)
// more for each target.
//
// References: F. Glover, "Ejection chains, reference structures and alternating
// path methods for traveling salesman problems", Discrete Applied Mathematics
// 65(1-3), 1996, pages 223-253, doi:10.1016/0166-218X(94)00037-E (the chains);
// Y. Nagata and O. Braeysy, "A powerful route minimization heuristic for the
// vehicle routing problem with time windows", Operations Research Letters
// 37(5), 2009, pages 333-338, doi:10.1016/j.orl.2009.04.006 (a last-in first-out
// pool of what is out, and penalties that are learnt).
//
// Rule: the first target is half way between the bound and the best plan; it
// moves towards the bound after success, towards the best plan after failure.
// The buffer put in last is tried first, in one turn of four any. Where it fits
// it goes to the lowest gap, the tightest, or to an end of any, as is drawn.
// Where it does not, its penalty rises by one, and of the offsets at which it
// touches a neighbour, the floor or the ceiling, it takes the one where the
// overlapped have the least sum of penalty times weight. Weights are even, or
// go with size times life; they alternate from failure to failure.
//
// Departures: the references route vehicles. What carries over is the pool and
// the penalties; arenas, gaps and weights are ours.

import (
	"context"
	"math"
	"slices"
	"time"

	"github.com/arenalab/arenalab/lifetime"
)

type ejection struct{}

func (ejection) Info() Info {
	return Info{
		Name:       "ejection",
		Title:      "Ejection search",
		Summary:    "fits buffers below a falling ceiling, pushing out the cheapest",
		Reference:  "Y. Nagata and O. Braeysy, A powerful route minimization heuristic for the vehicle routing problem with time windows, Operations Research Letters 37(5), 2009, doi:10.1016/j.orl.2009.04.006 (ejection pool and penalties, there for routes)",
		Complexity: "O(k log k) for each insertion, k the neighbours in time",
		Key:        "last out first in, one in four at random",
	}
}

// ejectDecisions is how many insertions the strategy makes unless it meets the
// bound before: about a second of them for 300 buffers, few for a handful, and
// fewer where so many are live at once that each takes longer.
func ejectDecisions(t *lifetime.Table) int64 {
	n := int64(len(t.Buffers))
	lower, upper := t.Span()
	lives := 0.0
	for i := range t.Buffers {
		lives += float64(t.Buffers[i].Upper - t.Buffers[i].Lower)
	}
	live := lives / float64(max(upper-lower, 1))
	return min(4*n*n, int64(300_000*64/max(live, 64)))
}

func (ejection) Plan(ctx context.Context, t *lifetime.Table, o Options) (*lifetime.Plan, error) {
	ctx, cancel := limit(ctx, o)
	defer cancel()
	start, err := skylinePortfolio(ctx, t, o)
	if err != nil || start.Status == lifetime.Optimal {
		return start, err
	}
	goal := max(start.LowerBound, o.Capacity)
	budget := decisions(o, ejectDecisions(t))
	plan := eject(ctx, lifetime.WithAlign(t, o.Align), start, goal, o.Seed, budget, nil)
	plan.LowerBound, plan.Bound = start.LowerBound, start.Bound
	if plan.Arena == plan.LowerBound {
		plan.Status = lifetime.Optimal
	}
	plan.Stats = follow(start.Stats, plan.Stats)
	for i := range plan.Stats.Improvements {
		plan.Stats.Improvements[i].LowerBound = plan.LowerBound
	}
	return plan, nil
}

// follow returns the counters of two searches, one after the other.
func follow(a, b lifetime.Stats) lifetime.Stats {
	out := lifetime.Stats{Decisions: a.Decisions + b.Decisions, Elapsed: a.Elapsed + b.Elapsed}
	out.Improvements = slices.Clone(a.Improvements)
	for _, step := range b.Improvements {
		step.Decisions += a.Decisions
		step.Elapsed += a.Elapsed
		out.Improvements = improve(out.Improvements, step)
	}
	return out
}

// improve appends a step to a convergence if it is better than the last, with
// the best of both.
func improve(steps []lifetime.Improvement, next lifetime.Improvement) []lifetime.Improvement {
	if n := len(steps); n > 0 {
		last := steps[n-1]
		next.Arena, next.LowerBound = min(next.Arena, last.Arena), max(next.LowerBound, last.LowerBound)
		next.Decisions, next.Elapsed = max(next.Decisions, last.Decisions), max(next.Elapsed, last.Elapsed)
		if next.Arena == last.Arena && next.LowerBound == last.LowerBound {
			return steps
		}
	}
	return append(steps, next)
}

// eject improves a safe plan of the table until its arena is no larger than
// lower, decisions insertions are made (0: any number), or ctx ends. The plan
// it returns is never worse than the start, which it does not modify, and is
// the same for the same start and seed unless ctx cut it short. Its Stats are
// of the search alone, with an entry for each plan better than the start, all
// of which are given to report as well, if that is not nil.
func eject(ctx context.Context, t *lifetime.Table, start *lifetime.Plan, lower int64, seed uint64, decisions int64, report func(*lifetime.Plan)) *lifetime.Plan {
	began := time.Now()
	s := newEjector(t, start, lower, seed)
	s.ctx, s.budget = ctx, decisions
	if decisions <= 0 {
		s.budget = math.MaxInt64
	}
	var steps []lifetime.Improvement
	s.improve(func() {
		p := s.plan()
		steps = append(steps, lifetime.Improvement{
			Decisions: s.decisions, Elapsed: time.Since(began), Arena: p.Arena, LowerBound: lower,
		})
		if report != nil {
			report(p)
		}
	})
	out := s.plan()
	out.Stats = lifetime.Stats{Decisions: s.decisions, Elapsed: time.Since(began), Improvements: steps}
	return out
}
