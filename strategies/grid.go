package strategies

import (
	"math"
	"math/bits"

	"github.com/arenalab/arenalab/lifetime"
)

// grid is the space of large tables. Time is cut into buckets. An obstacle is
// stored in full with the bucket in which it is born and the one in which it
// dies; elsewhere only its bytes are kept, merged with those of others:
//
//   - covers: bytes taken throughout a bucket by what neither begins nor ends
//     in it;
//   - starts: bytes taken across the start of a bucket;
//   - unions: bytes taken at some step by what begins or ends in a node of a
//     binary tree above groups of 4 buckets.
//
// A life within one bucket meets what begins or ends there or covers it. Any
// other life meets what crosses the start of its second bucket, and else only
// what begins or ends in its first bucket, its last, or one between. So a query
// filters the obstacles of one or two buckets, and walks them and a few merged
// lists at once. The answer is the same as that of list.
type grid struct {
	shift   uint // section >> shift is a bucket
	buckets int
	round   int64 // ends of obstacles are rounded up to this
	least   int64 // no gap below this many bytes can be used

	slab   []gridObstacle // of all buckets; room for bucket b starts at room[b]
	room   []int32
	filled []int32 // obstacles in bucket b

	pool   spanPool
	covers []spanList // by bucket
	starts []spanList // by bucket
	unions []spanList // a binary tree, the root at 1, the first leaf at leaves
	leaves int

	lists   [][]span // of one query
	scratch []span   // memory of the lists made for one query
}

// groupShift: a leaf of the unions holds 1<<groupShift buckets.
const groupShift = 2

// gridObstacle has its life in sections.
type gridObstacle struct {
	low, high    int64
	lower, upper int32
}

// newGrid returns an empty grid with room for all buffers of the placement, or
// nil if a list is as good. It turns the steps of all lives into sections.
func newGrid(p *placement, pins []item, t tuning) *grid {
	sections, count, alive := compress(p, pins)
	if alive*t.crowd > count && count <= crowdLimit {
		return nil
	}
	g := &grid{round: math.MaxInt64, least: math.MaxInt64}
	width := max(1, sections*max(t.perBucket, crowdedBucket(alive))/max(1, count))
	g.shift = uint(bits.Len(uint(width - 1)))
	g.buckets = sections>>g.shift + 1
	g.filled = make([]int32, g.buckets)
	g.room = make([]int32, g.buckets+1)
	p.lives(pins, func(it *item, lower, upper *int64, bytes int64) {
		g.round, g.least = min(g.round, it.align), min(g.least, bytes)
		first, last := g.locate(*lower, *upper)
		g.room[first+1]++
		if last != first {
			g.room[last+1]++
		}
	})
	if p.gaps || p.rule == litertGap {
		g.round = 1 // the unaligned end of an obstacle matters
	}
	for b := range g.buckets {
		g.room[b+1] += g.room[b]
	}
	g.slab = make([]gridObstacle, g.room[g.buckets])
	g.covers = make([]spanList, g.buckets)
	g.starts = make([]spanList, g.buckets)
	g.leaves = 1 << bits.Len(uint((g.buckets-1)>>groupShift))
	g.unions = make([]spanList, 2*g.leaves)
	return g
}

// compress turns the steps of all lives into sections of a clock, and returns
// how many sections and lives there are, and how many of these are alive at
// once on average.
func compress(p *placement, pins []item) (sections, count, alive int) {
	births := make([]int64, 0, len(p.items)+len(pins))
	p.lives(pins, func(_ *item, lower, _ *int64, _ int64) { births = append(births, *lower) })
	count = len(births)
	c := newClock(births)
	total := int64(0)
	p.lives(pins, func(_ *item, lower, upper *int64, _ int64) {
		*lower, *upper = int64(c.section(*lower)), int64(c.section(*upper))
		total += *upper - *lower
	})
	sections = len(c.births)
	return sections, count, int(total / int64(max(1, sections)))
}

// lives visits the lives of all that is to be stored, with the bytes each
// takes: of items and pins, or of their pieces.
func (p *placement) lives(pins []item, visit func(it *item, lower, upper *int64, bytes int64)) {
	for _, items := range [...][]item{p.items, pins} {
		for k := range items {
			it := &items[k]
			mine := p.of(it.index)
			if mine == nil {
				visit(it, &it.lower, &it.upper, it.size)
			}
			for j := range mine {
				q := &mine[j]
				visit(it, &q.Lower, &q.Upper, q.High-q.Low)
			}
		}
	}
}

// crowdedBucket returns the number of births in a bucket at which filtering
// the obstacles of two buckets costs about as much as adding an obstacle to all
// the buckets that it crosses.
func crowdedBucket(alive int) int { return int(math.Sqrt(float64(crowdedCost * alive))) }

// crowdedCost is the cost of adding to a bucket, in obstacles filtered, over 4.
const crowdedCost = 37

// locate returns the first and the last bucket of a life in sections.
func (g *grid) locate(lower, upper int64) (first, last int) {
	return int(lower >> g.shift), int((upper - 1) >> g.shift)
}

func (g *grid) add(o obstacle) {
	first, last := g.locate(o.lower, o.upper)
	s := span{o.low, lifetime.AlignUp(o.high, g.round)}
	e := gridObstacle{s.low, s.high, int32(o.lower), int32(o.upper)}
	g.store(first, e)
	g.spread(first, s)
	if first == last {
		return
	}
	g.store(last, e)
	g.spread(last, s)
	for b := first + 1; b < last; b++ {
		g.pool.merge(&g.covers[b], s, g.least)
	}
	for b := first + 1; b <= last; b++ {
		g.pool.merge(&g.starts[b], s, g.least)
	}
}

// store keeps the obstacle with a bucket, ascending by address.
func (g *grid) store(bucket int, e gridObstacle) {
	g.filled[bucket]++
	in := g.bucket(bucket)
	i, end := 0, len(in)-1
	for i < end {
		if m := int(uint(i+end) >> 1); in[m].low > e.low {
			end = m
		} else {
			i = m + 1
		}
	}
	copy(in[i+1:], in[i:])
	in[i] = e
}

func (g *grid) bucket(b int) []gridObstacle {
	at := g.room[b]
	return g.slab[at : at+g.filled[b]]
}

// spread adds the span to the unions above the bucket. Once a union has it
// already, so have all above.
func (g *grid) spread(bucket int, s span) {
	for v := g.leaves + bucket>>groupShift; v >= 1 && g.pool.merge(&g.unions[v], s, g.least); v >>= 1 {
	}
}
