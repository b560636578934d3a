package strategies

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/arenalab/arenalab/lifetime"
)

// climb is the search of velaHillClimb. The ranges are in the order of rows,
// and so are those of one step in the lists of neighbours: what a range rests on
// and which swap is drawn depend on that.
type climb struct {
	ranges []climbRange
	near   []int32 // of all ranges: the neighbours, those met first in front
	least  int64   // the peak of live bytes: the search ends there
	limit  int64   // a larger result is worth all tries
	size   int64   // of the best
	best   []int64 // its addresses
	kept   []int32 // its order
	order  []int32 // the ranges by turn
	tries  int64
	looks  int64

	high []int32 // of one call of lowest: neighbours above it

	now   int32   // counts the tries, for met
	met   []int32 // by turn: the last try that listed it
	turns []int32 // those the top depends on
	aside []int32 // those of turns that do not meet the top
	draw  *mersenne
}

// climbRange is a live range. Those that a try did not get to are at -1, but
// keep their end, their base and their turn.
type climbRange struct {
	item
	address, end int64
	base         int32 // the range it rests on, -1: none
	turn         int32
	from, to     int32 // its neighbours in near
	fixed        bool
}

// The constants of the original.
const (
	climbTries = 99999 // with a limit that is not met
	climbGain  = 500   // tries after the last gain
	climbStuck = 50    // tries after the last gain until swaps are doubled
)

// newClimb places the ranges for the first time.
func newClimb(p *placement, least int64, seed uint64) *climb {
	n := len(p.items) + len(p.pinned)
	c := &climb{
		least: least, size: math.MaxInt64, draw: newMersenne(seed),
		ranges: make([]climbRange, 0, n), best: make([]int64, n), met: make([]int32, n),
	}
	for k := range p.items {
		it := p.item(p.items[k].index) // fill has changed the others
		c.ranges = append(c.ranges, climbRange{item: it, base: -1, turn: int32(k)})
	}
	for _, i := range p.pinned {
		if p.table.Buffers[i].Size > 0 {
			it, at := p.item(i), p.offsets[i]
			c.ranges = append(c.ranges, climbRange{item: it, address: at, end: at + it.size, base: -1, turn: -1, fixed: true})
		}
	}
	slices.SortFunc(c.ranges, func(a, b climbRange) int { return cmp.Compare(a.index, b.index) })
	c.order = make([]int32, len(p.items))
	for k := range c.ranges {
		if r := &c.ranges[k]; !r.fixed {
			c.order[r.turn] = int32(k)
		}
	}
	c.meet()
	c.keep(c.place())
	return c
}

// meet lists the neighbours of each range by the step at which they meet, then
// by row: first those alive when it begins, then those that begin later.
func (c *climb) meet() {
	births := make([]int32, len(c.ranges))
	for k := range births {
		births[k] = int32(k)
	}
	slices.SortStableFunc(births, func(a, b int32) int { return cmp.Compare(c.ranges[a].lower, c.ranges[b].lower) })
	begun := func(step int64) int { // ranges that begin before the step
		n, _ := slices.BinarySearchFunc(births, step, func(k int32, step int64) int { return cmp.Compare(c.ranges[k].lower, step) })
		return n
	}
	var live []int32 // by row
	for i := 0; i < len(births); {
		step := c.ranges[births[i]].lower
		live = slices.DeleteFunc(live, func(k int32) bool { return c.ranges[k].upper <= step })
		next := begun(step + 1)
		live = append(live, births[i:next]...)
		slices.Sort(live)
		for ; i < next; i++ {
			k := births[i]
			r := &c.ranges[k]
			r.from = int32(len(c.near))
			at, _ := slices.BinarySearch(live, k)
			c.near = append(c.near, live[:at]...)
			c.near = append(c.near, live[at+1:]...)
			c.near = append(c.near, births[next:begun(r.upper)]...)
			r.to = int32(len(c.near))
		}
	}
}

func (c *climb) neighbours(r *climbRange) []int32 { return c.near[r.from:r.to] }

