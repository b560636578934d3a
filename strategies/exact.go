package strategies

// Exact search takes the best plan of skyline-best and, unless that is proven
// to be the smallest, searches for a smaller one or for a proof that there is
// none: place or postpone, depth first, with propagation to a fix-point.
//
// Complexity: exponential in the worst case; a few nodes a buffer on the tables
// of networks. O(conflicts) memory.
//
// Reference: package exact, which names what it builds on.
//
// Rule: that of package exact. A search without a time limit ends after
// Options.Decisions, or exactDecisions, with what it has: the plan is the same
// on any machine. With a capacity it stops at the first plan that fits, or with
// the proof that none does.
//
// What the search itself refutes is a proven bound, yet only a certificate that
// is small enough to be checked apart makes a plan optimal.

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/arenalab/arenalab/lifetime"
	"github.com/arenalab/arenalab/strategies/bound"
	"github.com/arenalab/arenalab/strategies/exact"
)

// exactDecisions is the default budget: some ten seconds on hard tables.
const exactDecisions = 200_000

type exactSearch struct{}

func (exactSearch) Info() Info {
	return Info{
		Name:       "exact",
		Title:      "Exact search",
		Summary:    "place or postpone, depth first, with propagation; proves the smallest arena",
		Reference:  "github.com/arenalab/arenalab/strategies/exact; bounds of J. Carlier, EJOR 11, 1982; sections of MiniMalloc, ASPLOS 2023",
		Complexity: "exponential; some n nodes on tables of networks",
		Key:        "fourteen rules with restarts; ties by life, area and load",
		Guarantee:  "optimal, if the search ends within its decisions",
	}
}

func (exactSearch) Plan(ctx context.Context, t *lifetime.Table, o Options) (*lifetime.Plan, error) {
	ctx, cancel := limit(ctx, o)
	defer cancel()
	start, err := firstPlan(ctx, t, o)
	if err != nil || start.Status == lifetime.Optimal || o.Capacity > 0 && start.Arena <= o.Capacity {
		return start, err
	}
	return search(ctx, lifetime.WithAlign(t, o.Align), start, o, decisions(o, usual(t, exactDecisions)))
}

// firstPlan returns the plan that searches start from.
func firstPlan(ctx context.Context, t *lifetime.Table, o Options) (*lifetime.Plan, error) {
	plan, err := skylinePortfolio(ctx, t, o)
	if err == nil && plan.Status != lifetime.Optimal {
		proveQuickly(ctx, lifetime.WithAlign(t, o.Align), plan)
	}
	return plan, err
}

// usual returns the default budget for a table: less for a small one in which
// gaps keep parts of buffers, where a search that is not done soon rarely is.
func usual(t *lifetime.Table, own int64) int64 {
	for i := range t.Buffers {
		for _, g := range t.Buffers[i].Gaps {
			if g.Keep != nil {
				return min(own, keptFor*int64(len(t.Buffers)))
			}
		}
	}
	return own
}

// keptFor is that budget for each buffer.
const keptFor = 500

// decisions returns the budget that the options ask for, 0 if it is unlimited.
func decisions(o Options, own int64) int64 {
	switch {
	case o.Decisions < 0:
		return 0
	case o.Decisions > 0:
		return o.Decisions
	}
	return own
}

// search improves the plan by an exact search of the aligned table, or fits it
// into the capacity of the options.
func search(ctx context.Context, t *lifetime.Table, start *lifetime.Plan, o Options, budget int64) (*lifetime.Plan, error) {
	eo := exact.Options{Seed: o.Seed, Decisions: budget, Start: start, LowerBound: start.LowerBound}
	if o.Capacity > 0 {
		got, status, err := exact.Feasible(ctx, t, o.Capacity, eo)
		switch {
		case errors.Is(err, exact.ErrTooLarge):
			return start, nil
		case err != nil:
			return nil, err
		case status == lifetime.Infeasible:
			return refuted(ctx, t, start, &got), nil
		case got.Plan != nil && got.Plan.Arena < start.Arena:
			return adopt(start, got.Plan, got.Stats), nil
		}
		start.Stats = follow(start.Stats, got.Stats)
		return start, nil
	}
	got, err := exact.Minimize(ctx, t, eo)
	if errors.Is(err, exact.ErrTooLarge) {
		return start, nil
	}
	if err != nil {
		return nil, err
	}
	plan := adopt(start, got.Plan, got.Stats)
	prove(ctx, t, plan, &got)
	return plan, nil
}

