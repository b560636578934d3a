package bound

import (
	"cmp"
	"slices"

	"github.com/arenalab/arenalab/internal/gcd"
	"github.com/arenalab/arenalab/lifetime"
)

// query asks whether some buffers of a table, as far as they live in the steps
// [lower, upper), fit into a capacity.
type query struct {
	t            *lifetime.Table
	capacity     int64
	lower, upper int64
	buffers      []int // ascending
}

// clipped returns the query for some steps only, without the buffers that take
// nothing then.
func (q query) clipped(lower, upper int64) query {
	q.lower, q.upper = max(q.lower, lower), min(q.upper, upper)
	q.buffers = slices.DeleteFunc(slices.Clone(q.buffers), func(i int) bool {
		return !takes(&q.t.Buffers[i], q.lower, q.upper)
	})
	return q
}

// takes reports whether the buffer takes a byte at one of the steps.
func takes(b *lifetime.Buffer, lower, upper int64) bool {
	if b.Size == 0 {
		return false
	}
	at := b.Lower
	for _, g := range b.Gaps {
		if at < g.Lower && at < upper && g.Lower > lower || g.Keep != nil && g.Lower < upper && g.Upper > lower {
			return true
		}
		at = g.Upper
	}
	return at < b.Upper && at < upper && b.Upper > lower
}

// bound returns the certificate without its argument.
func (q query) bound(kind lifetime.BoundKind) *lifetime.Bound {
	return &lifetime.Bound{
		Kind: kind, Step: q.lower, Buffers: q.buffers,
		Capacity: q.capacity, Lower: q.lower, Upper: q.upper,
	}
}

// model is a query in whole units, the greatest length that all offsets of a
// plan have in common in which nothing can move down: see lifetime.Bound.
type model struct {
	n        int
	unit     int64 // bytes
	where    []int // position in the table
	size     []int64
	step     []int64 // alignment
	end      []int64 // highest end
	pin      []int64 // fixed offset, or -1
	high     int64   // the largest end
	sections [][]part
	partial  bool // somewhere a gap keeps a part of a buffer
	flips    bool // a plan upside down is a plan
	void     bool // something has no place at all
}

// part is what a buffer takes at a section.
type part struct {
	b         int
	low, high int64
}

// rect is a piece of a buffer of the model.
type rect struct {
	b            int
	lower, upper int64
	low, high    int64
}

// newModel measures a query.
func newModel(q query) *model {
	m := &model{unit: unitOf(q)}
	var rects []rect
	for _, i := range q.buffers {
		b := &q.t.Buffers[i]
		at := len(m.where)
		m.where = append(m.where, i)
		m.size = append(m.size, ceilDiv(b.Size, m.unit))
		m.step = append(m.step, max(1, b.Alignment()/m.unit))
		m.end = append(m.end, floorDiv(q.capacity-b.Size, m.unit)+m.size[at])
		m.pin = append(m.pin, -1)
		if b.Fixed != nil {
			m.pin[at] = *b.Fixed / m.unit
		}
		one := lifetime.Table{Buffers: q.t.Buffers[i : i+1]}
		for _, p := range one.Pieces() {
			r := rect{at, max(p.Lower, q.lower), min(p.Upper, q.upper), p.Low / m.unit, ceilDiv(p.High, m.unit)}
			if r.lower < r.upper {
				rects = append(rects, r)
				m.partial = m.partial || r.low != 0 || r.high != m.size[at]
			}
		}
	}
	m.n = len(m.where)
	rects = m.peel(rects)
	m.flips = !m.partial
	for i := range m.n {
		m.high = max(m.high, m.end[i])
		m.void = m.void || m.top(i) < max(0, m.pin[i])
	}
	for i := range m.n {
		m.flips = m.flips && m.step[i] == 1 && m.pin[i] < 0 && m.end[i] == m.high
	}
	m.cut(rects)
	return m
}

// top returns the highest offset of a buffer.
func (m *model) top(i int) int64 {
	if m.end[i] < m.size[i] {
		return -1
	}
	return (m.end[i] - m.size[i]) / m.step[i] * m.step[i]
}

func unitOf(q query) (unit int64) {
	least := int64(1) << 62
	for _, i := range q.buffers {
		least = min(least, q.t.Buffers[i].Alignment())
	}
	for _, i := range q.buffers {
		b := &q.t.Buffers[i]
		unit = gcd.Of(unit, lifetime.AlignUp(b.Size, least))
		if b.Alignment() != least {
			unit = gcd.Of(unit, b.Alignment())
		}
		if b.Fixed != nil {
			unit = gcd.Of(unit, *b.Fixed)
		}
		for _, g := range b.Gaps {
			if k := g.Keep; k != nil {
				unit = gcd.Of(gcd.Of(unit, k.Lower), lifetime.AlignUp(k.Upper, least))
				if k.Lower%least != 0 {
					unit = gcd.Of(unit, least)
				}
			}
		}
	}
	return max(unit, 1)
}

// peel takes out buffers that are live together with all others: they may as
// well be at the bottom.
func (m *model) peel(rects []rect) []rect {
	if m.partial || slices.ContainsFunc(m.pin, func(p int64) bool { return p >= 0 }) {
		return rects
	}
	for {
		k := m.peelable(rects)
		if k < 0 {
			return rects
		}
		size := m.size[k]
		m.void = m.void || m.end[k] < size
		for _, list := range []*[]int64{&m.size, &m.step, &m.end, &m.pin} {
			*list = slices.Delete(*list, k, k+1)
		}
		m.where = slices.Delete(m.where, k, k+1)
		m.n--
		for i := range m.n {
			m.end[i] -= size
		}
		rects = slices.DeleteFunc(rects, func(r rect) bool { return r.b == k })
		for i := range rects {
			if rects[i].b > k {
				rects[i].b--
			}
		}
	}
}

// peelable returns a buffer that can be taken out, or -1.
func (m *model) peelable(rects []rect) int {
	met := make([]bool, m.n)
	for k := range m.n {
		clear(met)
		met[k] = true
		for _, r := range rects {
			if r.b != k {
				continue
			}
			for _, o := range rects {
				met[o.b] = met[o.b] || o.lower < r.upper && r.lower < o.upper
			}
		}
		all := true
		for i := range m.n {
			all = all && met[i] && (i == k || m.size[k]%m.step[i] == 0 && m.end[k] <= m.end[i])
		}
		if all {
			return k
		}
	}
	return -1
}

// cut finds the sections: what is live just before a death that follows a
// birth.
func (m *model) cut(rects []rect) {
	type event struct {
		at    int64
		birth bool
		rect  int
	}
	events := make([]event, 0, 2*len(rects))
	for k, r := range rects {
		events = append(events, event{r.lower, true, k}, event{r.upper, false, k})
	}
	slices.SortFunc(events, func(a, b event) int {
		if c := cmp.Compare(a.at, b.at); c != 0 || a.birth == b.birth {
			return cmp.Or(c, cmp.Compare(a.rect, b.rect))
		} else if a.birth {
			return 1
		}
		return -1
	})
	var live []int
	born := false
	for _, e := range events {
		if e.birth {
			live, born = append(live, e.rect), true
			continue
		}
		if born {
			var section []part
			for _, k := range live {
				section = append(section, part{rects[k].b, rects[k].low, rects[k].high})
			}
			m.sections, born = append(m.sections, section), false
		}
		live = slices.DeleteFunc(live, func(k int) bool { return k == e.rect })
	}
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

func ceilDiv(a, b int64) int64 { return -floorDiv(-a, b) }
