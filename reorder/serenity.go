package reorder

// SERENITY schedules level by level: of all ways to run k operators that leave
// the same set of ready ones it keeps the one of the least peak. The graph is
// divided at operators that every other comes before or after, and states above
// a soft budget of bytes are dropped, a budget found by halving: too many
// states at a level lower it, no order within it raises it.
//
// Complexity: O(2^k k) for the largest division of k operators; the halving
// takes O(log peak) runs, each O(k) levels of bounded width.
//
// Reference: B. H. Ahn, J. Lee, J. M. Lin, H.-P. Cheng, J. Hou,
// H. Esmaeilzadeh, "Ordering chaos: memory-aware scheduling of irregularly wired
// neural networks for edge devices", MLSys 2020, arXiv:2003.02369.
//
// Departures: a level ends at a number of states where the original has a limit
// of seconds, so that the order does not depend on the machine. The hard budget
// is the smaller peak of Kahn's and the stored order; a division for which no
// soft budget is found keeps that order. Graphs are not rewritten. Control
// edges, several results and results in the place of operands count.

import (
	"context"
	"slices"

	"github.com/arenalab/arenalab/graph"
)

type serenity struct{}

const (
	serenitySteps = 6_000_000 // operators run after a state
	serenityLevel = 65_536    // states of a level
)

func (serenity) Info() Info {
	return Info{
		Name:       "serenity",
		Title:      "SERENITY (Ahn et al.)",
		Summary:    "programme over ready sets, divided at single operators, under a soft budget of bytes",
		Reference:  "B. H. Ahn et al., Ordering chaos: memory-aware scheduling of irregularly wired neural networks for edge devices, MLSys 2020, arXiv:2003.02369",
		Complexity: "O(2^k k), k operators between two that all others are ordered to",
		Guarantee:  "the least peak of all orders, if a budget of bytes with few enough states is found for every division",
	}
}

func (serenity) Order(ctx context.Context, m *graph.Memory, o Options) (graph.Order, error) {
	if err := begin(ctx, m); err != nil {
		return graph.Order{}, err
	}
	ops, _ := divide(m, newBudget(ctx, o, serenitySteps), serenityLevel)
	return noWorse(m, "serenity", ops), nil
}

// divide orders the divisions one after the other, with levels of so many states
// at most. It reports whether the order has the least peak.
func divide(m *graph.Memory, b *budget, width int) (ops []int, exact bool) {
	exact = true
	stored := graph.Stored(m.Subgraph).Ops
	ops = make([]int, 0, len(m.Ops))
	for d := range divisions(m) {
		list := stored[d.from:d.to]
		if len(list) == 1 {
			ops = append(ops, list[0])
			continue
		}
		l := levels{part: newPart(m, list, func(op int) bool { return op < d.from }), budget: b, width: width}
		found, least := l.order()
		exact = exact && least
		for _, k := range found {
			ops = append(ops, list[k])
		}
	}
	return ops, exact
}

// span is a range of operators in stored order.
type span struct{ from, to int }

// divisions yields the ranges of the stored order that run one after the other
// in every order: operators that are ordered to all others, and those between.
func divisions(m *graph.Memory) func(yield func(span) bool) {
	n := len(m.Ops)
	firstNext := slices.Repeat([]int{n}, n) // first that needs the operator
	for i, before := range m.Before {
		for _, p := range before {
			firstNext[p] = min(firstNext[p], i)
		}
	}
	// All before i lead to it if each of them is needed by one up to i, and it
	// leads to all after it if each of them needs one from i on.
	after := make([]int, n+1) // by operator: the earliest last need of those from it on
	after[n] = n
	for i := n - 1; i >= 0; i-- {
		last := -1
		if k := len(m.Before[i]); k > 0 {
			last = m.Before[i][k-1]
		}
		after[i] = min(after[i+1], last)
	}
	return func(yield func(span) bool) {
		from, reach := 0, 0
		for i := range n {
			if reach <= i && after[i+1] >= i {
				if from < i && !yield(span{from, i}) || !yield(span{i, i + 1}) {
					return
				}
				from = i + 1
			}
			reach = max(reach, firstNext[i])
		}
		if from < n {
			yield(span{from, n})
		}
	}
}

// levels is the search for an order of a part.
type levels struct {
	*part
	*budget
	width int // most states of a level
	past  []level
}

// level says of each state how it was reached.
type level struct{ from, op []int32 }

type outcome int

const (
	solved outcome = iota
	tooMany
	noOrder
)

// order returns the order of a part, and whether it has the least peak.
func (l *levels) order() (ops []int, exact bool) {
	ops, hard := l.known()
	low, high := l.start-1, hard // no order within low; high not tried or too many states
	for soft := hard; !l.ended; soft = low + (high-low)/2 {
		found, result := l.within(soft)
		switch result {
		case solved:
			return found, true
		case tooMany:
			high = soft
		case noOrder:
			low = soft
		}
		if high-low <= 1 {
			break
		}
	}
	return ops, false
}

// known returns the better of Kahn's and the stored order, and its peak.
func (l *levels) known() (ops []int, peak int64) {
	ops = make([]int, len(l.ops))
	left := make([]int, len(l.ops))
	var queue []int
	for k := range l.ops {
		ops[k] = k
		if left[k] = len(l.pred[k]); left[k] == 0 {
			queue = append(queue, k)
		}
	}
	for at := 0; at < len(queue); at++ {
		for _, k := range l.succ[queue[at]] {
			if left[k]--; left[k] == 0 {
				queue = append(queue, int(k))
			}
		}
	}
	peak = l.peak(ops)
	if kahn := l.peak(queue); kahn < peak {
		return queue, kahn
	}
	return ops, peak
}

// peak returns the most bytes live while the part runs in an order.
func (p *part) peak(ops []int) (peak int64) {
	set, live := make(opset, p.words), p.start
	for _, k := range ops {
		during, after := p.run(set, k)
		peak = max(peak, live+during)
		live += after
		set.add(k)
	}
	return peak
}

// within looks for an order whose peak is at most soft.
func (l *levels) within(soft int64) (ops []int, result outcome) {
	now, next := newStates(l.words), newStates(l.words)
	set := make(opset, l.words)
	now.find(set)
	now.live[0], now.peak[0] = l.start, 0
	l.past = l.past[:0]
	for range l.ops {
		for s := range now.len() {
			copy(set, now.set(s))
			l.expand(now, next, s, set, soft)
			if l.ended || next.len() > l.width {
				return nil, tooMany
			}
		}
		if next.len() == 0 {
			return nil, noOrder
		}
		l.past = append(l.past, level{slices.Clone(next.from), slices.Clone(next.op)})
		now, next = next, now
		next.reset()
	}
	ops = make([]int, len(l.ops))
	at := int32(0)
	for k := len(ops) - 1; k >= 0; k-- {
		ops[k] = int(l.past[k].op[at])
		at = l.past[k].from[at]
	}
	return ops, solved
}

// expand runs every ready operator after state s.
func (l *levels) expand(now, next *states, s int, set opset, soft int64) {
	for k := range l.ops {
		if set.has(k) || !set.hasAll(l.pred[k]) {
			continue
		}
		if !l.step() {
			return
		}
		during, after := l.run(set, k)
		peak := max(now.peak[s], now.live[s]+during)
		if peak > soft {
			continue
		}
		set.add(k)
		to, _ := next.find(set)
		set.drop(k)
		if peak < next.peak[to] {
			next.live[to] = now.live[s] + after
			next.peak[to], next.from[to], next.op[to] = peak, int32(s), int32(k)
		}
	}
}
