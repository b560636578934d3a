package strategies

import (
	"cmp"
	"slices"
)

// sizePositions returns for each item the position of the last positional
// maximum that is not below its size: how many items of at least that size are
// ever live at once, less one. The steps are 0 up to the given number.
func sizePositions(items []item, steps int) []int32 {
	order := make([]int32, len(items))
	for k := range order {
		order[k] = int32(k)
	}
	slices.SortFunc(order, func(a, b int32) int { return cmp.Compare(items[b].size, items[a].size) })
	out := make([]int32, len(items))
	live := newCounter(steps)
	for from := 0; from < len(order); {
		to := from
		for ; to < len(order) && items[order[to]].size == items[order[from]].size; to++ {
			live.add(int(items[order[to]].lower), int(items[order[to]].upper))
		}
		for ; from < to; from++ {
			out[order[from]] = live.most() - 1
		}
	}
	return out
}

// counter counts lives by step, and knows the largest count.
type counter struct {
	peak  []int32 // by node of a tree over the steps: the largest count below it
	whole []int32 // lives that cover all below the node
	leafs int
}

func newCounter(steps int) *counter {
	c := &counter{leafs: 1}
	for c.leafs < steps {
		c.leafs *= 2
	}
	c.peak = make([]int32, 2*c.leafs)
	c.whole = make([]int32, 2*c.leafs)
	return c
}

func (c *counter) most() int32 { return c.peak[1] }

// add counts a life of the steps [lower, upper).
func (c *counter) add(lower, upper int) { c.visit(1, 0, c.leafs, lower, upper) }

func (c *counter) visit(node, first, width, lower, upper int) {
	switch {
	case upper <= first || first+width <= lower:
		return
	case lower <= first && first+width <= upper:
		c.peak[node]++
		c.whole[node]++
		return
	}
	width /= 2
	c.visit(2*node, first, width, lower, upper)
	c.visit(2*node+1, first+width, width, lower, upper)
	c.peak[node] = max(c.peak[2*node], c.peak[2*node+1]) + c.whole[node]
}

// classQueue is a heap of the open items of one class, the next to be assigned
// on top.
type classQueue struct {
	heap []int32
	at   []int32 // by item: its place in the heap, -1 outside
}

func (q *classQueue) fill(s *sizeDistance, items []int32) {
	if q.at == nil {
		q.at = make([]int32, len(s.items))
		for k := range q.at {
			q.at[k] = -1
		}
	}
	q.heap = append(q.heap[:0], items...)
	for i, k := range q.heap {
		q.at[k] = int32(i)
	}
	for i := len(q.heap)/2 - 1; i >= 0; i-- {
		q.down(s, i)
	}
}

func (q *classQueue) less(s *sizeDistance, a, b int32) bool {
	if da, db := s.rivals[s.spot[a]].dist, s.rivals[s.spot[b]].dist; da != db {
		return da < db
	}
	if sa, sb := s.items[a].size, s.items[b].size; sa != sb {
		return sa > sb
	}
	return a < b
}

func (q *classQueue) pop(s *sizeDistance) int32 {
	k := q.heap[0]
	last := len(q.heap) - 1
	q.swap(0, last)
	q.heap = q.heap[:last]
	q.at[k] = -1
	q.down(s, 0)
	return k
}

// update restores the order after the item's distance changed.
func (q *classQueue) update(s *sizeDistance, k int32) {
	i := q.at[k]
	if i < 0 {
		return
	}
	for j := int(i); j > 0 && q.less(s, q.heap[j], q.heap[(j-1)/2]); j = (j - 1) / 2 {
		q.swap(j, (j-1)/2)
	}
	q.down(s, int(q.at[k]))
}

func (q *classQueue) down(s *sizeDistance, i int) {
	for {
		c := 2*i + 1
		if c >= len(q.heap) {
			return
		}
		if c+1 < len(q.heap) && q.less(s, q.heap[c+1], q.heap[c]) {
			c++
		}
		if !q.less(s, q.heap[c], q.heap[i]) {
			return
		}
		q.swap(i, c)
		i = c
	}
}

func (q *classQueue) swap(i, j int) {
	q.heap[i], q.heap[j] = q.heap[j], q.heap[i]
	q.at[q.heap[i]], q.at[q.heap[j]] = int32(i), int32(j)
}
