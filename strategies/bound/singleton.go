package bound

import (
	"math/bits"
	"slices"

	"github.com/arenalab/arenalab/lifetime"
)

// Singleton arc consistency over offsets. Of two buffers that are live together
// only such offsets go together as leave room for the others, which have to be
// split into those below, between and above: a question of subset sums. An
// offset is impossible if, the buffer being there, this empties another.
//
// O(n² h³ / 64) per section for h units, once, and O(n² h) for each offset
// tried.
//
// Reference: R. Debruyne and C. Bessière, "Some practicable filtering
// techniques for the constraint satisfaction problem", IJCAI 1997. Plain arc
// consistency proved nothing on the tables it was tried on.
//
// Offsets are bits of a word, so that only arenas of up to 64 units are looked
// at.

const singletonUnits = 64

// offsets decides which offsets go together.
type offsets struct {
	m     *model
	pairs [][]uint64 // by i * n + j: for each offset of i those of j; nil if they never meet
	near  [][]int    // by buffer: those it meets
	tries int        // elementary operations left
}

// singleton tries to refute the model. It returns the removals that do, none if
// the model has no consistent offsets from the start.
func singleton(m *model, tries int) (removals []lifetime.Removal, ok bool) {
	if m.high > singletonUnits || m.high < 1 || m.void {
		return nil, m.void
	}
	o := newOffsets(m)
	o.tries = tries
	all := o.start()
	if !o.consistent(all) {
		return nil, true
	}
	found, ok := o.remove(all)
	if !ok {
		return nil, false
	}
	found = o.trim(found)
	for _, r := range found {
		removals = append(removals, lifetime.Removal{Buffer: m.where[r.b], Offset: r.at * m.unit})
	}
	return removals, true
}

type removal struct {
	b  int
	at int64
}

// remove takes out impossible offsets, in rounds over all buffers.
func (o *offsets) remove(all []uint64) (found []removal, ok bool) {
	for again := true; again; {
		again = false
		for i := range all {
			for word := all[i]; word != 0; word &= word - 1 {
				at := int64(bits.TrailingZeros64(word))
				if all[i]>>at&1 == 0 {
					continue
				}
				if o.tries < 0 {
					return nil, false
				}
				if !o.impossible(all, i, at) {
					continue
				}
				found, again = append(found, removal{i, at}), true
				all[i] &^= 1 << at
				if !o.consistent(all) {
					return found, true
				}
			}
		}
	}
	return nil, false
}

// impossible reports whether nothing goes with the offset of the buffer.
func (o *offsets) impossible(all []uint64, i int, at int64) bool {
	trial := slices.Clone(all)
	trial[i] = 1 << at
	return !o.consistent(trial)
}

// trim leaves out removals that are not needed, from the last to the first:
// what a removal helped with comes after it.
func (o *offsets) trim(found []removal) []removal {
	for k := len(found) - 1; k >= 0; k-- {
		if o.tries < 0 {
			break
		}
		if less := slices.Delete(slices.Clone(found), k, k+1); o.replay(less) {
			found = less
		}
	}
	return found
}

// replay reports whether the removals are right and leave nothing.
func (o *offsets) replay(list []removal) bool {
	all := o.start()
	for _, r := range list {
		if !o.consistent(all) {
			return true
		}
		if all[r.b]>>r.at&1 == 0 || !o.impossible(all, r.b, r.at) {
			return false
		}
		all[r.b] &^= 1 << r.at
	}
	return !o.consistent(all)
}

// start returns all offsets there are.
func (o *offsets) start() []uint64 {
	all := make([]uint64, o.m.n)
	for i := range all {
		if pin := o.m.pin[i]; pin >= 0 {
			all[i] = 1 << pin
			continue
		}
		for at := int64(0); at <= o.m.top(i); at += o.m.step[i] {
			all[i] |= 1 << at
		}
	}
	return all
}

// consistent drops offsets without support until there are none. It returns
// false if a buffer is left without any.
func (o *offsets) consistent(all []uint64) bool {
	for again := true; again; {
		again = false
		for i := range all {
			kept := all[i]
			for _, j := range o.near[i] {
				pair := o.pairs[i*o.m.n+j]
				o.tries -= bits.OnesCount64(kept)
				for word := kept; word != 0; word &= word - 1 {
					if at := bits.TrailingZeros64(word); pair[at]&all[j] == 0 {
						kept &^= 1 << at
					}
				}
			}
			if kept == 0 {
				return false
			}
			again = again || kept != all[i]
			all[i] = kept
		}
	}
	return true
}

func newOffsets(m *model) *offsets {
	o := &offsets{m: m, pairs: make([][]uint64, m.n*m.n), near: make([][]int, m.n)}
	p := &pile{}
	for _, section := range m.sections {
		for x, a := range section {
			for y, b := range section[:x] {
				p.fill(section, x, y, m.high)
				o.relate(a, b, p)
			}
		}
	}
	return o
}

// pile says of a section without two of its parts which of the others can lie
// below and between the two.
type pile struct {
	total int64
	most  [singletonUnits][singletonUnits]int64 // units below, between: as much as fits
}

// fill says so of parts x and y.
func (p *pile) fill(section []part, x, y int, high int64) {
	p.total = 0
	var sums [singletonUnits]uint64 // by units below: those that can be between
	sums[0] = 1
	for k, s := range section {
		if k == x || k == y {
			continue
		}
		size := s.high - s.low
		p.total += size
		for below := high - 1; below >= 0; below-- {
			sums[below] |= sums[below] << size
			if below >= size {
				sums[below] |= sums[below-size]
			}
		}
	}
	for below := range high {
		for between := range high {
			m := &p.most[below][between]
			*m = 0
			if sums[below]>>between&1 != 0 {
				*m = below + between
			}
			if below > 0 {
				*m = max(*m, p.most[below-1][between])
			}
			if between > 0 {
				*m = max(*m, p.most[below][between-1])
			}
		}
	}
}

// relate restricts the offsets of two parts of a section.
func (o *offsets) relate(a, b part, p *pile) {
	n, high := o.m.n, o.m.high
	ab, ba := make([]uint64, high), make([]uint64, high)
	room := func(lo, hi part, at, up int64) bool { // lo at at below hi at up
		between := up + hi.low - at - lo.high
		return between >= 0 && p.total-p.most[at+lo.low][between] <= high-up-hi.high
	}
	for i := int64(0); i <= o.m.top(a.b); i++ {
		for j := int64(0); j <= o.m.top(b.b); j++ {
			if room(a, b, i, j) || room(b, a, j, i) {
				ab[i] |= 1 << j
				ba[j] |= 1 << i
			}
		}
	}
	if old := o.pairs[a.b*n+b.b]; old != nil {
		for k := range ab {
			ab[k] &= old[k]
			ba[k] &= o.pairs[b.b*n+a.b][k]
		}
	} else {
		o.near[a.b], o.near[b.b] = append(o.near[a.b], b.b), append(o.near[b.b], a.b)
	}
	o.pairs[a.b*n+b.b], o.pairs[b.b*n+a.b] = ab, ba
}
