package bench

import (
	"context"
	"errors"
	"fmt"

	"github.com/arenalab/arenalab/lifetime"
	"github.com/arenalab/arenalab/strategies"
	"github.com/arenalab/arenalab/strategies/exact"
)

// Fit is what is known of a table and a capacity.
type Fit struct {
	Capacity int64 // bytes asked for, 0 if none were
	// Status says whether the table fits into the capacity: Feasible with
	// Plan, Infeasible if it is proven not to, else Timeout.
	Status lifetime.Status
	// Plan is the smallest arena found, with the best bound.
	Plan *lifetime.Plan
	// Core are buffers that cannot be placed within the capacity, or, if there
	// is none or it is large enough, in an arena one byte smaller than that of
	// an optimal plan; nil if none were found.
	Core *exact.Core
	// Prices are what changing a buffer would save of the arena.
	Prices []exact.Price
}

// FitTable answers what the smallest arena of a valid table is, whether it fits
// into a capacity in bytes (0: none), which buffers stand in the way, and what
// changing them would save. The plan has been checked. It ends with ctx, with
// what is known then, and fails only if there is no plan by then.
func FitTable(ctx context.Context, t *lifetime.Table, capacity int64, o strategies.Options) (*Fit, error) {
	list, err := strategies.Lookup("anytime")
	if err != nil {
		return nil, err
	}
	o.Capacity = 0
	f := &Fit{Capacity: capacity, Status: lifetime.Feasible}
	if f.Plan, err = list[0].Plan(ctx, t, o); err != nil {
		return nil, err
	}
	t = lifetime.WithAlign(t, o.Align)
	if err := lifetime.Check(t, f.Plan); err != nil {
		return nil, fmt.Errorf("unsafe plan: %w", err)
	}
	if b := f.Plan.Bound; b != nil {
		if err := lifetime.CheckBound(t, b); err != nil {
			return nil, err
		}
	}
	eo := exact.Options{Seed: o.Seed, Decisions: fitDecisions}
	blocked := f.Plan.Arena - 1
	if capacity > 0 && capacity < f.Plan.Arena {
		f.Status, blocked = lifetime.Timeout, capacity
	}
	if f.Status == lifetime.Timeout || f.Plan.Status == lifetime.Optimal {
		f.Core, err = exact.FindCore(ctx, t, blocked, eo)
		if err != nil && !errors.Is(err, exact.ErrTooLarge) {
			return nil, err
		}
	}
	if f.Status == lifetime.Timeout && (f.Core != nil || capacity < f.Plan.LowerBound) {
		f.Status = lifetime.Infeasible
	}
	f.Prices, err = exact.Prices(ctx, t, f.Plan, f.Plan.LowerBound, eo)
	if err != nil && !errors.Is(err, exact.ErrTooLarge) {
		return nil, err
	}
	return f, nil
}

// fitDecisions bounds each question of FitTable but that for the plan.
const fitDecisions = 100_000
