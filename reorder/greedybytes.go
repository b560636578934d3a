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
	b := newByteCount(m)
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

// byteCount knows what each operator allocates and, as operators run, what it
// would free.
type byteCount struct {
	m         *graph.Memory
	readers   []int   // by value: operators still to read it
	readerSum []int   // by value: the sum of their indices, so that the last one is known
	allocates []int64 // by operator
	frees     []int64 // by operator: if it ran now
}

func newByteCount(m *graph.Memory) *byteCount {
	b := &byteCount{
		m:         m,
		readers:   make([]int, len(m.Values)),
		readerSum: make([]int, len(m.Values)),
		allocates: make([]int64, len(m.Ops)),
		frees:     make([]int64, len(m.Ops)),
	}
	for v := range m.Values {
		x := &m.Values[v]
		if x.Maker >= 0 {
			b.allocates[x.Maker] += x.Size
		}
		b.readers[v] = len(x.Readers)
		for _, i := range x.Readers {
			b.readerSum[v] += i
		}
		if len(x.Readers) == 1 && !x.Kept {
			b.frees[x.Readers[0]] += x.Size
		}
	}
	return b
}

// run counts operator i as run and reports those that became the last reader
// of a value.
func (b *byteCount) run(i int, last func(op int)) {
	for _, v := range b.m.Ops[i].Reads {
		b.readers[v]--
		b.readerSum[v] -= i
		if b.readers[v] == 1 && !b.m.Values[v].Kept {
			b.frees[b.readerSum[v]] += b.m.Values[v].Size
			last(b.readerSum[v])
		}
	}
}

func (b *byteCount) entry(i int) entry {
	return entry{b.allocates[i] - b.frees[i], b.allocates[i] + b.m.Ops[i].Transient, i}
}
