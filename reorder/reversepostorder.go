package reorder

// Reverse post-order is the sequence in which a walk in depth along the flow of
// data leaves operators, reversed: compilers number blocks so. Unlike depth
// first it begins at what is ready from the start, so that what an operator
// leads to follows it closely, and not what it needs.
//
// Complexity: O(n + m).
//
// Reference: R. E. Tarjan, "Edge-disjoint spanning trees and depth-first
// search", Acta Informatica 6(2), 1976, pages 171-185, doi:10.1007/BF00268499.
//
// Rule: the walk begins at the operators that wait for nothing and goes on to
// successors, those stored last first in both, so that of two branches the one
// stored first runs first.
//
// Departures: control edges count as data edges do. What HMCOS (wzh99/HMCOS at
// commit cf547ee) calls reverse post-order walks backwards from the outputs:
// that is xla-postorder here.

import (
	"context"
	"slices"

	"github.com/arenalab/arenalab/graph"
)

type reversePostorder struct{}

func (reversePostorder) Info() Info {
	return Info{
		Name:       "reverse-postorder",
		Title:      "Reverse post-order",
		Summary:    "a walk in depth from the first operators, reversed: successors follow closely",
		Reference:  "R. E. Tarjan, Edge-disjoint spanning trees and depth-first search, Acta Informatica 6(2), 1976, doi:10.1007/BF00268499",
		Complexity: "O(n + m)",
	}
}

func (reversePostorder) Order(ctx context.Context, m *graph.Memory, _ Options) (graph.Order, error) {
	if err := begin(ctx, m); err != nil {
		return graph.Order{}, err
	}
	next := newSuccessors(m)
	var roots []int
	for i := range m.Ops {
		slices.Reverse(next.of(i))
		if len(m.Before[i]) == 0 {
			roots = append(roots, i)
		}
	}
	slices.Reverse(roots)
	ops, err := postOrder(ctx, len(m.Ops), roots, next.of)
	if err != nil {
		return graph.Order{}, err
	}
	slices.Reverse(ops)
	return graph.Order{Name: "reverse-postorder", Ops: ops}, nil
}
