package strategies

import (
	"slices"
	"sort"
)

// busy knows for each object the steps at which it is in use, and answers at
// once for all objects whether they are free between two steps: one bit an
// object for each block of steps, in a tree over the blocks.
type busy struct {
	spans [][]lives // by object: in use, ascending, disjoint, merged where they touch
	words int       // of a set of objects
	nodes []uint64  // sets of those in use at some step below a node
	leafs int

	lower, upper int64    // asked for
	sure, maybe  []uint64 // in use then; in use in a block at the edge
	some         []int32  // of nearest: the words of sure that are not empty
}

// lives is a range of steps [lower, upper).
type lives struct{ lower, upper int64 }

// busyBlock is how many steps share a bit.
const busyBlock = 32

func newBusy(steps int) *busy {
	b := &busy{leafs: 1}
	for b.leafs*busyBlock < steps {
		b.leafs *= 2
	}
	b.resize(1)
	return b
}

func (b *busy) resize(words int) {
	old, was := b.nodes, b.words
	b.words = words
	b.nodes = make([]uint64, 2*b.leafs*words)
	for i := 0; i < 2*b.leafs && was > 0; i++ {
		copy(b.nodes[i*words:], old[i*was:(i+1)*was])
	}
	b.sure, b.maybe = make([]uint64, words), make([]uint64, words)
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
	first, last := int(lower/busyBlock), int((upper-1)/busyBlock)
	for i := first; i <= last; i++ {
		for node := i + b.leafs; node > 0 && b.nodes[node*b.words+word]&bit == 0; node /= 2 {
			b.nodes[node*b.words+word] |= bit
		}
	}
}

// ask prepares for questions about the steps [lower, upper).
func (b *busy) ask(lower, upper int64) {
	b.lower, b.upper = lower, upper
	clear(b.sure)
	clear(b.maybe)
	first, last := int(lower/busyBlock), int((upper-1)/busyBlock)
	merge := func(set []uint64, node int) {
		for w, x := range b.nodes[node*b.words : (node+1)*b.words] {
			set[w] |= x
		}
	}
	merge(b.maybe, first+b.leafs)
	merge(b.maybe, last+b.leafs)
	for l, r := first+1+b.leafs, last+b.leafs; l < r; l, r = l/2, r/2 {
		if l&1 == 1 {
			merge(b.sure, l)
			l++
		}
		if r&1 == 1 {
			r--
			merge(b.sure, r)
		}
	}
}

// free reports whether nothing uses the object in the steps asked for.
func (b *busy) free(object int32) bool {
	word, bit := int(object)/64, uint64(1)<<(object%64)
	switch {
	case b.sure[word]&bit != 0:
		return false
	case b.maybe[word]&bit == 0:
		return true
	}
	s := b.spans[object]
	i := sort.Search(len(s), func(i int) bool { return s[i].upper > b.lower })
	return i == len(s) || s[i].lower >= b.upper
}
