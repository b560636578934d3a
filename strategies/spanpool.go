package strategies

import "math/bits"

// spanPool holds many growing lists of spans in one slice, so that they cost
// no allocation each. What a list leaves behind as it grows is used again.
type spanPool struct {
	slab []span
	free [32]int32 // by the logarithm of the capacity: 1 + where the first free stretch is
}

// spanList is a list in a pool: ascending spans with gaps of at least
// spanPool's least between them.
type spanList struct{ at, n, capacity int32 }

func (p *spanPool) view(l *spanList) []span { return p.slab[l.at : l.at+l.n] }

// grow doubles the capacity.
func (p *spanPool) grow(l *spanList) {
	old := *l
	l.capacity = max(2, 2*l.capacity)
	class := bits.Len32(uint32(l.capacity))
	if at := p.free[class]; at > 0 {
		l.at = at - 1
		p.free[class] = int32(p.slab[l.at].low)
	} else {
		l.at = int32(len(p.slab))
		p.slab = append(p.slab, make([]span, l.capacity)...)
	}
	copy(p.slab[l.at:], p.slab[old.at:old.at+old.n])
	if old.capacity > 0 {
		class--
		p.slab[old.at].low = int64(p.free[class])
		p.free[class] = old.at + 1
	}
}

// merge adds a span to the list and reports whether it added anything. Spans
// with less than least bytes between them become one.
func (p *spanPool) merge(list *spanList, s span, least int64) bool {
	l := p.view(list)
	i, end := 0, len(l)
	for i < end { // the first span that ends less than least below s, or above
		if m := int(uint(i+end) >> 1); s.low-l[m].high >= least {
			i = m + 1
		} else {
			end = m
		}
	}
	if i < len(l) && l[i].low <= s.low && l[i].high >= s.high {
		return false
	}
	j := i
	for ; j < len(l) && l[j].low-s.high < least; j++ {
		s.low, s.high = min(s.low, l[j].low), max(s.high, l[j].high)
	}
	switch {
	case j == i:
		if list.n == list.capacity {
			p.grow(list)
		}
		list.n++
		l = p.view(list)
		copy(l[i+1:], l[i:])
	case j > i+1:
		copy(l[i+1:], l[j:])
		list.n -= int32(j - i - 1)
	}
	l[i] = s
	return true
}
