package exact

import mathbits "math/bits"

// bits is a set of small numbers that remembers whether it may hold any.
type bits struct {
	word []uint64
	any  bool
}

func newBits(n int) bits { return bits{word: make([]uint64, (n+63)/64)} }

func (b *bits) set(i int32) {
	b.word[i>>6] |= 1 << (i & 63)
	b.any = true
}

// clear empties the set. It does not go by any, which is reset before the
// numbers are taken and so is false when that is broken off.
func (b *bits) clear() {
	clear(b.word)
	b.any = false
}

// take removes the first number from word w of the set, or returns -1.
func (b *bits) take(w int) int32 {
	x := b.word[w]
	if x == 0 {
		return -1
	}
	b.word[w] = x & (x - 1)
	return int32(w<<6 + mathbits.TrailingZeros64(x))
}
