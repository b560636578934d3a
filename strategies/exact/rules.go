package exact

import (
	"math"
	"slices"
)

// rule says which buffer is decided next.
type rule uint8

// The rules. All but the first choose a section, then the lowest of its
// buffers.
const (
	ruleLowest       rule = iota // the lowest of all buffers
	ruleSlack                    // least slack over weight
	ruleSlackMore                // the same, with room for the weight to tell
	ruleValley                   // least offset
	ruleValleyWeight             // least offset over weight
	ruleFirsts                   // fewest buffers that can be its lowest, over weight
	ruleFirstsSlack              // fewest buffers that can be its lowest, then slack
	ruleLookValley               // least offset, looking ahead
	ruleLookWeight               // least offset over the root of the weight, looking ahead
	ruleLookSlack                // least offset and a quarter of the slack, looking ahead
)

func (r rule) looksAhead() bool { return r >= ruleLookValley }

// The results of choose that are not buffers.
const (
	noBuffer int32 = -1 // nothing is left
	deadEnd  int32 = -2 // nothing fits
)

// choose returns the buffer to be decided next among those of sections
// [lo, hi). It may place, undo and postpone others first.
func (e *engine) choose(lo, hi int32) int32 {
	switch {
	case e.rule == ruleLowest && e.p.parts == nil:
		return e.lowest(lo, hi)
	case e.rule == ruleLowest:
		return e.loose(lo, hi)
	case e.rule.looksAhead():
		return e.lookAhead(lo, hi)
	}
	s := e.section(lo, hi)
	if s < 0 {
		return noBuffer
	}
	best, bestR := int32(-1), int64(never)
	for _, m := range e.members(s) {
		b := m.buffer
		if e.p.parts != nil && e.waitAt[b] >= 0 {
			continue
		}
		if e.r[b] < bestR || e.r[b] == bestR && e.order[b] < e.order[best] {
			best, bestR = b, e.r[b]
		}
	}
	if best < 0 {
		return e.loose(lo, hi)
	}
	return e.descend(best)
}

// lowest returns the buffer of least offset; of several, the first in order.
func (e *engine) lowest(lo, hi int32) int32 {
	best, bestR := noBuffer, int64(never)
	for s := lo; s < hi; s++ {
		if e.count[s] == 0 || e.low[s] > bestR {
			continue
		}
		for _, m := range e.members(s) {
			b := m.buffer
			if e.waitAt[b] >= 0 {
				continue
			}
			if e.r[b] < bestR || e.r[b] == bestR && e.order[b] < e.order[best] {
				best, bestR = b, e.r[b]
			}
		}
	}
	return best
}

// section returns the one to work on by the rule, or -1 if all is placed.
func (e *engine) section(lo, hi int32) int32 {
	best, least := int32(-1), math.Inf(1)
	for s := lo; s < hi; s++ {
		if e.count[s] == 0 {
			continue
		}
		if v := e.worth(s); v < least {
			best, least = s, v
		}
	}
	return best
}

func (e *engine) worth(s int32) float64 {
	low := float64(e.low[s])
	slack := float64(e.ceil-e.rest[s]) - low
	switch e.rule {
	case ruleSlack:
		return (slack + 1) / e.weight[s]
	case ruleSlackMore:
		return (slack + float64(e.ceil)/64) / e.weight[s]
	case ruleValley, ruleLookValley:
		return low
	case ruleValleyWeight:
		return low / e.weight[s]
	case ruleLookWeight:
		return (low + 4) / math.Sqrt(e.weight[s])
	case ruleLookSlack:
		return low + slack/4
	}
	firsts := 0
	limit := e.ceil - e.rest[s]
	for _, m := range e.members(s) {
		if e.r[m.buffer] <= limit {
			firsts++
		}
	}
	if e.rule == ruleFirstsSlack {
		return float64(firsts) + slack/float64(e.ceil+1)
	}
	return float64(firsts) / e.weight[s]
}

const maxProbes = 16

