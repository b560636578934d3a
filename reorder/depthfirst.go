package reorder

// Depth first runs what an operator needs just before it: a post-order walk
// from the operators that nothing waits for, in stored order, through their
// predecessors, in stored order. A branch is finished before the next begins.
//
// Complexity: O(n + m).
//
// Reference: R. E. Tarjan, "Edge-disjoint spanning trees and depth-first
// search", Acta Informatica 6(2), 1976, pages 171-185, doi:10.1007/BF00268499:
// the sequence in which a walk in depth leaves nodes is a topological order.
//
// Departures: the walk follows edges backwards, so that its sequence need not
// be reversed; reverse-postorder follows them forwards. Control edges count as
// data edges do.

import (
	"context"

	"github.com/arenalab/arenalab/graph"
)

type depthFirst struct{}

func (depthFirst) Info() Info {
	return Info{
		Name:       "depth-first",
		Title:      "Depth first",
		Summary:    "post-order from the last operators: a branch is finished before the next begins",
		Reference:  "R. E. Tarjan, Edge-disjoint spanning trees and depth-first search, Acta Informatica 6(2), 1976, doi:10.1007/BF00268499",
		Complexity: "O(n + m)",
	}
}

func (depthFirst) Order(ctx context.Context, m *graph.Memory, _ Options) (graph.Order, error) {
	if err := begin(ctx, m); err != nil {
		return graph.Order{}, err
	}
	next := newSuccessors(m)
	var roots []int
	for i := range m.Ops {
		if len(next.of(i)) == 0 {
			roots = append(roots, i)
		}
	}
	ops, err := postOrder(ctx, len(m.Ops), roots, func(i int) []int { return m.Before[i] })
	if err != nil {
		return graph.Order{}, err
	}
	return graph.Order{Name: "depth-first", Ops: ops}, nil
}
