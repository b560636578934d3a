package exact

import (
	"cmp"
	"slices"
)

// search tries budgets between the bounds: whether there is an order within
// one is easy to tell where it is far from the least peak, and often far easier
// above it than below, but where it is is not known. So the middle comes first,
// then, when that takes too long, what is above and what is below.
func (s *solver) search(quota int64) {
	end := s.stats.Steps + quota
	for s.lower < s.upper() && s.stats.Steps < end && !s.over() {
		list := s.budgets()
		s.forget(list)
		settled := false
		for _, budget := range list {
			if s.decide(budget, min(quota/int64(len(list)), end-s.stats.Steps)) != stopped {
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
	at := func(quarters int64) int64 { return s.net.up(low + (high-low)/4*quarters + (high-low)%4*quarters/4) }
	var list []int64
	for _, b := range []int64{at(2), at(3), high, at(1), low} {
		if b = min(b, high); b >= s.lower && !slices.Contains(list, b) {
			list = append(list, b)
		}
	}
	return list
}

// forget drops the probes of all but some budgets.
func (s *solver) forget(budgets []int64) {
	kept := s.probes[:0]
	for _, b := range s.probes {
		if slices.Contains(budgets, b.budget) && b.part.peak > b.budget {
			kept = append(kept, b)
		} else {
			b.release()
		}
	}
	clear(s.probes[len(kept):])
	s.probes = kept
}

// probe returns the probe of a part and a budget that was begun, or a new one.
func (s *solver) probe(p *part, budget int64) *probe {
	for _, b := range s.probes {
		if b.part == p && b.budget == budget {
			return b
		}
	}
	b := newProbe(s.net, p, budget, &s.memory)
	s.probes = append(s.probes, b)
	return b
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
		b := s.probe(p, budget)
		work, states := b.work(), b.states()
		o := b.run(quota, s.over)
		s.stats.Steps += b.work() - work
		s.stats.States += b.states() - states
		switch o {
		case stopped:
			return stopped
		case refuted:
			s.raise(min(b.least(), p.peak))
			return refuted
		}
		s.replace(p, b.order())
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
