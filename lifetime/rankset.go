package lifetime

import "math/bits"

// rankSet is a set of integers 0..n-1 as a tree of 64-way bit words: members
// are found, added and removed in O(log64 n), without allocation.
type rankSet struct{ levels [][]uint64 }

func newRankSet(n int) *rankSet {
	s := &rankSet{}
	for {
		n = (n + 63) / 64
		s.levels = append(s.levels, make([]uint64, max(n, 1)))
		if n <= 1 {
			return s
		}
	}
}

func (s *rankSet) add(i int) {
	for _, words := range s.levels {
		old := words[i>>6]
		words[i>>6] = old | 1<<(i&63)
		if old != 0 {
			return
		}
		i >>= 6
	}
}

func (s *rankSet) remove(i int) {
	for _, words := range s.levels {
		words[i>>6] &^= 1 << (i & 63)
		if words[i>>6] != 0 {
			return
		}
		i >>= 6
	}
}

// before returns the largest member below i, or -1.
func (s *rankSet) before(i int) int {
	for l, words := range s.levels {
		if w := words[i>>6] & (1<<(i&63) - 1); w != 0 {
			i = i&^63 | (63 - bits.LeadingZeros64(w))
			for ; l > 0; l-- {
				w := s.levels[l-1][i]
				i = i<<6 | (63 - bits.LeadingZeros64(w))
			}
			return i
		}
		i >>= 6
	}
	return -1
}

// after returns the smallest member above i, or -1.
func (s *rankSet) after(i int) int {
	for l, words := range s.levels {
		if w := words[i>>6] &^ (1<<(i&63)<<1 - 1); w != 0 {
			i = i&^63 | bits.TrailingZeros64(w)
			for ; l > 0; l-- {
				i = i<<6 | bits.TrailingZeros64(s.levels[l-1][i])
			}
			return i
		}
		i >>= 6
	}
	return -1
}
