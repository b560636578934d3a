package reorder

// XLA's default scheduler tries three orders, list, DFS and post-order, and
// takes the one of the least peak.
//
// Complexity: O(n + m log m).
//
// Reference: DefaultMemoryScheduler in
// xla/hlo/transforms/simplifiers/hlo_memory_scheduler.cc, openxla/xla at commit
// 1c7545f1.
//
// Rule: orders are compared by the bytes they need without fragmentation; of
// equals list is taken before DFS before post-order.
//
// Departures: those of the three. A peak is that of the profile, which may have
// results in the place of operands; XLA chooses one schedule for a whole module,
// here each subgraph has its own.

import (
	"context"

	"github.com/arenalab/arenalab/graph"
)

type xlaMin struct{}

func (xlaMin) Info() Info {
	return Info{
		Name:       "xla-min",
		Title:      "XLA default",
		Summary:    "the best of xla-list, xla-dfs and xla-postorder",
		Reference:  "DefaultMemoryScheduler, " + xlaSource,
		Complexity: "O(n + m log m)",
		Guarantee:  "peak at most that of xla-list, xla-dfs and xla-postorder",
	}
}

func (xlaMin) Order(ctx context.Context, m *graph.Memory, o Options) (graph.Order, error) {
	return least(ctx, m, o, "xla-min", xlaList{}, xlaDFS{}, xlaPostorder{})
}
