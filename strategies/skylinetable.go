package strategies

import (
	"math"

	"github.com/arenalab/arenalab/lifetime"
)

// skyTable is what the skyline planners see of a table: rectangles of sections
// and bytes, in order of birth. A section is a run of steps in which nothing
// that matters changes: it begins with the first birth after a death. Two lives
// share a section exactly if they share a step.
type skyTable struct {
	items    []skyItem
	from     []int32 // by section: the first item born there or later; one more at the end
	load     []int64 // by section: bytes live, sizes rounded up
	peak     int64   // the most of load
	sections int
	round    int64 // the least alignment of any item: sizes and offsets are multiples
	mixed    bool  // some item has a larger alignment
}

// skyItem is a buffer to be placed that takes all its bytes all its life.
type skyItem struct {
	size   int64 // rounded up to skyTable.round
	align  int64
	lo, hi int32 // sections [lo, hi)
}

// newSkyTable takes items in order of birth.
func newSkyTable(items []item) *skyTable {
	t := &skyTable{items: make([]skyItem, len(items)), round: math.MaxInt64}
	births := make([]int64, len(items))
	for i := range items {
		births[i] = items[i].lower
		t.round = min(t.round, items[i].align)
	}
	c := newClock(births)
	steps := make([]int32, len(c.births)+1) // first 1 where something has died since the birth before
	for i := range items {
		it, out := &items[i], &t.items[i]
		out.lo, out.hi = c.section(it.lower), c.section(it.upper)
		out.size, out.align = lifetime.AlignUp(it.size, t.round), it.align
		t.mixed = t.mixed || it.align != t.round
		steps[out.hi] = 1
	}
	t.number(steps)
	t.measure()
	return t
}

// number gives the sections their numbers, where dead tells the births that
// begin one.
func (t *skyTable) number(dead []int32) {
	if len(dead) > 0 {
		dead[0] = 0
	}
	for s := 1; s < len(dead); s++ {
		dead[s] += dead[s-1]
		t.sections = int(dead[s])
	}
	for i := range t.items {
		it := &t.items[i]
		it.lo, it.hi = dead[it.lo], dead[it.hi]
	}
}

// measure fills in what follows from the items.
func (t *skyTable) measure() {
	t.from = make([]int32, t.sections+1)
	t.load = make([]int64, t.sections+1)
	born := 0
	for s := range t.from {
		for born < len(t.items) && int(t.items[born].lo) < s {
			born++
		}
		t.from[s] = int32(born)
	}
	for i := range t.items {
		it := &t.items[i]
		t.load[it.lo] += it.size
		t.load[it.hi] -= it.size
	}
	for s := 1; s <= t.sections; s++ {
		t.load[s] += t.load[s-1]
	}
	for _, live := range t.load {
		t.peak = max(t.peak, live)
	}
	t.load = t.load[:t.sections]
}
