package reorder

// Depth first runs what an operator needs just before it: a post-order walk
// from the operators that nothing waits for, in stored order, through their
// predecessors, in stored order. A branch is finished before the next begins.
//
// Complexity: O(n + m).
//
// Reference: PostOrderScheduler, hlo_memory_scheduler.cc, openxla/xla at commit
// 1c7545f1.
//
// Departures: predecessors come in stored order rather than by operand
// position, and control edges count as data edges do.

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
		Reference:  "PostOrderScheduler, hlo_memory_scheduler.cc, openxla/xla at 1c7545f1",
		Complexity: "O(n + m)",
	}
}

func (depthFirst) Order(ctx context.Context, m *graph.Memory, _ Options) (graph.Order, error) {
	if err := begin(ctx, m); err != nil {
		return graph.Order{}, err
	}
	next := newSuccessors(m)
	order := graph.Order{Name: "depth-first", Ops: make([]int, 0, len(m.Ops))}
	seen := make([]bool, len(m.Ops))
	type visit struct{ op, done int } // done predecessors
	var stack []visit
	for root := range m.Ops {
		if len(next.of(root)) > 0 {
			continue
		}
		stack = append(stack, visit{root, 0})
		seen[root] = true
		for len(stack) > 0 {
			top := &stack[len(stack)-1]
			if before := m.Before[top.op]; top.done < len(before) {
				p := before[top.done]
				top.done++
				if !seen[p] {
					seen[p] = true
					stack = append(stack, visit{p, 0})
				}
				continue
			}
			order.Ops = append(order.Ops, top.op)
			stack = stack[:len(stack)-1]
			if len(order.Ops)%checkEvery == 0 && ctx.Err() != nil {
				return graph.Order{}, ctx.Err()
			}
		}
	}
	return order, nil
}
