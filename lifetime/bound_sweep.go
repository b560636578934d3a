package lifetime

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
)

// maxStates bounds the ways to place what is live at one section.
const maxStates = 1 << 20

// checkSweep goes through the sections and keeps the set of all ways in which
// what crosses from one to the next can lie. It fails unless none is left.
//
// Of an item without gaps the rest of the sweep only sees which units it takes,
// and until when. So a state is a list of runs of units that become free at the
// same section, whoever takes them, and the offsets of the items with gaps.
// Where plans can be turned upside down, so can states, and one of the two is
// kept. Offsets that pairs of items rule out are not tried; see domains.
func (e *excerpt) checkSweep(backward bool, w *work) error {
	s, err := newSweep(e, backward, w)
	if err != nil {
		return err
	}
	if s.domain != nil && !s.domain.consistent(s.allowed, w) && w.left >= 0 {
		return nil
	}
	states := new(stateSet)
	states.add(nil)
	for at := range s.sections {
		states = s.next(at, states)
		switch {
		case w.left < 0:
			return ErrCheckWork
		case states.len() > maxStates:
			return fmt.Errorf("%w: more than %d states", ErrCheckWork, maxStates)
		case states.len() == 0:
			return nil
		}
	}
	return errors.New("the buffers have a plan")
}

// placing is the sweep of one order of the sections.
type placing struct {
	e           *excerpt
	w           *work
	sections    [][]slice
	first, last []int  // by item: sections
	plain       []bool // by item: whole in all sections from first to last
	flip        bool
	domain      *domains // nil if too large
	allowed     []uint64

	at      int // the section
	offset  []int64
	free    []run // holes of the section, with nothing in them
	carried []run // what is taken, ascending
	born    []slice
	placed  []bool
	out     *stateSet
	taken   []run
	runs    []run
	key     []byte
	mirror  []byte
}

// run is a range of units that are taken until after the section last.
type run struct {
	low, high int64
	last      int
}

// maxPairWork bounds the relations that are made to help a sweep.
const maxPairWork = 20_000_000

func newSweep(e *excerpt, backward bool, w *work) (*placing, error) {
	n := len(e.items)
	s := &placing{
		e: e, w: w, sections: e.sections, flip: e.flips(), out: new(stateSet),
		first: make([]int, n), last: make([]int, n), plain: make([]bool, n), offset: make([]int64, n),
	}
	if e.high > 1<<30 || len(e.sections) > 1<<30 {
		return nil, ErrCheckWork
	}
	if backward {
		s.sections = slices.Clone(e.sections)
		slices.Reverse(s.sections)
	}
	count := make([]int, n)
	for i := range n {
		s.first[i], s.last[i] = -1, -1
	}
	for at, section := range s.sections {
		for _, sl := range section {
			i := sl.item
			if s.first[i] < 0 {
				s.first[i] = at
			}
			s.last[i] = at
			if sl.low == 0 && sl.high == e.items[i].size {
				count[i]++
			}
		}
	}
	for i := range n {
		s.plain[i] = count[i] == s.last[i]-s.first[i]+1
	}
	if d, err := newDomains(e, &work{left: min(maxPairWork, w.left)}); err == nil {
		s.domain, s.allowed = d, d.full()
	}
	return s, nil
}

// next returns the states after the section, at most one more than allowed.
func (s *placing) next(at int, states *stateSet) *stateSet {
	s.at = at
	s.born = s.born[:0]
	for _, sl := range s.sections[at] {
		if s.first[sl.item] == at {
			s.born = append(s.born, sl)
		}
	}
	slices.SortFunc(s.born, func(a, b slice) int { // the largest first, those alike together
		ia, ib := &s.e.items[a.item], &s.e.items[b.item]
		return int(cmpInt(ib.size, ia.size)*4 + cmpInt(int64(s.last[a.item]), int64(s.last[b.item]))*2 + cmpInt(int64(a.item), int64(b.item)))
	})
	s.placed = make([]bool, len(s.born))
	s.out.reset()
	for i := 0; i < states.len() && s.w.left >= 0 && s.out.len() <= maxStates; i++ {
		if s.load(states.at(i)) {
			s.place(0, 0, s.slack(), len(s.born))
		}
	}
	out := s.out
	s.out = states // to be reused
	return out
}

