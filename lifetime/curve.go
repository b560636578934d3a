package lifetime

import "sort"

// Curve is the live-byte profile of a table: Live[i] bytes are live in the
// steps [Times[i], Times[i+1]). The last entry is always 0.
type Curve struct {
	Times []int64
	Live  []int64
}

// LiveBytes returns the live-byte profile, gaps and their windows honoured,
// in O(n log n). Only steps at which something is born or dies appear.
func (t *Table) LiveBytes() Curve {
	pieces := t.Pieces()
	var s sorter
	births, starts := s.order(len(pieces), func(i int) int64 { return pieces[i].Lower })
	deaths, ends := s.order(len(pieces), func(i int) int64 { return pieces[i].Upper })

	c := Curve{Times: make([]int64, 0, len(pieces)+1), Live: make([]int64, 0, len(pieces)+1)}
	var live int64
	b := 0
	for d := 0; d < len(ends); { // the last death is after every birth
		now := ends[d]
		if b < len(starts) {
			now = min(now, starts[b])
		}
		for ; b < len(starts) && starts[b] == now; b++ {
			live += pieces[births[b]].bytes()
		}
		for ; d < len(ends) && ends[d] == now; d++ {
			live -= pieces[deaths[d]].bytes()
		}
		c.Times = append(c.Times, now)
		c.Live = append(c.Live, live)
	}
	return c
}

// Peak returns the largest value of the curve in bytes and the first step at
// which it is reached; 0, 0 for an empty curve.
func (c Curve) Peak() (step, bytes int64) {
	for i, v := range c.Live {
		if v > bytes {
			step, bytes = c.Times[i], v
		}
	}
	return step, bytes
}

// At returns the live bytes at the given step.
func (c Curve) At(step int64) int64 {
	i := sort.Search(len(c.Times), func(i int) bool { return c.Times[i] > step })
	if i == 0 {
		return 0
	}
	return c.Live[i-1]
}

// Load returns the peak live bytes. O(n + steps) if there are no gaps and few
// steps, else O(n log n).
func (t *Table) Load() int64 {
	if bytes, ok := t.loadBySteps(); ok {
		return bytes
	}
	_, bytes := t.LiveBytes().Peak()
	return bytes
}

// loadBySteps adds up what is born and what dies at each step, unless there are
// gaps, or many more steps than buffers.
func (t *Table) loadBySteps() (int64, bool) {
	first, end := t.Span()
	if uint64(end-first) > 4*uint64(len(t.Buffers)) {
		return 0, false
	}
	change := make([]int64, end-first+1)
	for i := range t.Buffers {
		b := &t.Buffers[i]
		if len(b.Gaps) > 0 || b.Lower > b.Upper {
			return 0, false
		}
		change[b.Lower-first] += b.Size
		change[b.Upper-first] -= b.Size
	}
	var live, peak int64
	for _, c := range change {
		live += c
		peak = max(peak, live)
	}
	return peak, true
}
