package bench

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/arenalab/arenalab/lifetime"
	"github.com/arenalab/arenalab/strategies"
)

// plan runs a strategy on a table, calls times in a row, and times it.
func (r *runner) plan(ctx context.Context, table *lifetime.Table, s strategies.Strategy, calls int) (timed, error) {
	o := strategies.Options{Seed: r.cfg.Seed, TimeLimit: r.cfg.Timeout, Decisions: r.cfg.Decisions, Ties: r.cfg.Ties, Align: r.cfg.Align}
	got, err := guard(ctx, r, func(ctx context.Context) (timed, error) {
		var p *lifetime.Plan
		var err error
		start := time.Now()
		for range calls {
			if p, err = s.Plan(ctx, table, o); err != nil {
				break
			}
		}
		perCall := time.Since(start) / time.Duration(calls)
		if err == nil && p == nil {
			err = errors.New("returned neither a plan nor an error")
		}
		return timed{p, perCall}, err
	})
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, errAbandoned) {
		err = fmt.Errorf("no plan within %v: %w", r.cfg.Timeout, err)
	}
	return got, err
}

// clone returns a copy that shares no memory with the table.
func clone(t *lifetime.Table) *lifetime.Table {
	out := &lifetime.Table{Name: t.Name, Buffers: slices.Clone(t.Buffers)}
	for i := range out.Buffers {
		b := &out.Buffers[i]
		b.Fixed, b.Hint = clonePtr(b.Fixed), clonePtr(b.Hint)
		b.Gaps = slices.Clone(b.Gaps)
		for g := range b.Gaps {
			b.Gaps[g].Keep = clonePtr(b.Gaps[g].Keep)
		}
	}
	return out
}

func clonePtr[T any](p *T) *T {
	if p == nil {
		return nil
	}
	v := *p
	return &v
}

// cell runs one strategy on the unit. What depends on the bound is left to
// finish, when all strategies have had their turn. It returns nil if ctx ended
// first.
func (r *runner) cell(ctx context.Context, u *unit, s strategies.Strategy) *Cell {
	c := u.cells
	c.Record = u.base
	c.Warnings = slices.Clone(u.base.Warnings)
	c.Strategy = s.Info().Name
	// The strategy works on a copy of the table: one that writes to it, or runs
	// on after it was abandoned, harms nobody else.
	table := clone(u.table)
	start := time.Now()
	first, err := r.plan(ctx, table, s, 1)
	if ctx.Err() != nil {
		return nil
	}
	if err != nil {
		c.PlanNS = float64(time.Since(start).Nanoseconds())
		c.PlanNSLow, c.PlanNSHigh, c.PlanReps = c.PlanNS, c.PlanNS, 1
		c.fail(err)
		return &c
	}
	c.Plan, c.Status = first.plan, first.plan.Status
	c.Convergence = convergence(first.plan)
	if c.Status == lifetime.Timeout || c.Status == lifetime.Infeasible || c.Status == lifetime.Failed {
		c.Error = "the strategy found no plan: " + c.Status.String()
		c.setTimes([]float64{float64(first.perCall.Nanoseconds())}, true)
		return &c
	}
	stray := r.stray.Load()
	ns, warnings := r.samples(ctx, first, func(calls int) (timed, error) { return r.plan(ctx, table, s, calls) })
	c.Warnings = append(c.Warnings, warnings...)
	c.setTimes(ns, r.cfg.Reps == 1)
	if stray > 0 && r.cfg.Reps != 1 {
		c.Warnings = append(c.Warnings, fmt.Sprintf("planning time: measured while %d abandoned runs were still going", stray))
	}
	validated, err := r.validate(ctx, u, c.Plan)
	if ctx.Err() != nil {
		return nil
	}
	if err != nil {
		c.fail(err)
		return &c
	}
	c.Validated, c.ArenaBytes = validated, c.Plan.Arena
	c.Warnings = append(c.Warnings, c.Plan.Notes...)
	c.Warnings = append(c.Warnings, u.validator.notes()...)
	c.share(u)
	if w := u.improve(c.Plan); w != "" {
		c.Warnings = append(c.Warnings, w)
	}
	return &c
}

// convergence returns what the plan says of the search for it.
func convergence(p *lifetime.Plan) []Improvement {
	var out []Improvement
	for _, i := range p.Stats.Improvements {
		out = append(out, Improvement{i.Decisions, i.Elapsed.Nanoseconds(), i.Arena, i.LowerBound})
	}
	return out
}

// fail records why there is no plan to report.
func (c *Cell) fail(err error) {
	c.Status, c.Error, c.Err = lifetime.Failed, err.Error(), err
	var p *PanicError
	if errors.As(err, &p) {
		c.Stack = p.Stack
	}
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, errAbandoned) {
		c.Status = lifetime.Timeout
	}
}

// finish fills in what follows from the best bound of all strategies.
func (c *Cell) finish(u *unit) {
	c.LowerBoundBytes = c.PeakLiveBytes
	if u.bound != nil {
		c.Bound = u.bound
		c.LowerBoundBytes, c.BoundKind, c.BoundStep = u.bound.Value, u.bound.Kind, u.bound.Step
	}
	if c.Validated == "" {
		return
	}
	if c.ArenaBytes < c.LowerBoundBytes {
		c.fail(fmt.Errorf("arena of %d bytes is below the proven bound of %d", c.ArenaBytes, c.LowerBoundBytes))
		c.ArenaBytes, c.Validated = 0, ""
		return
	}
	c.doubtOptimum()
	proven := u.bound != nil && c.ArenaBytes == u.bound.Value
	if c.Status == lifetime.Optimal && !proven {
		c.Warnings = append(c.Warnings, "the strategy says optimal, without a bound that can be checked")
	}
	c.Status = lifetime.Feasible
	if proven {
		c.Status = lifetime.Optimal
	}
	c.Gap = ratio(c.ArenaBytes-c.LowerBoundBytes, c.LowerBoundBytes)
	c.Fragmentation = ratio(c.ArenaBytes-c.PeakLiveBytes, c.ArenaBytes)
	if c.NaiveBytes > 0 {
		c.Reuse = 1 - ratio(c.ArenaBytes, c.NaiveBytes)
	}
}

// doubtOptimum warns of an optimum that the file states and that cannot be
// right. It decides nothing: the bound is what is proven.
func (c *Cell) doubtOptimum() {
	switch known := c.KnownOptimum; {
	case known == 0:
	case known < c.LowerBoundBytes:
		c.Warnings = append(c.Warnings, fmt.Sprintf("the file states an optimum of %d bytes, below the proven bound", known))
	case c.ArenaBytes < known:
		c.Warnings = append(c.Warnings, fmt.Sprintf("the file states an optimum of %d bytes, above this plan", known))
	}
}

// ratio returns a/b, or 0 if b is 0.
func ratio(a, b int64) float64 {
	if b == 0 {
		return 0
	}
	return float64(a) / float64(b)
}
