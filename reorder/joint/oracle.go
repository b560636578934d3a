package joint

import (
	"cmp"
	"context"
	"slices"
)

// oracle tells from which states the rest can run within a budget.
type oracle struct {
	ctx    context.Context
	budget int64
	known  map[[2]uint64]bool
	work   int64 // of the state, up to which it answers
	spent  bool  // it did not always find out
	found  int   // orders
	failed int   // orders that were not found
}

func newOracle(ctx context.Context, budget int64) *oracle {
	return &oracle{ctx: ctx, budget: budget, known: map[[2]uint64]bool{}}
}

// known states take some memory; so many of them are kept.
const mostKnown = 1 << 20

// allow lets the oracle look at so many operators more.
func (o *oracle) allow(s *state, work int64) {
	o.work, o.spent = s.work+work, false
	if len(o.known) > mostKnown {
		clear(o.known)
	}
}

// choice is an operator that may run next.
type choice struct {
	op    int32
	after int64 // bytes live after it
	free  bool  // it can run now without harm
	rank  [2]int64
}

// feasible reports whether the rest can run within the budget. When its work
// is used up it says no.
func (o *oracle) feasible(s *state) bool {
	mark, first := len(s.trail), s.key
	if ok, seen := o.known[first]; seen {
		return ok
	}
	s.close(o.budget)
	key := s.key
	ok, seen := o.known[key]
	if !seen {
		ok = s.done() || o.any(s)
	}
	s.back(mark)
	if ok || !o.spent {
		o.known[key], o.known[first] = ok, ok
	}
	return ok
}

// any tries what can run next, what leaves the fewest bytes first.
func (o *oracle) any(s *state) bool {
	var list []choice
	for _, i := range s.list(nil) {
		if during, after := s.cost(i); during <= o.budget {
			list = append(list, choice{op: i, after: after})
		}
	}
	slices.SortStableFunc(list, func(a, b choice) int { return cmp.Compare(a.after, b.after) })
	mark := len(s.trail)
	for _, c := range list {
		if o.over(s) {
			return false
		}
		s.take(c.op, c.after)
		ok := o.feasible(s)
		s.back(mark)
		if ok {
			return true
		}
	}
	return false
}

// over reports whether the work is used up.
func (o *oracle) over(s *state) bool {
	o.spent = o.spent || s.work > o.work || o.ctx.Err() != nil
	return o.spent
}
