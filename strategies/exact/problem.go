package exact

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/arenalab/arenalab/internal/gcd"
	"github.com/arenalab/arenalab/lifetime"
)

// ErrTooLarge is the error for a table with more conflicts than the search
// keeps in memory.
var ErrTooLarge = errors.New("too many conflicts for an exact search")

// maxConflicts bounds the neighbour lists: 4 bytes each, both ways.
const maxConflicts = 12 << 20

// span is a run of sections [lo, hi) in which a buffer is live, and the number
// of its first incidence: section s is incidence inc + s - lo.
type span struct{ lo, hi, inc int32 }

// problem is a connected part of a table, made for searching. Buffers and
// sections have numbers of its own; all lengths are in units.
type problem struct {
	n, m   int
	unit   int64   // bytes
	size   []int64 // rounded up to whole units
	pad    []int64 // bytes that rounding added
	align  []int64 // 1 or a power of two
	pin    []int64 // fixed offset, or -1
	life   []float64
	where  []int // position in the table
	base   int64 // bytes below the part that are taken by peeled buffers
	below  []int // the buffers peeled off, by position in the table
	pinned bool  // there is a fixed offset
	padded bool  // some pad is not 0
	inner  bool  // some align is not 1

	spans  []span // by buffer: spans[first[b]:first[b+1]]
	first  []int32
	incs   int     // incidences of all buffers
	load   []int64 // by section: units live
	member lists   // by section: buffers
	nbr    lists   // by buffer: buffers that share a section with it, both whole
	// over lists, by buffer c, those that need never lie directly on c: they
	// live in the same sections, and changing places with c does no harm.
	over lists

	// Of buffers that gaps keep parts of, see windows.go; all nil if there are
	// none.
	parts   []part  // by incidence
	clashes []clash // by buffer: clashes[clashAt[b]:clashAt[b+1]]
	clashAt []int32
	bars    []bar
}

// lists are slices of int32 laid end to end.
type lists struct {
	at  []int32
	all []int32
}

func (l *lists) of(i int32) []int32 { return l.all[l.at[i]:l.at[i+1]] }

func (p *problem) spansOf(b int32) []span { return p.spans[p.first[b]:p.first[b+1]] }

// peak returns the units of the fullest section.
func (p *problem) peak() int64 {
	var out int64
	for _, l := range p.load {
		out = max(out, l)
	}
	return out
}

// top returns, for an arena of the given bytes, the highest end in units that
// buffer b may have: its padding may stick out.
func (p *problem) top(b int, capacity int64) int64 {
	return floorDiv(capacity-p.base+p.pad[b], p.unit)
}

// above returns the smallest arena, in bytes, larger than the capacity that
// the part can need: an end of some buffer at a whole offset.
func (p *problem) above(capacity int64) int64 {
	next := int64(-1)
	for b := range p.n {
		end := (p.top(b, capacity)+1)*p.unit - p.pad[b] + p.base
		if next < 0 || end < next {
			next = end
		}
	}
	return next
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

func ceilDiv(a, b int64) int64 { return -floorDiv(-a, b) }

// canonical orders buffers by all that planning sees of them, and then by name,
// so that the order of the rows does not matter.
func canonical(t *lifetime.Table, i, j int) int {
	a, b := &t.Buffers[i], &t.Buffers[j]
	return cmp.Or(cmp.Compare(a.Lower, b.Lower), cmp.Compare(a.Upper, b.Upper), cmp.Compare(b.Size, a.Size),
		cmp.Compare(a.Alignment(), b.Alignment()), cmp.Compare(offset(a), offset(b)),
		slices.CompareFunc(a.Gaps, b.Gaps, compareGaps), cmp.Compare(a.Name, b.Name), cmp.Compare(i, j))
}

func compareGaps(a, b lifetime.Gap) int {
	return cmp.Or(cmp.Compare(a.Lower, b.Lower), cmp.Compare(a.Upper, b.Upper), cmp.Compare(kept(a).Lower, kept(b).Lower), cmp.Compare(kept(a).Upper, kept(b).Upper))
}

func kept(g lifetime.Gap) lifetime.Window {
	if g.Keep == nil {
		return lifetime.Window{}
	}
	return *g.Keep
}

func offset(b *lifetime.Buffer) int64 {
	if b.Fixed == nil {
		return -1
	}
	return *b.Fixed
}

// compile makes a problem of the buffers in order, which are connected.
func compile(t *lifetime.Table, order []int) (*problem, error) {
	p := &problem{n: len(order), where: order}
	p.measure(t)
	windows := p.cut(t)
	if err := p.connect(); err != nil {
		return nil, fmt.Errorf("table %s: %w", t.Name, err)
	}
	if p.parts != nil {
		if err := p.oppose(windows); err != nil {
			return nil, fmt.Errorf("table %s: %w", t.Name, err)
		}
	}
	p.dominate()
	return p, nil
}

// measure finds the unit, and everything that is counted in it.
//
// All offsets are multiples of the least alignment, so sizes may be rounded up
// to it: only the topmost buffer gains nothing from its pad. In an arena where
// nothing can move down each offset is then a sum of sizes and of alignments
// that do not divide them.
func (p *problem) measure(t *lifetime.Table) {
	least := int64(1) << 62
	for _, i := range p.where {
		least = min(least, t.Buffers[i].Alignment())
	}
	for _, i := range p.where {
		b := &t.Buffers[i]
		p.unit = gcd.Of(p.unit, lifetime.AlignUp(b.Size, least))
		if b.Fixed != nil {
			p.unit = gcd.Of(p.unit, *b.Fixed)
		}
	}
	for again := true; again; {
		again = false
		for _, i := range p.where {
			if a := t.Buffers[i].Alignment(); p.unit%a != 0 && a%p.unit != 0 {
				p.unit, again = gcd.Of(p.unit, a), true
			}
		}
	}
	p.unit = unitOfWindows(t, p.where, p.unit, least)
	for _, i := range p.where {
		b := &t.Buffers[i]
		size := lifetime.AlignUp(b.Size, least)
		pin := int64(-1)
		if b.Fixed != nil {
			pin, p.pinned = *b.Fixed/p.unit, true
		}
		align := max(1, b.Alignment()/p.unit)
		p.size = append(p.size, size/p.unit)
		p.pad = append(p.pad, size-b.Size)
		p.align = append(p.align, align)
		p.pin = append(p.pin, pin)
		p.life = append(p.life, float64(b.Upper-b.Lower))
		p.padded = p.padded || size != b.Size
		p.inner = p.inner || align > 1
	}
}
