package lifetime

import (
	"fmt"
	"slices"
)

// excerpt is what a witness that refutes a capacity speaks of: some buffers, in
// some steps, all lengths in a unit that their offsets have in common.
//
// The unit. Let L be the least alignment, so that all offsets are multiples of
// it, and let the unit divide every size rounded up to L, every alignment above
// L, every fixed offset, and the windows kept in gaps: their upper ends rounded
// up to L and their lower ends, or, if one of these is no multiple of L, both
// that and L. Of all plans within the capacity take one whose offsets have the
// least sum. If some offsets were no multiples of the unit, those buffers, all
// neither fixed nor aligned to more than L, could move down by L together: one
// of them that could not would touch, after rounding up to L, a buffer that
// stays, hence be at a multiple of the unit itself. So all are multiples, and a
// capacity is refuted by refuting the plans in whole units.
type excerpt struct {
	capacity int64 // bytes
	unit     int64 // bytes
	items    []item
	sections [][]slice // what is live, at the instants where that is most
	high     int64     // units: nothing ends above
	windows  bool      // some slice is not the whole item
	void     bool      // some item has no offset at all, others aside
}

// item is a buffer, in units.
type item struct {
	buffer int   // position in the table
	size   int64 // rounded up
	step   int64 // offsets are multiples of it
	end    int64 // may not be exceeded; pads stick out of the capacity
	fixed  int64 // offset, -1 if free
}

// top returns the highest offset that the capacity allows, negative if none.
func (it *item) top() int64 {
	if it.end < it.size {
		return -1
	}
	return (it.end - it.size) / it.step * it.step
}

// slice is what an item takes at an instant, relative to its offset.
type slice struct {
	item      int
	low, high int64
}

// work bounds what a check may do.
type work struct{ left int }

const (
	maxWork    = 2_000_000_000 // about as many elementary operations
	maxWitness = 1024          // buffers
	maxPieces  = 1 << 14
)

// spend reports whether there is still work left after n operations.
func (w *work) spend(n int) bool {
	w.left -= n
	return w.left >= 0
}

// refutedValue checks that there is no plan within the capacity, and returns
// the next arena there can be.
func refutedValue(t *Table, b *Bound, w *work) (int64, error) {
	picked, err := pick(t, b)
	if err != nil {
		return 0, err
	}
	e, err := newExcerpt(picked, b, w)
	if err != nil {
		return 0, err
	}
	switch {
	case e.void:
	case b.Kind == BoundSingleton:
		err = e.checkSingleton(b.Removals, w)
	case b.Kind == BoundOrderTree:
		err = e.checkTree(b.Tree, w)
	default:
		err = e.checkSweep(b.Backward, w)
	}
	if err != nil {
		return 0, err
	}
	return nextArena(picked, b.Capacity), nil
}

// pick returns the table of the witness's buffers alone.
func pick(t *Table, b *Bound) (*Table, error) {
	switch {
	case b.Capacity < 0 || b.Capacity > maxTotal:
		return nil, fmt.Errorf("capacity of %d bytes is out of range", b.Capacity)
	case b.Lower >= b.Upper:
		return nil, fmt.Errorf("no steps in [%d, %d)", b.Lower, b.Upper)
	case len(b.Buffers) == 0 || len(b.Buffers) > maxWitness:
		return nil, fmt.Errorf("witness of %d buffers, 1 to %d can be checked", len(b.Buffers), maxWitness)
	}
	picked := &Table{Buffers: make([]Buffer, len(b.Buffers))}
	last := -1
	for k, i := range b.Buffers {
		if i <= last || i >= len(t.Buffers) {
			return nil, fmt.Errorf("witness position %d is out of range or not ascending", i)
		}
		last = i
		picked.Buffers[k] = t.Buffers[i]
	}
	return picked, nil
}

// newExcerpt measures the picked buffers and leaves out those that can be
// peeled off.
func newExcerpt(picked *Table, b *Bound, w *work) (*excerpt, error) {
	pieces, err := clip(picked, b)
	if err != nil {
		return nil, err
	}
	if !w.spend(4 * len(pieces) * len(pieces)) {
		return nil, ErrCheckWork
	}
	e := &excerpt{capacity: b.Capacity, unit: commonUnit(picked.Buffers)}
	for k := range picked.Buffers {
		buf := &picked.Buffers[k]
		it := item{
			buffer: b.Buffers[k],
			size:   (buf.Size + e.unit - 1) / e.unit,
			step:   stepOf(buf, e.unit),
			fixed:  -1,
		}
		it.end = floorDiv(b.Capacity-buf.Size, e.unit) + it.size
		if buf.Fixed != nil {
			it.fixed = *buf.Fixed / e.unit
		}
		e.items = append(e.items, it)
	}
	for i := range pieces {
		p := &pieces[i]
		p.Low, p.High = p.Low/e.unit, (p.High+e.unit-1)/e.unit
		e.windows = e.windows || p.Low != 0 || p.High != e.items[p.Buffer].size
	}
	pieces = e.peel(pieces, w)
	for i := range e.items {
		it := &e.items[i]
		e.void = e.void || it.top() < max(it.fixed, 0)
		e.high = max(e.high, it.end)
	}
	e.cut(pieces)
	return e, nil
}

