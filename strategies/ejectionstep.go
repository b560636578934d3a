package strategies

import (
	"math"

	"github.com/arenalab/arenalab/lifetime"
)

// ejectGap says which gap a buffer goes to.
type ejectGap uint64

const (
	ejectLowest   ejectGap = iota
	ejectTightest          // ties: the lowest
	ejectBottom            // the bottom of any
	ejectEither            // the bottom or the top of any
	ejectGaps              // their number
)

// insert places the unplaced buffer below the ceiling, and pushes out what is
// in its way. It returns false if fixed buffers leave no place for it.
func (s *ejector) insert(i int32, ceiling int64) bool {
	s.decisions++
	s.near.collect(s.space, s.pieces[s.first[i]:s.first[i+1]], s.pieces)
	top := ceiling - s.size[i] // the highest offset
	if at := s.gap(top, s.align[i], ejectGap(s.draw(uint64(ejectGaps)))); at >= 0 {
		s.put(i, at)
		return true
	}
	s.penalty[i] = min(s.penalty[i]+1, s.dearest)
	at := s.cheapest(top, s.align[i])
	if at < 0 {
		return false
	}
	for k := range s.near.list {
		f := &s.near.list[k]
		if f.lo >= at {
			break
		}
		if f.hi > at && s.offsets[f.owner] >= 0 {
			s.take(f.owner)
			s.out = append(s.out, f.owner)
		}
	}
	s.put(i, at)
	return true
}

// gap returns an offset up to top that is not forbidden, -1 if there is none.
// The offsets of a gap run from the end of one range to the start of the next.
func (s *ejector) gap(top, align int64, rule ejectGap) int64 {
	best, width, seen := int64(-1), int64(math.MaxInt64), uint64(0)
	low := int64(0) // the lowest offset above the ranges so far
	list := s.near.list
	for k := 0; k <= len(list) && low <= top; k++ {
		high := top
		if k < len(list) {
			high = min(high, list[k].lo)
		}
		if high >= low {
			at := lifetime.AlignUp(low, align)
			if high = alignDown(high, align); at <= high {
				switch rule {
				case ejectLowest:
					return at
				case ejectTightest:
					if high-at < width {
						best, width = at, high-at
					}
				default:
					if seen++; s.draw(seen) == 0 {
						best = at
						if rule == ejectEither && s.draw(2) == 0 {
							best = high
						}
					}
				}
			}
		}
		if k < len(list) {
			low = max(low, list[k].hi)
		}
	}
	return best
}

func alignDown(x, align int64) int64 { return x &^ (align - 1) }

// cheapest returns the offset up to top with the least sum of penalty times
// weight over what it overlaps, blurred a little; -1 if all overlap a fixed
// buffer. Only offsets are tried at which the buffer touches a neighbour, the
// floor or the ceiling: between them the sum does not fall.
func (s *ejector) cheapest(top, align int64) int64 {
	list := s.near.list
	ends := s.ends[:0]
	for k := range list {
		f := &list[k]
		f.weight = s.price(f.owner)
		ends = append(ends, ender{f.hi, f.weight})
	}
	if cap(s.endsSpare) < len(ends) {
		s.endsSpare = make([]ender, cap(ends))
	}
	sortEnders(ends, s.endsSpare[:len(ends)])
	s.ends = ends

	s.best = choice{at: -1, cost: s.hard}
	for _, start := range [...]bool{false, true} { // what is below each end, what is above each start
		var begun, ended int64 // weights of the ranges that begin and end below the offset
		b, e, last := 0, 0, int64(-1)
		for k := -1; k <= len(list); k++ {
			var at int64
			switch {
			case k < 0:
				at = 0
			case k == len(list):
				at = alignDown(top, align)
			case start:
				at = alignDown(list[k].lo, align)
			default:
				at = lifetime.AlignUp(ends[k].hi, align)
			}
			if at <= last {
				continue // tried, or below the floor
			}
			if at > top {
				break
			}
			last = at
			for ; b < len(list) && list[b].lo < at; b++ {
				begun += list[b].weight
			}
			for ; e < len(ends) && ends[e].hi <= at; e++ {
				ended += ends[e].weight
			}
			s.consider(at, begun-ended)
		}
	}
	return s.best.at
}

// choice is the offset with the least cost so far.
type choice struct {
	at, cost int64
}

// consider draws up to an eighth of the cost on top of it, so that what is
// about equally cheap is chosen in turn.
func (s *ejector) consider(at, cost int64) {
	if cost >= s.hard {
		return
	}
	cost += cost >> 10 * int64(s.draw(1<<7))
	if cost < s.best.cost || cost == s.best.cost && s.draw(2) == 0 {
		s.best = choice{at, cost}
	}
}

// price returns what it costs to push the buffer out.
func (s *ejector) price(i int32) int64 {
	if s.fixed[i] {
		return s.hard
	}
	return s.weight[i] * s.penalty[i]
}

// put places the buffer, and take takes it out.
func (s *ejector) put(i int32, at int64) {
	s.offsets[i] = at
	for k := s.first[i]; k < s.first[i+1]; k++ {
		s.space.add(&s.pieces[k], k, at)
	}
}

func (s *ejector) take(i int32) {
	for k := s.first[i]; k < s.first[i+1]; k++ {
		s.space.remove(&s.pieces[k], k, s.offsets[i])
	}
	s.offsets[i] = -1
}

// draw returns a number below n, which must be small: the bias is n/2^32.
func (s *ejector) draw(n uint64) uint64 {
	if s.bits == 0 {
		s.word, s.bits = s.random.Uint64(), 2
	}
	half := s.word & math.MaxUint32
	s.word >>= 32
	s.bits--
	return half * n >> 32
}
