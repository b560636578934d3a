package lifetime

import (
	"fmt"
	"math/bits"
	"slices"
)

// checkSingleton verifies that the removals empty the offsets of some item.
//
// Two items live in a section can have two offsets only if the rest of the
// section splits into three sets whose sizes fit below, between and above them.
// An offset of which no other of some neighbour is possible is dropped until
// none is left to drop. A removal is right if keeping that offset alone empties
// something. References: R. Debruyne and C. Bessière, "Some practicable
// filtering techniques for the constraint satisfaction problem", IJCAI 1997.
func (e *excerpt) checkSingleton(removals []Removal, w *work) error {
	d, err := newDomains(e, w)
	if err != nil {
		return err
	}
	all := d.full()
	for k, r := range removals {
		if d.consistent(all, w) {
			i, at, err := e.locate(r)
			if err != nil {
				return fmt.Errorf("removal %d: %w", k, err)
			}
			trial := slices.Clone(all)
			for x := range d.row(trial, i) {
				d.row(trial, i)[x] = 0
			}
			set(d.row(trial, i), at)
			if !has(d.row(all, i), at) || d.consistent(trial, w) {
				return fmt.Errorf("removal %d: buffer %d at offset %d is not refuted", k, r.Buffer, r.Offset)
			}
			d.row(all, i)[at/64] &^= 1 << (at % 64)
		}
		if w.left < 0 {
			return ErrCheckWork
		}
	}
	if d.consistent(all, w) {
		return fmt.Errorf("after %d removals every buffer still has an offset", len(removals))
	}
	if w.left < 0 {
		return ErrCheckWork
	}
	return nil
}

// locate returns the item and the offset in units that a removal names.
func (e *excerpt) locate(r Removal) (i int, at int64, err error) {
	i, err = e.find(r.Buffer)
	if err == nil && (r.Offset < 0 || r.Offset%e.unit != 0 || r.Offset/e.unit >= e.high) {
		err = fmt.Errorf("buffer %d cannot be at offset %d", r.Buffer, r.Offset)
	}
	return i, r.Offset / e.unit, err
}

// find returns the item of a buffer.
func (e *excerpt) find(buffer int) (int, error) {
	i, ok := slices.BinarySearchFunc(e.items, buffer, func(it item, b int) int { return it.buffer - b })
	if !ok {
		return 0, fmt.Errorf("buffer %d is not one to argue about", buffer)
	}
	return i, nil
}

func set(row []uint64, at int64)      { row[at/64] |= 1 << (at % 64) }
func has(row []uint64, at int64) bool { return row[at/64]>>(at%64)&1 != 0 }

// domains knows which offsets go together.
type domains struct {
	e     *excerpt
	words int // of a set of offsets
	// pairs, by item i * n + item j: for each offset of i the set of those of
	// j, high sets; nil if the items never meet.
	pairs [][]uint64
	sums  []uint64 // of reach, to be reused
	most  []int64
}

const (
	maxWords = 8 << 20 // bounds the memory for pairs: 8 bytes each
	maxUnits = 2048    // bounds that for what fits between a pair: 8 bytes for each two units
)

func newDomains(e *excerpt, w *work) (*domains, error) {
	n := len(e.items)
	d := &domains{e: e, words: int(e.high+63) / 64, pairs: make([][]uint64, n*n)}
	if e.high > maxUnits {
		return nil, fmt.Errorf("%w: %d units, %d are the most", ErrCheckWork, e.high, maxUnits)
	}
	d.sums, d.most = make([]uint64, int(e.high)*d.words), make([]int64, e.high*e.high)
	words := 0
	for _, section := range e.sections {
		var total int64
		for _, s := range section {
			total += s.high - s.low
		}
		for i := range section {
			for j := range i {
				size := int(e.high) * d.words
				if d.pairs[section[i].item*n+section[j].item] == nil {
					words += 2 * size
				}
				if words > maxWords || !w.spend(size*len(section)+int(e.high*e.high)) {
					return nil, ErrCheckWork
				}
				d.relate(section, i, j, total)
			}
		}
	}
	return d, nil
}

