package exact

import (
	"cmp"
	"slices"

	"github.com/arenalab/arenalab/internal/gcd"
	"github.com/arenalab/arenalab/lifetime"
)

// A gap in which some bytes of a buffer are kept makes it live there with a part
// only. Two buffers that are never whole at the same time need not be one above
// the other: they clash if the distance of their offsets is in one of some
// ranges. The search treats such pairs apart from neighbours:
//
//   - the least offset of a buffer is one at which it clashes with nothing that
//     is placed;
//   - a buffer of such pairs never counts as waiting. Yet it has to rest: on the
//     end of a range, above or below the other buffer, or on a neighbour (see
//     lean). Buffers may rest on each other in a circle.
//
// Of all arenas of a size we look for one whose sum of offsets, weighted by
// size, is least. There not even a set of buffers can move down together, so
// that all offsets are whole units.

// part is what a buffer takes in a section: size units from low on.
type part struct{ low, size int64 }

// clash is a buffer with the ranges of distances to it that are not allowed:
// bars[from:to].
type clash struct{ buffer, from, to int32 }

// bar is the range between lo and hi, both of which are allowed by it.
type bar struct{ lo, hi int64 }

// share returns the units that b takes in each section of one of its spans.
func (p *problem) share(b int32, sp span) int64 {
	if p.parts == nil {
		return p.size[b]
	}
	return p.parts[sp.inc].size
}

// isWhole reports whether b takes all its bytes where it takes any.
func (p *problem) isWhole(b int32) bool {
	whole := part{0, p.size[b]}
	return p.parts == nil || !slices.ContainsFunc(p.spansOf(b), func(sp span) bool { return p.parts[sp.inc] != whole })
}

// clashesOf returns the pairs of b that are never whole together.
func (p *problem) clashesOf(b int32) []clash {
	if p.clashAt == nil {
		return nil
	}
	return p.clashes[p.clashAt[b]:p.clashAt[b+1]]
}

// unitOfWindows returns the greatest divisor of the unit that also divides all
// distances at which parts of buffers can touch, rounded up to the least
// alignment.
func unitOfWindows(t *lifetime.Table, order []int, unit, least int64) int64 {
	for _, i := range order {
		for _, g := range t.Buffers[i].Gaps {
			switch w := g.Keep; {
			case w == nil:
			case w.Lower%least != 0:
				return least // which divides the unit
			default:
				unit = gcd.Of(gcd.Of(unit, w.Lower), lifetime.AlignUp(w.Upper, least))
			}
		}
	}
	return unit
}

// measureParts fills parts: by incidence, rounded so that of two parts the one
// above the other is also above it in units.
func (p *problem) measureParts(windows []lifetime.Window) {
	p.parts = make([]part, p.incs)
	for k, sp := range p.spans {
		low := ceilDiv(windows[k].Lower, p.unit)
		x := part{low, ceilDiv(windows[k].Upper, p.unit) - low}
		for s := sp.lo; s < sp.hi; s++ {
			p.parts[sp.inc+s-sp.lo] = x
		}
	}
}

// oppose fills clashes, and takes their buffers out of each other's neighbours.
func (p *problem) oppose(windows []lifetime.Window) {
	p.clashAt = make([]int32, p.n+1)
	near := lists{at: make([]int32, p.n+1)}
	for b := range int32(p.n) {
		for _, c := range p.nbr.of(b) {
			ranges, whole := p.ranges(b, c, windows)
			if whole {
				near.all = append(near.all, c)
				continue
			}
			from := int32(len(p.bars))
			p.bars = append(p.bars, ranges...)
			p.clashes = append(p.clashes, clash{c, from, int32(len(p.bars))})
		}
		near.at[b+1], p.clashAt[b+1] = int32(len(near.all)), int32(len(p.clashes))
		if p.clashAt[b+1] > p.clashAt[b] {
			p.odd = append(p.odd, b)
		}
	}
	p.nbr = near
}