// refuted is the answer to a capacity into which nothing fits.
func refuted(ctx context.Context, t *lifetime.Table, start *lifetime.Plan, got *exact.Result) *lifetime.Plan {
	out := &lifetime.Plan{Status: lifetime.Infeasible, LowerBound: start.LowerBound, Bound: start.Bound, Stats: follow(start.Stats, got.Stats)}
	prove(ctx, t, out, got)
	return out
}

// adopt returns the plan with what is known from the start.
func adopt(start, plan *lifetime.Plan, stats lifetime.Stats) *lifetime.Plan {
	out := *plan
	out.Stats = follow(start.Stats, stats)
	out.LowerBound, out.Bound = start.LowerBound, start.Bound
	if out.Bound != nil && out.Arena <= out.Bound.Value {
		out.Status = lifetime.Optimal
	}
	return &out
}

// prove raises the bound of the plan by a certificate of what the search has
// refuted. Where none is found that can be checked apart, a note says so: at
// first it is looked for among all that the search refuted, then near in time.
func prove(ctx context.Context, t *lifetime.Table, plan *lifetime.Plan, got *exact.Result) {
	if got.Refuted < plan.LowerBound {
		if plan.Status == lifetime.Feasible && len(t.Buffers) <= sweepBuffers {
			work := min(sweepFor*got.Stats.Decisions, mostWork)
			certify(ctx, t, plan, plan.Arena-1, nil, bound.Limits{Whole: true, Work: int(work)})
		}
		return
	}
	l := bound.Limits{Work: int(min(max(workFor*got.Stats.Decisions, leastWork), mostWork)), Whole: true}
	if certify(ctx, t, plan, got.Refuted, got.Part, l) {
		return
	}
	near, buffers := nearby(ctx, t, got)
	if certify(ctx, near, plan, got.Refuted, buffers, l) {
		return
	}
	plan.Notes = append(plan.Notes, fmt.Sprintf("a search that ended found nothing within %d bytes; no certificate of that was found", got.Refuted))
}

// nearby returns a copy of the table in which some buffers live no longer than
// in a window of steps, within which these alone do not fit either. What proves
// that of the copy proves it of the table, as it looks at no other steps.
func nearby(ctx context.Context, t *lifetime.Table, got *exact.Result) (*lifetime.Table, []int) {
	part := exact.Part(t, got.Part)
	lower, upper := exact.FindWindow(ctx, part, got.Refuted, exact.Options{Decisions: got.Stats.Decisions})
	clipped, kept := exact.Clip(part, lower, upper)
	out, buffers := &lifetime.Table{Buffers: slices.Clone(t.Buffers)}, pick(got.Part, kept)
	for k, i := range buffers {
		out.Buffers[i] = clipped.Buffers[k]
	}
	return out, buffers
}

// A certificate may take about as long to be checked as the search took to
// end: workFor elementary operations, of a nanosecond or so, for each decision.
const (
	workFor   = 10_000
	leastWork = 1_000_000
	mostWork  = 1_000_000_000
)

// Of tables of up to sweepBuffers that a search leaves open, a certificate is
// looked for without it, with less effort: going through all ways to place what
// is live sometimes is the shorter way.
const (
	sweepBuffers = 128
	sweepFor     = 1000
)

// certify looks for a certificate that the buffers do not fit into the
// capacity of the table, and gives it to the plan. It reports whether there is one.
func certify(ctx context.Context, t *lifetime.Table, plan *lifetime.Plan, capacity int64, buffers []int, l bound.Limits) bool {
	b, err := bound.Refute(ctx, t, capacity, buffers, l)
	if err != nil || b == nil || b.Value <= plan.LowerBound {
		return false
	}
	plan.Bound, plan.LowerBound = b, b.Value
	if plan.Status == lifetime.Feasible && plan.Arena == b.Value {
		plan.Status = lifetime.Optimal
	}
	return true
}

// proveQuickly looks for a quick proof that a plan which is within a hundredth of its
// bound cannot be improved: there the difference is often one of padding.
func proveQuickly(ctx context.Context, t *lifetime.Table, plan *lifetime.Plan) {
	if gap := plan.Arena - plan.LowerBound; gap > 0 && gap <= plan.Arena/100 {
		certify(ctx, t, plan, plan.Arena-1, nil, bound.Limits{Leaves: 32, Work: 100_000})
	}
}

// pick returns the chosen elements of a list.
func pick(list, chosen []int) []int {
	out := make([]int, len(chosen))
	for k, i := range chosen {
		out[k] = list[i]
	}
	return out
}