// clip returns the pieces of the buffers within the steps of the witness.
func clip(picked *Table, b *Bound) ([]Piece, error) {
	var pieces []Piece
	seen := make([]bool, len(picked.Buffers))
	for _, p := range picked.Pieces() {
		p.Lower, p.Upper = max(p.Lower, b.Lower), min(p.Upper, b.Upper)
		if p.Lower < p.Upper {
			pieces = append(pieces, p)
			seen[p.Buffer] = true
		}
	}
	if k := slices.Index(seen, false); k >= 0 {
		return nil, fmt.Errorf("buffer %d %q takes nothing in steps [%d, %d)", b.Buffers[k], picked.Buffers[k].Name, b.Lower, b.Upper)
	}
	if len(pieces) > maxPieces {
		return nil, ErrCheckWork
	}
	return pieces, nil
}

// commonUnit returns the unit of excerpt, in bytes.
func commonUnit(buffers []Buffer) int64 {
	least := int64(maxAlign)
	for i := range buffers {
		least = min(least, buffers[i].Alignment())
	}
	var unit int64
	for i := range buffers {
		b := &buffers[i]
		unit = gcd(unit, AlignUp(b.Size, least))
		if a := b.Alignment(); a > least {
			unit = gcd(unit, a)
		}
		if b.Fixed != nil {
			unit = gcd(unit, *b.Fixed)
		}
		for _, g := range b.Gaps {
			if g.Keep == nil {
				continue
			}
			unit = gcd(unit, AlignUp(g.Keep.Upper, least))
			unit = gcd(unit, g.Keep.Lower)
			if g.Keep.Lower%least != 0 {
				unit = gcd(unit, least)
			}
		}
	}
	return unit
}

// stepOf returns the alignment of the buffer in units. One that is no multiple
// of the unit divides it, as the least alignment may.
func stepOf(b *Buffer, unit int64) int64 {
	if a := b.Alignment(); a%unit == 0 {
		return a / unit
	}
	return 1
}

// peel leaves out, one after the other, items that are live together with all
// others, and takes their size off what the others have. Any plan is turned
// into one with such an item at the bottom: those above it, of which none can
// be below another item too, move down by its size, then all move up by it.
// That keeps alignments which divide the size, and ends if no other item has to
// end lower than it.
func (e *excerpt) peel(pieces []Piece, w *work) []Piece {
	if e.windows || slices.ContainsFunc(e.items, func(it item) bool { return it.fixed >= 0 }) {
		return pieces
	}
	n := len(e.items)
	meets := meetings(n, pieces)
	gone := make([]bool, n)
	for again := true; again && w.spend(n*n); {
		again = false
		for i := range e.items {
			if !gone[i] && e.peels(i, gone, meets) {
				gone[i], again = true, true
				for j := range e.items {
					e.items[j].end -= e.items[i].size
				}
				e.void = e.void || e.items[i].end < 0
			}
		}
	}
	return e.without(gone, pieces)
}

func (e *excerpt) peels(i int, gone []bool, meets []bool) bool {
	it := &e.items[i]
	for j := range e.items {
		o := &e.items[j]
		if j != i && !gone[j] && (!meets[i*len(e.items)+j] || it.size%o.step != 0 || o.end < it.end) {
			return false
		}
	}
	return true
}

// meetings returns a matrix of who shares a step with whom.
func meetings(n int, pieces []Piece) []bool {
	meets := make([]bool, n*n)
	for i := range pieces {
		for j := range i {
			p, q := &pieces[i], &pieces[j]
			if p.Buffer != q.Buffer && p.Lower < q.Upper && q.Lower < p.Upper {
				meets[p.Buffer*n+q.Buffer], meets[q.Buffer*n+p.Buffer] = true, true
			}
		}
	}
	return meets
}

// without removes the items that are gone, and their pieces.
func (e *excerpt) without(gone []bool, pieces []Piece) []Piece {
	number := make([]int, len(e.items))
	kept := e.items[:0:0]
	for i, it := range e.items {
		number[i] = len(kept)
		if !gone[i] {
			kept = append(kept, it)
		}
	}
	e.items = kept
	out := pieces[:0:0]
	for _, p := range pieces {
		if !gone[p.Buffer] {
			p.Buffer = number[p.Buffer]
			out = append(out, p)
		}
	}
	return out
}

// cut finds the sections: the instants of a birth after which something dies
// before the next birth. What is live at any other is live at one of them too.
func (e *excerpt) cut(pieces []Piece) {
	var births []int64
	for i := range pieces {
		births = append(births, pieces[i].Lower)
	}
	slices.Sort(births)
	births = slices.Compact(births)
	for k, at := range births {
		most := k+1 == len(births)
		var live []slice
		for i := range pieces {
			p := &pieces[i]
			if p.Lower <= at && at < p.Upper {
				live = append(live, slice{p.Buffer, p.Low, p.High})
				most = most || p.Upper <= births[k+1]
			}
		}
		if most {
			e.sections = append(e.sections, live)
		}
	}
}

func gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}
