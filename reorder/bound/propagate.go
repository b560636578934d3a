package bound

import (
	"context"

	"github.com/arenalab/arenalab/reorder/proof"
)

// Outcome is how a search for a refutation ended.
type Outcome int

const (
	Open    Outcome = iota // what was tried does not refute the budget
	Refuted                // no order keeps within the budget
	Stopped                // by its context or for its work
)

func (o Outcome) String() string {
	return [...]string{"open", "refuted", "stopped"}[o]
}

// Propagation finds which operators must run before which in orders that keep
// within a budget. Operator v cannot run after u if the least bytes at v, with u
// among those that have run, are over the budget; then it runs before u, and so
// on, until nothing more follows, or an operator is over the budget in any case.
//
// Pairs that were found stay true for smaller budgets, and are kept.
type Propagation struct {
	f      *Finder
	rel    *relation
	known  []fact // parallel to rel.pairs
	pools  [][]witness
	keep   int // witnesses a pool may hold
	budget int64
	over   goal // what is over the budget, if refuted
	state  Outcome
	root   *proof.Node // the refutation, once it is explained
	ran    bool

	canIn, canOut set // scratch
	outside       set
	work          *Work
}

// fact says why one operator is known to run before another: by a line, or it
// is what is supposed in a case.
type fact struct {
	line     proof.Line
	supposed bool
}

// Propagation returns a new one, without a budget. The order is a known one, or
// nil: that its operators run as they do need not be asked again.
func (f *Finder) Propagation(order []int) *Propagation {
	n := len(f.m.Ops)
	p := &Propagation{f: f, rel: f.rel.clone(), pools: make([][]witness, n), keep: poolSize(n)}
	p.canIn, p.canOut, p.outside = newSet(n), newSet(n), newSet(n)
	p.Seed(order)
	return p
}

// Seed tells what another order shows to be possible.
func (p *Propagation) Seed(order []int) {
	if order == nil {
		return
	}
	bytes := p.f.live(order)
	done := newSet(p.rel.n)
	for _, v := range order {
		p.store(int32(v), witness{append(set(nil), done...), bytes[v], 0})
		done.add(int32(v))
	}
}

// Before returns the pairs of operators that were found: in orders that keep
// within the budget of the last Run the first runs before the second. Pairs of
// the graph, and pairs that follow from others, are not among them.
func (p *Propagation) Before() [][2]int {
	var pairs [][2]int
	for _, q := range p.rel.pairs {
		pairs = append(pairs, [2]int{int(q[0]), int(q[1])})
	}
	return pairs
}

// Precedes reports whether u must run before v within the budget.
func (p *Propagation) Precedes(u, v int) bool { return p.rel.before[v].has(int32(u)) }

// Clone returns a copy, to try a budget that may turn out too small.
func (p *Propagation) Clone() *Propagation {
	c := *p
	c.rel = p.rel.clone()
	c.known = append([]fact(nil), p.known...)
	c.pools = make([][]witness, len(p.pools))
	for v := range p.pools {
		c.pools[v] = append([]witness(nil), p.pools[v]...)
	}
	return &c
}

// shares are what part of the budget the bytes at an operator must come to in
// all that is known of it, for it to be looked at: contradictions nearly always
// come from operators that have little to spare.
var shares = [...]int64{999, 970, 920, 850, 700, 0}

// Run looks for a contradiction to the budget, which must not be above that of
// the run before. It ends when nothing more follows.
func (p *Propagation) Run(ctx context.Context, budget int64, w *Work) Outcome {
	if w == nil {
		w = &Work{}
	}
	if p.ran && budget > p.budget {
		*p = *p.f.Propagation(nil)
	}
	p.budget, p.ran, p.root = budget, true, nil
	p.work = w
	p.state = p.fixpoint(ctx)
	return p.state
}

func (p *Propagation) fixpoint(ctx context.Context) Outcome {
	n := len(p.f.topo)
	pass := 0
	for _, share := range shares {
		for again := true; again; pass++ {
			again = false
			for k := range n {
				v := p.f.topo[k]
				if pass&1 == 1 {
					v = p.f.topo[n-1-k]
				}
				found := len(p.known)
				if o := p.operator(ctx, v, p.budget/1000*share); o != Open {
					return o
				}
				again = again || len(p.known) > found
			}
		}
	}
	return p.sets(ctx)
}

