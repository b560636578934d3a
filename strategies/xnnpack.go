package strategies

// XNNPACK takes the largest value first and puts each into the smallest hole
// between the placed values that are ever live with it. Until July 2026 it did
// not see the hole below the lowest of them.
//
// Complexity: O(n^2) in the worst case; near O(n log n) on tables of networks.
// The original is O(n^2 log n).
//
// Reference: xnn_plan_value_allocation_tracker, src/memory-planner.c,
// google/XNNPACK at commit 0fd983b4c3a7 for the older one; the newer one as
// described in pull request 10801, which answers issue 10800.
//
// Rule, to the byte: size descending. Blocks that touch count as one. Of the
// holes between blocks that are large enough the smallest is taken, the lowest
// of equals; else the end of the last block. The newer one considers the hole
// [0, first block) too, before the others, and keeps it on ties.
//
// Departures: the original sorts with qsort, which leaves ties to the C library;
// GNU's is a merge sort, which keeps the order of rows, as is done here. Sizes
// are rounded up to the alignment, as the runtime does before it plans. Fixed
// offsets, which it does not know, are obstacles from the start; a buffer with
// gaps is taken to use all its bytes all its life.

import (
	"context"

	"github.com/arenalab/arenalab/lifetime"
)

// xnnpack is the planner; old says that it does not see the lowest hole.
type xnnpack struct{ old bool }

func (x xnnpack) Info() Info {
	i := Info{
		Name:       "xnnpack",
		Title:      "XNNPACK",
		Summary:    "largest first, into the smallest hole",
		Reference:  "xnn_plan_value_allocation_tracker, src/memory-planner.c, google/XNNPACK after pull request 10801 (July 2026)",
		Complexity: "O(n^2) worst case, near O(n log n) on networks",
		Key:        "size descending; ties by row",
		RowOrder:   true,
	}
	if x.old {
		i.Name = "xnnpack-2025"
		i.Title = "XNNPACK until July 2026"
		i.Summary = "largest first, into the smallest hole but the one at 0"
		i.Reference = "xnn_plan_value_allocation_tracker, src/memory-planner.c, google/XNNPACK at 0fd983b4c3a7"
	}
	return i
}

func (x xnnpack) Plan(ctx context.Context, t *lifetime.Table, o Options) (*lifetime.Plan, error) {
	m := x.method()
	return m.place(ctx, t, o)
}

func (x xnnpack) method() method {
	m := method{rule: smallestGap, order: xnnpackOrder(), whole: true, rounds: true}
	if x.old {
		m.rule = innerGap
	}
	return m
}

func xnnpackOrder() sorting {
	return sorting{key: sizeDown, columns: func(*lifetime.Table) []column { return []column{sizeColumn} }}
}
