package bound

import (
	"context"
	"slices"
)

// peeling finds sets of operators of which none can be the last, or the first,
// to run within so many bytes.
//
// Take all operators, with those that nothing of the rest waits for as the set.
// If one of the set can be the last of the rest within the bytes, it is taken
// away, and those that only waited for it come into the set. What is left when
// none can is such a set, or empty; and then there is none, since the more of
// the others have run, the more is live. For the first it is the other way
// round.
type peeling struct {
	f     *Finder
	rel   *relation
	ctx   context.Context
	w     *Work
	above int64 // bytes within which operators are taken away
	last  bool

	rest   set
	set    []int32
	left   []int     // by operator: how many of the rest wait for it
	behind [][]int32 // by operator: those that come into the set once it is gone
	side   set

	// shows, if not nil, reports whether v can be the last of the rest, which it is
	// no longer part of, for a reason that needs no flow.
	shows func(v int32) bool
}

func newPeeling(f *Finder, rel *relation, last bool) *peeling {
	n := len(f.m.Ops)
	p := &peeling{f: f, rel: rel, last: last, rest: newSet(n), left: make([]int, n), side: newSet(n)}
	next := f.after
	p.behind = f.before
	if !last {
		next, p.behind = f.before, f.after
	}
	if len(rel.pairs) > 0 {
		p.behind = slices.Clone(p.behind)
	}
	for v := range n {
		p.rest.add(int32(v))
		p.left[v] = len(next[v])
	}
	for _, q := range rel.pairs {
		u, v := q[0], q[1]
		if !last {
			u, v = v, u
		}
		p.left[u]++
		p.behind[v] = append(slices.Clip(p.behind[v]), u)
	}
	for v := range int32(n) {
		if p.left[v] == 0 {
			p.set = append(p.set, v)
		}
	}
	return p
}

// run takes away all that can be, and reports whether it came to an end.
func (p *peeling) run(ctx context.Context, w *Work, above int64) bool {
	p.ctx, p.w, p.above = ctx, w, above
	for tried := 0; tried < len(p.set); {
		if w.over(ctx) {
			return false
		}
		v := p.set[len(p.set)-1]
		if p.can(v) {
			p.remove(v)
			tried = 0
			continue
		}
		copy(p.set[1:], p.set) // to the end of those that wait for their turn
		p.set[0] = v
		tried++
	}
	slices.SortFunc(p.set, func(a, b int32) int { return int(a - b) })
	return true
}

// follow takes away what a known order shows can be last, from its end, or
// first, from its start.
func (p *peeling) follow(order []int, above int64) {
	if order == nil {
		return
	}
	bytes := p.f.live(order)
	for k := range order {
		v := order[k]
		if p.last {
			v = order[len(order)-1-k]
		}
		if bytes[v] > above {
			return
		}
		p.remove(int32(v))
	}
}

func (p *peeling) remove(v int32) {
	p.rest.remove(v)
	p.set = slices.DeleteFunc(p.set, func(u int32) bool { return u == v })
	for _, u := range p.behind[v] {
		if p.left[u]--; p.left[u] == 0 {
			p.set = append(p.set, u)
		}
	}
}

// can reports whether v can be the last of the rest, or the first.
func (p *peeling) can(v int32) bool {
	p.rest.remove(v)
	defer p.rest.add(v)
	if p.shows != nil && p.shows(v) {
		return true
	}
	copy(p.side, p.rel.after[v])
	p.side.add(v)
	in := p.rest
	if !p.last {
		in = p.rel.before[v]
		p.side.unite(p.rest)
	}
	return p.f.least(v, in, p.side, p.rel.pairs, p.above, p.w) <= p.above
}
