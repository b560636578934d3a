package strategies

import (
	"slices"

	"github.com/arenalab/arenalab/lifetime"
)

func (g *grid) find(it *item, pieces []lifetime.Piece, f *fit) int64 {
	g.lists, g.scratch = g.lists[:0], g.scratch[:0]
	if pieces == nil {
		first, last := g.locate(it.lower, it.upper)
		if first == last && g.covers[first].n == 0 {
			return g.scan(first, int32(it.lower), int32(it.upper), f)
		}
		g.collect(it.lower, it.upper)
		return walk(g.lists, f)
	}
	for _, q := range pieces {
		before := len(g.lists)
		g.collect(q.Lower, q.Upper)
		if q.Low == 0 && q.High == f.size {
			continue
		}
		for k, list := range g.lists[before:] {
			start := len(g.scratch)
			for _, s := range list {
				g.scratch = append(g.scratch, s.shift(f.size, q.Low, q.High))
			}
			g.lists[before+k] = g.scratch[start:len(g.scratch):len(g.scratch)]
		}
	}
	return walk(g.lists, f)
}

// scan offers the gaps between those obstacles of the bucket that meet the
// sections.
func (g *grid) scan(bucket int, from, to int32, f *fit) int64 {
	top := int64(0)
	in := g.bucket(bucket)
	for i := range in {
		e := &in[i]
		low, high := e.low, e.high
		if e.lower >= to || e.upper <= from {
			low, high = 0, 0 // as good as a jump, and never mispredicted
		}
		if low-top >= f.size && f.offer(top, low) {
			return f.offset
		}
		top = max(top, high)
	}
	return f.finish(top)
}

// collect appends lists of spans whose union is what is taken in the sections.
func (g *grid) collect(lower, upper int64) {
	first, last := g.locate(lower, upper)
	from, to := int32(lower), int32(upper)
	if first == last {
		g.use(&g.covers[first])
		g.filter(first, from, to)
		return
	}
	g.use(&g.starts[first+1])
	g.filter(first, from, to)
	g.filter(last, from, to)
	// The buckets between, whole groups of them as one.
	low, high := first+1, last
	for ; low < high && low&(1<<groupShift-1) != 0; low++ {
		g.filter(low, from, to)
	}
	for ; low < high && high&(1<<groupShift-1) != 0; high-- {
		g.filter(high-1, from, to)
	}
	for l, r := g.leaves+low>>groupShift, g.leaves+high>>groupShift; l < r; l, r = l>>1, r>>1 {
		if l&1 == 1 {
			g.use(&g.unions[l])
			l++
		}
		if r&1 == 1 {
			r--
			g.use(&g.unions[r])
		}
	}
}

func (g *grid) use(list *spanList) {
	if list.n > 0 {
		g.lists = append(g.lists, g.pool.view(list))
	}
}

// filter uses the obstacles of a bucket that meet the sections. Whether one
// does is hard to predict, so there is no branch on it.
func (g *grid) filter(bucket int, from, to int32) {
	in := g.bucket(bucket)
	start := len(g.scratch)
	g.scratch = slices.Grow(g.scratch, len(in)+1)
	out := g.scratch[start : start+len(in)+1]
	n, top := 0, int64(0)
	for i := range in {
		e := &in[i]
		high := max(top, e.high)
		out[n] = span{e.low, high}
		next := n + 1
		if e.lower >= to || e.upper <= from {
			next, high = n, top
		}
		n, top = next, high
	}
	if n > 0 {
		g.scratch = g.scratch[:start+n]
		g.lists = append(g.lists, out[:n:n])
	}
}

// walk offers the gaps that are free in all lists, in ascending order. Both
// ends of the spans of a list ascend. The first list leads: where it has no
// gap, the others are not looked at.
func walk(lists [][]span, f *fit) int64 {
	top := int64(0) // everything below is taken, or was offered
	for {
		for k := 0; k < len(lists); {
			list, met := lists[k], false
			if len(list) > 0 && list[0].high <= top {
				list = list[endingAbove(list, top):]
			}
			if len(list) > 0 && list[0].low < top+f.size { // it ends above top
				n := adjoining(list, f.size)
				top, met = list[n-1].high, true
				list = list[n:]
			}
			lists[k] = list
			if met && k > 0 {
				lists[k], lists[1] = lists[1], lists[k] // it is likely to meet the next
				k = 0
			} else {
				k++
			}
		}
		low := int64(1<<63 - 1)
		for k := range lists {
			if len(lists[k]) > 0 {
				low = min(low, lists[k][0].low)
			}
		}
		if low == 1<<63-1 {
			return f.finish(top)
		}
		if f.offer(top, low) {
			return f.offset
		}
		// The spans that begin here end above this step back, so that it is
		// enough to meet them.
		top = low - f.size + 1
	}
}

// adjoining returns how many of the first spans have gaps below size between
// them. Where lives are many this is most of the work of a query, so it looks at
// four gaps at once, and branches on none of them alone.
func adjoining(list []span, size int64) int {
	n := 1
	for ; n+4 <= len(list); n += 4 {
		l := list[n-1 : n+4 : n+4]
		a, b := l[1].low-l[0].high-size, l[2].low-l[1].high-size
		c, d := l[3].low-l[2].high-size, l[4].low-l[3].high-size
		if a&b&c&d >= 0 { // some is not negative
			break
		}
	}
	for n < len(list) && list[n].low-list[n-1].high < size {
		n++
	}
	return n
}

// endingAbove returns the position of the first span that ends above top, by steps
// that double.
func endingAbove(list []span, top int64) int {
	step := 1
	for step < len(list) && list[step].high <= top {
		step *= 2
	}
	i, end := step/2+1, min(step, len(list))
	for i < end {
		if m := int(uint(i+end) >> 1); list[m].high <= top {
			i = m + 1
		} else {
			end = m
		}
	}
	return i
}
