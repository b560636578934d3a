package reorder

// Inductor's BFS runs first what has waited longest for its operands to be
// read: the order is that of the positions at which predecessors ran.
//
// Complexity: O(n d log n + m log m) for d predecessors of an operator.
//
// Reference: topological_sort_bfs in torch/_inductor/memory.py, pytorch/pytorch
// at commit a900a4db.
//
// Rule: of the ready operators the one whose predecessors' positions, ascending,
// come first in lexicographic order, a prefix before what goes on; of equals the
// one stored first.
//
// Departures: control edges count as data edges do.

import (
	"cmp"
	"context"
	"slices"

	"github.com/arenalab/arenalab/graph"
)

type inductorBFS struct{}

func (inductorBFS) Info() Info {
	return Info{
		Name:       "inductor-bfs",
		Title:      "Inductor BFS",
		Summary:    "of the ready operators the one whose predecessors ran earliest",
		Reference:  "topological_sort_bfs, " + inductorSource,
		Complexity: "O(n d log n + m log m), d predecessors of an operator",
	}
}

func (inductorBFS) Order(ctx context.Context, m *graph.Memory, _ Options) (graph.Order, error) {
	if err := begin(ctx, m); err != nil {
		return graph.Order{}, err
	}
	next, left := newSuccessors(m), waiting(m)
	order := graph.Order{Name: "inductor-bfs", Ops: make([]int, 0, len(m.Ops))}
	at, edges := make([]int, len(m.Ops)), 0 // at: position by operator
	var ready binaryHeap[bfsEntry]
	for i, n := range left {
		edges += n
		if n == 0 {
			ready.push(bfsEntry{nil, i})
		}
	}
	all := make([]int, 0, edges) // the positions of all entries
	for len(ready) > 0 {
		i := ready.pop().op
		at[i] = len(order.Ops)
		order.Ops = append(order.Ops, i)
		if len(order.Ops)%checkEvery == 0 && ctx.Err() != nil {
			return graph.Order{}, ctx.Err()
		}
		for _, s := range next.of(i) {
			if left[s]--; left[s] > 0 {
				continue
			}
			start := len(all)
			for _, p := range m.Before[s] {
				all = append(all, at[p])
			}
			slices.Sort(all[start:])
			ready.push(bfsEntry{all[start:], s})
		}
	}
	return order, nil
}

type bfsEntry struct {
	after []int // positions of predecessors, ascending
	op    int
}

var _ ranked[bfsEntry] = bfsEntry{}

func (a bfsEntry) before(b bfsEntry) bool {
	return cmp.Or(slices.Compare(a.after, b.after), cmp.Compare(a.op, b.op)) < 0
}
