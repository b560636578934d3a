package exact

import "slices"

// probe asks whether a part has an order within a budget, forward and back in
// time by turns: which of the two is easier cannot be told beforehand.
type probe struct {
	part   *part
	budget int64
	search [2]*search
	easy   int   // direction that is taken to be the easier one, or -1
	next   int   // direction whose turn it is
	turn   int64 // work of the other direction when the turns are over
}

const (
	firstTurn = 10000 // work of the first turn of a probe
	easyShare = 4     // how many times the work of the other direction the easy one does
)

// newProbe starts a probe whose dead states share some memory.
func newProbe(net *network, p *part, budget int64, easy int, m *memory) *probe {
	b := &probe{part: p, budget: budget, easy: easy, next: max(easy, 0), turn: firstTurn}
	w := newWalk(net, false)
	for i := range p.lo {
		w.take(int32(i))
	}
	b.search[0] = newSearch(w, p.hi, p.lo, p.hi, budget, m)
	if net.first > 0 {
		return b // settling back in time does not know what lives at the first operator only
	}
	w = newWalk(net, true)
	for i := net.n - 1; i >= p.hi; i-- {
		w.take(int32(i))
	}
	b.search[1] = newSearch(w, p.lo, p.lo, p.hi, budget, m)
	return b
}

// release gives back the memory of a probe, which is not to be used any more.
func (b *probe) release() {
	for _, s := range b.search {
		if s != nil {
			s.dead.release()
		}
	}
}

// run goes on until the answer is known, or as much work is done as quota says,
// or over says so. Directions take turns that grow; the easy one does more.
func (b *probe) run(quota int64, over func() bool) outcome {
	for limit := b.work() + quota; b.work() < limit; {
		s := b.search[b.next]
		turn := b.turn
		if b.next == b.easy {
			turn *= easyShare
		}
		if s == nil || s.w.work >= turn || s.full() {
			if b.next = 1 - b.next; b.next == max(b.easy, 0) {
				if b.full() {
					return stopped
				}
				b.turn *= 2
			}
			continue
		}
		if over() {
			return stopped
		}
		end := min(turn, s.w.work+firstTurn, s.w.work+limit-b.work())
		if o := s.run(end - 1); o != stopped {
			return o
		}
	}
	return stopped
}

// full reports whether there is no memory to go on in any direction.
func (b *probe) full() bool {
	for _, s := range b.search {
		if s != nil && !s.full() {
			return false
		}
	}
	return true
}

// order returns the order that was found last.
func (b *probe) order() []int32 {
	s := b.search[b.next]
	order := slices.Clone(s.w.trail[s.from:])
	if b.next == 1 {
		slices.Reverse(order)
	}
	return order
}

// easier returns the direction that refuted the budget, or -1 if the other one
// had not had the same work.
func (b *probe) easier() int {
	other := b.search[1-b.next]
	if other != nil && other.w.work < b.search[b.next].w.work/easyShare {
		return b.easy
	}
	return b.next
}

// least returns what the peak of the part is at least, once its budget is refuted.
func (b *probe) least() int64 { return b.search[b.next].next }

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
