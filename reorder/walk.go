package reorder

import (
	"context"

	"github.com/arenalab/arenalab/graph"
)

// postOrder walks in depth from each root in turn and returns the n operators
// in the sequence in which the walk leaves them: each after those that next
// names for it, which are entered in the sequence given. Operators that no root
// leads to are left out. O(n + m).
func postOrder(ctx context.Context, n int, roots []int, next func(op int) []int) ([]int, error) {
	type visit struct {
		op   int
		left []int
	}
	order, stack := make([]int, 0, n), []visit(nil)
	seen := make([]bool, n)
	for _, root := range roots {
		if seen[root] {
			continue
		}
		seen[root] = true
		stack = append(stack, visit{root, next(root)})
		for len(stack) > 0 {
			top := &stack[len(stack)-1]
			if len(top.left) > 0 {
				i := top.left[0]
				top.left = top.left[1:]
				if !seen[i] {
					seen[i] = true
					stack = append(stack, visit{i, next(i)})
				}
				continue
			}
			order = append(order, top.op)
			stack = stack[:len(stack)-1]
			if len(order)%checkEvery == 0 && ctx.Err() != nil {
				return nil, ctx.Err()
			}
		}
	}
	return order, nil
}

// least returns, of the orders that several reorderers choose, the one of the
// least peak, of equals the first, under a name of its own.
func least(ctx context.Context, m *graph.Memory, o Options, name string, of ...Reorderer) (graph.Order, error) {
	best, bestPeak := graph.Order{}, int64(0)
	for k, r := range of {
		order, err := r.Order(ctx, m, o)
		if err != nil {
			return graph.Order{}, err
		}
		if peak := m.Peak(order.Ops); k == 0 || peak < bestPeak {
			best, bestPeak = order, peak
		}
	}
	best.Name = name
	return best, nil
}
