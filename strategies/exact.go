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

	"github.com/arenalab/arenalab/lifetime"
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
	start, err := skylinePortfolio(ctx, t, o)
	if err != nil || start.Status == lifetime.Optimal || o.Capacity > 0 && start.Arena <= o.Capacity {
		return start, err
	}
	return search(ctx, lifetime.WithAlign(t, o.Align), start, o, decisions(o, exactDecisions))
}

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
		start.Stats = after(start.Stats, got.Stats)
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
	out := &lifetime.Plan{Status: lifetime.Infeasible, LowerBound: start.LowerBound, Bound: start.Bound, Stats: after(start.Stats, got.Stats)}
	prove(ctx, t, out, got)
	return out
}

// adopt returns the plan with what is known from the start.
func adopt(start, plan *lifetime.Plan, stats lifetime.Stats) *lifetime.Plan {
	out := *plan
	out.Stats = after(start.Stats, stats)
	out.LowerBound, out.Bound = start.LowerBound, start.Bound
	if out.Bound != nil && out.Arena <= out.Bound.Value {
		out.Status = lifetime.Optimal
	}
	return &out
}

// after adds up two searches, one after the other.
func after(a, b lifetime.Stats) lifetime.Stats {
	out := lifetime.Stats{Decisions: a.Decisions + b.Decisions, Elapsed: a.Elapsed + b.Elapsed}
	out.Improvements = append(out.Improvements, a.Improvements...)
	for _, step := range b.Improvements {
		step.Decisions += a.Decisions
		step.Elapsed += a.Elapsed
		out.Improvements = append(out.Improvements, step)
	}
	return out
}

// prove raises the bound of the plan to what the search has refuted.
func prove(_ context.Context, _ *lifetime.Table, plan *lifetime.Plan, got *exact.Result) {
	if got.Refuted < 0 {
		return
	}
	plan.Notes = append(plan.Notes, fmt.Sprintf("an exhaustive search found nothing within %d bytes", got.Refuted))
}