// relate restricts the offsets of two members of a section.
func (d *domains) relate(section []slice, i, j int, total int64) {
	a, b := section[i], section[j]
	total -= a.high - a.low + b.high - b.low
	most := d.reach(section, i, j)
	ab, ba := d.allowed(a, b, total, most), d.allowed(b, a, total, most)
	n := len(d.e.items)
	for _, p := range [2]struct {
		from, to          int
		lower, transposed []uint64
	}{{a.item, b.item, ab, ba}, {b.item, a.item, ba, ab}} {
		both := make([]uint64, len(ab))
		copy(both, p.lower)
		for x := range d.e.high {
			for y := range d.e.high {
				if has(d.at(p.transposed, y), x) {
					set(d.at(both, x), y)
				}
			}
		}
		if old := d.pairs[p.from*n+p.to]; old != nil {
			for k := range both {
				both[k] &= old[k]
			}
		}
		d.pairs[p.from*n+p.to] = both
	}
}

// at returns the set that belongs to offset x of a relation.
func (d *domains) at(relation []uint64, x int64) []uint64 {
	return relation[int(x)*d.words : (int(x)+1)*d.words]
}

// reach returns, for x bytes below and y between two members of a section, the
// most that the other members can fill of them, as x * high + y.
func (d *domains) reach(section []slice, i, j int) []int64 {
	high := d.e.high
	sums := d.sums // by what is below: sets of what is between
	clear(sums)
	set(sums, 0)
	for k, s := range section {
		if size := s.high - s.low; k != i && k != j {
			for x := high - 1; x >= 0; x-- {
				orShifted(d.at(sums, x), size)
				if x >= size {
					for v, word := range d.at(sums, x-size) {
						d.at(sums, x)[v] |= word
					}
				}
			}
		}
	}
	most := d.most
	for x := range high {
		for y := range high {
			var m int64
			if has(d.at(sums, x), y) {
				m = x + y
			}
			if x > 0 {
				m = max(m, most[(x-1)*high+y])
			}
			if y > 0 {
				m = max(m, most[x*high+y-1])
			}
			most[x*high+y] = m
		}
	}
	return most
}

// orShifted adds to a set its elements raised by a number.
func orShifted(row []uint64, by int64) {
	whole, part := int(by/64), uint(by%64)
	for k := len(row) - 1; k >= whole; k-- {
		v := row[k-whole] << part
		if part > 0 && k > whole {
			v |= row[k-whole-1] >> (64 - part)
		}
		row[k] |= v
	}
}

// allowed returns the offsets of b for each of a, if a is below.
func (d *domains) allowed(a, b slice, total int64, most []int64) []uint64 {
	high := d.e.high
	out := make([]uint64, int(high)*d.words)
	ta, tb := d.e.items[a.item].top(), d.e.items[b.item].top()
	for x := int64(0); x <= ta; x++ {
		for y := max(0, x+a.high-b.low); y <= tb; y++ {
			below, between := x+a.low, y+b.low-x-a.high
			if total-most[below*high+between] <= high-y-b.high {
				set(d.at(out, x), y)
			}
		}
	}
	return out
}

// full returns the offsets of all items, as one row of words each.
func (d *domains) full() []uint64 {
	all := make([]uint64, len(d.e.items)*d.words)
	for i := range d.e.items {
		it := &d.e.items[i]
		if it.fixed >= 0 {
			set(d.row(all, i), it.fixed)
			continue
		}
		for at := int64(0); at <= it.top(); at += it.step {
			set(d.row(all, i), at)
		}
	}
	return all
}

func (d *domains) row(all []uint64, i int) []uint64 { return all[i*d.words : (i+1)*d.words] }

// consistent drops offsets that are impossible with all those of a neighbour,
// until there are none or some item is left without any: then it returns false.
func (d *domains) consistent(all []uint64, w *work) bool {
	n := len(d.e.items)
	for again := true; again; {
		again = false
		for i := range n {
			row, any := d.row(all, i), false
			for k := range row {
				for word := row[k]; word != 0; word &= word - 1 {
					at := int64(64*k + bits.TrailingZeros64(word))
					if !w.spend(n * d.words) {
						return true
					}
					if d.supported(all, i, at) {
						any = true
						continue
					}
					row[k] &^= 1 << (at % 64)
					again = true
				}
			}
			if !any {
				return false
			}
		}
	}
	return true
}

// supported reports whether every neighbour has an offset that goes with it.
func (d *domains) supported(all []uint64, i int, at int64) bool {
	n := len(d.e.items)
	for j := range n {
		pair := d.pairs[i*n+j]
		if pair == nil {
			continue
		}
		found := false
		for k, word := range d.at(pair, at) {
			found = found || word&d.row(all, j)[k] != 0
		}
		if !found {
			return false
		}
	}
	return true
}
