package joint

import (
	"math/bits"
	"math/rand/v2"

	"github.com/arenalab/arenalab/graph"
)

// state is a set of operators that have run, with the bytes live after them.
type state struct {
	m     *graph.Memory
	after lists    // operators, by operator that must run before
	left  []int32  // by value: readers that have not run
	waits []int32  // by operator: those before it that have not run
	ready []uint64 // set of operators
	live  int64
	key   [2]uint64 // hash of the set
	words [][2]uint64

	trail []int32 // the operators of the set, as they ran
	was   []int64 // live before each
	born  []int32 // by value: how many had run when it was made
	work  int64   // operators looked at or taken
}

func newState(m *graph.Memory) *state {
	n := len(m.Ops)
	s := &state{
		m: m, left: make([]int32, len(m.Values)), waits: make([]int32, n),
		ready: make([]uint64, (n+63)/64), words: make([][2]uint64, n), born: make([]int32, len(m.Values)),
	}
	next := make([][]int32, n)
	for i, before := range m.Before {
		for _, p := range before {
			next[p] = append(next[p], int32(i))
		}
	}
	s.after = newLists(next)
	random := rand.New(rand.NewPCG(0, 0))
	for i := range s.words {
		s.words[i] = [2]uint64{random.Uint64(), random.Uint64()}
	}
	s.reset()
	return s
}

// reset returns to the empty set.
func (s *state) reset() {
	s.live, s.key = s.m.Base, [2]uint64{}
	s.trail, s.was = s.trail[:0], s.was[:0]
	clear(s.ready)
	for v := range s.m.Values {
		s.left[v], s.born[v] = int32(len(s.m.Values[v].Readers)), 0
		if s.m.Values[v].Maker < 0 {
			s.live += s.m.Values[v].Size
		}
	}
	for i, before := range s.m.Before {
		s.waits[i] = int32(len(before))
		if len(before) == 0 {
			s.ready[i>>6] |= 1 << (i & 63)
		}
	}
}

// cost returns the bytes live while the operator runs next, and after it.
func (s *state) cost(i int32) (during, after int64) {
	s.work++
	op := &s.m.Ops[i]
	after = s.live
	for _, v := range op.Makes {
		after += s.m.Values[v].Size
	}
	during = after + op.Transient
	if len(s.trail) == 0 {
		during += s.m.First
	}
	if v := op.Replaces; v >= 0 && s.left[v] == 1 {
		during -= s.m.Values[v].Size
	}
	for _, v := range op.Reads {
		if s.left[v] == 1 && !s.m.Values[v].Kept {
			after -= s.m.Values[v].Size
		}
	}
	return during, after
}

// take runs the operator, which leaves so many bytes live.
func (s *state) take(i int32, after int64) {
	s.work++
	s.trail, s.was = append(s.trail, i), append(s.was, s.live)
	s.live = after
	s.ready[i>>6] &^= 1 << (i & 63)
	s.toggle(i)
	for _, v := range s.m.Ops[i].Makes {
		s.born[v] = int32(len(s.trail))
	}
	for _, v := range s.m.Ops[i].Reads {
		s.left[v]--
	}
	for _, j := range s.after.of(i) {
		if s.waits[j]--; s.waits[j] == 0 {
			s.ready[j>>6] |= 1 << (j & 63)
		}
	}
}

// back undoes what was taken after the first so many.
func (s *state) back(to int) {
	for len(s.trail) > to {
		k := len(s.trail) - 1
		i := s.trail[k]
		s.live = s.was[k]
		s.trail, s.was = s.trail[:k], s.was[:k]
		s.ready[i>>6] |= 1 << (i & 63)
		s.toggle(i)
		for _, v := range s.m.Ops[i].Reads {
			s.left[v]++
		}
		for _, j := range s.after.of(i) {
			if s.waits[j] == 0 {
				s.ready[j>>6] &^= 1 << (j & 63)
			}
			s.waits[j]++
		}
	}
}

func (s *state) toggle(i int32) {
	s.key[0] ^= s.words[i][0]
	s.key[1] ^= s.words[i][1]
}

// close runs, again and again, what fits the budget and leaves no more bytes
// live than before. That harms no order within the budget.
func (s *state) close(budget int64) {
	for again := true; again; {
		again = false
		for w := range s.ready {
			for set := s.ready[w]; set != 0; {
				b := bits.TrailingZeros64(set)
				set &= set - 1
				i := int32(w<<6 + b)
				if during, after := s.cost(i); during <= budget && after <= s.live {
					s.take(i, after)
					again = true
					set = s.ready[w] &^ (2<<b - 1)
				}
			}
		}
	}
}

// list appends the operators that can run next, ascending.
func (s *state) list(out []int32) []int32 {
	for w, set := range s.ready {
		for ; set != 0; set &= set - 1 {
			out = append(out, int32(w<<6+bits.TrailingZeros64(set)))
		}
	}
	return out
}

// done reports whether all operators have run.
func (s *state) done() bool { return len(s.trail) == len(s.waits) }
