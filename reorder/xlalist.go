package reorder

// XLA's list scheduler runs, of the operators that are ready, the one that
// frees most and defines least. It sees what is live before and after an
// operator, not what it needs while it runs.
//
// Complexity: O((n + m) log n).
//
// Reference: ListScheduler in
// xla/hlo/transforms/simplifiers/hlo_memory_scheduler.cc, openxla/xla at commit
// 1c7545f1.
//
// Rule: the most bytes freed less bytes defined first, of equals the one with
// most users, of those the one that came to its place in the queue last. Graph
// inputs and constants weigh nothing, and results of the graph are never freed.
// Results of one element go before everything. An operator enters the queue when
// it is ready, in stored order of those that became so at once; it enters anew
// when a value is left with it as its only reader, unless nothing changes.
//
// Departures: graph inputs and constants are there before all operators; in XLA
// they are taken from the queue as well, which says in what sequence operators
// that read nothing else enter. Of several that enter anew at once values in
// ascending order decide, in XLA positions of operands. A value that lies on top
// of another is the same value, as in XLA, but also where XLA decides so after
// scheduling. Working memory and what nothing reads are not counted. There are
// no infeeds and outfeeds.

import (
	"context"
	"math"

	"github.com/arenalab/arenalab/graph"
)

type xlaList struct{}

func (xlaList) Info() Info {
	return Info{
		Name:       "xla-list",
		Title:      "XLA list scheduler",
		Summary:    "of the ready operators the one that frees most and defines least, then the one with most users",
		Reference:  "ListScheduler, " + xlaSource,
		Complexity: "O((n + m) log n)",
	}
}

func (xlaList) Order(ctx context.Context, m *graph.Memory, _ Options) (graph.Order, error) {
	if err := begin(ctx, m); err != nil {
		return graph.Order{}, err
	}
	x, err := newOperands(m)
	if err != nil {
		return graph.Order{}, err
	}
	q := newListQueue(m, x)
	order := graph.Order{Name: "xla-list", Ops: make([]int, 0, len(m.Ops))}
	next, left := newSuccessors(m), waiting(m)
	for i, n := range left {
		if n == 0 {
			q.enter(i)
		}
	}
	var changed []int
	for len(q.heap) > 0 {
		i, ok := q.take()
		if !ok {
			continue
		}
		order.Ops = append(order.Ops, i)
		if len(order.Ops)%checkEvery == 0 && ctx.Err() != nil {
			return graph.Order{}, ctx.Err()
		}
		changed = changed[:0]
		q.bytes.run(i, func(last int) { changed = append(changed, last) })
		for _, k := range next.of(i) {
			if left[k]--; left[k] == 0 {
				q.enter(k)
			}
		}
		for _, k := range changed {
			if left[k] == 0 {
				q.enter(k)
			}
		}
	}
	return order, nil
}

// listQueue holds the ready operators. One that enters anew leaves its former
// entry behind, which is known by its turn.
type listQueue struct {
	heap   binaryHeap[listEntry]
	bytes  *byteCount
	users  []int
	scalar []bool      // by operator: its result has one element
	last   []listEntry // by operator: the entry that counts
	turns  int
}

type listEntry struct {
	net       int64 // bytes freed less bytes defined
	users, op int
	turn      int // from 1; 0 if not in the queue
}

var _ ranked[listEntry] = listEntry{}

func (a listEntry) before(b listEntry) bool {
	switch {
	case a.net != b.net:
		return a.net > b.net
	case a.users != b.users:
		return a.users > b.users
	}
	return a.turn > b.turn
}

func newListQueue(m *graph.Memory, x *operands) *listQueue {
	q := &listQueue{
		bytes:  newByteCount(m, true),
		users:  x.users,
		scalar: make([]bool, len(m.Ops)),
		last:   make([]listEntry, len(m.Ops)),
	}
	for i := range m.Ops {
		if out := m.Subgraph.Ops[i].Outputs; len(out) == 1 {
			q.scalar[i] = oneElement(&m.Subgraph.Tensors[out[0]])
		}
	}
	return q
}

// oneElement reports whether the tensor has one element whatever happens.
func oneElement(t *graph.Tensor) bool {
	for _, d := range t.Shape {
		if d != 1 {
			return false
		}
	}
	return !t.Unknown() && t.Bytes > 0 && t.Bytes <= max(1, t.Type.Bits()/8)
}

// enter lets the operator into the queue, or anew if its keys are others now.
func (q *listQueue) enter(i int) {
	e := listEntry{net: q.bytes.frees[i] - q.bytes.allocates[i], users: q.users[i], op: i}
	if q.scalar[i] {
		e.net, e.users = math.MaxInt64, math.MaxInt
	}
	if old := q.last[i]; old.turn > 0 && old.net == e.net {
		return
	}
	q.turns++
	e.turn = q.turns
	q.last[i] = e
	q.heap.push(e)
}

// take takes out the first entry and reports whether it counts.
func (q *listQueue) take() (op int, ok bool) {
	e := q.heap.pop()
	return e.op, e.turn == q.last[e.op].turn
}
