package lifetime

import (
	"bytes"
	"hash/maphash"
)

// stateSet is a set of byte strings in the order in which they were added, laid
// end to end. A set that is reused allocates nothing.
type stateSet struct {
	bytes []byte
	ends  []int
	slots []int32 // open addressing: number of the state + 1
	seed  maphash.Seed
}

func (s *stateSet) len() int { return len(s.ends) }

// at returns a state. It stays valid until the set is reset.
func (s *stateSet) at(i int) []byte {
	start := 0
	if i > 0 {
		start = s.ends[i-1]
	}
	return s.bytes[start:s.ends[i]:s.ends[i]]
}

func (s *stateSet) reset() {
	s.bytes, s.ends = s.bytes[:0], s.ends[:0]
	clear(s.slots)
}

// add adds the state if it is new.
func (s *stateSet) add(state []byte) {
	if 2*len(s.ends) >= len(s.slots) {
		s.grow()
	}
	slot := s.slot(state)
	if s.slots[slot] != 0 {
		return
	}
	s.bytes = append(s.bytes, state...)
	s.ends = append(s.ends, len(s.bytes))
	s.slots[slot] = int32(len(s.ends))
}

// slot returns where the state is, or where it would be.
func (s *stateSet) slot(state []byte) int {
	mask := len(s.slots) - 1
	k := int(maphash.Bytes(s.seed, state)) & mask
	for s.slots[k] != 0 && !bytes.Equal(s.at(int(s.slots[k])-1), state) {
		k = (k + 1) & mask
	}
	return k
}

func (s *stateSet) grow() {
	if len(s.slots) == 0 {
		s.seed = maphash.MakeSeed()
	}
	s.slots = make([]int32, max(64, 2*len(s.slots)))
	for i := range s.ends {
		s.slots[s.slot(s.at(i))] = int32(i + 1)
	}
}
