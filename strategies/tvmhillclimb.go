package strategies

// TVM's hill climb places the buffers at the lowest offset, the largest first,
// then swaps one that meets the top with one that meets those, and places anew,
// 500 times. A worse layout is taken now and then, and the last one taken is
// the result, even if there was a better one.
//
// Complexity: O(n log n) and O(e log n) for each of 500 tries, e the pairs that
// conflict; O(e) memory. The same for the original.
//
// Reference: class HillClimbAllocator, src/tir/usmp/algo/hill_climb.cc,
// apache/tvm at commit 01e04237f97d.
//
// Rule, to the byte: by size, then conflicts, then name, all descending. Try k
// is taken if its arena is smaller than that of the last taken, or if the next
// number of glibc's rand_r, from the seed 0, modulo 100 is below 50 (1 - last /
// arena) / k, each division rounded down; so one that is equal is not. One that is
// not taken swaps the last pair back, even if it has swapped none itself. Then
// one of the buffers that end at the top of the last taken is drawn, one of those
// it meets that stand before it in the order, and one of those that stand before
// any it meets and meet that one, or in 26 draws of 100 another of the former.
// Those two are swapped. The search ends at the peak of live bytes.
//
// Departures: one pool without a limit holds all. A seed other than 0 is that of
// rand_r. Offsets are rounded to the alignment of the buffer that is placed,
// those of the original to that of the one below. Buffers without bytes
// count as conflicts, but are not swapped. The original draws the second buffer
// until it is another than the first; here 1000 draws end the search, which takes
// 250 of the same in succession to be likely. The search gives up after 2^30 looks
// at a neighbour, and is not begun where more than 2^22 pairs conflict. Fixed
// offsets, which the original does not know, are obstacles. A buffer with gaps
// is taken to be live all its life.

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/arenalab/arenalab/lifetime"
)

type tvmHillClimb struct{}

func (tvmHillClimb) Info() Info {
	return Info{
		Name:       "tvm-hill-climb",
		Title:      "TVM USMP: hill climb",
		Summary:    "largest first at the lowest offset, then 500 swaps below the top",
		Reference:  "class HillClimbAllocator, src/tir/usmp/algo/hill_climb.cc, apache/tvm at 01e04237f97d",
		Complexity: "O(n log n), and O(e log n) for each of 500 tries, e the pairs that conflict",
		Key:        "size, conflicts, name, all descending; ties by row",
		RowOrder:   true,
	}
}

const (
	tvmTries = 500
	tvmDraws = 1000    // of a second buffer for one swap
	tvmPairs = 1 << 22 // that may conflict for the search to be begun
	tvmLooks = 1 << 30 // at a neighbour in all tries
)

func (tvmHillClimb) Plan(ctx context.Context, t *lifetime.Table, o Options) (*lifetime.Plan, error) {
	ctx, cancel := limit(ctx, o)
	defer cancel()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	p, err := prepare(&method{rule: lowestGap, order: sorting{key: tvmSizeKey}, whole: true}, t, o)
	if err != nil {
		return nil, err
	}
	if err := p.fill(ctx, tuning{listLimit, perBucket, crowd}); err != nil {
		return nil, err
	}
	plan := lifetime.NewPlan(t, p.offsets)
	_, least := loadOf(t).curve.Peak()
	if plan.Arena <= least || countPairs(t) > tvmPairs {
		return plan, nil
	}
	c := newTVMClimb(p, plan.Arena, o.Seed)
	tries := int64(tvmTries)
	if o.Decisions > 0 { // each try places all ranges
		tries = min(tries, max(1, o.Decisions/max(1, int64(len(c.ranges)))))
	}
	c.search(ctx, least, tries)
	for k := range c.ranges {
		if r := &c.ranges[k]; !r.fixed {
			p.offsets[r.index] = c.taken[k]
		}
	}
	plan = lifetime.NewPlan(t, p.offsets)
	plan.Stats.Decisions = c.tries * int64(len(c.ranges))
	if c.least < plan.Arena {
		plan.Notes = append(plan.Notes, fmt.Sprintf(
			"the search passed an arena of %d bytes; TVM returns the layout it took last", c.least))
	}
	return plan, nil
}

// tvmClimb is the search of tvmHillClimb. The lists of neighbours are those of
// climb; their order does not matter here.
type tvmClimb struct {
	climb         // ranges, their neighbours and what they rest on in the last try
	taken []int64 // their addresses in the layout taken last
	total int64   // its arena
	least int64   // the least arena taken
	dirty int32   // the first turn that was swapped since the last try
	a, b  int32   // the turns swapped last, -1: none so far
	rand  glibcRand

	spans  []span  // of one placement: the neighbours below
	tops   []int32 // turns of the ranges at the top
	first  []int32 // turns of those a top meets that stand before it
	second []int32 // by turn: how often it is a candidate of the second kind
}

// newTVMClimb starts from the offsets of the placement.
func newTVMClimb(p *placement, arena int64, seed uint64) *tvmClimb {
	n := len(p.items)
	c := &tvmClimb{
		total: arena, least: arena, dirty: int32(n), a: -1, b: -1, rand: glibcRand(seed),
		second: make([]int32, n),
	}
	c.order = make([]int32, n)
	c.ranges = make([]climbRange, 0, n+len(p.pinned))
	for k := range p.items {
		it := p.item(p.items[k].index) // fill has changed the others
		at := p.offsets[it.index]
		c.ranges = append(c.ranges, climbRange{item: it, address: at, end: at + it.size, turn: int32(k)})
		c.order[k] = int32(k)
	}
	for _, i := range p.pinned {
		if p.table.Buffers[i].Size > 0 {
			it, at := p.item(i), p.offsets[i]
			c.ranges = append(c.ranges, climbRange{item: it, address: at, end: at + it.size, turn: -1, fixed: true})
		}
	}
	c.meet()
	c.taken = make([]int64, len(c.ranges))
	c.take(arena)
	return c
}

