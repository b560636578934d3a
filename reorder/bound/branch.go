package bound

import (
	"context"
	"slices"

	"github.com/arenalab/arenalab/reorder/proof"
)

// Try is asked for an order of peak budget or less in which operators run as
// the pairs say, besides what the graph says; nil if it has none.
type Try func(ctx context.Context, budget int64, before [][2]int) []int

// Branch is Run, and where that leaves the budget open, goes by cases: one
// operator before another, or after it, of the pair that leaves least to spare.
// It returns an order within the budget if try, which may be nil, or the
// cases come to one; then the outcome is Open. It stops as well where cases are
// so deep that their states would take more than some 256 MB.
func (p *Propagation) Branch(ctx context.Context, budget int64, try Try, w *Work) (Outcome, []int) {
	if o := p.Run(ctx, budget, w); o != Open {
		return o, nil
	}
	b := brancher{ctx: ctx, try: try, most: deepest(p.rel.n)}
	o, x := b.open(p, 0)
	p.state = o
	if o == Refuted {
		p.root = x.node
	}
	return o, b.order
}

type brancher struct {
	ctx   context.Context
	try   Try
	order []int // within the budget
	depth int   // cases that are open
	most  int   // of those, for the memory that they take
}

// caseBytes is what the states of all open cases may take together.
const caseBytes = 256 << 20

// deepest returns how many cases of n operators may be open at a time.
func deepest(n int) int {
	state := n*((n+63)/64)*16 + n*poolSize(n)*48
	return max(4, min(500, caseBytes/max(state, 1)))
}

// node refutes a budget of which a fact has just been supposed, or fails to.
func (b *brancher) node(p *Propagation) (Outcome, explanation) {
	start := len(p.known)
	switch o := p.fixpoint(b.ctx); o {
	case Refuted:
		return o, p.explain(b.ctx, start)
	case Stopped:
		return o, explanation{}
	}
	return b.open(p, start)
}

// open goes by cases where nothing more follows.
func (b *brancher) open(p *Propagation, start int) (Outcome, explanation) {
	if b.try != nil {
		order := b.try(b.ctx, p.budget, p.Before())
		if order != nil && p.f.m.Peak(order) <= p.budget {
			b.order = order
			return Open, explanation{}
		}
	}
	pair, o := p.tightest(b.ctx)
	switch {
	case o == Stopped:
		return o, explanation{}
	case pair == (rival{}):
		if order := p.only(); p.f.m.Peak(order) <= p.budget {
			b.order = order
		}
		return Open, explanation{}
	}
	if b.depth >= b.most {
		return Stopped, explanation{}
	}
	b.depth++
	defer func() { b.depth-- }()
	var sides [2]explanation
	for k := range sides {
		c := p.Clone()
		first, second := pair.u, pair.v
		if k == 1 {
			first, second = second, first
		}
		c.learn(fact{line: proof.Line{Op: int(first), Other: int(second)}, supposed: true})
		o, x := b.node(c)
		if o != Refuted {
			return o, explanation{}
		}
		last := len(x.need) - 1
		supposed := x.need[last]
		x.need = x.need[:last]
		if !supposed { // the contradiction is there without it
			return Refuted, p.conclude(b.ctx, start, x.need, x.node)
		}
		sides[k] = x
	}
	for i, n := range sides[1].need {
		sides[0].need[i] = sides[0].need[i] || n
	}
	return Refuted, p.conclude(b.ctx, start, sides[0].need, &proof.Node{Cases: &proof.Cases{
		A: int(pair.u), B: int(pair.v), AFirst: sides[0].node, BFirst: sides[1].node,
	}})
}

// conclude puts the lines of p that are needed before a refutation.
func (p *Propagation) conclude(ctx context.Context, start int, need []bool, end *proof.Node) explanation {
	e := explainer{p: p, ctx: ctx, in: newSet(p.rel.n), out: newSet(p.rel.n)}
	x := e.lines(start, need)
	x.node.Lines = append(x.node.Lines, end.Lines...)
	x.node.Over, x.node.Set, x.node.Last, x.node.Cases = end.Over, end.Set, end.Last, end.Cases
	return x
}

// only returns the one order that a relation leaves, without pairs that are apart.
func (p *Propagation) only() []int {
	order := make([]int, p.rel.n)
	for v := range p.rel.n {
		at := 0
		p.rel.before[v].each(func(int32) { at++ })
		order[at] = v
	}
	return order
}

// How many operators pairs are chosen of, and how many pairs are looked at if
// those do not have any.
const (
	rivalOps   = 24
	rivalPairs = 2000
)

// rival is a pair of operators, and the least bytes at either if the first runs
// before the second, and if it runs after it.
type rival struct {
	u, v   int32
	uv, vu int64
}

func (r rival) less(s rival) bool {
	a, b := min(r.uv, r.vu), min(s.uv, s.vu)
	return a < b || a == b && max(r.uv, r.vu) < max(s.uv, s.vu)
}

// tightest returns the pair of free operators of which the better sequence needs
// most, the worse sequence first; the zero pair if there is none.
func (p *Propagation) tightest(ctx context.Context) (best rival, o Outcome) {
	least := make([]int64, p.rel.n)
	ops := slices.Clone(p.f.topo)
	for v := range least {
		least[v] = p.budget
		for _, w := range p.pools[v] {
			least[v] = min(least[v], w.bytes)
		}
	}
	slices.SortStableFunc(ops, func(a, b int32) int {
		switch {
		case least[a] > least[b]:
			return -1
		case least[a] < least[b]:
			return 1
		}
		return 0
	})
	best, o = p.rivals(ctx, ops[:min(rivalOps, len(ops))])
	if best == (rival{}) && o == Open {
		best, o = p.rivals(ctx, ops)
	}
	return best, o
}

// rivals compares pairs of some operators.
func (p *Propagation) rivals(ctx context.Context, ops []int32) (best rival, o Outcome) {
	table := map[[2]int32]rival{} // by operators, ascending
	var keys [][2]int32
	g := &p.f.net
	for _, v := range ops {
		if p.work.over(ctx) {
			return rival{}, Stopped
		}
		if len(keys) > rivalPairs {
			break
		}
		copy(p.outside, p.rel.after[v])
		p.outside.add(v)
		g.work = 0
		g.build(v, p.rel.before[v], p.outside, p.rel.pairs)
		settled := g.settle(p.budget)
		for _, u := range ops {
			if !p.rel.apart(u, v) {
				continue
			}
			g.record()
			in := g.withIn(g.node[u], p.budget)
			g.undo(settled)
			g.record()
			out := g.withOut(g.node[u], p.budget)
			g.undo(settled)
			key, uv, vu := [2]int32{u, v}, in, out
			if u > v {
				key, uv, vu = [2]int32{v, u}, out, in
			}
			r, known := table[key]
			if !known {
				keys = append(keys, key)
			}
			table[key] = rival{key[0], key[1], max(r.uv, uv), max(r.vu, vu)}
		}
		p.work.Done += g.work
	}
	for _, key := range keys {
		if r := table[key]; best == (rival{}) || best.less(r) {
			best = r
		}
	}
	if best.uv < best.vu {
		best = rival{best.v, best.u, best.vu, best.uv}
	}
	return best, Open
}
