package reorder

// Greedy by bytes runs, of the operators that are ready, the one after which
// the least is live: it allocates its results and frees the inputs it is the
// last to read. Of equals the one with the smaller results, which needs less
// while it runs, then the one stored first.
//
// Complexity: O((n + m) log n).
//
// Reference: ListScheduler, hlo_memory_scheduler.cc, openxla/xla at commit
// 1c7545f1.
//
// Departures: the original breaks ties by the number of users and knows scalars
// and infeeds, see xla-list; here ties go to what needs less while it runs.

import (
	"context"

	"github.com/arenalab/arenalab/graph"
)

type greedyBytes struct{}

func (greedyBytes) Info() Info {
	return Info{
		Name:       "greedy-bytes",
		Title:      "Greedy by bytes",
		Summary:    "of the ready operators the one that allocates least and frees most",
		Reference:  "ListScheduler, hlo_memory_scheduler.cc, openxla/xla at 1c7545f1",
		Complexity: "O((n + m) log n)",
	}
}

func (greedyBytes) Order(ctx context.Context, m *graph.Memory, _ Options) (graph.Order, error) {
	if err := begin(ctx, m); err != nil {
		return graph.Order{}, err
	}
	next, left := newSuccessors(m), waiting(m)
	b := newByteCount(m, false)
	order := graph.Order{Name: "greedy-bytes", Ops: make([]int, 0, len(m.Ops))}
	var ready readyHeap
	for i, n := range left {
		if n == 0 {
			ready.push(b.entry(i))
		}
	}
	done := make([]bool, len(m.Ops))
	for len(ready) > 0 {
		// An operator is pushed again whenever it would free more than before.
		// The newest entry of an operator surfaces first.
		i := ready.pop().op
		if done[i] {
			continue
		}
		done[i] = true
		order.Ops = append(order.Ops, i)
		if len(order.Ops)%checkEvery == 0 && ctx.Err() != nil {
			return graph.Order{}, ctx.Err()
		}
		b.run(i, func(last int) {
			if left[last] == 0 {
				ready.push(b.entry(last))
			}
		})
		for _, k := range next.of(i) {
			if left[k]--; left[k] == 0 {
				ready.push(b.entry(k))
			}
		}
	}
	return order, nil
}

func (b *byteCount) entry(i int) entry {
	return entry{b.allocates[i] - b.frees[i], b.allocates[i] + b.m.Ops[i].Transient, i}
}