// take keeps the last try.
func (c *tvmClimb) take(total int64) {
	c.total, c.least = total, min(c.least, total)
	for k := range c.ranges {
		c.taken[k] = c.ranges[k].address
	}
}

// search swaps and places until the arena is the least there can be. The first
// layout counts as the first try.
func (c *tvmClimb) search(ctx context.Context, least, tries int64) {
	for c.tries = 1; c.tries < tries; c.tries++ {
		if c.looks > tvmLooks || ctx.Err() != nil || !c.step() {
			return
		}
		total := c.place()
		if total < c.total || c.worth(total) {
			c.take(total)
			if total <= least {
				return
			}
			continue
		}
		c.swap(c.b, c.a)
	}
}

// worth draws whether a layout that is not smaller is taken.
func (c *tvmClimb) worth(total int64) bool {
	rise := 50 * uint64(total-c.total) / uint64(total) / uint64(c.tries)
	return c.rand.next()%100 < int64(rise)
}

func (c *tvmClimb) swap(a, b int32) {
	if a == b {
		return
	}
	c.order[a], c.order[b] = c.order[b], c.order[a]
	c.ranges[c.order[a]].turn, c.ranges[c.order[b]].turn = a, b
	c.dirty = min(c.dirty, a, b)
}

// place puts the ranges at the lowest address, from the first on whose turn
// has changed, and returns the arena.
func (c *tvmClimb) place() int64 {
	for turn := int(c.dirty); turn < len(c.order); turn++ {
		r := &c.ranges[c.order[turn]]
		c.spans = c.spans[:0]
		near := c.neighbours(r)
		c.looks += int64(len(near))
		for _, k := range near {
			if o := &c.ranges[k]; o.turn < r.turn {
				c.spans = append(c.spans, span{o.address, o.end})
			}
		}
		slices.SortFunc(c.spans, func(a, b span) int { return cmp.Compare(a.low, b.low) })
		at := int64(0)
		for _, s := range c.spans {
			if at+r.size <= s.low {
				break
			}
			at = max(at, lifetime.AlignUp(s.high, r.align))
		}
		r.address, r.end = at, at+r.size
	}
	c.dirty = int32(len(c.order))
	total := int64(0)
	for k := range c.ranges {
		total = max(total, c.ranges[k].end)
	}
	return total
}

// step draws a pair and swaps it, if there is one. It reports false if nothing
// will ever be swapped again.
func (c *tvmClimb) step() bool {
	c.tops = c.tops[:0]
	for turn, k := range c.order {
		if c.taken[k]+c.ranges[k].size == c.total {
			c.tops = append(c.tops, int32(turn))
		}
	}
	if len(c.tops) == 0 {
		return false // a fixed offset is the top
	}
	seconds := c.gather(&c.ranges[c.order[c.pick(c.tops)]])
	if len(c.first) == 0 {
		return true
	}
	a := c.pick(c.first)
	b := a
	for draws := 0; b == a; draws++ {
		if draws == tvmDraws {
			return false
		}
		if seconds > 0 && c.rand.next()%100 > 25 {
			b = c.pickSecond(seconds)
		} else {
			b = c.pick(c.first)
		}
		if seconds < 2 && len(c.first) < 2 {
			break
		}
	}
	if a != b {
		c.a, c.b = a, b
		c.swap(a, b)
	}
	return true
}

// gather lists what the top may be swapped for: first, by turn, and second,
// the number of which it returns.
func (c *tvmClimb) gather(top *climbRange) (seconds int64) {
	c.first = c.first[:0]
	clear(c.second)
	for _, k := range c.neighbours(top) {
		o := &c.ranges[k]
		if o.fixed {
			continue
		}
		if o.turn < top.turn {
			c.first = append(c.first, o.turn)
		}
		near := c.neighbours(o)
		c.looks += int64(len(near))
		for _, j := range near {
			if turn := c.ranges[j].turn; turn >= 0 && turn < o.turn {
				c.second[turn]++
				seconds++
			}
		}
	}
	slices.Sort(c.first)
	return seconds
}

func (c *tvmClimb) pick(turns []int32) int32 {
	return turns[c.rand.next()%int64(len(turns))]
}

// pickSecond draws from the list that has each turn as often as second says.
func (c *tvmClimb) pickSecond(n int64) int32 {
	at := c.rand.next() % n
	turn := int32(0)
	for at >= int64(c.second[turn]) {
		at -= int64(c.second[turn])
		turn++
	}
	return turn
}

// glibcRand is the state of rand_r of the GNU C library.
type glibcRand uint32

// next returns a number of 31 bits: the high bits of three steps of a
// congruential generator.
func (g *glibcRand) next() int64 {
	result := int64(0)
	for i, bits := range [...]int{11, 10, 10} {
		*g = *g*1103515245 + 12345
		high := int64(*g>>16) & (1<<bits - 1)
		if i > 0 {
			result <<= bits
		}
		result ^= high
	}
	return result
}
