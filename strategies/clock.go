package strategies

import (
	"math/bits"
	"slices"
	"sort"
)

// clock maps steps to sections. A section begins at each step at which
// something is born; two lives share a step exactly if the sections in which
// something is born during them overlap.
type clock struct {
	births []int64 // distinct, ascending; an index into them is a section
	first  int64   // births[0]
	shift  uint
	index  []int32 // by (step-first)>>shift: the births below the first step of the cell
}

// newClock takes the births as they come, and keeps the slice.
func newClock(births []int64) *clock {
	c := &clock{}
	if len(births) == 0 {
		return c
	}
	c.first = slices.Min(births)
	span := uint64(slices.Max(births) - c.first)
	cells := uint64(4 * len(births))
	if span < cells {
		c.count(births, int(span)+1)
		return c
	}
	slices.Sort(births)
	c.births = slices.Compact(births)
	c.shift = uint(bits.Len64(span / cells))
	c.index = make([]int32, span>>c.shift+1)
	cell := 0
	for i, step := range c.births {
		for k := int(uint64(step-c.first) >> c.shift); cell <= k; cell++ {
			c.index[cell] = int32(i)
		}
	}
	return c
}

// count makes a cell of every step, and sorts the births with the help of it.
func (c *clock) count(births []int64, steps int) {
	c.index = make([]int32, steps)
	for _, step := range births {
		c.index[step-c.first] = 1
	}
	c.births = births[:0]
	for k, born := range c.index {
		c.index[k] = int32(len(c.births))
		if born > 0 {
			c.births = append(c.births, c.first+int64(k))
		}
	}
}

// section returns the number of births before the step.
func (c *clock) section(step int64) int32 {
	k := uint64(step-c.first) >> c.shift
	switch {
	case step <= c.first:
		return 0
	case k >= uint64(len(c.index)):
		return int32(len(c.births))
	case c.shift == 0:
		return c.index[k]
	}
	from, to := int(c.index[k]), len(c.births)
	if k+1 < uint64(len(c.index)) {
		to = int(c.index[k+1])
	}
	return int32(from + sort.Search(to-from, func(i int) bool { return c.births[from+i] >= step }))
}
