package bound

import (
	"cmp"
	"context"
	"slices"

	"github.com/arenalab/arenalab/reorder/proof"
)

// Of which operators sets are made: at least setOps, those at which most bytes
// are live in the known order, and more until setWork is done.
const (
	setOps  = 128
	setWork = 15e6
)

// What work is done at most, unless that of the caller ends before, for the best
// set of all, and first for one that meets the peak.
const (
	peelWork  = 20e6
	quickWork = 4e6
)

// setShares are the parts of the greatest cut, in percent, from which on
// operators are taken into sets.
var setShares = [...]int64{100, 95, 85, 70, 50, 30, 0}

// Set returns the best bound of a set of operators that is above a value, or
// nil: one of them is the first of them to run, with no other done, and one is
// the last, with all others done. The sets are
//
//   - if the order is known, that which shows its peak to be the least, if there
//     is one,
//   - operators of great cuts that are pairwise free to run in either sequence,
//     in numbers that grow by half,
//   - of all operators whose cut is at least a part of the greatest, those that
//     come after none such: where one is the last of them, much is held that
//     the others left; and those that come before none such, for the first,
//   - in the end all that there are, see peeling.
func (f *Finder) Set(ctx context.Context, order []int, above int64, w *Work) *proof.Bound {
	if w == nil {
		w = &Work{}
	}
	s := setSearch{f: f, ctx: ctx, w: w, above: above, peak: unlimited}
	if order != nil {
		s.peak = f.m.Peak(order)
	}
	if order != nil {
		for _, last := range []bool{true, false} {
			s.peel(order, last, s.peak-f.unit, quickWork)
		}
	}
	s.candidates(order)
	s.chains()
	for _, last := range []bool{true, false} {
		s.edges(last)
	}
	for _, last := range []bool{true, false} {
		s.peel(order, last, s.above, peelWork)
	}
	return s.best
}

// peel looks for the best set of all that is above so many bytes.
func (s *setSearch) peel(order []int, last bool, above, limit int64) {
	if above = max(above, s.above); above >= s.peak {
		return
	}
	p := newPeeling(s.f, s.f.rel, last)
	p.follow(order, above)
	w := s.w.atMost(limit)
	defer func() { s.w.spent(w) }()
	for p.run(s.ctx, w, above) && len(p.set) > 0 && above < s.peak {
		if s.try(p.set, last); s.above <= above {
			return // out of work
		}
		above = s.above
	}
}

type setSearch struct {
	f     *Finder
	ctx   context.Context
	w     *Work
	ops   []int32 // of known cuts, which fall
	above int64
	peak  int64 // of the known order: no bound is above it
	best  *proof.Bound
}

// candidates finds the cuts of the operators that sets are made of.
func (s *setSearch) candidates(order []int) {
	ops, _ := s.f.falling(order)
	begin := s.w.Done
	for k, v := range ops {
		if s.w.over(s.ctx) || k >= setOps && s.w.Done-begin > setWork {
			ops = ops[:k]
			break
		}
		s.f.cut(v, s.w)
	}
	slices.SortStableFunc(ops, func(a, b int32) int { return cmp.Compare(s.f.cuts[b], s.f.cuts[a]) })
	s.ops = ops
}

// chains tries operators that are pairwise free, those of great cuts first.
func (s *setSearch) chains() {
	var free []int32
	for _, v := range s.ops {
		if len(free) == setOps {
			break
		}
		if !slices.ContainsFunc(free, func(u int32) bool { return !s.f.rel.apart(u, v) }) {
			free = append(free, v)
		}
	}
	for k := 2; len(free) > 1; k = k*3/2 + 1 {
		k = min(k, len(free))
		s.try(free[:k], false)
		s.try(free[:k], true)
		if k == len(free) {
			break
		}
	}
}

// edges tries, of the operators with cuts of some size, those with none such
// before them, or, for the first, after them.
func (s *setSearch) edges(last bool) {
	if len(s.ops) == 0 {
		return
	}
	most := s.f.cuts[s.ops[0]]
	taken := newSet(len(s.f.m.Ops))
	size := 0
	for _, share := range setShares {
		for size < len(s.ops) && s.f.cuts[s.ops[size]] >= most/100*share {
			taken.add(s.ops[size])
			size++
		}
		var edge []int32
		for _, v := range s.ops[:size] {
			others := s.f.rel.after[v]
			if last {
				others = s.f.rel.before[v]
			}
			if !others.meets(taken) {
				edge = append(edge, v)
			}
		}
		s.try(edge, last)
	}
}

// try takes the bound of a set if it is better.
func (s *setSearch) try(ops []int32, last bool) {
	if len(ops) < 2 || s.above >= s.peak || s.w.over(s.ctx) {
		return
	}
	bytes := s.f.ofSet(s.ctx, ops, last, s.above, s.w)
	if bytes <= s.above {
		return
	}
	s.above = bytes
	s.best = &proof.Bound{Kind: proof.Set, Value: bytes, Last: last}
	for _, v := range ops {
		s.best.Ops = append(s.best.Ops, int(v))
	}
	slices.Sort(s.best.Ops)
}

// ofSet returns the least bytes at the operator of a set that runs last of
// them, or first, whichever that is; or a value that is not above the given one.
// The operators are pairwise free, and their cuts fall: those at the end are
// the likeliest to be low.
func (f *Finder) ofSet(ctx context.Context, ops []int32, last bool, above int64, w *Work) int64 {
	least := int64(unlimited)
	n := len(f.m.Ops)
	all, side := newSet(n), newSet(n) // the operators with what they need, or with what needs them
	for _, u := range ops {
		all.add(u)
		if last {
			all.unite(f.rel.before[u])
		} else {
			all.unite(f.rel.after[u])
		}
	}
	for _, v := range slices.Backward(ops) {
		if w.over(ctx) {
			return 0
		}
		in, out := f.rel.before[v], all
		if last {
			copy(side, f.rel.after[v])
			side.add(v)
			all.remove(v)
			in, out = all, side
		}
		least = min(least, f.least(v, in, out, nil, least, w))
		all.add(v)
		if least <= above {
			return least
		}
	}
	return least
}
