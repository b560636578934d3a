package exact

import (
	"cmp"
	"slices"

	"github.com/arenalab/arenalab/lifetime"
)

// stretch is a run of steps in which a buffer takes the same bytes.
type stretch struct {
	lower, upper int64
	buffer       int32
	bytes        lifetime.Window
}

// stretches returns those of the problem's buffers, and whether some take but a
// part of one.
func (p *problem) stretches(t *lifetime.Table) (out []stretch, partly bool) {
	out = make([]stretch, 0, p.n)
	for b, i := range p.where {
		buf := &t.Buffers[i]
		whole := lifetime.Window{Upper: buf.Size}
		at := buf.Lower
		for _, g := range buf.Gaps {
			if at < g.Lower {
				out = append(out, stretch{at, g.Lower, int32(b), whole})
			}
			if g.Keep != nil {
				out = append(out, stretch{g.Lower, g.Upper, int32(b), *g.Keep})
				partly = partly || *g.Keep != whole
			}
			at = g.Upper
		}
		if at < buf.Upper {
			out = append(out, stretch{at, buf.Upper, int32(b), whole})
		}
	}
	return out, partly
}

// cut finds the sections: the instants after a run of births and before the
// next death. What is live at any other instant is live at one of them too. It
// returns the bytes that are taken in each span.
func (p *problem) cut(t *lifetime.Table) []lifetime.Window {
	type event struct {
		step    int64
		birth   bool
		stretch int32
	}
	lives, partly := p.stretches(t)
	events := make([]event, 0, 2*len(lives))
	for i, l := range lives {
		events = append(events, event{l.lower, true, int32(i)}, event{l.upper, false, int32(i)})
	}
	slices.SortFunc(events, func(a, b event) int {
		if c := cmp.Compare(a.step, b.step); c != 0 {
			return c
		}
		return rank(a.birth) - rank(b.birth)
	})
	spans := make([]span, len(lives))
	var born bool
	var s int32
	for _, e := range events {
		switch {
		case e.birth:
			spans[e.stretch].lo, born = s, true
		default:
			if born {
				s, born = s+1, false
			}
			spans[e.stretch].hi = s
		}
	}
	p.m = int(s)
	windows := p.collect(lives, spans)
	if partly {
		p.measureParts(windows)
	}
	p.fill()
	return windows
}

func rank(b bool) int {
	if b {
		return 1
	}
	return 0
}

// collect lays out spans by buffer, and joins those that touch. It returns the
// bytes that are taken in each.
func (p *problem) collect(lives []stretch, spans []span) (windows []lifetime.Window) {
	p.first = make([]int32, p.n+1)
	k := 0
	for b := range int32(p.n) {
		from := len(p.spans)
		for ; k < len(lives) && lives[k].buffer == b; k++ {
			if l := len(p.spans); l > from && p.spans[l-1].hi >= spans[k].lo && windows[l-1] == lives[k].bytes {
				p.spans[l-1].hi = max(p.spans[l-1].hi, spans[k].hi)
				continue
			}
			p.spans = append(p.spans, spans[k])
			windows = append(windows, lives[k].bytes)
		}
		p.first[b+1] = int32(len(p.spans))
		for i := from; i < len(p.spans); i++ {
			sp := &p.spans[i]
			sp.inc = int32(p.incs)
			p.incs += int(sp.hi - sp.lo)
		}
	}
	return windows
}

// fill lists the members of each section, and adds up what they take.
func (p *problem) fill() {
	p.load = make([]int64, p.m)
	p.member.at = make([]int32, p.m+1)
	for b := range int32(p.n) {
		for _, sp := range p.spansOf(b) {
			size := p.share(b, sp)
			for s := sp.lo; s < sp.hi; s++ {
				p.load[s] += size
				p.member.at[s+1]++
			}
		}
	}
	for s := range p.m {
		p.member.at[s+1] += p.member.at[s]
	}
	p.member.all = make([]int32, p.incs)
	fill := slices.Clone(p.member.at[:p.m])
	for b := range int32(p.n) {
		for _, sp := range p.spansOf(b) {
			for s := sp.lo; s < sp.hi; s++ {
				p.member.all[fill[s]] = b
				fill[s]++
			}
		}
	}
}

// connect lists the neighbours of each buffer, ascending.
func (p *problem) connect() error {
	seen := make([]int32, p.n)
	p.nbr.at = make([]int32, p.n+1)
	for b := range int32(p.n) {
		from := len(p.nbr.all)
		seen[b] = b + 1
		for _, sp := range p.spansOf(b) {
			for s := sp.lo; s < sp.hi; s++ {
				for _, c := range p.member.of(s) {
					if seen[c] != b+1 {
						seen[c] = b + 1
						p.nbr.all = append(p.nbr.all, c)
					}
				}
			}
		}
		if len(p.nbr.all) > maxConflicts {
			return ErrTooLarge
		}
		slices.Sort(p.nbr.all[from:])
		p.nbr.at[b+1] = int32(len(p.nbr.all))
	}
	return nil
}

// dominate fills over. Let b lie directly on c, both live in the same
// sections. If they change places, what lay below c and above b still does;
// the pair ends where it ended, now with c on top. So of two such buffers we
// may ask that the larger (then the first) is not directly on the smaller, if
// both offsets stay aligned and c may end as high as b could.
func (p *problem) dominate() {
	p.over.at = make([]int32, p.n+1)
	for c := range int32(p.n) {
		if !p.pinned {
			for _, b := range p.nbr.of(c) {
				if p.swaps(b, c) && slices.EqualFunc(p.spansOf(b), p.spansOf(c), sameSections) && p.isWhole(b) && p.isWhole(c) {
					p.over.all = append(p.over.all, b)
				}
			}
		}
		p.over.at[c+1] = int32(len(p.over.all))
	}
}

func sameSections(a, b span) bool { return a.lo == b.lo && a.hi == b.hi }

func (p *problem) swaps(b, c int32) bool {
	if p.size[b] < p.size[c] || p.size[b] == p.size[c] && b > c || p.pad[c] < p.pad[b] {
		return false
	}
	a := p.align[b]
	return a == p.align[c] && p.size[b]%a == 0 && p.size[c]%a == 0
}

// mirror returns the problem with time reversed. It has the same arenas; rules
// that look from the first section on see it from the other end.
func (p *problem) mirror() *problem {
	q := *p
	m := int32(p.m)
	q.spans = make([]span, 0, len(p.spans))
	q.parts = nil
	inc := 0
	for b := range int32(p.n) {
		own := p.spansOf(b)
		for i := len(own) - 1; i >= 0; i-- {
			sp := span{m - own[i].hi, m - own[i].lo, int32(inc)}
			inc += int(sp.hi - sp.lo)
			q.spans = append(q.spans, sp)
			if p.parts != nil { // all sections of a span have the same
				q.parts = append(q.parts, p.parts[own[i].inc:own[i].inc+own[i].hi-own[i].lo]...)
			}
		}
	}
	q.load = slices.Clone(p.load)
	slices.Reverse(q.load)
	q.member = lists{at: make([]int32, 0, p.m+1), all: make([]int32, 0, p.incs)}
	q.member.at = append(q.member.at, 0)
	for s := m - 1; s >= 0; s-- {
		q.member.all = append(q.member.all, p.member.of(s)...)
		q.member.at = append(q.member.at, int32(len(q.member.all)))
	}
	return &q
}