// lookAhead chooses a section and tries the first of its buffers in order. One
// that cannot be placed is postponed for good; of the others, the one that
// leaves the least danger of waste is chosen.
func (e *engine) lookAhead(lo, hi int32) int32 {
	for {
		s := e.section(lo, hi)
		if s < 0 {
			return noBuffer
		}
		var buf [maxProbes]int32
		candidates := e.candidates(s, buf[:0], e.probes)
		if len(candidates) == 0 {
			return e.below(s, lo, hi)
		}
		best, least := noBuffer, math.Inf(1)
		failed := noBuffer
		for _, b := range candidates {
			if c := e.descend(b); c != b {
				return c
			}
			mark := len(e.trail)
			e.nodes++
			fits := e.place(b)
			danger := 0.0
			if fits {
				danger = e.danger(lo, hi)
			}
			e.undo(mark)
			if !fits {
				failed = b
				break
			}
			if best == noBuffer || danger < least-1e-9 {
				best, least = b, danger
			}
		}
		if failed == noBuffer {
			return best
		}
		if !e.postpone(failed) {
			return deadEnd
		}
	}
}

// below returns what to decide if the lowest of section s waits.
func (e *engine) below(s, lo, hi int32) int32 {
	if e.p.parts != nil {
		return e.loose(lo, hi)
	}
	return e.descend(e.lowArg[s])
}

// candidates appends the buffers of section s that lie lowest and do not wait,
// at most limit, by order.
func (e *engine) candidates(s int32, list []int32, limit int) []int32 {
	for _, m := range e.members(s) {
		b := m.buffer
		if e.waitAt[b] >= 0 || e.r[b] != e.low[s] {
			continue
		}
		if len(list) < limit {
			list = append(list, b)
		} else if e.order[list[limit-1]] < e.order[b] {
			continue
		}
		k := len(list) - 1
		for ; k > 0 && e.order[list[k-1]] > e.order[b]; k-- {
			list[k] = list[k-1]
		}
		list[k] = b
	}
	return list
}

// danger measures how near the sections are to having no room to waste.
func (e *engine) danger(lo, hi int32) float64 {
	sum := 0.0
	for s := lo; s < hi; s++ {
		if e.count[s] > 0 {
			sum += 1 / (float64(e.ceil-e.rest[s]-e.low[s]) + e.eps)
		}
	}
	return sum
}

// setOrder ranks the buffers by the key. Factors, if not nil, multiply the
// values of its first letter. The letters stand for what is large in the
// buffers that come first: W the length of the life, A length times size, Z the
// size, T the largest load met, O the number of conflicts.
func (e *engine) setOrder(key string, factors []float64) {
	p := e.p
	width := len(key)
	if len(e.keys) < width*p.n {
		e.keys = make([]float64, width*p.n)
		e.picked = make([]int32, p.n)
	}
	values, list := e.keys[:width*p.n], e.picked[:p.n]
	for b := range p.n {
		list[b] = int32(b)
		for k := range width {
			values[width*b+k] = p.letter(int32(b), key[k])
		}
		if factors != nil {
			values[width*b] *= factors[b]
		}
	}
	slices.SortStableFunc(list, func(a, b int32) int {
		for k := range width {
			if x, y := values[width*int(a)+k], values[width*int(b)+k]; x > y {
				return -1
			} else if x < y {
				return 1
			}
		}
		return 0
	})
	for i, b := range list {
		e.order[b] = int32(i)
	}
}

func (p *problem) letter(b int32, letter byte) float64 {
	var load int64
	for _, sp := range p.spansOf(b) {
		if letter == 'T' {
			for s := sp.lo; s < sp.hi; s++ {
				load = max(load, p.load[s])
			}
		}
	}
	switch letter {
	case 'W':
		return p.life[b]
	case 'A':
		return p.life[b] * float64(p.size[b])
	case 'Z':
		return float64(p.size[b])
	case 'T':
		return float64(load)
	default: // 'O'
		return float64(len(p.nbr.of(b)))
	}
}
