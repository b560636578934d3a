package lifetime

import (
	"errors"
	"fmt"
	"slices"
)

// OverlapError says that two buffers share a byte while both are live.
type OverlapError struct {
	A, B         int    // positions in the table
	NameA, NameB string // their names
	Step         int64  // a step at which both occupy the bytes
	Low, High    int64  // the shared bytes of the arena
}

// Error implements error.
func (e *OverlapError) Error() string {
	return fmt.Sprintf("buffers %d %q and %d %q share bytes [%d, %d) at step %d",
		e.A, e.NameA, e.B, e.NameB, e.Low, e.High, e.Step)
}

// PlaceError says that a single buffer is at an offset it may not have.
type PlaceError struct {
	Buffer int
	Name   string
	Offset int64
	Msg    string
}

// Error implements error.
func (e *PlaceError) Error() string {
	return fmt.Sprintf("buffer %d %q at offset %d: %s", e.Buffer, e.Name, e.Offset, e.Msg)
}

// maxOverlaps ends a check early: a plan with that many is not half right.
const maxOverlaps = 16

// Check reports whether the plan is safe: a valid table, one offset a buffer,
// none negative, alignments and fixed offsets kept, no two buffers sharing a
// byte at a step at which both occupy it (gaps and their windows honoured), and
// the stated arena exactly the largest end. It returns nil, or the first of
// these that there are: the faults of the table, a wrong number of offsets, a
// join of *PlaceError values, a wrong arena, a join of *OverlapError values (at
// most 16; a buffer that overlaps an earlier one is not held against later
// ones). O(n log n).
//
// Only bytes count: unlike MiniMalloc's validator, Check lets a buffer be above
// another at one step and below it at another, where their windows allow it.
func Check(t *Table, p *Plan) error {
	if err := t.Validate(); err != nil {
		return fmt.Errorf("table is not valid: %w", err)
	}
	if len(p.Offsets) != len(t.Buffers) {
		return fmt.Errorf("plan has %d offsets for %d buffers", len(p.Offsets), len(t.Buffers))
	}
	errs := checkPlaces(t, p)
	if len(errs) > 0 {
		return errors.Join(errs...)
	}
	return errors.Join(checkOverlaps(t, p.Offsets)...)
}

func checkPlaces(t *Table, p *Plan) []error {
	var errs []error
	var top int64
	for i, off := range p.Offsets {
		b := &t.Buffers[i]
		bad := func(format string, args ...any) {
			errs = append(errs, &PlaceError{i, b.Name, off, fmt.Sprintf(format, args...)})
		}
		switch {
		case off < 0:
			bad("negative offset")
		case off > maxTotal:
			bad("offset out of range")
		case off&(b.Alignment()-1) != 0:
			bad("not a multiple of its alignment %d", b.Align)
		case b.Fixed != nil && off != *b.Fixed:
			bad("fixed offset is %d", *b.Fixed)
		}
		top = max(top, off+b.Size)
	}
	if len(errs) == 0 && top != p.Arena {
		errs = append(errs, fmt.Errorf("plan states an arena of %d bytes, its buffers end at %d", p.Arena, top))
	}
	return errs
}

// sweep is the state of checkOverlaps. Pieces are ranked by address; the live
// ones are a set of ranks.
type sweep struct {
	t      *Table
	pieces []Piece // in order of birth, with addresses in the arena
	byRank []int32 // rank to piece
	live   *rankSet
	errs   []error
}

// checkOverlaps sweeps over time with the set of live pieces ordered by
// address. As long as the set is free of overlaps, a new piece can only meet
// its two neighbours, so each birth costs two look-ups.
func checkOverlaps(t *Table, offsets []int64) []error {
	unsorted := t.Pieces()
	n := len(unsorted)
	for i := range unsorted {
		p := &unsorted[i]
		p.Low, p.High = p.Low+offsets[p.Buffer], p.High+offsets[p.Buffer]
	}
	var by sorter
	births, starts := by.order(n, func(i int) int64 { return unsorted[i].Lower })
	pieces := unsorted
	if !slices.IsSorted(births) {
		pieces = make([]Piece, n) // what is live together is then near in memory
		for k, i := range births {
			pieces[k] = unsorted[i]
		}
	}
	deaths, ends := by.order(n, func(k int) int64 { return pieces[k].Upper })
	byRank := by.positions(n, func(k int) int64 { return pieces[k].Low })

	s := sweep{t: t, pieces: pieces, byRank: byRank, live: newRankSet(n)}
	rank := make([]int32, n)
	for r, k := range byRank {
		rank[k] = int32(r)
	}
	d := 0
	for k, start := range starts {
		for ; ends[d] <= start; d++ {
			s.live.remove(int(rank[deaths[d]]))
		}
		r := int(rank[k])
		if born := &pieces[k]; s.clash(born, s.live.before(r)) || s.clash(born, s.live.after(r)) {
			if len(s.errs) == maxOverlaps {
				break
			}
			continue // left out, so that the set stays free of overlaps
		}
		s.live.add(r)
	}
	return s.errs
}

// clash reports whether the new piece overlaps its neighbour in the live set, a
// rank or -1 if there is none, and records it.
func (s *sweep) clash(born *Piece, neighbour int) bool {
	if neighbour < 0 {
		return false
	}
	other := &s.pieces[s.byRank[neighbour]]
	if born.Low >= other.High || other.Low >= born.High {
		return false
	}
	a, b := other.Buffer, born.Buffer
	s.errs = append(s.errs, &OverlapError{
		A: a, B: b, NameA: s.t.Buffers[a].Name, NameB: s.t.Buffers[b].Name,
		Step: born.Lower, Low: max(born.Low, other.Low), High: min(born.High, other.High),
	})
	return true
}
