package strategies

import (
	"math/bits"
	"slices"
	"sort"

	"github.com/arenalab/arenalab/lifetime"
)

// grid is the space of large tables. Time is cut into buckets, the leaves of a
// binary tree. An obstacle is stored in full with the first and the last
// bucket of its life; on the nodes that make up the buckets between, only its
// bytes are kept, merged with those of others:
//
//   - cover[v]: bytes taken throughout the buckets below v,
//   - union[v]: bytes taken at some step in the buckets below v.
//
// A query filters the obstacles of its first and last bucket, takes the covers
// above the first and the unions of the nodes between, and walks all these
// ascending lists at once. The answer is the same as that of list.
type grid struct {
	births []int64 // distinct, ascending; an index into them is a section
	shift  uint    // section >> shift is a bucket
	leaves int     // a power of two

	slab   []gridObstacle // of all buckets; room for bucket b starts at room[b]
	room   []int
	filled []int // obstacles in bucket b

	cover, union [][]span

	sets    []cursor // the lists of one query
	scratch [][]span // memory of the lists made for one query
	used    int      // of scratch
}

// gridObstacle has its life in sections.
type gridObstacle struct {
	low, high    int64
	lower, upper int32
}

// newGrid returns an empty grid with room for all buffers of the placement, and
// how many of them are alive at once on average.
func newGrid(p *placement, pieces func(int) []lifetime.Piece, perBucket int) (g *grid, alive int) {
	g = &grid{}
	each := func(visit func(lower, upper int64)) {
		for i := range p.table.Buffers {
			b := &p.table.Buffers[i]
			mine := pieces(i)
			if mine == nil && b.Size > 0 {
				visit(b.Lower, b.Upper)
			}
			for _, q := range mine {
				visit(q.Lower, q.Upper)
			}
		}
	}
	count := 0
	each(func(lower, _ int64) {
		g.births = append(g.births, lower)
		count++
	})
	slices.Sort(g.births)
	g.births = slices.Compact(g.births)

	width := max(1, len(g.births)*perBucket/max(1, count))
	g.shift = uint(bits.Len(uint(width - 1)))
	buckets := len(g.births)>>g.shift + 1
	g.leaves = 1 << bits.Len(uint(buckets-1))
	g.cover = make([][]span, 2*g.leaves)
	g.union = make([][]span, 2*g.leaves)
	g.filled = make([]int, buckets)
	g.room = make([]int, buckets+1)
	each(func(lower, upper int64) {
		from, to, first, last := g.locate(lower, upper)
		alive += int(to - from)
		g.room[first+1]++
		if last != first {
			g.room[last+1]++
		}
	})
	for b := range buckets {
		g.room[b+1] += g.room[b]
	}
	g.slab = make([]gridObstacle, g.room[buckets])
	return g, alive / max(1, len(g.births))
}

// locate returns the sections [from, to) in which something is born during the
// life, and the first and last bucket they lie in. Two lives share a step
// exactly if their sections overlap.
func (g *grid) locate(lower, upper int64) (from, to int32, first, last int) {
	rank := func(step int64) int {
		return sort.Search(len(g.births), func(i int) bool { return g.births[i] >= step })
	}
	a, b := rank(lower), rank(upper)
	return int32(a), int32(b), a >> g.shift, (b - 1) >> g.shift
}

func (g *grid) add(o obstacle) {
	from, to, first, last := g.locate(o.lower, o.upper)
	e := gridObstacle{o.low, o.high, from, to}
	g.store(first, e)
	g.spread(g.leaves+first, span{o.low, o.high})
	if first == last {
		return
	}
	g.store(last, e)
	g.spread(g.leaves+last, span{o.low, o.high})
	g.between(first, last, func(v int) {
		merge(&g.cover[v], span{o.low, o.high})
		g.spread(v, span{o.low, o.high})
	})
}

// between visits the nodes that together hold the buckets strictly between the
// two. Their parents all lie above one of the two.
func (g *grid) between(first, last int, visit func(v int)) {
	for l, r := g.leaves+first, g.leaves+last; l^r != 1; l, r = l>>1, r>>1 {
		if l&1 == 0 {
			visit(l ^ 1)
		}
		if r&1 == 1 {
			visit(r ^ 1)
		}
	}
}

// store keeps the obstacle with a bucket, ascending by address.
func (g *grid) store(bucket int, e gridObstacle) {
	g.filled[bucket]++
	in := g.bucket(bucket)
	k := sort.Search(len(in)-1, func(i int) bool { return in[i].low > e.low })
	copy(in[k+1:], in[k:len(in)-1])
	in[k] = e
}

func (g *grid) bucket(b int) []gridObstacle {
	return g.slab[g.room[b] : g.room[b]+g.filled[b]]
}

// spread adds the span to the unions of the node and of all above it. Once a
// union has it already, so have all above.
func (g *grid) spread(v int, s span) {
	for ; v >= 1 && merge(&g.union[v], s); v >>= 1 {
	}
}

// merge adds a span to an ascending list of spans that neither overlap nor
// touch, and reports whether it added anything.
func merge(list *[]span, s span) bool {
	l := *list
	i := sort.Search(len(l), func(i int) bool { return l[i].high >= s.low })
	if i < len(l) && l[i].low <= s.low && l[i].high >= s.high {
		return false
	}
	j := i
	for ; j < len(l) && l[j].low <= s.high; j++ {
		s.low, s.high = min(s.low, l[j].low), max(s.high, l[j].high)
	}
	if i == j {
		*list = slices.Insert(l, i, s)
		return true
	}
	l[i] = s
	*list = slices.Delete(l, i+1, j)
	return true
}
