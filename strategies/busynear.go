package strategies

import (
	"math/bits"
	"sort"
)

// gap returns the steps around the given one in which the object is free, as it
// is then.
func (b *busy) gap(object int32, step int64) (from, to int64) {
	s := b.spans[object]
	i := sort.Search(len(s), func(i int) bool { return s[i].upper > step })
	from, to = 0, unreached
	if i > 0 {
		from = s[i-1].upper
	}
	if i < len(s) {
		to = s[i].lower
	}
	return from, to
}

// nearest returns, of the objects that are free in the steps [lower, upper), the
// one whose use is nearest in time, the oldest of equals, and that distance; if
// there is none, unreached and -1.
func (b *busy) nearest(lower, upper int64) (dist int64, object int32) {
	b.askFree(lower, upper)
	dist, object = unreached, -1
	meet := func(leaf int) {
		node := b.nodes[(leaf+b.leafs)*b.words:]
		for _, w := range b.some {
			for set := node[w] & b.taken[w]; set != 0; set &= set - 1 {
				o := 64*w + int32(bits.TrailingZeros64(set))
				from, to := b.gap(o, lower)
				d := int64(unreached)
				if from > 0 {
					d = lower - from + 1
				}
				if to < unreached {
					d = min(d, to-upper+1)
				}
				if d < dist || d == dist && o < object {
					dist, object = d, o
				}
			}
		}
	}
	first, last := int(b.block[lower]), int(b.block[upper-1])
	for leaf := b.next(last); leaf >= 0 && b.starts[leaf]-upper+1 <= dist; leaf = b.next(leaf + 1) {
		meet(leaf)
	}
	for leaf := b.prev(first); leaf >= 0 && lower-b.starts[leaf+1]+1 <= dist; leaf = b.prev(leaf - 1) {
		meet(leaf)
	}
	return dist, object
}

// askFree asks, and leaves in taken the objects that are free instead, and in
// some the words that hold one.
func (b *busy) askFree(lower, upper int64) {
	b.ask(lower, upper)
	b.some = b.some[:0]
	for w, taken := range b.taken {
		set := ^taken
		if rest := len(b.spans) - 64*w; rest < 64 {
			set &= 1<<max(0, rest) - 1
		}
		b.taken[w] = set
		if set != 0 {
			b.some = append(b.some, int32(w))
		}
	}
}

// meets reports whether one of the objects of askFree is in use at a step below
// the node.
func (b *busy) meets(node int) bool {
	set := b.nodes[node*b.words : (node+1)*b.words]
	for _, w := range b.some {
		if set[w]&b.taken[w] != 0 {
			return true
		}
	}
	return false
}

// next returns the first block from the given one on in which one of the
// objects of askFree is in use, or -1.
func (b *busy) next(leaf int) int {
	if leaf >= b.leafs {
		return -1
	}
	node := leaf + b.leafs
	for !b.meets(node) {
		for node&1 == 1 { // nothing to its right below its parent
			node /= 2
		}
		if node == 0 {
			return -1
		}
		node++
	}
	for node < b.leafs {
		if node *= 2; !b.meets(node) {
			node++
		}
	}
	return node - b.leafs
}

// prev returns the last such block up to the given one, or -1.
func (b *busy) prev(leaf int) int {
	if leaf < 0 {
		return -1
	}
	node := leaf + b.leafs
	for !b.meets(node) {
		for node&1 == 0 {
			node /= 2
		}
		if node == 1 {
			return -1
		}
		node--
	}
	for node < b.leafs {
		if node = 2*node + 1; !b.meets(node) {
			node--
		}
	}
	return node - b.leafs
}
