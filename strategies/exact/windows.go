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
// ranges. Where there are such, the search looks at all pairs in that way:
//
//   - the least offset of a buffer is one at which it clashes with nothing that
//     is placed; it need not lie above all that is placed;
//   - a buffer rests on the floor or at the end of a range of another one. It
//     waits if that has to be one that is not placed yet. If all wait, one is
//     placed nevertheless, and hangs until another comes to its support.
//
// Of all arenas of a size we look for one whose sum of offsets, weighted by
// size, is least. There not even a set of buffers can move down together, so
// that all offsets are whole units.

// part is what a buffer takes in a section: size units from low on.
type part struct{ low, size int64 }

// clash is a buffer with the ranges of distances to it that are not allowed:
// bars[from:to], and whether both are whole together.
type clash struct {
	buffer, from, to int32
	whole            bool
}

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

// clashesOf returns the pairs of b, in tables in which parts count.
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

// maxClashes bounds the pairs of buffers, both ways: about 30 bytes each.
const maxClashes = 2 << 20

// oppose lists the clashes of all neighbours; of these only the pairs that are
// whole somewhere remain neighbours.
func (p *problem) oppose(windows []lifetime.Window) error {
	if len(p.nbr.all) > maxClashes {
		return ErrTooLarge
	}
	p.clashAt = make([]int32, p.n+1)
	near := lists{at: make([]int32, p.n+1)}
	for b := range int32(p.n) {
		for _, c := range p.nbr.of(b) {
			ranges, whole := p.ranges(b, c, windows)
			if whole {
				near.all = append(near.all, c)
			}
			from := int32(len(p.bars))
			p.bars = append(p.bars, ranges...)
			p.clashes = append(p.clashes, clash{c, from, int32(len(p.bars)), whole})
		}
		near.at[b+1], p.clashAt[b+1] = int32(len(near.all)), int32(len(p.clashes))
	}
	p.nbr = near
	return nil
}

// ranges returns the distances of b from c, its offset less that of c, that are
// not allowed, ascending, and whether both are whole somewhere.
func (p *problem) ranges(b, c int32, windows []lifetime.Window) (list []bar, whole bool) {
	for i, x := range p.spansOf(b) {
		for k, y := range p.spansOf(c) {
			if x.lo >= y.hi || y.lo >= x.hi {
				continue
			}
			v, w := windows[int(p.first[b])+i], windows[int(p.first[c])+k]
			one := bar{floorDiv(w.Lower-v.Upper, p.unit), ceilDiv(w.Upper-v.Lower, p.unit)}
			if one.lo == -p.size[b] && one.hi == p.size[c] {
				return []bar{one}, true
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

// evade raises the buffers that would clash with b, which has been placed, and
// rouses those that may rest on it.
func (e *engine) evade(b int32) bool {
	p := e.p
	for _, k := range p.clashesOf(b) {
		c := k.buffer
		if e.placed[c] {
			continue
		}
		if v := e.free(c, e.r[c]); v > e.r[c] {
			if !e.raise(c, v) {
				return false
			}
		} else if e.waitAt[c] >= 0 && e.rests(c, v) {
			e.rouse(c)
		}
	}
	return true
}

// rests reports whether b rests on something that is placed, or on the floor,
// if its offset is v.
func (e *engine) rests(b int32, v int64) bool {
	p := e.p
	if v == 0 || p.pin[b] >= 0 {
		return true
	}
	for _, k := range p.clashesOf(b) {
		if !e.placed[k.buffer] {
			continue
		}
		at := e.r[k.buffer]
		for _, x := range p.bars[k.from:k.to] {
			if alignUp(at+x.hi, p.align[b]) == v {
				return true
			}
		}
	}
	return false
}

// supportParts is support where parts count. Of pairs that are whole together
// none is the base of a circle; of others the end of a range may be below the
// buffer that it belongs to, so that its least offset is all that is known.
func (e *engine) supportParts() bool {
	n := len(e.waiting)
	queue, value := e.queue[:n], e.least
	copy(queue, e.waiting)
	for _, b := range queue {
		value[b] = e.lean(b)
	}
	for k := range queue {
		best, at := int64(never), -1
		for i := k; i < n; i++ {
			if v := max(value[queue[i]], e.r[queue[i]]); v < best {
				best, at = v, i
			}
		}
		if at < 0 {
			return false
		}
		b := queue[at]
		queue[k], queue[at] = b, queue[k]
		if !e.raise(b, best) {
			return false
		}
		end := e.r[b] + e.p.size[b]
		for _, c := range e.p.nbr.of(b) {
			if !e.placed[c] && e.waitAt[c] >= 0 {
				value[c] = min(value[c], end)
			}
		}
	}
	return true
}

// lean returns the least offset of b, r[b] or more, at which it may rest on what
// is placed, or on what is not and does not have to rest on others first.
func (e *engine) lean(b int32) int64 {
	p := e.p
	r, align, v := e.r[b], p.align[b], int64(never)
	for _, k := range p.clashesOf(b) {
		at := e.r[k.buffer]
		switch {
		case e.placed[k.buffer]:
			for _, x := range p.bars[k.from:k.to] {
				if end := alignUp(at+x.hi, align); end >= r {
					v = min(v, end)
					break // the next ones are higher
				}
			}
		case !k.whole || e.waitAt[k.buffer] < 0:
			v = min(v, max(r, alignUp(at+p.bars[k.from].hi, align)))
		}
	}
	return v
}

// hang notes that b, which has been placed, waits no longer and hangs.
func (e *engine) hang(b int32) {
	e.rouse(b)
	e.hung = append(e.hung, b)
	e.trail = append(e.trail, change{key: changeHung | uint32(b)})
}

// findHung lists what hangs.
func (e *engine) findHung() {
	e.hung = e.hung[:0]
	if e.p.parts == nil {
		return
	}
	for b, placed := range e.placed {
		if placed && !e.rests(int32(b), e.r[b]) {
			e.hung = append(e.hung, int32(b))
		}
	}
}

// hangs reports whether something that is placed can no longer come to rest.
func (e *engine) hangs() bool {
	for _, b := range e.hung {
		if e.placed[b] && e.lean(b) > e.r[b] {
			return true
		}
	}
	return false
}

// loose returns what to decide next if the buffer that a rule wants waits: the
// lowest that does not. If all wait it is the lowest of these, which will have
// to rest on one that is placed later.
func (e *engine) loose(lo, hi int32) int32 {
	if b := e.lowest(lo, hi); b >= 0 {
		return b
	}
	best, bestR := noBuffer, int64(never)
	for s := lo; s < hi; s++ {
		for _, m := range e.members(s) {
			b := m.buffer
			if e.r[b] < bestR || e.r[b] == bestR && e.order[b] < e.order[best] {
				best, bestR = b, e.r[b]
			}
		}
	}
	return best
}

// stand hashes what the future of b depends on, but for its least offset and
// whether it rests there: what is placed and high enough to clash with it, or to
// rest on, and what of that hangs.
func (e *engine) stand(b int32) uint64 {
	var sum uint64
	for _, k := range e.p.clashesOf(b) {
		at := e.r[k.buffer]
		if e.placed[k.buffer] && alignUp(at+e.p.bars[k.to-1].hi, e.p.align[b]) > e.r[b] {
			v := uint64(at)<<1 | uint64(rank(slices.Contains(e.hung, k.buffer)))
			sum += mix(v ^ mix(uint64(k.buffer)+0x6b657074))
		}
	}
	return sum
}
