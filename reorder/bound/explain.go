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
	e.mark(proof.Line{Op: int(p.over), Other: -1}, need)
	x := e.lines(start, need)
	x.node.Over = int(p.over)
	return x
}

// lines returns a node of the facts from start on that are needed, and of those
// that they need.
func (e *explainer) lines(start int, need []bool) explanation {
	node := &proof.Node{}
	for i := len(need) - 1; i >= start; i-- {
		if need[i] && !e.p.known[i].supposed {
			node.Lines = append(node.Lines, e.p.known[i].line)
			e.mark(e.p.known[i].line, need[:i])
		}
	}
	slices.Reverse(node.Lines)
	return explanation{node, need[:start]}
}

// mark marks facts that together imply that a line holds, or, if it names no
// other operator, that its operator is over the budget: no fact more than
// needed besides those that are marked already, and rather early ones.
func (e *explainer) mark(l proof.Line, need []bool) {
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
		if e.p.known[i].supposed || e.follows(e.p.known[i].line, nil) {
			e.ranks[i] = 1
		}
	}
	return e.ranks[i]
}

// least returns facts of rest without any of which the line does not follow,
// given some: by halves, keeping the first half if the second does without.
func (e *explainer) least(l proof.Line, given, rest []int, more bool) []int {
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

// follows reports whether a line follows from the graph and some facts.
func (e *explainer) follows(l proof.Line, facts []int) bool {
	f, v := e.p.f, int32(l.Op)
	copy(e.in, f.rel.before[v])
	copy(e.out, f.rel.after[v])
	e.out.add(v)
	if u := int32(l.Other); u >= 0 && l.After {
		e.out.unite(f.rel.after[u])
		e.out.add(u)
	} else if u >= 0 {
		e.in.unite(f.rel.before[u])
		e.in.add(u)
	}
	pairs := make([][2]int32, 0, len(facts))
	for _, i := range facts {
		pairs = append(pairs, e.p.rel.pairs[i])
	}
	e.close(v, pairs)
	return e.in.meets(e.out) || f.least(v, e.in, e.out, pairs, e.p.budget, e.p.work) > e.p.budget
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
