package exact

import "slices"

// probe asks whether a part has an order within a budget, forward and back in
// time by turns: which of the two is easier cannot be told beforehand.
type probe struct {
	part   *part
	search [2]*search
	turn   int64 // work of the next turn
}

// firstTurn is the work of the first turn of a probe.
const firstTurn = 20000

// newProbe starts a probe whose dead states take no more than some bytes.
func newProbe(net *network, p *part, budget int64, memory int) *probe {
	b := &probe{part: p, turn: firstTurn}
	w := newWalk(net, false)
	for i := range p.lo {
		w.take(int32(i))
	}
	b.search[0] = newSearch(w, p.hi, p.lo, p.hi, budget, memory/2)
	if net.first > 0 {
		return b // settling back in time does not know what lives at the first operator only
	}
	w = newWalk(net, true)
	for i := net.n - 1; i >= p.hi; i-- {
		w.take(int32(i))
	}
	b.search[1] = newSearch(w, p.lo, p.lo, p.hi, budget, memory/2)
	return b
}

// run goes on until the answer is known, the work done by both directions is
// above the limit, or over says so.
func (b *probe) run(limit int64, over func() bool) (o outcome, order []int32, next int64) {
	for {
		for back, s := range b.search {
			if s == nil {
				continue
			}
			for end := s.w.work + b.turn; s.w.work < end; {
				if over() {
					return stopped, nil, 0
				}
				switch s.run(min(end, s.w.work+firstTurn)) {
				case refuted:
					return refuted, nil, s.next
				case found:
					order = slices.Clone(s.w.trail[s.from:])
					if back == 1 {
						slices.Reverse(order)
					}
					return found, order, 0
				}
			}
		}
		if b.work() > limit {
			return stopped, nil, 0
		}
		b.turn *= 2
	}
}

func (b *probe) work() (work int64) {
	for _, s := range b.search {
		if s != nil {
			work += s.w.work
		}
	}
	return work
}

// states returns how many states were looked at.
func (b *probe) states() (states int64) {
	for _, s := range b.search {
		if s != nil {
			states += s.steps
		}
	}
	return states
}
