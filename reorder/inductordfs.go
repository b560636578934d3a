package reorder

// Inductor's DFS runs what an operator needs just before it and takes all
// operators, and the predecessors of each, smallest first.
//
// Complexity: O(n log n + m log m).
//
// Reference: topological_sort_dfs in torch/_inductor/memory.py, pytorch/pytorch
// at commit a900a4db.
//
// Rule: the size of an operator is what it allocates and the values it reads. A
// post-order walk from every operator by size, ascending, then from the one
// stored first; predecessors are entered in the same sequence.
//
// Departures: control edges count as data edges do. Working memory is taken as a
// result. Graph inputs that the profile keeps to the end are not counted, as the
// original does not count those that it may not free.

import (
	"cmp"
	"context"
	"slices"

	"github.com/arenalab/arenalab/graph"
)

type inductorDFS struct{}

func (inductorDFS) Info() Info {
	return Info{
		Name:       "inductor-dfs",
		Title:      "Inductor DFS",
		Summary:    "post-order from all operators, those that read and make least first",
		Reference:  "topological_sort_dfs, " + inductorSource,
		Complexity: "O(n log n + m log m)",
	}
}

func (inductorDFS) Order(ctx context.Context, m *graph.Memory, _ Options) (graph.Order, error) {
	if err := begin(ctx, m); err != nil {
		return graph.Order{}, err
	}
	size, roots := make([]int64, len(m.Ops)), make([]int, len(m.Ops))
	for i := range m.Ops {
		op := &m.Ops[i]
		size[i], roots[i] = op.Transient, i
		for _, v := range op.Makes {
			size[i] += m.Values[v].Size
		}
		for _, v := range op.Reads {
			if m.Values[v].Maker >= 0 || !m.Profile.KeepInputs {
				size[i] += m.Values[v].Size
			}
		}
	}
	compare := func(a, b int) int { return cmp.Or(cmp.Compare(size[a], size[b]), cmp.Compare(a, b)) }
	slices.SortFunc(roots, compare)
	next := make([][]int, len(m.Ops))
	for i, before := range m.Before {
		if next[i] = before; len(before) > 1 {
			next[i] = slices.Clone(before)
			slices.SortFunc(next[i], compare)
		}
	}
	ops, err := postOrder(ctx, len(next), roots, func(i int) []int { return next[i] })
	if err != nil {
		return graph.Order{}, err
	}
	return graph.Order{Name: "inductor-dfs", Ops: ops}, nil
}
