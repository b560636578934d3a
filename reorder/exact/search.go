package exact

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
)

// search looks for a way from one state to another within a budget: depth
// first, to the state with the least live bytes first. It tells dead states,
// from which there is none, from those that it has not seen, and drops all
// other ways on from a state as soon as one leads to a valley (see valley).
type search struct {
	w      *walk
	from   int // length of the trail at the first state
	budget int64
	dead   *states
	valley *valley
	low, n int // words of the states that can differ

	frames []frame
	kids   []kid
	open   []uint64 // states that are dead once their frame is
	room   int      // bytes that frames, kids and open states may take

	// next is the least budget within which there is more to see: that of the
	// least step over the budget from a state that is dead. If the first state
	// is dead, there is no way within less than next.
	next  int64
	steps int64 // states looked at
}

// frame is a state on the way to where the walk is.
type frame struct {
	bytes    int64 // live there
	trail    int   // length of the trail
	kid, end int   // its kids not yet looked at are kids[kid:end]
	open     int   // its open states start there
	next     int64 // least step over the budget
}

// kid is a state one step away, after settling.
type kid struct {
	bytes int64
	op    int32 // the step
}

// manyKids is how many steps from a state are too many to see where each
// settles before one is taken.
const manyKids = 16

type outcome int

const (
	stopped outcome = iota
	found
	refuted
)

// newSearch starts a search at the state of w, which is its own from then on.
// States are those of operators lo <= i < hi, and dead ones are kept as long as
// there is memory.
func newSearch(w *walk, goal int, lo, hi int, budget int64, memory *memory) *search {
	s := &search{w: w, from: len(w.trail), budget: budget, valley: newValley(w), low: lo >> 6}
	s.n = max(hi+63, 63)>>6 - s.low
	s.dead = newStates(s.n, memory)
	s.room = memory.left / 4
	s.next = math.MaxInt64
	w.goal = goal
	if w.count == goal {
		return s
	}
	if w.settle(budget); w.count != goal {
		s.push(0)
	}
	return s
}

func (s *search) arrived() bool { return s.w.count == s.w.goal }

func (s *search) state() []uint64 { return s.w.in[s.low : s.low+s.n] }

// run looks at states until the work of the walk exceeds the limit. If the
// outcome is found, the trail of the walk from s.from leads to the goal.
func (s *search) run(limit int64) outcome {
	for !s.arrived() {
		if len(s.frames) == 0 {
			return refuted
		}
		if s.w.work > limit || s.full() {
			return stopped
		}
		top := &s.frames[len(s.frames)-1]
		if top.kid == top.end {
			s.pop()
			continue
		}
		k := s.kids[top.kid]
		top.kid++
		s.w.take(k.op)
		s.w.settle(s.budget)
		s.enter()
	}
	return found
}

// full reports whether the way that the search is on takes too much memory to
// be followed further.
func (s *search) full() bool {
	return 8*len(s.open)+16*len(s.kids)+40*len(s.frames) > s.room
}

// enter goes on from the state that the walk has come to from the top frame.
func (s *search) enter() {
	if s.arrived() {
		return
	}
	if s.dead.has(s.state()) {
		s.w.undo(s.frames[len(s.frames)-1].trail)
		return
	}
	at := len(s.frames)
	for k := s.above(at); k < at; k = s.above(at) {
		at = k
		if s.descend(at); s.arrived() {
			return
		}
	}
	open := len(s.open)
	if at < len(s.frames) { // the valley takes the place of the frame and of all after it
		f := s.frames[at]
		open = f.open
		s.kids = s.kids[:s.firstKid(at)]
		s.frames = s.frames[:at]
		if s.dead.has(s.state()) {
			s.bury(open)
			s.back()
			return
		}
	}
	s.push(open)
}

// most is how many operators apart the states are, at most, between which a
// valley is looked for, if there is a choice.
const most = 1000

// above returns the first frame before at that is not below the state of the
// walk, or at if there is none.
func (s *search) above(at int) int {
	for k := at - 1; k >= 0 && s.w.bytes <= s.frames[k].bytes; k-- {
		if len(s.w.trail)-s.frames[k].trail > most && at < len(s.frames) {
			break
		}
		at = k
	}
	return at
}

func (s *search) firstKid(at int) int {
	if at == 0 {
		return 0
	}
	return s.frames[at-1].end
}

// descend replaces what was taken since the frame by the part of it that leads
// to the least live bytes, and settles.
func (s *search) descend(at int) {
	from := s.frames[at].trail
	ops := s.w.trail[from:]
	keep := s.valley.keep(ops)
	s.w.work += s.valley.g.work / 64
	kept := s.valley.kept[:0]
	for k, v := range ops {
		if keep[k] {
			kept = append(kept, v)
		}
	}
	s.valley.kept = kept
	if len(kept) < len(ops) {
		s.w.undo(from)
		for _, v := range kept {
			s.w.take(v)
		}
	}
	s.w.settle(s.budget)
}

// choices returns how many operators are ready.
func (w *walk) choices() (n int) {
	for _, word := range w.ready {
		n += bits.OnesCount64(word)
	}
	return n
}

// push makes a frame of the state that the walk is at.
func (s *search) push(open int) {
	s.steps++
	w := s.w
	s.open = append(s.open, s.state()...)
	f := frame{bytes: w.bytes, trail: len(w.trail), kid: len(s.kids), open: open, next: math.MaxInt64}
	if w.first > 0 && f.trail == 0 {
		f.bytes = math.MinInt64 // no valley: see there
	}
	many := w.choices() > manyKids
	if many {
		w.work += int64(w.choices() / 8)
	}
	for i, word := range w.ready {
		for ; word != 0; word &= word - 1 {
			v := int32(i<<6 + bits.TrailingZeros64(word))
			if through := w.through(v); through > s.budget {
				f.next = min(f.next, through)
				continue
			}
			if many {
				s.kids = append(s.kids, kid{w.bytes + w.net[v], v})
				continue
			}
			w.take(v)
			w.settle(s.budget)
			if s.arrived() || !s.dead.has(s.state()) {
				s.kids = append(s.kids, kid{w.bytes, v})
			}
			w.undo(f.trail)
		}
	}
	f.end = len(s.kids)
	slices.SortFunc(s.kids[f.kid:], func(a, b kid) int {
		return cmp.Or(cmp.Compare(a.bytes, b.bytes), cmp.Compare(a.op, b.op))
	})
	s.frames = append(s.frames, f)
}

// pop leaves the top frame, which is dead.
func (s *search) pop() {
	f := s.frames[len(s.frames)-1]
	s.frames = s.frames[:len(s.frames)-1]
	s.kids = s.kids[:s.firstKid(len(s.frames))]
	s.next = min(s.next, f.next)
	s.bury(f.open)
	s.back()
}

// bury adds the open states from there on to the dead ones.
func (s *search) bury(open int) {
	for k := open; k < len(s.open); k += s.n {
		s.dead.add(s.open[k : k+s.n])
	}
	s.open = s.open[:open]
}

// back brings the walk to the top frame.
func (s *search) back() {
	to := s.from
	if len(s.frames) > 0 {
		to = s.frames[len(s.frames)-1].trail
	}
	s.w.undo(to)
}
