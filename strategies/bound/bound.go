// Package bound finds proven lower bounds on the arena of a lifetime table.
// Every bound carries a witness, which lifetime.CheckBound verifies on its own.
//
// A bound from a single instant cannot exceed what is live there, alignment
// included: that is Lower. On most tables of networks it is already the optimum;
// where it is not (the smallest known table has seven buffers), instants have to
// be linked, which is the business of Refute.
package bound

import (
	"cmp"
	"slices"

	"github.com/arenalab/arenalab/lifetime"
)

// Lower returns the best of these bounds for a valid table, in bytes:
//
//   - load: the peak live bytes;
//   - alignment, for each alignment A in the table: buffers of alignment A or
//     more that are live together start at multiples of A, so all but the
//     topmost take their size rounded up; the largest over all instants of the
//     sum of the rounded sizes less the largest single pad;
//   - fixed: the largest end of a buffer with a fixed offset.
//
// Of equal bounds the first named is returned. The align option is that of
// strategies.Options: the bound holds for, and CheckBound verifies it against,
// lifetime.WithAlign(t, align).
//
// O(n log n) for each distinct alignment, gaps counted as buffers.
//
// References: the load bound is folklore (the clique bound of interval
// colouring; A. L. Buchsbaum et al., "OPT versus LOAD in dynamic storage
// allocation", STOC 2003, doi:10.1145/780542.780624). The alignment bound less
// the top pad follows from it.
func Lower(t *lifetime.Table, align int64) *lifetime.Bound {
	t = lifetime.WithAlign(t, align)
	pieces := t.Pieces()
	best := &lifetime.Bound{Kind: lifetime.BoundLoad}
	best.Value, best.Step = peak(events(pieces, 1))
	for _, a := range alignments(t) {
		whole, padded := filter(t, pieces, a)
		if !padded {
			continue // no more than the load
		}
		if value, step := peak(events(whole, a)); value > best.Value {
			best = &lifetime.Bound{Value: value, Kind: lifetime.BoundAlignment, Step: step, Align: a}
			best.Buffers = live(whole, step)
		}
	}
	if best.Kind == lifetime.BoundLoad {
		best.Buffers = live(pieces, best.Step)
	}
	if i := highestPin(t); i >= 0 && *t.Buffers[i].Fixed+t.Buffers[i].Size > best.Value {
		b := &t.Buffers[i]
		best = &lifetime.Bound{Value: *b.Fixed + b.Size, Kind: lifetime.BoundFixed, Step: b.Lower, Buffers: []int{i}}
	}
	return best
}

// alignments returns the distinct alignments of the table above 1.
func alignments(t *lifetime.Table) []int64 {
	var out []int64
	for i := range t.Buffers {
		if a := t.Buffers[i].Alignment(); a > 1 && !slices.Contains(out, a) {
			out = append(out, a)
		}
	}
	slices.Sort(out)
	return out
}

// filter returns the pieces that are whole buffers of at least the given
// alignment, and whether any of them is padded.
func filter(t *lifetime.Table, pieces []lifetime.Piece, align int64) (out []lifetime.Piece, padded bool) {
	for _, p := range pieces {
		b := &t.Buffers[p.Buffer]
		if b.Alignment() >= align && p.Low == 0 && p.High == b.Size {
			out = append(out, p)
			padded = padded || b.Size%align != 0
		}
	}
	return out, padded
}

// event is the birth or the death of a piece.
type event struct {
	step   int64
	birth  bool
	bytes  int64 // rounded up
	pad    int64 // of which are padding
	number int   // of the piece
}

// events returns births and deaths by step, at one step the deaths first.
func events(pieces []lifetime.Piece, align int64) []event {
	out := make([]event, 0, 2*len(pieces))
	for i, p := range pieces {
		bytes := lifetime.AlignUp(p.High-p.Low, align)
		pad := bytes - (p.High - p.Low)
		out = append(out, event{p.Lower, true, bytes, pad, i}, event{p.Upper, false, bytes, pad, i})
	}
	slices.SortFunc(out, func(a, b event) int {
		switch c := cmp.Compare(a.step, b.step); {
		case c != 0:
			return c
		case a.birth != b.birth && a.birth:
			return 1
		case a.birth != b.birth:
			return -1
		}
		return cmp.Compare(a.number, b.number)
	})
	return out
}

// peak returns the largest value over all steps of the live bytes less the
// largest live pad, and the first step at which it is reached.
func peak(events []event) (value, step int64) {
	var live int64
	var pads padHeap
	dead := make([]bool, len(events)/2)
	for i, e := range events {
		if !e.birth {
			live -= e.bytes
			dead[e.number] = true
			continue
		}
		live += e.bytes
		if e.pad > 0 {
			pads.push(pad{e.pad, e.number})
		}
		if next := i + 1; next < len(events) && events[next].birth && events[next].step == e.step {
			continue
		}
		for len(pads) > 0 && dead[pads[0].number] {
			pads.pop()
		}
		now := live
		if len(pads) > 0 {
			now -= pads[0].bytes
		}
		if now > value {
			value, step = now, e.step
		}
	}
	return value, step
}

// live returns the positions of the buffers with a piece at the step.
func live(pieces []lifetime.Piece, step int64) []int {
	var out []int
	for _, p := range pieces {
		if p.Lower <= step && step < p.Upper {
			out = append(out, p.Buffer)
		}
	}
	return out
}

// highestPin returns the buffer with the largest fixed end, or -1.
func highestPin(t *lifetime.Table) int {
	best, end := -1, int64(-1)
	for i := range t.Buffers {
		if b := &t.Buffers[i]; b.Fixed != nil && *b.Fixed+b.Size > end {
			best, end = i, *b.Fixed+b.Size
		}
	}
	return best
}
