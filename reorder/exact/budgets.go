package exact

import (
	"cmp"
	"slices"
)

// search tries budgets between the bounds: whether there is an order within
// one is easy to tell where it is far from the least peak, on either side, and
// how far is not known. So the middle comes first, then, when that takes too
// long, what is to the sides of it.
func (s *solver) search(quota int64) {
	end := s.stats.Steps + quota
	for s.lower < s.upper() && s.stats.Steps < end && !s.over() {
		settled := false
		for _, budget := range s.budgets() {
			if s.decide(budget, min(quota/4, end-s.stats.Steps)) != stopped {
				settled = true
				break
			}
		}
		if !settled {
			return
		}
	}
}

// budgets returns those to try, in turn.
func (s *solver) budgets() []int64 {
	low, high := s.net.up(s.lower), s.net.below(s.upper())
	middle := s.net.up(low + (high-low)/2)
	var list []int64
	for _, b := range []int64{low, middle, s.net.up(low + (high-low)/4), s.net.up(low + (high-low)/4*3), high} {
		if b = min(b, high); b >= s.lower && !slices.Contains(list, b) {
			list = append(list, b)
		}
	}
	return list
}

// decide finds out whether there is an order within the budget.
func (s *solver) decide(budget, quota int64) outcome {
	var open []*part
	for _, p := range s.parts {
		if p.peak > budget {
			open = append(open, p)
		}
	}
	slices.SortStableFunc(open, func(a, b *part) int { return cmp.Compare(b.peak, a.peak) })
	for _, p := range open {
		b := newProbe(s.net, p, budget, int(s.o.Memory))
		o, order, next := b.run(quota, s.over)
		s.stats.Steps += b.work()
		s.stats.States += b.states()
		switch o {
		case stopped:
			return stopped
		case refuted:
			p.lower = min(next, p.peak)
			s.raise(p.lower)
			return refuted
		}
		s.replace(p, order)
	}
	return found
}

// replace puts an order in the place of that of a part.
func (s *solver) replace(p *part, order []int32) {
	whole := make([]int32, 0, s.net.n)
	for _, q := range s.parts {
		if q == p {
			whole = append(whole, order...)
		} else {
			whole = append(whole, q.order...)
		}
	}
	s.offer(whole)
}
