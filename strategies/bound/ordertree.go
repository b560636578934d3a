package bound

import (
	"context"
	"slices"

	"github.com/arenalab/arenalab/lifetime"
)

// A tree of orders: of two buffers that are live together one is the lower. Of
// pair after pair both orders are tried, and between decisions the ranges of
// offsets are narrowed as those of jobs on machines are, a section being a
// machine; see narrow.go.
//
// O(n² + s w³) per node and round of narrowing, for s sections of w buffers; the
// number of nodes is exponential in the worst case.
//
// Reference: J. Carlier and E. Pinson, "An algorithm for solving the job-shop
// problem", Management Science 35, 1989, doi:10.1287/mnsc.35.2.164. Here the
// pair is branched on that leaves the least room whichever is below, less so
// the more often it mattered (F. Boussemart et al., "Boosting systematic search
// by weighting constraints", ECAI 2004), and pairs that turn out not to matter
// are left out of the tree.

// answer is what a search found out.
type answer uint8

const (
	open    answer = iota // it gave up
	refuted               // there is no plan
	planned               // there is one
)

// tree searches for a refutation.
type tree struct {
	*orders
	ctx   context.Context
	nodes []node // in preorder
	limit int    // leaves left
	// weight, by i * n + j for i < j, counts how often both orders of a pair had
	// to be refuted.
	weight []int64
}

// node is a pair of buffers of the model, or a leaf.
type node struct{ below, above int }

var leaf = node{-1, -1}

// orderTree tries to refute the model with at most the given number of leaves
// and of elementary operations. It returns how many it needed, too.
func orderTree(ctx context.Context, m *model, leaves, work int) ([]lifetime.Branch, answer, int) {
	if m.void {
		return nil, refuted, 0
	}
	t := &tree{orders: newOrders(m), ctx: ctx, limit: leaves}
	t.work = work
	t.weight = make([]int64, m.n*m.n)
	a := t.refute(m.flips)
	var out []lifetime.Branch
	for _, n := range t.nodes {
		if n == leaf {
			out = append(out, lifetime.Branch{Below: -1, Above: -1})
		} else {
			out = append(out, lifetime.Branch{Below: m.where[n.below], Above: m.where[n.above]})
		}
	}
	return out, a, work - t.work
}

// refute appends the tree below the decisions made so far. If the model can be
// turned upside down, the first pair has one order only.
func (t *tree) refute(flip bool) answer {
	if t.ctx.Err() != nil || t.limit <= 0 || t.work <= 0 {
		return open
	}
	mark := len(t.trail)
	defer t.back(mark)
	if !t.narrow() {
		return t.leaf()
	}
	i, j, left := t.choose()
	if !left {
		if t.m.partial {
			return open
		}
		return planned
	}
	at := len(t.nodes)
	t.nodes = append(t.nodes, node{i, j})
	if a := t.branch(i, j); a != refuted || flip {
		return a
	}
	// Often the decision was not needed: then the other order is refuted as
	// well, and the pair is left out.
	if rest, ok := t.replay(t.nodes[at+1:]); ok && len(rest) == 0 {
		t.nodes = slices.Delete(t.nodes, at, at+1)
		return refuted
	}
	t.weight[min(i, j)*t.n+max(i, j)]++
	return t.branch(j, i)
}

func (t *tree) leaf() answer {
	t.limit--
	t.nodes = append(t.nodes, leaf)
	return refuted
}

func (t *tree) branch(i, j int) answer {
	mark := len(t.trail)
	defer t.back(mark)
	if !t.decide(i, j) {
		return t.leaf()
	}
	return t.refute(false)
}

// replay reports whether a subtree, which comes first, is right under the
// decisions made so far, and returns the nodes after it.
func (t *tree) replay(nodes []node) (rest []node, ok bool) {
	n, rest := nodes[0], nodes[1:]
	mark := len(t.trail)
	defer t.back(mark)
	if !t.narrow() {
		return rest, n == leaf
	}
	if n == leaf || t.work <= 0 {
		return nil, false
	}
	for _, p := range [2]node{n, {n.above, n.below}} {
		mark := len(t.trail)
		if t.decide(p.below, p.above) {
			rest, ok = t.replay(rest)
		} else {
			rest, ok = rest[1:], rest[0] == leaf
		}
		t.back(mark)
		if !ok {
			return nil, false
		}
	}
	return rest, true
}

// choose returns the undecided pair, in the order with less room first, whose
// better order has the least room for its weight; then the one whose worse order
// has, then the larger pair. left is false if all are decided.
func (t *tree) choose() (i, j int, left bool) {
	var best [3]float64
	for _, p := range t.pairs {
		a, b := p[0], p[1]
		if t.below[a*t.n+b] || t.below[b*t.n+a] {
			continue
		}
		up := t.tail[b] - t.head[a] - t.m.size[a]
		down := t.tail[a] - t.head[b] - t.m.size[b]
		w := float64(1 + t.weight[a*t.n+b])
		score := [3]float64{float64(max(up, down)+1) / w, float64(min(up, down)+1) / w, -float64(t.m.size[a] + t.m.size[b])}
		if left && !less(score, best) {
			continue
		}
		best, left = score, true
		if i, j = a, b; down < up {
			i, j = b, a
		}
	}
	return i, j, left
}

func less(a, b [3]float64) bool {
	for k := range a {
		if a[k] != b[k] {
			return a[k] < b[k]
		}
	}
	return false
}
