package lifetime

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"
)

// This file models a table in the most literal way, as a set of bytes at each
// step. It shares no code with what it judges.

// takes returns whether the buffer occupies its byte k at the step.
func takes(b *Buffer, step, k int64) bool {
	if step < b.Lower || step >= b.Upper || k < 0 || k >= b.Size {
		return false
	}
	for _, g := range b.Gaps {
		if step >= g.Lower && step < g.Upper {
			return g.Keep != nil && k >= g.Keep.Lower && k < g.Keep.Upper
		}
	}
	return true
}

// bruteLive counts the bytes that are taken at the step.
func bruteLive(t *Table, step int64) int64 {
	var n int64
	for i := range t.Buffers {
		for k := range t.Buffers[i].Size {
			if takes(&t.Buffers[i], step, k) {
				n++
			}
		}
	}
	return n
}

// bruteShares returns whether two placed buffers take the same byte of the
// arena at the step.
func bruteShares(t *Table, offsets []int64, i, j int, step int64) bool {
	a, b := &t.Buffers[i], &t.Buffers[j]
	for k := range a.Size {
		if takes(a, step, k) && takes(b, step, offsets[i]+k-offsets[j]) {
			return true
		}
	}
	return false
}

// bruteSafe is what Check should say.
func bruteSafe(t *Table, p *Plan) bool {
	if len(p.Offsets) != len(t.Buffers) {
		return false
	}
	var end int64
	for i, off := range p.Offsets {
		b := &t.Buffers[i]
		if off < 0 || b.Fixed != nil && *b.Fixed != off || b.Align > 1 && off%b.Align != 0 {
			return false
		}
		if off+b.Size > end {
			end = off + b.Size
		}
	}
	return end == p.Arena && bruteApart(t, p.Offsets)
}

func bruteApart(t *Table, offsets []int64) bool {
	lower, upper := t.Span()
	for step := lower; step < upper; step++ {
		for i := range t.Buffers {
			for j := range i {
				if bruteShares(t, offsets, i, j, step) {
					return false
				}
			}
		}
	}
	return true
}

// bruteConflict returns whether both buffers take some byte at some step.
func bruteConflict(t *Table, i, j int) bool {
	live := func(b *Buffer, step int64) bool {
		for k := range b.Size {
			if takes(b, step, k) {
				return true
			}
		}
		return false
	}
	a, b := &t.Buffers[i], &t.Buffers[j]
	for step := a.Lower; step < a.Upper; step++ {
		if live(a, step) && live(b, step) {
			return true
		}
	}
	return false
}

// brutePlan places buffer after buffer at the lowest offset that is safe, or
// returns false if a fixed one is in the way.
func brutePlan(t *Table) ([]int64, bool) {
	offsets := make([]int64, len(t.Buffers))
	var placed []int
	fits := func(i int) bool {
		for _, j := range placed {
			for step := t.Buffers[i].Lower; step < t.Buffers[i].Upper; step++ {
				if bruteShares(t, offsets, i, j, step) {
					return false
				}
			}
		}
		return true
	}
	for _, fixed := range []bool{true, false} {
		for i := range t.Buffers {
			b := &t.Buffers[i]
			if (b.Fixed != nil) != fixed {
				continue
			}
			if fixed {
				offsets[i] = *b.Fixed
			}
			for !fits(i) {
				if fixed {
					return nil, false
				}
				offsets[i] += b.Alignment()
			}
			placed = append(placed, i)
		}
	}
	return offsets, true
}

// many checks the property on thousands of tables rather than a hundred: they
// are small, and what goes wrong takes several rare things at once.
func many(t *testing.T, property func(*rapid.T)) {
	for range 30 {
		if rapid.Check(t, property); t.Failed() {
			return
		}
	}
}

// shape says what the tables of a generator are like.
type shape struct {
	buffers, steps, size int
	pins, gaps, hints    bool
}

var tiny = shape{buffers: 6, steps: 8, size: 6, pins: true, gaps: true}

// tables generates valid tables.
func tables(s shape) *rapid.Generator[*Table] {
	return rapid.Custom(func(t *rapid.T) *Table {
		n := rapid.IntRange(0, s.buffers).Draw(t, "n")
		tab := &Table{Name: "random", Buffers: make([]Buffer, n)}
		start := rapid.Int64Range(-3, 3).Draw(t, "start")
		for i := range tab.Buffers {
			tab.Buffers[i] = randomBuffer(t, s, start)
			tab.Buffers[i].Name = fmt.Sprintf("b%d", i)
		}
		return tab
	})
}

func randomBuffer(t *rapid.T, s shape, start int64) Buffer {
	lower := start + int64(rapid.IntRange(0, s.steps-1).Draw(t, "lower"))
	b := Buffer{
		Size:  int64(rapid.IntRange(0, s.size).Draw(t, "size")),
		Align: rapid.SampledFrom([]int64{0, 1, 1, 2, 4}).Draw(t, "align"),
		Lower: lower,
		Upper: lower + int64(rapid.IntRange(1, s.steps).Draw(t, "steps")),
		Kind:  rapid.SampledFrom([]Kind{Activation, Activation, Input, Output, Variable, Scratch}).Draw(t, "kind"),
	}
	if s.pins && rapid.IntRange(0, 4).Draw(t, "pin") == 0 {
		at := rapid.Int64Range(0, 6).Draw(t, "fixed") * b.Alignment()
		b.Fixed = &at
	}
	if s.hints && rapid.Bool().Draw(t, "hinted") {
		at := rapid.Int64Range(0, 100).Draw(t, "hint")
		b.Hint = &at
	}
	if s.gaps && rapid.Bool().Draw(t, "gapped") {
		b.Gaps = randomGaps(t, &b)
	}
	return b
}

// randomGaps cuts the life into short parts, and makes some of them gaps.
func randomGaps(t *rapid.T, b *Buffer) []Gap {
	var gaps []Gap
	for at := b.Lower; at < b.Upper; {
		end := rapid.Int64Range(at+1, min(b.Upper, at+3)).Draw(t, "cut")
		switch rapid.IntRange(0, 3).Draw(t, "part") {
		case 0:
			gaps = append(gaps, Gap{Lower: at, Upper: end})
		case 1:
			if b.Size > 0 {
				low := rapid.Int64Range(0, b.Size-1).Draw(t, "low")
				high := rapid.Int64Range(low+1, b.Size).Draw(t, "high")
				gaps = append(gaps, Gap{Lower: at, Upper: end, Keep: &Window{low, high}})
			}
		}
		at = end
	}
	return gaps
}
