package strategies

import "github.com/arenalab/arenalab/lifetime"

func (g *grid) find(it *item, pieces []lifetime.Piece, r rule) int64 {
	g.sets, g.used = g.sets[:0], 0
	if pieces == nil {
		g.collect(it.lower, it.upper)
	}
	for _, q := range pieces {
		before := len(g.sets)
		g.collect(q.Lower, q.Upper)
		if q.Low == 0 && q.High == it.size {
			continue
		}
		for k := before; k < len(g.sets); k++ {
			moved := g.fresh()
			for _, s := range g.sets[k].rest {
				moved = append(moved, s.shift(it.size, q.Low, q.High))
			}
			g.sets[k] = cursor{moved[0].low, g.keep(moved)}
		}
	}
	f := newFit(r, it.size, it.align)
	return walk(g.sets, &f)
}

// collect appends lists of spans whose union is what is taken during the life.
func (g *grid) collect(lower, upper int64) {
	from, to, first, last := g.locate(lower, upper)
	g.filter(first, from, to)
	g.above(g.leaves + first)
	if first == last {
		return
	}
	// What covers the last bucket began before it: it is in another list.
	g.filter(last, from, to)
	for l, r := g.leaves+first, g.leaves+last; l^r != 1; l, r = l>>1, r>>1 {
		if l&1 == 0 {
			g.use(g.union[l^1])
		}
		if r&1 == 1 {
			g.use(g.union[r^1])
		}
	}
}

func (g *grid) use(list []span) {
	if len(list) > 0 {
		g.sets = append(g.sets, cursor{list[0].low, list})
	}
}

// above uses the covers of the leaf and of all nodes above it.
func (g *grid) above(v int) {
	for ; v >= 1; v >>= 1 {
		g.use(g.cover[v])
	}
}

// filter uses the obstacles of a bucket that meet the sections, merged.
func (g *grid) filter(bucket int, from, to int32) {
	out := g.fresh()
	in := g.bucket(bucket)
	for i := range in {
		e := &in[i]
		if e.lower >= to || e.upper <= from {
			continue
		}
		if n := len(out); n > 0 && e.low <= out[n-1].high {
			out[n-1].high = max(out[n-1].high, e.high)
		} else {
			out = append(out, span{e.low, e.high})
		}
	}
	g.use(g.keep(out))
}

// fresh returns an empty list to be filled and given to keep.
func (g *grid) fresh() []span {
	if g.used == len(g.scratch) {
		g.scratch = append(g.scratch, nil)
	}
	return g.scratch[g.used][:0]
}

func (g *grid) keep(list []span) []span {
	g.scratch[g.used] = list
	g.used++
	return list
}

// cursor is a list of spans that is being walked. Both ends of its spans
// ascend.
type cursor struct {
	low  int64 // of the next span
	rest []span
}

// walk offers the gaps that are free in all lists, in ascending order. The
// cursors are a heap, the one with the lowest next span first.
func walk(heap []cursor, f *fit) int64 {
	for i := len(heap)/2 - 1; i >= 0; i-- {
		sink(heap, i)
	}
	top := int64(0) // everything below is taken, or was offered
	for len(heap) > 0 {
		if low := heap[0].low; low-top >= f.size {
			if f.offer(top, low) {
				return f.offset
			}
			// The spans that begin here end above this step back, so that it
			// is enough to meet them.
			top = low - f.size + 1
		}
		rest := heap[0].rest
		for len(rest) > 0 && rest[0].low < top+f.size {
			top = max(top, rest[0].high)
			rest = rest[1:]
		}
		if len(rest) > 0 {
			heap[0] = cursor{rest[0].low, rest}
		} else {
			heap[0] = heap[len(heap)-1]
			heap = heap[:len(heap)-1]
		}
		sink(heap, 0)
	}
	return f.finish(top)
}

func sink(heap []cursor, i int) {
	for {
		child := 2*i + 1
		if child >= len(heap) {
			return
		}
		if child+1 < len(heap) && heap[child+1].low < heap[child].low {
			child++
		}
		if heap[i].low <= heap[child].low {
			return
		}
		heap[i], heap[child] = heap[child], heap[i]
		i = child
	}
}
