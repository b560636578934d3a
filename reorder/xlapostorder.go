package reorder

// XLA's post-order scheduler has no heuristic: it runs what an operator needs
// just before it, operand by operand.
//
// Complexity: O(n + m).
//
// Reference: PostOrderScheduler in
// xla/hlo/transforms/simplifiers/hlo_memory_scheduler.cc, openxla/xla at commit
// 1c7545f1, and HloComputation::MakeInstructionPostOrder in
// xla/hlo/ir/hlo_computation.cc at commit 001918b7.
//
// Rule: a post-order walk from the operators that nobody reads, in stored order,
// then from the results of the graph, in their order, as the operands of one
// last operator. An operator's control predecessors are entered first, the last
// first, then its operands by position.
//
// Departures: the results of a graph are operands of one last operator even if
// there is only one; control predecessors stand in stored order, in XLA in the
// sequence in which they were added; collective operators are not known.

import (
	"context"
	"slices"

	"github.com/arenalab/arenalab/graph"
)

const xlaSource = "hlo_memory_scheduler.cc, openxla/xla at 1c7545f1"

type xlaPostorder struct{}

func (xlaPostorder) Info() Info {
	return Info{
		Name:       "xla-postorder",
		Title:      "XLA post-order",
		Summary:    "what an operator needs just before it, operand by operand",
		Reference:  "PostOrderScheduler, " + xlaSource,
		Complexity: "O(n + m)",
	}
}

func (xlaPostorder) Order(ctx context.Context, m *graph.Memory, _ Options) (graph.Order, error) {
	if err := begin(ctx, m); err != nil {
		return graph.Order{}, err
	}
	x, err := newOperands(m)
	if err != nil {
		return graph.Order{}, err
	}
	ops, err := x.postOrder(ctx)
	if err != nil {
		return graph.Order{}, err
	}
	return graph.Order{Name: "xla-postorder", Ops: ops}, nil
}

func (x *operands) postOrder(ctx context.Context) ([]int, error) {
	next := make([][]int, len(x.data))
	for i, operands := range x.data {
		if len(x.control[i]) == 0 {
			next[i] = operands
			continue
		}
		next[i] = slices.Clone(x.control[i])
		slices.Reverse(next[i])
		next[i] = append(next[i], operands...)
	}
	return postOrder(ctx, len(next), slices.Concat(x.unread(), x.results), func(i int) []int { return next[i] })
}
