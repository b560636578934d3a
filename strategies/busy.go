package strategies

import (
	"slices"
	"sort"
)

// busy knows for each object the steps at which it is in use, and answers at
// once for all objects whether they are free between two steps. Steps come in
// blocks, within which few lives begin or end. There is one bit an object for
// each block in which it is in use, in a tree over the blocks, one for each block
// throughout which it is, and a list of the uses that begin or end within a block.
type busy struct {
	starts []int64 // of the blocks, and the end of the last
	block  []int32 // by step

	spans [][]lives // by object: in use, ascending, disjoint, merged where they touch
	words int       // of a set of objects
	nodes []uint64  // sets of those in use at some step below a node
	whole []uint64  // sets of those that a single use keeps for all of a block
	leafs int

	parts []part
	head  []int32 // by block: its first part, -1 if there is none

	taken []uint64 // of ask: in use then
	some  []int32  // of nearest: the words of taken that have a free object
}

// part is a use that begins or ends within a block.
type part struct {
	lives
	object int32
	next   int32 // in the block, -1 ends the list
}

// lives is a range of steps [lower, upper).
type lives struct{ lower, upper int64 }

// busyBlock is how many lives begin or end within a block, at most.
const busyBlock = 48

// newBusy makes room for the uses of all items, whose lives are in the steps
// from 0 up to the given number.
func newBusy(items []item, steps int) *busy {
	b := &busy{leafs: 1, block: make([]int32, steps), parts: make([]part, 0, 2*len(items))}
	for k := range items { // count what begins and ends at each step
		b.block[items[k].lower]++
		b.block[items[k].upper]++ // the last one has a step, at which all are dead
	}
	within := int32(0)
	for step, n := range b.block {
		if within += n; within > busyBlock || step == 0 {
			b.starts = append(b.starts, int64(step))
			within = 0
		}
		b.block[step] = int32(len(b.starts) - 1)
	}
	for b.leafs < len(b.starts) {
		b.leafs *= 2
	}
	b.starts = append(b.starts, int64(steps))
	b.head = make([]int32, b.leafs)
	for i := range b.head {
		b.head[i] = -1
	}
	b.resize(1)
	return b
}

func (b *busy) resize(words int) {
	nodes, whole, was := b.nodes, b.whole, b.words
	b.words = words
	b.nodes = make([]uint64, 2*b.leafs*words)
	b.whole = make([]uint64, b.leafs*words)
	for i := 0; i < 2*b.leafs && was > 0; i++ {
		copy(b.nodes[i*words:], nodes[i*was:(i+1)*was])
	}
	for i := 0; i < b.leafs && was > 0; i++ {
		copy(b.whole[i*words:], whole[i*was:(i+1)*was])
	}
	b.taken = make([]uint64, words)
}

// grow makes room for n objects.
func (b *busy) grow(n int) {
	for len(b.spans) < n {
		b.spans = append(b.spans, nil)
	}
	if n > 64*b.words {
		b.resize(2 * b.words)
	}
}

// take marks the object as in use in the steps [lower, upper).
func (b *busy) take(object int32, lower, upper int64) {
	s := b.spans[object]
	from := sort.Search(len(s), func(i int) bool { return s[i].upper >= lower })
	to := from + sort.Search(len(s)-from, func(i int) bool { return s[from+i].lower > upper })
	merged := lives{lower, upper}
	if from < to {
		merged = lives{min(lower, s[from].lower), max(upper, s[to-1].upper)}
	}
	b.spans[object] = slices.Replace(s, from, to, merged)

	word, bit := int(object)/64, uint64(1)<<(object%64)
	first, last := int(b.block[lower]), int(b.block[upper-1])
	for i := first; i <= last; i++ {
		if lower <= b.starts[i] && b.starts[i+1] <= upper {
			b.whole[i*b.words+word] |= bit
		} else {
			b.parts = append(b.parts, part{lives{lower, upper}, object, b.head[i]})
			b.head[i] = int32(len(b.parts) - 1)
		}
		for node := i + b.leafs; node > 0 && b.nodes[node*b.words+word]&bit == 0; node /= 2 {
			b.nodes[node*b.words+word] |= bit
		}
	}
}

// ask finds what is in use at some of the steps [lower, upper).
func (b *busy) ask(lower, upper int64) {
	clear(b.taken)
	first, last := int(b.block[lower]), int(b.block[upper-1])
	b.edge(first, lower, upper)
	if first == last {
		return
	}
	b.edge(last, lower, upper)
	for l, r := first+1+b.leafs, last+b.leafs; l < r; l, r = l/2, r/2 {
		if l&1 == 1 {
			b.merge(b.nodes[l*b.words:])
			l++
		}
		if r&1 == 1 {
			r--
			b.merge(b.nodes[r*b.words:])
		}
	}
}

// edge adds what is in use at some of the steps in the block.
func (b *busy) edge(block int, lower, upper int64) {
	b.merge(b.whole[block*b.words:])
	for k := b.head[block]; k >= 0; {
		u := &b.parts[k]
		if u.lower < upper && lower < u.upper {
			b.taken[u.object/64] |= 1 << (u.object % 64)
		}
		k = u.next
	}
}

func (b *busy) merge(set []uint64) {
	for w, x := range set[:len(b.taken)] {
		b.taken[w] |= x
	}
}

// free reports whether nothing uses the object in the steps asked for.
func (b *busy) free(object int32) bool { return b.taken[object/64]&(1<<(object%64)) == 0 }
