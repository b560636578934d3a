package reorder

// XLA's DFS scheduler runs what an operator needs just before it, and of that
// first what has most readers beyond the first behind it, all the way back: what
// was read there by several stays alive anyway.
//
// Complexity: O(n + m log m).
//
// Reference: DFSMemoryScheduler in
// xla/hlo/transforms/simplifiers/hlo_memory_scheduler.cc, openxla/xla at commit
// 1c7545f1; the walk is PostOrderDFS in xla/hlo/ir/hlo_instruction.cc at commit
// 001918b7.
//
// Rule: an operator has its users less one, and the bytes of its results; both
// are summed with those of its operands, so that what several paths lead to
// counts several times. In post-order, each first sum is capped by the number of
// nodes of the graph, each second one by the bytes of all results so far. The
// walk begins at the operators that nobody reads, in stored order, then comes to
// the results of the graph. Predecessors, control edges included, are entered by
// the first sum, descending, then by the second, descending.
//
// Departures: the last tie goes to the operator stored first, in XLA to the name
// that sorts first. Bytes are those of the arena, so that what lies on top of an
// operand has none; graph inputs, constants and variables weigh nothing, as in
// XLA. The results of a graph are operands of one last operator even if there is
// only one. Constants that a graph does not name cannot be counted in the cap.

import (
	"cmp"
	"context"
	"slices"

	"github.com/arenalab/arenalab/graph"
)

type xlaDFS struct{}

func (xlaDFS) Info() Info {
	return Info{
		Name:       "xla-dfs",
		Title:      "XLA DFS",
		Summary:    "post-order, of the operands first the one with most sharing behind it",
		Reference:  "DFSMemoryScheduler, " + xlaSource,
		Complexity: "O(n + m log m)",
	}
}

func (xlaDFS) Order(ctx context.Context, m *graph.Memory, _ Options) (graph.Order, error) {
	if err := begin(ctx, m); err != nil {
		return graph.Order{}, err
	}
	x, err := newOperands(m)
	if err != nil {
		return graph.Order{}, err
	}
	behind, err := x.behind(ctx, m)
	if err != nil {
		return graph.Order{}, err
	}
	compare := func(a, b int) int {
		return cmp.Or(
			cmp.Compare(behind[b].users, behind[a].users),
			cmp.Compare(behind[b].bytes, behind[a].bytes),
			cmp.Compare(a, b))
	}
	next := make([][]int, len(m.Ops))
	for i, before := range m.Before {
		if next[i] = before; len(before) > 1 {
			next[i] = slices.Clone(before)
			slices.SortFunc(next[i], compare)
		}
	}
	slices.SortFunc(x.results, compare)
	// What others wait for, by control edges only, the walk comes to from there.
	waited := newSuccessors(m)
	roots := slices.DeleteFunc(x.unread(), func(i int) bool { return len(waited.of(i)) > 0 })
	ops, err := postOrder(ctx, len(next), append(roots, x.results...), func(i int) []int { return next[i] })
	if err != nil {
		return graph.Order{}, err
	}
	return graph.Order{Name: "xla-dfs", Ops: ops}, nil
}

// sharing is what lies behind an operator, each path counted.
type sharing struct {
	users int   // of each operator those but the first
	bytes int64 // of results
}

func (x *operands) behind(ctx context.Context, m *graph.Memory) ([]sharing, error) {
	order, err := x.postOrder(ctx)
	if err != nil {
		return nil, err
	}
	behind, all := make([]sharing, len(m.Ops)), int64(0)
	for _, i := range order {
		b := sharing{users: max(x.users[i]-1, 0)}
		for _, v := range m.Ops[i].Makes {
			b.bytes += m.Values[v].Size
		}
		all += b.bytes
		for _, p := range x.data[i] {
			b.users = min(b.users+behind[p].users, x.nodes)
			b.bytes = min(b.bytes+behind[p].bytes, all)
		}
		behind[i] = b
	}
	return behind, nil
}
