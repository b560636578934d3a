package bound

import (
	"context"

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
// pair is branched on that leaves the least room whichever is below.

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
	nodes []lifetime.Branch
	limit int // leaves left
}

// orderTree tries to refute the model with at most the given number of leaves
// and of elementary operations.
func orderTree(ctx context.Context, m *model, leaves, work int) ([]lifetime.Branch, answer) {
	if m.void {
		return nil, refuted
	}
	t := &tree{orders: newOrders(m), ctx: ctx, limit: leaves}
	t.work = work
	return t.nodes, t.refute(m.flips, &t.nodes)
}

var leaf = lifetime.Branch{Below: -1, Above: -1}

// refute appends the tree below the decisions made so far. If the model can be
// turned upside down, the first pair has one order only.
func (t *tree) refute(flip bool, nodes *[]lifetime.Branch) answer {
	if t.ctx.Err() != nil || t.limit <= 0 || t.work <= 0 {
		return open
	}
	mark := len(t.trail)
	defer t.back(mark)
	if !t.narrow() {
		t.limit--
		*nodes = append(*nodes, leaf)
		return refuted
	}
	i, j, left := t.choose()
	if !left {
		if t.m.partial {
			return open
		}
		return planned
	}
	*nodes = append(*nodes, lifetime.Branch{Below: t.m.where[i], Above: t.m.where[j]})
	if a := t.branch(i, j, nodes); a != refuted || flip {
		return a
	}
	return t.branch(j, i, nodes)
}

func (t *tree) branch(i, j int, nodes *[]lifetime.Branch) answer {
	mark := len(t.trail)
	defer t.back(mark)
	if !t.decide(i, j) {
		t.limit--
		*nodes = append(*nodes, leaf)
		return refuted
	}
	return t.refute(false, nodes)
}

// choose returns the undecided pair, in the order with less room first, whose
// better order has the least room; then the one whose worse order has, then the
// larger pair. left is false if all are decided.
func (t *tree) choose() (i, j int, left bool) {
	var best [3]int64
	for _, p := range t.pairs {
		a, b := p[0], p[1]
		if t.below[a*t.n+b] || t.below[b*t.n+a] {
			continue
		}
		up := t.tail[b] - t.head[a] - t.m.size[a]
		down := t.tail[a] - t.head[b] - t.m.size[b]
		score := [3]int64{max(up, down), min(up, down), -t.m.size[a] - t.m.size[b]}
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

func less(a, b [3]int64) bool {
	for k := range a {
		if a[k] != b[k] {
			return a[k] < b[k]
		}
	}
	return false
}
