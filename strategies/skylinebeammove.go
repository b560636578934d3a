package strategies

import (
	"slices"

	"github.com/arenalab/arenalab/lifetime"
)

// expand adds the moves of a state.
func (b *beam) expand(k int32) {
	s := &b.states[k]
	if !b.settle(s) {
		return
	}
	b.pick(k, s, false)
	b.raised.copy(s)
	if b.skip(&b.raised) {
		b.pick(k, &b.raised, true)
	}
}

// pick adds a move for the candidate that each rank prefers of those that the
// ranks before have left, where no move before leads to the same.
func (b *beam) pick(k int32, s *beamState, raised bool) {
	left := b.found.items
	for _, rank := range b.ranks {
		if len(left) == 0 {
			return
		}
		best := 0
		for j, i := range left {
			if rank[i] < rank[left[best]] {
				best = j
			}
		}
		i := left[best]
		left[best] = left[len(left)-1]
		left = left[:len(left)-1]
		score, ok := b.weigh(s, i)
		if ok && b.seen.add(s.hash^b.hash[i]^mix(uint64(score))) {
			b.moves = append(b.moves, beamMove{score, int32(len(b.moves)), k, i, raised})
		}
	}
}

// weigh returns the score of the state after the item is placed, with what is
// then sure to be wasted beside it, and whether all ends stay within the limit.
func (b *beam) weigh(s *beamState, i int32) (score int64, ok bool) {
	it := &b.table.items[i]
	height := s.height[s.start]
	offset := lifetime.AlignUp(height, it.align)
	top := offset + it.size
	score = s.score
	if offset > height && !b.waste(s, &score, it.lo, it.hi, offset-height) {
		return 0, false
	}
	beside := func(at int32) int64 { // the height at a section of the item
		if s.final[at]+offset-height == top {
			return full
		}
		return top
	}
	if it.lo > s.start && b.found.minEnd > it.lo { // nothing fits before it
		to := beside(it.lo)
		if s.start > 0 {
			to = min(to, s.height[s.start-1])
		}
		if to < full && !b.waste(s, &score, s.start, it.lo, to-height) {
			return 0, false
		}
	}
	if it.hi < s.end && b.found.maxStart < it.hi { // nothing fits after it
		to := beside(it.hi - 1)
		if int(s.end) < len(s.height) {
			to = min(to, s.height[s.end])
		}
		if to < full && !b.waste(s, &score, it.hi, s.end, to-height) {
			return 0, false
		}
	}
	return score, true
}

// waste adds to the score what it costs to leave so many bytes empty in the
// sections, and reports whether all ends stay within the limit.
func (b *beam) waste(s *beamState, score *int64, start, end int32, bytes int64) bool {
	for _, u := range s.final[start:end] {
		if u+bytes > b.limit {
			return false
		}
		*score += b.cost.of(u+bytes) - b.cost.of(u)
	}
	return true
}

// choose makes the states of the best moves.
func (b *beam) choose() {
	if len(b.moves) > b.width {
		partBest(b.moves, b.width)
		b.moves = b.moves[:b.width]
	}
	slices.SortFunc(b.moves, func(x, y beamMove) int {
		if x.before(&y) {
			return -1
		}
		return 1 // no two are alike
	})
	b.next = b.next[:0]
	for k := range b.moves {
		b.next = append(b.next, b.child(&b.moves[k]))
	}
	b.spare = append(b.spare, b.states...)
	b.states, b.next = b.next, b.states
}

// before tells which of two moves is better.
func (m *beamMove) before(o *beamMove) bool {
	return m.score < o.score || m.score == o.score && m.turn < o.turn
}

// partBest brings the best k moves to the front, in any order. O(moves).
func partBest(moves []beamMove, k int) {
	from, to := 0, len(moves)
	for to-from > 1 {
		pivot := moves[(from+to)/2]
		i, j := from, to-1
		for i <= j {
			for moves[i].before(&pivot) {
				i++
			}
			for pivot.before(&moves[j]) {
				j--
			}
			if i <= j {
				moves[i], moves[j] = moves[j], moves[i]
				i, j = i+1, j-1
			}
		}
		switch { // [from, j] is no worse than what lies between, [i, to) no better
		case k <= j:
			to = j + 1
		case k >= i:
			from = i
		default:
			return
		}
	}
}

// child returns the state after the move.
func (b *beam) child(m *beamMove) beamState {
	s := &b.states[m.state]
	c := b.fresh()
	c.copy(s)
	if m.raised {
		b.skip(&c)
	}
	it := &b.table.items[m.item]
	height := c.height[it.lo]
	offset := lifetime.AlignUp(height, it.align)
	top := offset + it.size
	for t := it.lo; t < it.hi; t++ {
		u := c.final[t]
		if offset > height {
			c.score -= b.cost.of(u)
			u += offset - height
			c.score += b.cost.of(u)
			c.final[t] = u
		}
		c.height[t] = top
		if u == top {
			c.height[t] = full
		}
	}
	switch { // what is left of the stretch is the lowest still
	case it.lo > c.start:
		c.end = it.lo
	case it.hi < c.end:
		c.start = it.hi
	default:
		c.end = 0
	}
	c.placed[m.item/64] |= 1 << (m.item % 64)
	c.hash ^= b.hash[m.item]
	c.last = int32(len(b.history))
	b.history = append(b.history, beamStep{s.last, m.item, offset})
	return c
}