// ranges returns the distances of b from c, its offset less that of c, that are
// not allowed, ascending; or that both are whole somewhere.
func (p *problem) ranges(b, c int32, windows []lifetime.Window) (list []bar, whole bool) {
	for i, x := range p.spansOf(b) {
		for k, y := range p.spansOf(c) {
			if x.lo >= y.hi || y.lo >= x.hi {
				continue
			}
			v, w := windows[int(p.first[b])+i], windows[int(p.first[c])+k]
			one := bar{floorDiv(w.Lower-v.Upper, p.unit), ceilDiv(w.Upper-v.Lower, p.unit)}
			if one.lo == -p.size[b] && one.hi == p.size[c] {
				return nil, true
			}
			list = append(list, one)
		}
	}
	slices.SortFunc(list, func(x, y bar) int { return cmp.Or(cmp.Compare(x.lo, y.lo), cmp.Compare(x.hi, y.hi)) })
	out := list[:0]
	for _, x := range list {
		if k := len(out) - 1; k >= 0 && x.lo < out[k].hi {
			out[k].hi = max(out[k].hi, x.hi)
			continue
		}
		out = append(out, x)
	}
	return out, false
}

// apart reports whether the offset of b clashes with nothing.
func (p *problem) apart(b int32, offsets []int64) bool {
	for _, k := range p.clashesOf(b) {
		d := offsets[b] - offsets[k.buffer]
		for _, x := range p.bars[k.from:k.to] {
			if x.lo < d && d < x.hi {
				return false
			}
		}
	}
	return true
}

// free returns the least offset of b, v or more, that clashes with nothing that
// is placed.
func (e *engine) free(b int32, v int64) int64 {
	p := e.p
	for again := true; again; {
		again = false
		for _, k := range p.clashesOf(b) {
			if !e.placed[k.buffer] {
				continue
			}
			at := e.r[k.buffer]
			for _, x := range p.bars[k.from:k.to] {
				if at+x.lo < v && v < at+x.hi {
					v, again = alignUp(at+x.hi, p.align[b]), true
				}
			}
		}
	}
	return v
}

// evade raises the buffers that would clash with b, which has been placed.
func (e *engine) evade(b int32) bool {
	for _, k := range e.p.clashesOf(b) {
		if c := k.buffer; !e.placed[c] {
			if v := e.free(c, e.r[c]); v > e.r[c] && !e.raise(c, v) {
				return false
			}
		}
	}
	return true
}

// leanAll raises the buffers with clashes to where they can rest.
func (e *engine) leanAll() bool {
	for _, b := range e.p.odd {
		if e.p.pin[b] >= 0 {
			continue
		}
		if v := e.lean(b); v > e.r[b] && (e.placed[b] || !e.raise(b, v)) {
			return false
		}
	}
	return true
}

// lean returns a bound, of r[b] or more, on the offsets at which b rests on
// something: on the floor, on a neighbour, or at the end of a range. Where
// nothing can move down it does.
func (e *engine) lean(b int32) int64 {
	p := e.p
	r, align := e.r[b], p.align[b]
	if r == e.base[b] {
		return r
	}
	v := int64(never)
	for _, k := range p.clashesOf(b) {
		at := e.r[k.buffer]
		if !e.placed[k.buffer] {
			v = min(v, max(r, alignUp(at+p.bars[k.from].hi, align)))
			continue
		}
		for _, x := range p.bars[k.from:k.to] {
			if end := alignUp(at+x.hi, align); end >= r {
				v = min(v, end)
				break // the next ones are higher
			}
		}
	}
	for _, c := range p.nbr.of(b) {
		if v == r {
			break
		}
		if !e.placed[c] {
			v = min(v, max(r, alignUp(e.r[c]+p.size[c], align)))
		}
	}
	return v
}

// stand hashes what the future of b depends on, but for its least offset: what
// is placed and near enough to clash with it, or to rest on.
func (e *engine) stand(b int32) uint64 {
	sum := uint64(rank(e.r[b] == e.base[b]))
	for _, k := range e.p.clashesOf(b) {
		at := e.r[k.buffer]
		if e.placed[k.buffer] && alignUp(at+e.p.bars[k.to-1].hi, e.p.align[b]) >= e.r[b] {
			sum += mix(uint64(at)<<1 ^ mix(uint64(k.buffer)+0x6b657074))
		}
	}
	return sum
}
