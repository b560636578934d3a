package exact

import (
	"cmp"
	"slices"
)

// search tries budgets between the bounds. Whether there is an order within one
// is mostly easy to tell above the least peak, and hard below it, not much
// harder just below than far below. So it looks for better orders first, and
// then has most of the work go to the budget just below the best order: when
// that is refuted all is done.
func (s *solver) search(quota int64) {
	end := s.stats.Steps + quota
	s.widen(quota / 8)
	for s.open(end) {
		s.descend(end, max(quota/16, 4*firstTurn))
		settled := false
		trials := s.trials()
		s.forget(trials)
		for _, t := range trials {
			if !s.open(end) {
				return
			}
			if s.decide(t.budget, min(quota*t.share/8, end-s.stats.Steps)) != stopped {
				settled = true
				break
			}
		}
		if !settled {
			return
		}
	}
}

// open reports whether the bracket is, and there is work left.
func (s *solver) open(end int64) bool {
	return s.lower < s.upper() && s.stats.Steps < end && !s.over()
}

// descend looks for better orders as long as each takes little work: at the
// lower bound, which often is the least peak, then by smaller steps down from
// the best peak.
func (s *solver) descend(end, each int64) {
	step := s.upper() - s.lower
	for s.open(end) {
		high := s.net.below(s.upper())
		budget := max(min(s.net.up(s.upper()-step), high), s.lower)
		s.forget([]trial{{budget: high}, {budget: budget}})
		if s.decide(budget, min(each, end-s.stats.Steps)) == found {
			continue
		}
		if budget >= high {
			return
		}
		step /= 2
	}
}

// trial is a budget to try and the work that it may take: a share of what there
// is, in eighths.
type trial struct {
	budget int64
	share  int64
}

// trials returns those to make, in turn.
func (s *solver) trials() []trial {
	high := s.net.below(s.upper())
	middle := min(s.net.up(s.lower+(high-s.lower)/2), high)
	if middle == high {
		return []trial{{high, 8}}
	}
	return []trial{{high, 6}, {middle, 2}}
}

// forget drops the probes of all but some trials.
func (s *solver) forget(but []trial) {
	kept := s.probes[:0]
	for _, b := range s.probes {
		wanted := slices.ContainsFunc(but, func(t trial) bool { return t.budget == b.budget })
		if wanted && b.part.peak > b.budget {
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
	b := newProbe(s.net, p, budget, s.easy, &s.memory)
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
		if o == stopped {
			return stopped
		}
		if o == refuted {
			s.easy = b.easier()
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
