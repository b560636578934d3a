package strategies

import "github.com/arenalab/arenalab/lifetime"

func (g *grid) find(it *item, pieces []lifetime.Piece, f *fit) int64 {
	g.lists, g.scratch = g.lists[:0], g.scratch[:0]
	if pieces == nil {
		first, last := g.locate(it.lower, it.upper)
		if first == last && !g.covered(first) {
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

// covered reports whether something takes bytes throughout the bucket and
// around it.
func (g *grid) covered(bucket int) bool {
	for _, level := range g.covers {
		if level[bucket].n > 0 {
			return true
		}
		bucket >>= fanShift
	}
	return false
}

// scan offers the gaps between those obstacles of the bucket that meet the
// sections.
func (g *grid) scan(bucket int, from, to int32, f *fit) int64 {
	top := int64(0)
	in := g.bucket(bucket)
	for i := range in {
		e := &in[i]
		if e.lower >= to || e.upper <= from {
			continue
		}
		if e.low-top >= f.size && f.offer(top, e.low) {
			return f.offset
		}
		top = max(top, e.high)
	}
	return f.finish(top)
}

// collect appends lists of spans whose union is what is taken in the sections.
func (g *grid) collect(lower, upper int64) {
	first, last := g.locate(lower, upper)
	from, to := int32(lower), int32(upper)
	g.filter(first, from, to)
	at := first
	for _, level := range g.covers {
		g.use(&level[at])
		at >>= fanShift
	}
	if first == last {
		return
	}
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

// filter uses the obstacles of a bucket that meet the sections, merged.
func (g *grid) filter(bucket int, from, to int32) {
	start := len(g.scratch)
	out := g.scratch
	high := int64(-1) << 62 // of the last span
	in := g.bucket(bucket)
	for i := range in {
		e := &in[i]
		if e.lower >= to || e.upper <= from {
			continue
		}
		if e.low-high >= g.least {
			out = append(out, span{e.low, e.high})
			high = e.high
		} else if e.high > high {
			high = e.high
			out[len(out)-1].high = high
		}
	}
	if g.scratch = out; len(out) > start {
		g.lists = append(g.lists, out[start:len(out):len(out)])
	}
}

// walk offers the gaps that are free in all lists, in ascending order. Both
// ends of the spans of a list ascend.
func walk(lists [][]span, f *fit) int64 {
	top := int64(0) // everything below is taken, or was offered
	for {
		// Go round until no list has a span within size bytes above top.
		for k, clear := 0, 0; clear < len(lists); k++ {
			if k == len(lists) {
				k = 0
			}
			list, met := lists[k], false
			for len(list) > 0 && list[0].low < top+f.size {
				if list[0].high > top {
					top, met = list[0].high, true
				}
				list = list[1:]
			}
			lists[k] = list
			clear++
			if met {
				clear = 1
			}
		}
		low := int64(1<<63 - 1)
		for k := 0; k < len(lists); k++ {
			if len(lists[k]) == 0 {
				lists[k] = lists[len(lists)-1]
				lists = lists[:len(lists)-1]
				k--
				continue
			}
			low = min(low, lists[k][0].low)
		}
		if len(lists) == 0 {
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
