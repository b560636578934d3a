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
// that peak, which settles most graphs, then halves what is between, then goes
// by cases.
func (f *Finder) Prove(ctx context.Context, order []int, o Options) Result {
	s := prover{f: f, ctx: ctx, o: o, w: &Work{Limit: o.Work}, best: f.Cheap()}
	if o.Known != nil && o.Known.Value >= s.best.Value {
		s.best = o.Known
	}
	s.order, s.peak = order, f.m.Peak(order)
	s.tell()
	for _, step := range []func(){s.cuts, s.sets, s.propagate, s.halve, s.cases} {
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
	top   *Propagation // open at the peak less one unit
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

// part returns work that ends when the given part of what is left is done.
func (s *prover) part(percent int64) *Work {
	if s.w.Limit == 0 {
		return s.w
	}
	left := s.w.Limit - s.w.Done
	return &Work{Limit: max(1, left/100*percent)}
}

// spent adds what a part has done.
func (s *prover) spent(w *Work) {
	if w != s.w {
		s.w.Done += w.Done
	}
}

func (s *prover) cuts() {
	w := s.part(25)
	s.take(s.f.Cut(s.ctx, s.order, s.best.Value, w))
	s.spent(w)
}

func (s *prover) sets() {
	w := s.part(15)
	s.take(s.f.Set(s.ctx, s.order, s.best.Value, w))
	s.spent(w)
}

// propagate tries the budget just below the best known peak.
func (s *prover) propagate() {
	p := s.f.Propagation(s.order)
	w := s.part(40)
	if p.Run(s.ctx, s.peak-s.f.unit, w) == Refuted {
		s.take(p.Bound(s.ctx))
	}
	s.spent(w)
	s.top = p
}

// halve tries budgets between the best bound and what was left open.
func (s *prover) halve() {
	open := s.peak - s.f.unit
	all := s.part(40)
	for s.best.Value < open && !all.over(s.ctx) {
		budget := s.best.Value + (open-s.best.Value)/2/s.f.unit*s.f.unit
		p := s.top.Clone()
		switch p.Run(s.ctx, budget, all) {
		case Refuted:
			s.take(p.Bound(s.ctx))
		case Stopped:
			open = s.best.Value
		default:
			open = budget
		}
	}
	s.spent(all)
}

// leastWork is what is not worth starting with.
const leastWork = 1000

// cases tries the budget just below the peak by cases, and, when that takes too
// much work, smaller ones.
func (s *prover) cases() {
	for s.best.Value < s.peak {
		settled := s.by(s.peak-s.f.unit, 50)
		if s.w.Limit == 0 && !settled || s.left() < leastWork {
			return
		}
		for open := s.peak - s.f.unit; !settled && s.best.Value < open; {
			budget := s.best.Value + (open-s.best.Value)/3/s.f.unit*s.f.unit
			if !s.by(budget, 30) {
				open = budget
			}
			if s.left() < leastWork {
				return
			}
		}
	}
}

// left returns the work that is left.
func (s *prover) left() int64 {
	switch {
	case s.ctx.Err() != nil:
		return 0
	case s.w.Limit == 0:
		return leastWork
	}
	return s.w.Limit - s.w.Done
}

// by tries a budget by cases with a part of the work, and reports whether it is
// settled.
func (s *prover) by(budget, percent int64) bool {
	p, w := s.top.Clone(), s.part(percent)
	defer s.spent(w)
	outcome, order := p.Branch(s.ctx, budget, s.o.Try, w)
	if outcome == Refuted {
		s.take(p.Bound(s.ctx))
	}
	if order != nil {
		if peak := s.f.m.Peak(order); peak < s.peak {
			s.order, s.peak = order, peak
			s.top.Seed(order)
		}
	}
	return outcome == Refuted || order != nil
}
