package exact

import (
	"context"

	"github.com/arenalab/arenalab/graph"
	"github.com/arenalab/arenalab/reorder/bound"
	"github.com/arenalab/arenalab/reorder/proof"
)

// arcsPerStep is how many arcs of flows are looked at in the time of a step.
const arcsPerStep = 8

// prover finds bounds that have a witness, a piece of work at a time.
type prover struct {
	finder *bound.Finder // nil if nothing can be proven
	ops    int           // how many operators there are
	best   *proof.Bound
	work   bound.Work
	top    *bound.Propagation // of the budget just below the peak of the best order
	peak   int64              // that it is of
	stage  int                // of its kinds of bound: how many it is done with
	stuck  bool               // the last piece of work came to nothing
	order  []int              // found on the way; nil if none
	given  int64              // a peak just below which nothing is left to try
}

func newProver(m *graph.Memory) *prover {
	p := &prover{ops: len(m.Ops)}
	if m.Loose != "" {
		return p
	}
	if f, err := bound.New(m); err == nil {
		p.finder = f
	}
	return p
}

func (p *prover) value() int64 {
	if p.best == nil {
		return 0
	}
	return p.best.Value
}

func (p *prover) take(b *proof.Bound) {
	if b != nil && b.Value > p.value() {
		p.best = b
	}
}

func (p *prover) cheap() {
	if p.finder != nil {
		p.best = p.finder.Cheap()
	}
}

// What a witness may take of a bound that the search has found: so many times
// the steps of the search, and in any case so many steps for each operator.
const (
	patience      = 2
	patienceLeast = 20_000
)

// wants reports whether it is worth looking for a witness of a bound that the
// search has found after some steps.
func (p *prover) wants(peak, steps int64) bool {
	return p.finder != nil && p.given != peak && p.value() < peak &&
		p.work.Done/arcsPerStep < max(patience*steps, patienceLeast*int64(p.ops))
}

// run looks for better bounds, given the best order, its peak and the greatest
// lower bound that is known.
func (p *prover) run(ctx context.Context, order []int, lower, peak, arcs int64) {
	if p.finder == nil || p.given == peak || p.value() >= peak {
		return
	}
	switch {
	case p.stage < 2:
		arcs *= 4 // without these bounds the search looks at budgets far too small
	case p.stuck && lower < peak:
		arcs /= 4
	}
	before := p.value()
	defer func() { p.stuck = p.stage == 2 && p.value() == before }()
	p.work.Limit = p.work.Done + arcs
	if p.stage == 0 {
		p.take(p.finder.Cut(ctx, order, p.value(), &p.work))
		p.next(1)
	}
	if p.stage == 1 && p.value() < peak {
		p.take(p.finder.Set(ctx, order, p.value(), &p.work))
		p.next(2)
	}
	if p.stage == 2 && p.value() < peak {
		p.propagate(ctx, order, lower, peak)
	}
}

// next goes on to a stage if the one before was not cut short.
func (p *prover) next(stage int) {
	if p.work.Done < p.work.Limit {
		p.stage = max(p.stage, stage)
	}
}

// propagate tries the budget just below the peak; where that is open and the
// bracket is too, budgets between; and in the end cases.
func (p *prover) propagate(ctx context.Context, order []int, lower, peak int64) {
	if p.top == nil {
		p.top = p.finder.Propagation(order)
	} else if p.peak != peak {
		p.top.Seed(order)
	}
	p.peak = peak
	budget := peak - p.finder.Unit()
	switch p.top.Run(ctx, budget, &p.work) {
	case bound.Refuted:
		p.take(p.top.Bound(ctx))
		return
	case bound.Stopped:
		return
	}
	if lower < peak {
		p.halve(ctx, max(lower, p.value()), budget)
	}
	c := p.top.Clone()
	switch o, found := c.Branch(ctx, budget, nil, &p.work); {
	case o == bound.Refuted:
		p.take(c.Bound(ctx))
	case o == bound.Open:
		if p.order = found; found == nil {
			p.given = peak
		}
	}
}

// halve tries budgets from lower on that are below one that is open.
func (p *prover) halve(ctx context.Context, lower, open int64) {
	unit := p.finder.Unit()
	work := &bound.Work{Limit: max(1, (p.work.Limit-p.work.Done)/2)}
	defer func() { p.work.Done += work.Done }()
	for lower < open && work.Done < work.Limit && ctx.Err() == nil {
		budget := lower + (open-lower)/2/unit*unit
		c := p.top.Clone()
		if c.Run(ctx, budget, work) == bound.Refuted {
			p.take(c.Bound(ctx))
			lower = max(budget+unit, p.value())
		} else {
			open = budget
		}
	}
}