// place puts the ranges at the lowest address one by one, and gives up where
// they take more than the best does.
func (c *climb) place() int64 {
	for k := range c.ranges {
		if r := &c.ranges[k]; !r.fixed {
			r.address = -1
		}
	}
	size := int64(0)
	for turn, k := range c.order {
		r := &c.ranges[k]
		c.lowest(r)
		r.turn = int32(turn)
		if size = max(size, r.end); size > c.size {
			break
		}
	}
	return size
}

// lowest bumps the range from 0 up, from the end of one neighbour to that of
// another, in their order and again from the start, until all are clear. Those
// once below it are not looked at again.
func (c *climb) lowest(r *climbRange) {
	near := c.neighbours(r)
	address, base := int64(0), int32(-1)
	for fits := false; !fits; {
		fits = true
		c.looks += int64(len(near))
		high := c.high[:0]
		for _, k := range near {
			o := &c.ranges[k]
			if o.address < 0 || o.end <= address {
				continue
			}
			if o.address < address+r.size {
				fits = false
				address, base = lifetime.AlignUp(o.end, r.align), k
				continue
			}
			high = append(high, k)
		}
		near, c.high = high, high
	}
	r.address, r.end, r.base = address, address+r.size, base
}

// keep takes the placement as the best.
func (c *climb) keep(size int64) {
	c.size = size
	c.kept = append(c.kept[:0], c.order...)
	for k := range c.ranges {
		c.best[k] = c.ranges[k].address
	}
}

// search swaps and places until that no longer helps.
func (c *climb) search(ctx context.Context) {
	gain := int64(0)
	for i := int64(0); c.size > c.limit && i < climbTries || i-gain < climbGain; i++ {
		if c.size <= c.least || c.looks > velaLooks || ctx.Err() != nil || !c.swap(i-gain > climbStuck) {
			return
		}
		c.tries++
		size := c.place()
		if size > c.size {
			copy(c.order, c.kept)
			continue
		}
		if size < c.size {
			gain = i
		}
		c.keep(size)
	}
}

// swap exchanges two turns that the top depends on, and two more if stuck. It
// reports false if there are no two.
func (c *climb) swap(stuck bool) bool {
	top := c.gather()
	if len(c.turns) < 2 {
		return false
	}
	c.aside = c.aside[:0]
	for _, turn := range c.turns {
		if r := &c.ranges[c.order[turn]]; top.lower >= r.upper || r.lower >= top.upper {
			c.aside = append(c.aside, turn)
		}
	}
	from := c.turns
	if c.draw.below(101) < 30 && len(c.aside) > 0 {
		from = c.aside
	}
	a := from[c.draw.below(len(from))]
	b := c.turns[c.draw.below(len(c.turns)-1)]
	if a == b {
		b = c.turns[len(c.turns)-1]
	}
	c.order[a], c.order[b] = c.order[b], c.order[a]
	if !stuck {
		return true
	}
	for _, turn := range c.aside {
		for _, k := range c.neighbours(&c.ranges[c.order[turn]]) {
			c.list(&c.ranges[k])
		}
	}
	a = c.turns[c.draw.below(len(c.turns))]
	b = c.turns[c.draw.below(len(c.turns))]
	c.order[a], c.order[b] = c.order[b], c.order[a]
	return true
}

// gather finds the range with the highest end and lists the turns of it, of its
// neighbours, and of all that each of these rests on.
func (c *climb) gather() *climbRange {
	var top *climbRange
	for k := range c.ranges {
		if r := &c.ranges[k]; !r.fixed && (top == nil || r.end > top.end) {
			top = r
		}
	}
	c.now++
	c.turns = c.turns[:0]
	c.descend(top)
	for _, k := range c.neighbours(top) {
		c.descend(&c.ranges[k])
	}
	return top
}

func (c *climb) descend(r *climbRange) {
	c.list(r)
	for r.base >= 0 {
		r = &c.ranges[r.base]
		c.list(r)
	}
}

// list adds the turn of the range to turns, once.
func (c *climb) list(r *climbRange) {
	if !r.fixed && c.met[r.turn] != c.now {
		c.met[r.turn] = c.now
		c.turns = append(c.turns, r.turn)
	}
}
