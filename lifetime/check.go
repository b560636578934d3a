package lifetime

import (
	"errors"
	"fmt"
	"sort"
)

// OverlapError says that two buffers share a byte while both are live.
type OverlapError struct {
	A, B         int    // positions in the table
	NameA, NameB string // their names
	Step         int64  // the first step at which both are live
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

// Check reports whether the plan is safe: one offset a buffer, none negative,
// alignments and fixed offsets kept, no two buffers sharing a byte at a step at
// which both are live (gaps and their windows honoured), and the stated arena
// exactly the largest end. It returns a join of *PlaceError and *OverlapError
// values (at most 16 overlaps), or nil. O(n log n).
func Check(t *Table, p *Plan) error {
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
		case off%b.Alignment() != 0:
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

// checkOverlaps sweeps over time with the set of live pieces ordered by
// address. As long as the set is free of overlaps, a new piece can only meet
// its two neighbours, so each birth costs two look-ups.
func checkOverlaps(t *Table, offsets []int64) []error {
	pieces := t.Pieces()
	low := func(i int) int64 { return offsets[pieces[i].Buffer] + pieces[i].Low }
	high := func(i int) int64 { return offsets[pieces[i].Buffer] + pieces[i].High }

	byAddress := identity(len(pieces))
	sort.Slice(byAddress, func(a, b int) bool {
		if la, lb := low(byAddress[a]), low(byAddress[b]); la != lb {
			return la < lb
		}
		return byAddress[a] < byAddress[b]
	})
	rank := make([]int, len(pieces))
	for r, i := range byAddress {
		rank[i] = r
	}
	births, deaths := identity(len(pieces)), identity(len(pieces))
	sort.SliceStable(births, func(a, b int) bool { return pieces[births[a]].Lower < pieces[births[b]].Lower })
	sort.Slice(deaths, func(a, b int) bool { return pieces[deaths[a]].Upper < pieces[deaths[b]].Upper })

	live := newRankSet(len(pieces))
	var errs []error
	clash := func(i, r int) bool {
		if r < 0 {
			return false
		}
		j := byAddress[r]
		if low(i) >= high(j) || low(j) >= high(i) {
			return false
		}
		a, b := pieces[j].Buffer, pieces[i].Buffer
		errs = append(errs, &OverlapError{
			A: a, B: b, NameA: t.Buffers[a].Name, NameB: t.Buffers[b].Name,
			Step: pieces[i].Lower, Low: max(low(i), low(j)), High: min(high(i), high(j)),
		})
		return true
	}
	d := 0
	for _, i := range births {
		for pieces[deaths[d]].Upper <= pieces[i].Lower {
			live.remove(rank[deaths[d]])
			d++
		}
		if clash(i, live.before(rank[i])) || clash(i, live.after(rank[i])) {
			if len(errs) >= maxOverlaps {
				break
			}
			continue // leave it out: the set stays free of overlaps
		}
		live.add(rank[i])
	}
	return errs
}

func identity(n int) []int {
	s := make([]int, n)
	for i := range s {
		s[i] = i
	}
	return s
}
