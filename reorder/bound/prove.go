package bound

import (
	"context"

	"github.com/arenalab/arenalab/reorder/proof"
)

// Options say how far Prove goes.
type Options struct {
	Work int64 // limit on all of it, as that of Work; 0 is none
	Try  Try   // for orders that come up on the way; may be nil
	// Known is a bound that is already proven; nil if there is none.
	Known *proof.Bound
	// See, if not nil, is told each better bound as soon as it is found.
	See func(*proof.Bound)
}

// Result is what Prove found.
type Result struct {
	Bound *proof.Bound // the best
	Order []int        // the best known, maybe from Options.Try
	Peak  int64        // of that
	Work  int64        // done
}

// Prove returns the best bound that it finds, of all kinds, and stops when that
// is the peak of the best known order. It first refutes the budget just below
// that peak, which settles most graphs, then tries budgets between, then goes by
// cases.
func (f *Finder) Prove(ctx context.Context, order []int, o Options) Result {
	s := prover{f: f, ctx: ctx, o: o, w: &Work{Limit: o.Work}, best: f.Cheap()}
	if o.Known != nil && o.Known.Value >= s.best.Value {
		s.best = o.Known
	}
	s.order, s.peak = order, f.m.Peak(order)
	s.tell()
	for _, step := range []func(){s.cuts, s.sets, s.propagate, s.between, s.cases} {
		if s.best.Value >= s.peak || s.w.over(ctx) {
			break
		}
		step()
	}
	return Result{Bound: s.best, Order: s.order, Peak: s.peak, Work: s.w.Done}
}

type prover struct {
	f     *Finder
	ctx   context.Context
	o     Options
	w     *Work
	best  *proof.Bound
	order []int
	peak  int64
	top   *Propagation // of the peak less one unit
	dead  int64        // budget that cases leave open for good
}

func (s *prover) tell() {
	if s.o.See != nil {
		s.o.See(s.best)
	}
}

// take notes a bound, if it is better.
func (s *prover) take(b *proof.Bound) {
	if b != nil && b.Value > s.best.Value {
		s.best = b
		s.tell()
	}
}

// part returns the given part of the work that is left.
func (w *Work) part(percent int64) *Work {
	if w.Limit == 0 {
		return &Work{}
	}
	return &Work{Limit: max(1, (w.Limit-w.Done)/100*percent)}
}

// atMost returns work of a limit, or what is left if that is less.
func (w *Work) atMost(limit int64) *Work {
	if w.Limit > 0 {
		limit = min(limit, w.Limit-w.Done)
	}
	return &Work{Limit: max(1, limit)}
}

// spent adds what a part has done.
func (w *Work) spent(part *Work) { w.Done += part.Done }

func (s *prover) cuts() {
	w := s.w.part(25)
	s.take(s.f.Cut(s.ctx, s.order, s.best.Value, w))
	s.w.spent(w)
}

func (s *prover) sets() {
	w := s.w.part(40)
	s.take(s.f.Set(s.ctx, s.order, s.best.Value, w))
	s.w.spent(w)
}

// propagate tries the budget just below the best known peak.
func (s *prover) propagate() {
	p := s.f.Propagation(s.order)
	w := s.w.part(25)
	if p.Run(s.ctx, s.peak-s.f.unit, w) == Refuted {
		s.take(p.Bound(s.ctx))
	}
	s.w.spent(w)
	s.top = p
}

// climb tries budgets from the best bound up to below a value: in steps that
// double while they are refuted, and are cut when one is not. A refutation
// nearly always takes less work than to find that there is none.
func (s *prover) climb(below int64, w *Work, try func(budget int64) bool) {
	unit := s.f.unit
	step := (below - s.best.Value) / 16 / unit * unit
	for s.best.Value < below && !w.over(s.ctx) {
		budget := min(s.best.Value+step, below-unit)
		if try(budget) {
			step = 2*step + unit
			continue
		}
		below = min(below, budget)
		step = min(step/2, (below-s.best.Value)/2) / unit * unit
	}
}

// between tries budgets between the best bound and what was left open.
func (s *prover) between() {
	all := s.w.part(50)
	s.climb(s.peak-s.f.unit, all, func(budget int64) bool {
		p := s.top.Clone()
		w := all.part(25)
		defer all.spent(w)
		if p.Run(s.ctx, budget, w) == Refuted {
			s.take(p.Bound(s.ctx))
			return true
		}
		return false
	})
	s.w.spent(all)
}

// firstCases is the work for a budget that is tried by cases for the first time.
const firstCases = 1 << 21

// cases tries the budget just below the peak by cases, then smaller ones, in
// rounds of more and more work for each.
func (s *prover) cases() {
	s.dead = s.peak
	for limit := int64(firstCases); s.best.Value < min(s.peak, s.dead) && !s.w.over(s.ctx); limit = min(4*limit, 1<<60) {
		if s.by(s.peak-s.f.unit, limit) {
			continue
		}
		s.climb(min(s.peak-s.f.unit, s.dead), s.w, func(budget int64) bool {
			return s.by(budget, limit)
		})
	}
}

// by tries a budget by cases with some work, and reports whether it is refuted.
// An order that comes up is taken.
func (s *prover) by(budget, limit int64) bool {
	p, w := s.top.Clone(), s.w.atMost(limit)
	outcome, order := p.Branch(s.ctx, budget, s.o.Try, w)
	s.w.spent(w)
	switch {
	case outcome == Refuted:
		s.take(p.Bound(s.ctx))
	case order == nil && outcome == Open:
		s.dead = min(s.dead, budget) // there is no more to be done
	case order != nil:
		if peak := s.f.m.Peak(order); peak < s.peak {
			s.order, s.peak = order, peak
			s.top.Seed(order)
		}
	}
	return outcome == Refuted
}
