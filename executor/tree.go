package executor

import "math/bits"

// bitTree is a set of integers 0..n-1 as a tree of 64-way words: members are
// added, removed and found in O(log64 n) without allocation.
type bitTree struct {
	words  []uint64
	levels [6]int // start of each level in words, the leaves first
	height int
}

// reset empties the set and makes room for n members, n < 2^36.
func (t *bitTree) reset(n int) {
	size := 0
	t.height = 0
	for {
		n = (n + 63) >> 6
		t.levels[t.height] = size
		t.height++
		size += max(n, 1)
		if n <= 1 {
			break
		}
	}
	if cap(t.words) < size {
		t.words = make([]uint64, size)
	}
	t.words = t.words[:size]
	clear(t.words)
}

func (t *bitTree) has(i int) bool { return t.words[i>>6]&(1<<(i&63)) != 0 }

func (t *bitTree) add(i int) {
	for l := range t.height {
		w := &t.words[t.levels[l]+i>>6]
		old := *w
		*w |= 1 << (i & 63)
		if old != 0 {
			return
		}
		i >>= 6
	}
}

func (t *bitTree) remove(i int) {
	for l := range t.height {
		w := &t.words[t.levels[l]+i>>6]
		*w &^= 1 << (i & 63)
		if *w != 0 {
			return
		}
		i >>= 6
	}
}

// before returns the largest member below i, or -1.
func (t *bitTree) before(i int) int {
	for l := range t.height {
		if w := t.words[t.levels[l]+i>>6] & (1<<(i&63) - 1); w != 0 {
			i = i&^63 | (63 - bits.LeadingZeros64(w))
			for l--; l >= 0; l-- {
				i = i<<6 | (63 - bits.LeadingZeros64(t.words[t.levels[l]+i]))
			}
			return i
		}
		i >>= 6
	}
	return -1
}

// after returns the smallest member above i, or -1.
func (t *bitTree) after(i int) int {
	for l := range t.height {
		if w := t.words[t.levels[l]+i>>6] &^ (1<<(i&63)<<1 - 1); w != 0 {
			i = i&^63 | bits.TrailingZeros64(w)
			for l--; l >= 0; l-- {
				i = i<<6 | bits.TrailingZeros64(t.words[t.levels[l]+i])
			}
			return i
		}
		i >>= 6
	}
	return -1
}
