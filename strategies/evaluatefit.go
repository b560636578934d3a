package strategies

import (
	"context"
	"errors"

	"github.com/arenalab/arenalab/lifetime"
	"github.com/arenalab/arenalab/strategies/exact"
)

// Fit plans the table as skyline-best does and, if that needs more than
// capacity bytes, searches for a plan that does not with so many decisions of
// package exact; 0: no search. It returns the better plan, and proves nothing: a
// search that tries many tables wants to go on with the next.
func Fit(ctx context.Context, t *lifetime.Table, capacity, decisions int64) (*lifetime.Plan, error) {
	o := Options{Capacity: capacity}
	plan, err := skylinePortfolio(ctx, t, o)
	if err != nil || decisions <= 0 || plan.Arena <= capacity || plan.LowerBound > capacity {
		return plan, err
	}
	eo := exact.Options{Decisions: decisions, Start: plan, LowerBound: plan.LowerBound}
	got, _, err := exact.Feasible(ctx, t, capacity, eo)
	switch {
	case errors.Is(err, exact.ErrTooLarge):
		return plan, nil
	case err != nil:
		return nil, err
	case got.Plan != nil && got.Plan.Arena < plan.Arena:
		return adopt(plan, got.Plan, got.Stats), nil
	}
	plan.Stats = follow(plan.Stats, got.Stats)
	return plan, nil
}
