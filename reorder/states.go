package reorder

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
)

// states is a table of sets of operators that have run, each with the bytes
// live after it, the least peak it is reached with, and by which operator.
type states struct {
	words int
	sets  []uint64
	live  []int64
	peak  []int64
	from  []int32 // state before, -1 for none
	op    []int32
	table []int32 // state + 1 by hash; 0 is free
}

func newStates(words int) *states {
	return &states{words: words, table: make([]int32, 64)}
}

func (s *states) len() int { return len(s.peak) }

func (s *states) set(i int) opset {
	return s.sets[i*s.words : (i+1)*s.words]
}

// find returns the state of the set, and whether it is new: then its peak is
// more than any.
func (s *states) find(set opset) (i int, added bool) {
	if 2*s.len() >= len(s.table) {
		s.grow()
	}
	mask := uint64(len(s.table) - 1)
	at := hash(set) & mask
	for s.table[at] != 0 {
		i := int(s.table[at] - 1)
		if slices.Equal(s.set(i), set) {
			return i, false
		}
		at = (at + 1) & mask
	}
	i = s.len()
	s.table[at] = int32(i + 1)
	s.sets = append(s.sets, set...)
	s.live, s.peak = append(s.live, 0), append(s.peak, math.MaxInt64)
	s.from, s.op = append(s.from, -1), append(s.op, -1)
	return i, true
}

func (s *states) grow() {
	s.table = make([]int32, 2*len(s.table))
	mask := uint64(len(s.table) - 1)
	for i := range s.len() {
		at := hash(s.set(i)) & mask
		for s.table[at] != 0 {
			at = (at + 1) & mask
		}
		s.table[at] = int32(i + 1)
	}
}

// reset empties the table and keeps its room.
func (s *states) reset() {
	s.sets, s.live, s.peak, s.from, s.op = s.sets[:0], s.live[:0], s.peak[:0], s.from[:0], s.op[:0]
	clear(s.table)
}

// narrow keeps as many states, those of the least peak, then of the least bytes,
// then those found first.
func (s *states) narrow(width int) {
	if s.len() <= width {
		return
	}
	list := make([]int, s.len())
	for i := range list {
		list[i] = i
	}
	slices.SortFunc(list, func(a, b int) int {
		return cmp.Or(cmp.Compare(s.peak[a], s.peak[b]), cmp.Compare(s.live[a], s.live[b]), cmp.Compare(a, b))
	})
	list = list[:width]
	slices.Sort(list)
	old := *s
	*s = *newStates(s.words)
	for _, i := range list {
		k, _ := s.find(old.set(i))
		s.live[k], s.peak[k], s.from[k], s.op[k] = old.live[i], old.peak[i], old.from[i], old.op[i]
	}
}

// hash folds the words of a set by multiplication.
func hash(set opset) uint64 {
	h := uint64(0x9e3779b97f4a7c15)
	for _, w := range set {
		high, low := bits.Mul64(h^w, 0xd6e8feb86659fd93)
		h = high ^ low
	}
	return h
}
