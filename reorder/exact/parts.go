package exact

import (
	"math"
	"slices"
)

// part is what lies between two states that every order comes to: its
// operators are numbered lo to hi-1, and all orders of it go with all orders of
// the others.
type part struct {
	lo, hi int
	order  []int32 // the best that is known
	peak   int64   // of that, while the part runs
}

// parts cuts the network at the states that every order comes to. Peaks are
// those of no order yet.
func (net *network) parts() []*part {
	var list []*part
	for k := 1; k < len(net.cuts); k++ {
		list = append(list, &part{lo: net.cuts[k-1], hi: net.cuts[k], peak: math.MaxInt64})
	}
	return list
}

// offer takes from an order those parts that are better than what is known, and
// reports whether there are any.
func (s *solver) offer(order []int32) bool {
	peaks := make([]int64, len(s.parts))
	at := 0
	s.net.live(order, func(k int, bytes int64) {
		for k >= s.parts[at].hi {
			at++
		}
		peaks[at] = max(peaks[at], bytes)
	})
	better := false
	for i, p := range s.parts {
		if peaks[i] < p.peak {
			p.peak, better = peaks[i], true
			p.order = slices.Clone(order[p.lo:p.hi])
		}
	}
	return better
}

// order returns the best order that is known.
func (s *solver) order() []int32 {
	order := make([]int32, 0, s.net.n)
	for _, p := range s.parts {
		order = append(order, p.order...)
	}
	return order
}

// upper returns the peak of the best order that is known.
func (s *solver) upper() int64 {
	peak := s.net.floor
	for _, p := range s.parts {
		peak = max(peak, p.peak)
	}
	return peak
}
