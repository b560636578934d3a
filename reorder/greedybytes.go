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
// and infeeds; here sizes and lives are those of the runtime profile: sizes
// rounded, graph inputs and unread results kept where the profile keeps them.

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

func (greedyBytes) Order(ctx context.Context, s *graph.Subgraph, o Options) (graph.Order, error) {
	if err := begin(ctx, s); err != nil {
		return graph.Order{}, err
	}
	next, left := newSuccessors(s), waiting(s)
	b := newByteCount(s, o.Profile)
	order := graph.Order{Name: "greedy-bytes", Ops: make([]int, 0, len(s.Ops))}
	var ready readyHeap
	for i, n := range left {
		if n == 0 {
			ready.push(b.entry(i))
		}
	}
	done := make([]bool, len(s.Ops))
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
	s         *graph.Subgraph
	size      []int64 // by tensor: bytes that are freed after its last reader
	readers   []int   // by tensor: operators still to read it
	readerSum []int   // by tensor: the sum of their indices, so that the last one is known
	counted   []int   // by tensor: operator that was counted last, plus 1
	allocates []int64 // by operator
	frees     []int64 // by operator: if it ran now
}

func newByteCount(s *graph.Subgraph, p graph.Profile) *byteCount {
	b := &byteCount{
		s:         s,
		size:      make([]int64, len(s.Tensors)),
		readers:   make([]int, len(s.Tensors)),
		readerSum: make([]int, len(s.Tensors)),
		counted:   make([]int, len(s.Tensors)),
		allocates: make([]int64, len(s.Ops)),
		frees:     make([]int64, len(s.Ops)),
	}
	kept := make([]bool, len(s.Tensors))
	given := make([]bool, len(s.Tensors))
	for _, t := range s.Inputs {
		given[t] = true
		kept[t] = p.KeepInputs
	}
	for _, t := range s.Outputs {
		kept[t] = true
	}
	for t := range s.Tensors {
		tensor := &s.Tensors[t]
		producer, readers := s.Producer[t], s.Consumers[t]
		if tensor.Constant || tensor.Variable || tensor.Bytes <= 0 || producer < 0 && !given[t] {
			continue // not in the arena, or there from beginning to end
		}
		size := p.Round(tensor.Bytes)
		if producer >= 0 {
			b.allocates[producer] += size
		}
		if kept[t] {
			continue
		}
		b.size[t] = size
		b.readers[t] = len(readers)
		for _, i := range readers {
			b.readerSum[t] += i
		}
		switch {
		case len(readers) == 1:
			b.frees[readers[0]] += size
		case len(readers) == 0 && producer >= 0 && !p.KeepUnread:
			b.frees[producer] += size
		}
	}
	return b
}

// run counts operator i as run and reports those that became the last reader
// of one of its inputs.
func (b *byteCount) run(i int, last func(op int)) {
	for _, t := range b.s.Ops[i].Inputs {
		if t < 0 || b.size[t] == 0 || b.counted[t] == i+1 {
			continue
		}
		b.counted[t] = i + 1
		b.readers[t]--
		b.readerSum[t] -= i
		if b.readers[t] == 1 {
			b.frees[b.readerSum[t]] += b.size[t]
			last(b.readerSum[t])
		}
	}
}

func (b *byteCount) entry(i int) entry {
	return entry{b.allocates[i] - b.frees[i], b.allocates[i], i}
}