func cmpInt(a, b int64) int64 {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// load decodes a state and finds the holes of the section. It returns false if
// an item comes back from a gap to bytes that are taken.
func (s *placing) load(state []byte) bool {
	s.carried, s.free = s.carried[:0], s.free[:0]
	word := func() int64 {
		v, n := binary.Uvarint(state)
		state = state[n:]
		return int64(v)
	}
	for i := range s.e.items {
		if s.crosses(i, s.at) {
			s.offset[i] = word()
		}
	}
	for len(state) > 0 {
		s.carried = append(s.carried, run{word(), word(), int(word())})
	}
	taken := append(s.taken[:0], s.carried...)
	for _, sl := range s.sections[s.at] {
		if s.crosses(sl.item, s.at) {
			taken = append(taken, run{s.offset[sl.item] + sl.low, s.offset[sl.item] + sl.high, 0})
		}
	}
	s.taken = taken
	slices.SortFunc(taken, func(a, b run) int { return int(cmpInt(a.low, b.low)) })
	var end int64
	for _, r := range taken {
		if r.low < end {
			return false
		}
		if r.low > end {
			s.free = append(s.free, run{low: end, high: r.low})
		}
		end = r.high
	}
	if end < s.e.high {
		s.free = append(s.free, run{low: end, high: s.e.high})
	}
	return s.w.spend(16 * (len(taken) + len(s.e.items) + 1))
}

// crosses reports whether the item's offset is part of the states before the
// section.
func (s *placing) crosses(i, at int) bool { return !s.plain[i] && s.first[i] < at && at <= s.last[i] }

// slack returns the units of the holes that stay free.
func (s *placing) slack() (units int64) {
	for _, r := range s.free {
		units += r.high - r.low
	}
	for _, sl := range s.born {
		units -= sl.high - sl.low
	}
	return units
}

// place fills the holes from the given one on, without its first units, with
// the items that are not placed, leaving as many units free as the slack allows.
func (s *placing) place(hole int, skip, slack int64, left int) {
	if left == 0 {
		s.emit()
		return
	}
	for hole < len(s.free) && slack >= 0 && s.out.len() <= maxStates && s.w.spend(4*len(s.born)+4) {
		h := s.free[hole]
		at := h.low + skip
		if at == h.high {
			hole, skip = hole+1, 0
			continue
		}
		idle := h.high - at // nothing fits: all of the hole; else a unit
		for k, sl := range s.born {
			height := sl.high - sl.low
			if s.placed[k] || height > h.high-at {
				continue
			}
			idle = 1
			if k > 0 && !s.placed[k-1] && s.alike(s.born[k-1].item, sl.item) || !s.may(k, at-sl.low) {
				continue
			}
			s.placed[k], s.offset[sl.item] = true, at-sl.low
			s.place(hole, skip+height, slack, left-1)
			s.placed[k] = false
		}
		skip, slack = skip+idle, slack-idle
	}
}

// alike reports whether two items born together differ by name alone.
func (s *placing) alike(i, j int) bool {
	a, b := &s.e.items[i], &s.e.items[j]
	return s.plain[i] && s.plain[j] && s.last[i] == s.last[j] && a.size == b.size && a.step == b.step &&
		a.end == b.end && a.fixed == b.fixed
}

// may reports whether the k-th item born may be at the offset, beside those
// that are placed.
func (s *placing) may(k int, offset int64) bool {
	i := s.born[k].item
	it := &s.e.items[i]
	if offset < 0 || offset > it.top() || offset%it.step != 0 || it.fixed >= 0 && offset != it.fixed {
		return false
	}
	if s.domain == nil {
		return true
	}
	if !has(s.domain.row(s.allowed, i), offset) {
		return false
	}
	for m, other := range s.born {
		if s.placed[m] {
			if pair := s.domain.pairs[i*len(s.e.items)+other.item]; pair != nil && !has(s.domain.at(pair, offset), s.offset[other.item]) {
				return false
			}
		}
	}
	return true
}

// emit adds the state after the section, if it is new.
func (s *placing) emit() {
	runs := s.runs[:0]
	for _, r := range s.carried {
		if r.last > s.at {
			runs = append(runs, r)
		}
	}
	for _, sl := range s.born {
		if i := sl.item; s.plain[i] && s.last[i] > s.at {
			runs = append(runs, run{s.offset[i], s.offset[i] + s.e.items[i].size, s.last[i]})
		}
	}
	slices.SortFunc(runs, func(a, b run) int { return int(cmpInt(a.low, b.low)) })
	joined := runs[:0]
	for _, r := range runs {
		if k := len(joined) - 1; k >= 0 && joined[k].high == r.low && joined[k].last == r.last {
			joined[k].high = r.high
			continue
		}
		joined = append(joined, r)
	}
	s.runs = runs
	s.key = s.encode(s.key[:0], joined, false)
	if s.flip {
		s.mirror = s.encode(s.mirror[:0], joined, true)
		if bytes.Compare(s.mirror, s.key) < 0 {
			s.key, s.mirror = s.mirror, s.key
		}
	}
	s.out.add(s.key)
}

// encode appends the state, upside down if asked.
func (s *placing) encode(key []byte, runs []run, flipped bool) []byte {
	word := func(v int64) { key = binary.AppendUvarint(key, uint64(v)) }
	for i := range s.e.items {
		if s.crosses(i, s.at+1) {
			if flipped {
				word(s.e.high - s.offset[i] - s.e.items[i].size)
			} else {
				word(s.offset[i])
			}
		}
	}
	for k := range runs {
		r := runs[k]
		if flipped {
			r = runs[len(runs)-1-k]
			r.low, r.high = s.e.high-r.high, s.e.high-r.low
		}
		word(r.low)
		word(r.high)
		word(int64(r.last))
	}
	return key
}
