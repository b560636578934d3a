package exact

import (
	"math"
	"math/bits"
	"slices"
)

// memory is how many bytes the sets that share it may take.
type memory struct{ left int }

// take takes some bytes if they are left.
func (m *memory) take(bytes int) bool {
	if m.left < bytes {
		return false
	}
	m.left -= bytes
	return true
}

// states is a set of sets of operators, all of the same number of words. What
// there is no memory for is not added.
type states struct {
	memory *memory
	width  int // words of a state
	chunk  [][]uint64
	slots  []uint64 // half of the hash of a state, and 1 + its index; or 0; a power of two of them
	count  int
}

// perChunk is how many states are allocated at a time.
const perChunk = 256

// newStates returns an empty set.
func newStates(width int, m *memory) *states {
	s := &states{memory: m, width: max(width, 1), slots: make([]uint64, 64)}
	m.left -= 8 * len(s.slots)
	return s
}

// release gives back the memory of the set, which is not to be used any more.
func (s *states) release() {
	s.memory.left += 8*len(s.slots) + 8*len(s.chunk)*perChunk*s.width
	s.chunk, s.slots = nil, nil
}

func (s *states) at(index int) []uint64 {
	k := index % perChunk * s.width
	return s.chunk[index/perChunk][k : k+s.width]
}

// slot returns where a state is or belongs, and what is to be there but for the
// index.
func (s *states) slot(state []uint64) (slot int, tag uint64, found bool) {
	var h uint64
	for _, word := range state {
		high, low := bits.Mul64(h^word^0x9e3779b97f4a7c15, 0xd6e8feb86659fd93)
		h = high ^ low
	}
	mask := len(s.slots) - 1
	tag = h &^ math.MaxUint32
	for slot = int(h) & mask; s.slots[slot] != 0; slot = (slot + 1) & mask {
		x := s.slots[slot]
		if x&^math.MaxUint32 == tag && slices.Equal(s.at(int(x&math.MaxUint32)-1), state) {
			return slot, tag, true
		}
	}
	return slot, tag, false
}

func (s *states) has(state []uint64) bool {
	_, _, found := s.slot(state)
	return found
}

// add adds a state unless there is no room for it.
func (s *states) add(state []uint64) {
	if 2*(s.count+1) >= len(s.slots) && !s.grow() {
		return
	}
	slot, tag, found := s.slot(state)
	if found {
		return
	}
	if s.count == len(s.chunk)*perChunk {
		if !s.memory.take(8 * perChunk * s.width) {
			return
		}
		s.chunk = append(s.chunk, make([]uint64, perChunk*s.width))
	}
	copy(s.at(s.count), state)
	s.count++
	s.slots[slot] = tag | uint64(s.count)
}

// grow doubles the slots, if there is memory, for a moment of the old ones too.
func (s *states) grow() bool {
	old := 8 * len(s.slots)
	if s.count >= 1<<30 || !s.memory.take(3*old) {
		return false
	}
	s.slots = make([]uint64, 2*len(s.slots))
	for i := range s.count {
		slot, tag, _ := s.slot(s.at(i))
		s.slots[slot] = tag | uint64(i+1)
	}
	s.memory.left += 2 * old
	return true
}
