package reorder

// Breadth first runs operators in the order in which they become ready, first
// come first served: all branches advance together. On graphs with branches it
// keeps more alive than it has to, which makes it the yardstick from above.
//
// Complexity: O(n + m).
//
// Reference: A. B. Kahn, "Topological sorting of large networks",
// Communications of the ACM 5(11), 1962, pages 558-562,
// doi:10.1145/368996.369025.
//
// Departures: none; what becomes ready at once comes in stored order. Others
// call it Kahn's order (SERENITY, whose first budget is its peak) or BFS (XLA's
// BFScheduler, which is off by default).

import (
	"context"

	"github.com/arenalab/arenalab/graph"
)

type breadthFirst struct{}

func (breadthFirst) Info() Info {
	return Info{
		Name:       "breadth-first",
		Title:      "Breadth first",
		Summary:    "first ready, first run: all branches advance together",
		Reference:  "A. B. Kahn, Topological sorting of large networks, Communications of the ACM 5(11), 1962, doi:10.1145/368996.369025",
		Complexity: "O(n + m)",
	}
}

func (breadthFirst) Order(ctx context.Context, m *graph.Memory, _ Options) (graph.Order, error) {
	if err := begin(ctx, m); err != nil {
		return graph.Order{}, err
	}
	next, left := newSuccessors(m), waiting(m)
	order := graph.Order{Name: "breadth-first", Ops: make([]int, 0, len(m.Ops))}
	for i, n := range left {
		if n == 0 {
			order.Ops = append(order.Ops, i)
		}
	}
	for at := 0; at < len(order.Ops); at++ { // the order is the queue
		if at%checkEvery == 0 && ctx.Err() != nil {
			return graph.Order{}, ctx.Err()
		}
		for _, i := range next.of(order.Ops[at]) {
			if left[i]--; left[i] == 0 {
				order.Ops = append(order.Ops, i)
			}
		}
	}
	return order, nil
}
