package bound

import (
	"context"
	"slices"

	"github.com/arenalab/arenalab/reorder/proof"
)

// explanation is a refutation that says only what it needs.
type explanation struct {
	node *proof.Node
	need []bool // by fact that was known before the node: it is relied on
}

// explainer finds which facts conclusions rest on.
type explainer struct {
	p       *Propagation
	ctx     context.Context
	in, out set
	ranks   []int // by fact
}

// explain turns the contradiction that p has come to into lines, of the facts
// from start on.
func (p *Propagation) explain(ctx context.Context, start int) explanation {
	e := explainer{p: p, ctx: ctx, in: newSet(p.rel.n), out: newSet(p.rel.n)}
	need := make([]bool, len(p.known))
	e.mark(p.over, need)
	x := e.lines(start, need)
	if len(p.over.set) == 0 {
		x.node.Over = int(p.over.op)
		return x
	}
	x.node.Last = p.over.last
	for _, v := range p.over.set {
		x.node.Set = append(x.node.Set, int(v))
	}
	return x
}

// goal is what facts are to imply: that an operator is over the budget, if
// another has not run (after) or has, or in any case if that is -1; or that
// whichever of a set is the last of it, or the first, is.
type goal struct {
	op, other int32
	after     bool
	set       []int32
	last      bool
}

func goalOf(l proof.Line) goal {
	return goal{op: int32(l.Op), other: int32(l.Other), after: l.After}
}

// lines returns a node of the facts from start on that are needed, and of those
// that they need.
func (e *explainer) lines(start int, need []bool) explanation {
	node := &proof.Node{}
	for i := len(need) - 1; i >= start; i-- {
		if need[i] && !e.p.known[i].supposed {
			node.Lines = append(node.Lines, e.p.known[i].line)
			e.mark(goalOf(e.p.known[i].line), need[:i])
		}
	}
	slices.Reverse(node.Lines)
	return explanation{node, need[:start]}
}

// mark marks facts that together imply a goal: no fact more than needed besides
// those that are marked already, and rather early ones.
func (e *explainer) mark(l goal, need []bool) {
	var given, rest []int
	for i, n := range need {
		if n {
			given = append(given, i)
		} else {
			rest = append(rest, i)
		}
	}
	if e.follows(l, given) {
		return
	}
	slices.SortStableFunc(rest, func(a, b int) int { return e.rank(a) - e.rank(b) })
	for _, i := range e.least(l, given, rest, false) {
		need[i] = true
	}
}

// rank is 0 of facts that follow from the graph, or are supposed, 1 of others.
func (e *explainer) rank(i int) int {
	if e.ranks == nil {
		e.ranks = make([]int, len(e.p.known))
	}
	if e.ranks[i] == 0 {
		e.ranks[i] = 2
		if e.p.known[i].supposed || e.follows(goalOf(e.p.known[i].line), nil) {
			e.ranks[i] = 1
		}
	}
	return e.ranks[i]
}

// least returns facts of rest without any of which the goal does not follow,
// given some: by halves, keeping the first half if the second does without.
func (e *explainer) least(l goal, given, rest []int, more bool) []int {
	switch {
	case more && e.follows(l, given):
		return nil
	case len(rest) <= 1 || e.p.work.over(e.ctx):
		return rest
	}
	first, second := rest[:len(rest)/2], rest[len(rest)/2:]
	late := e.least(l, append(slices.Clip(given), first...), second, true)
	early := e.least(l, append(slices.Clip(given), late...), first, len(late) > 0)
	return append(slices.Clip(early), late...)
}

// follows reports whether a goal follows from the graph and some facts.
func (e *explainer) follows(l goal, facts []int) bool {
	pairs := make([][2]int32, 0, len(facts))
	for _, i := range facts {
		pairs = append(pairs, e.p.rel.pairs[i])
	}
	if len(l.set) == 0 {
		e.begin(l.op)
		if l.other >= 0 {
			e.force(l.other, !l.after)
		}
		return e.over(l.op, pairs)
	}
	for _, v := range l.set {
		e.begin(v)
		for _, u := range l.set {
			if u != v {
				e.force(u, l.last)
			}
		}
		if !e.over(v, pairs) {
			return false
		}
	}
	return true
}

// begin sets which operators have run before v, and which have not, by the graph.
func (e *explainer) begin(v int32) {
	copy(e.in, e.p.f.rel.before[v])
	copy(e.out, e.p.f.rel.after[v])
	e.out.add(v)
}

// force makes an operator one that has run, or has not.
func (e *explainer) force(u int32, ran bool) {
	if ran {
		e.in.unite(e.p.f.rel.before[u])
		e.in.add(u)
		return
	}
	e.out.unite(e.p.f.rel.after[u])
	e.out.add(u)
}

// over reports whether v is over the budget.
func (e *explainer) over(v int32, pairs [][2]int32) bool {
	e.close(v, pairs)
	return e.in.meets(e.out) || e.p.f.least(v, e.in, e.out, pairs, e.p.budget, e.p.work) > e.p.budget
}

// close adds to the set of those that have run what runs before them or before
// an operator, and to that of those that have not what runs after them.
func (e *explainer) close(op int32, pairs [][2]int32) {
	rel := e.p.f.rel
	for again := true; again; {
		again = false
		for _, q := range pairs {
			u, v := q[0], q[1]
			if (v == op || e.in.has(v)) && !e.in.has(u) {
				e.in.unite(rel.before[u])
				e.in.add(u)
				again = true
			}
			if e.out.has(u) && !e.out.has(v) {
				e.out.unite(rel.after[v])
				e.out.add(v)
				again = true
			}
		}
	}
}

// Bound returns what the last Run or Branch proved, with its proof cut down to
// what it needs; nil if it refuted nothing. If ctx ends or the work is done
// meanwhile, the proof is longer than it need be.
func (p *Propagation) Bound(ctx context.Context) *proof.Bound {
	if p.state != Refuted {
		return nil
	}
	if p.root == nil {
		p.root = p.explain(ctx, 0).node
	}
	b := &proof.Bound{Kind: proof.Precedence, Budget: p.budget, Root: p.root}
	if p.root.Cases != nil {
		b.Kind = proof.Tree
	}
	b.Value = (p.budget/p.f.unit + 1) * p.f.unit
	return b
}
