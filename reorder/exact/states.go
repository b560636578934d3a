package exact

import "slices"

// states is a set of sets of operators, all of the same number of words. It
// holds no more bytes than it may: what does not fit is not added.
type states struct {
	width int // words of a state
	limit int // bytes
	chunk [][]uint64
	slots []uint32 // 1 + index of a state, or 0; a power of two of them
	count int
}

// perChunk is how many states are allocated at a time.
const perChunk = 1024

func newStates(width, limit int) *states {
	return &states{width: max(width, 1), limit: limit, slots: make([]uint32, 1024)}
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

// bytes is what the set takes.
func (s *states) bytes() int { return 8*len(s.chunk)*perChunk*s.width + 4*len(s.slots) }

// add adds a state unless there is no room for it.
func (s *states) add(state []uint64) {
	slot, found := s.slot(state)
	if found || !s.room() {
		return
	}
	if s.count%perChunk == 0 {
		s.chunk = append(s.chunk, make([]uint64, perChunk*s.width))
	}
	copy(s.at(s.count), state)
	s.count++
	s.slots[slot] = uint32(s.count)
	if 2*s.count >= len(s.slots) {
		s.grow()
	}
}

// room reports whether one more state can be added.
func (s *states) room() bool {
	bytes := s.bytes()
	if s.count%perChunk == 0 {
		bytes += 8 * perChunk * s.width
	}
	if 2*(s.count+1) >= len(s.slots) {
		bytes += 8 * len(s.slots) // the old slots live until the new ones are filled
	}
	return bytes <= s.limit && s.count < 1<<31
}

func (s *states) grow() {
	s.slots = make([]uint32, 2*len(s.slots))
	for i := range s.count {
		slot, _ := s.slot(s.at(i))
		s.slots[slot] = uint32(i + 1)
	}
}