// sets looks for operators whichever of which is the last of them, or the
// first, is over the budget. On very large graphs it gives up.
func (p *Propagation) sets(ctx context.Context) Outcome {
	for _, last := range []bool{true, false} {
		s := newPeeling(p.f, p.rel, last)
		s.shows = func(v int32) bool { return p.shows(v, s.rest, last) }
		w := p.work.atMost(peelWork)
		done := s.run(ctx, w, p.budget)
		p.work.spent(w)
		if !done && p.work.over(ctx) {
			return Stopped
		}
		if done && len(s.set) > 0 {
			p.over = goal{op: -1, other: -1, set: s.set, last: last}
			return Refuted
		}
	}
	return Open
}

// shows reports whether a witness shows that v can be the last of it and the
// rest within the budget, or the first.
func (p *Propagation) shows(v int32, rest set, last bool) bool {
	copy(p.outside, p.rel.after[v])
	p.outside.add(v)
	for k := range p.pools[v] {
		w := &p.pools[v][k]
		if (last && rest.within(w.set) || !last && !rest.meets(w.set)) && p.valid(v, w) {
			return true
		}
	}
	return false
}

// operator tries which operators can run before v, and which after it, unless
// it is known to be possible with fewer bytes than need be looked at.
func (p *Propagation) operator(ctx context.Context, v int32, least int64) Outcome {
	if !p.review(v, least) {
		return Open
	}
	if p.work.over(ctx) {
		return Stopped
	}
	g := &p.f.net
	g.work = 0
	defer func() { p.work.Done += g.work }()
	copy(p.outside, p.rel.after[v])
	p.outside.add(v)
	g.build(v, p.rel.before[v], p.outside, p.rel.pairs)
	if g.settle(p.budget) > p.budget {
		p.over = goal{op: v, other: -1}
		return Refuted
	}
	low, high := g.smallest(-1), g.largest(-1)
	p.see(v, low)
	if !high.equal(low) {
		p.see(v, high)
	}
	for _, after := range []bool{false, true} {
		if o := p.others(ctx, v, after); o != Open {
			return o
		}
	}
	return Open
}

// see notes what a set that the network of v allows shows to be possible.
func (p *Propagation) see(v int32, s set) {
	p.allow(s)
	p.store(v, witness{s, p.f.net.bytes, len(p.rel.pairs)})
}

// others tries, for each operator that it is not known of, whether v can run
// after it, or, with after, before it. If not, it is the other way round.
func (p *Propagation) others(ctx context.Context, v int32, after bool) Outcome {
	g := &p.f.net
	n := len(p.f.topo)
	for k := range n {
		u := p.f.topo[k]
		if !after {
			u = p.f.topo[n-1-k]
		}
		if g.node[u] < 0 || !p.rel.apart(u, v) || !after && p.canIn.has(u) || after && p.canOut.has(u) {
			continue
		}
		if p.work.Limit > 0 && p.work.Done+g.work >= p.work.Limit || ctx.Err() != nil {
			return Stopped
		}
		if p.possible(v, u, after) {
			continue
		}
		p.learn(fact{line: proof.Line{Op: int(v), Other: int(u), After: after}})
		if after {
			g.forceIn(g.node[u])
		} else {
			g.forceOut(g.node[u])
		}
		if g.settle(p.budget) > p.budget {
			p.over = goal{op: v, other: -1}
			return Refuted
		}
	}
	return Open
}

// possible reports whether v can run after u within the budget, or, with after,
// before it.
func (p *Propagation) possible(v, u int32, after bool) bool {
	g := &p.f.net
	before := g.bytes
	g.record()
	defer g.undo(before)
	if after {
		if g.withOut(g.node[u], p.budget) > p.budget {
			return false
		}
		p.see(v, g.smallest(-1))
		return true
	}
	if g.withIn(g.node[u], p.budget) > p.budget {
		return false
	}
	p.see(v, g.largest(-1))
	return true
}

// learn adds a pair to what is known.
func (p *Propagation) learn(x fact) {
	u, v := x.pair()
	p.rel.add(u, v)
	p.known = append(p.known, x)
}

// pair returns the operators of a fact, that which runs first first.
func (x fact) pair() (u, v int32) {
	if x.line.After {
		return int32(x.line.Other), int32(x.line.Op)
	}
	return int32(x.line.Op), int32(x.line.Other)
}
