package bench

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/arenalab/arenalab/graph"
	"github.com/arenalab/arenalab/reorder"
	"github.com/arenalab/arenalab/reorder/exact"
	"github.com/arenalab/arenalab/reorder/proof"
)

// needs is what the units of one subgraph on one profile share, whatever the
// order: what the operators need of the arena, and how little they can do with.
type needs struct {
	model   *graph.Model
	sub     *graph.Subgraph
	profile graph.Profile

	once   sync.Once
	memory *graph.Memory
	err    error

	solveOnce sync.Once
	solved    *exact.Result // nil if nothing could be found out
	took      time.Duration
	warning   string
}

func (n *needs) get() (*graph.Memory, error) {
	n.once.Do(func() {
		n.memory, n.err = protect(func() (*graph.Memory, error) { return graph.NewMemory(n.model, n.sub, n.profile) })
	})
	return n.memory, n.err
}

// solve searches for the order with the least peak, and for a proof that none
// has less. The proof is checked apart from what found it.
func (n *needs) solve(ctx context.Context, r *runner) *exact.Result {
	n.solveOnce.Do(func() {
		memory, err := n.get()
		if err != nil {
			return
		}
		start := time.Now()
		n.solved, err = guard(ctx, r, func(ctx context.Context) (*exact.Result, error) {
			return reorder.Solve(ctx, memory, reorder.Options{TimeLimit: r.cfg.Timeout, Steps: r.solveSteps()})
		})
		n.took = time.Since(start)
		switch {
		case err != nil:
			n.solved, n.warning = nil, fmt.Sprintf("bound on all orders: %v", err)
		case n.solved.Proven != nil:
			if err := proof.Check(memory, n.solved.Proven); err != nil {
				n.solved.Proven, n.solved.Proof, n.warning = nil, nil, fmt.Sprintf("bound on all orders: %v", err)
			}
		}
	})
	return n.solved
}

// asideSteps is the work that a search for the least peak may do when no other
// order was asked for: a fraction of a second.
const asideSteps = 1_000_000

func (r *runner) solveSteps() int64 {
	if r.cfg.comparesOrders() {
		return r.cfg.Decisions
	}
	if r.cfg.Decisions > 0 {
		return min(r.cfg.Decisions, asideSteps)
	}
	return asideSteps
}

// comparesOrders reports whether orders other than the stored one were asked
// for.
func (c *Config) comparesOrders() bool {
	return len(c.Orders) > 1 || len(c.Orders) == 1 && c.Orders[0].Info().Name != "stored"
}

func (r *runner) orderOptions() reorder.Options {
	return reorder.Options{Seed: r.cfg.Seed, TimeLimit: r.cfg.Timeout, Steps: r.cfg.Decisions}
}

// solverName is the reorderer that is reorder.Solve.
const solverName = "exact"

// order runs the reorderer of a unit. One that solves is not run again for what
// is known already.
func (r *runner) order(ctx context.Context, u *unit) (graph.Order, error) {
	memory, err := u.needs.get()
	if err != nil {
		return graph.Order{}, err
	}
	if u.job.order.Info().Name == solverName {
		if best := u.needs.solve(ctx, r); best != nil {
			u.base.OrderNS = u.needs.took.Nanoseconds()
			return graph.Order{Name: u.job.order.Info().Name, Ops: slices.Clone(best.Order)}, nil
		}
	}
	chosen, known := u.job.order, time.Duration(0)
	if j, ok := chosen.(jointOrder); ok {
		if best := u.needs.solve(ctx, r); best != nil {
			chosen, known = j.knowing(best), u.needs.took
		}
	}
	start := time.Now()
	o, err := guard(ctx, r, func(ctx context.Context) (graph.Order, error) {
		return chosen.Order(ctx, memory, r.orderOptions())
	})
	u.base.OrderNS = (known + time.Since(start)).Nanoseconds()
	if errors.Is(err, context.DeadlineExceeded) {
		err = fmt.Errorf("no order within %v: %w", r.cfg.Timeout, err)
	}
	return o, err
}

// orderBound says in the record how little any order needs.
func (r *runner) orderBound(ctx context.Context, u *unit) {
	best := u.needs.solve(ctx, r)
	if w := u.needs.warning; w != "" {
		u.base.Warnings = append(u.base.Warnings, w)
	}
	if best == nil || u.needs.memory.Loose != "" {
		return
	}
	u.base.OrderLeastBytes = best.Peak
	if best.Proven != nil {
		u.base.OrderBoundBytes, u.base.OrderBound = best.Proven.Value, best.Proven
	}
}
