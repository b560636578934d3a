package exact

import "slices"

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
	slots  []uint32 // 1 + index of a state, or 0; a power of two of them
	count  int
}

// perChunk is how many states are allocated at a time.
const perChunk = 256

// newStates returns an empty set.
func newStates(width int, m *memory) *states {
	s := &states{memory: m, width: max(width, 1), slots: make([]uint32, 64)}
	m.left -= 4 * len(s.slots)
	return s
}

// release gives back the memory of the set, which is not to be used any more.
func (s *states) release() {
	s.memory.left += 4*len(s.slots) + 8*len(s.chunk)*perChunk*s.width
	s.chunk, s.slots = nil, nil
}

func (s *states) at(index int) []uint64 {
	k := index % perChunk * s.width
	return s.chunk[index/perChunk][k : k+s.width]
}

// slot returns where a state is or belongs.
func (s *states) slot(state []uint64) (slot int, found bool) {
	h := uint64(len(state))
	for _, word := range state {
		h = (h ^ word) * 0x9e3779b97f4a7c15
		h ^= h >> 29
	}
	mask := len(s.slots) - 1
	for slot = int(h>>3) & mask; s.slots[slot] != 0; slot = (slot + 1) & mask {
		if slices.Equal(s.at(int(s.slots[slot]-1)), state) {
			return slot, true
		}
	}
	return slot, false
}

func (s *states) has(state []uint64) bool {
	_, found := s.slot(state)
	return found
}

// add adds a state unless there is no room for it.
func (s *states) add(state []uint64) {
	if 2*(s.count+1) >= len(s.slots) && !s.grow() {
		return
	}
	slot, found := s.slot(state)
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
	s.slots[slot] = uint32(s.count)
}

// grow doubles the slots, if there is memory, for a moment of the old ones too.
func (s *states) grow() bool {
	old := 4 * len(s.slots)
	if s.count >= 1<<30 || !s.memory.take(3*old) {
		return false
	}
	s.slots = make([]uint32, 2*len(s.slots))
	for i := range s.count {
		slot, _ := s.slot(s.at(i))
		s.slots[slot] = uint32(i + 1)
	}
	s.memory.left += 2 * old
	return true
}
