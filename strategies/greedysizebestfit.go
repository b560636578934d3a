package strategies

// Greedy by size with best fit places the largest buffer first, each into the
// smallest hole between the placed buffers that are ever live with it, the
// lowest among equals; if none is large enough, on top of them.
//
// Complexity: O(n^2) in the worst case; near O(n log n) on tables of networks.
//
// Reference: Y. Pisarchyk and J. Lee, "Efficient Memory Management for Deep
// Neural Net Inference", MLSys 2020 workshop on resource-constrained learning,
// arXiv:2001.03288, greedy by size for offset calculation.
//
// Departures: equal sizes come in order of first use, then longer-lived first,
// which the paper leaves open; offsets are aligned and a hole is measured from
// its first aligned offset. For the planner as LiteRT ships it see litert.

import (
	"context"

	"github.com/arenalab/arenalab/lifetime"
)

type greedySizeBestFit struct{}

func (greedySizeBestFit) Info() Info {
	return Info{
		Name:       "greedy-size-best-fit",
		Title:      "Greedy by size, best fit",
		Summary:    "largest first, into the smallest hole that is large enough",
		Reference:  "Y. Pisarchyk and J. Lee, Efficient Memory Management for Deep Neural Net Inference, 2020, arXiv:2001.03288, greedy by size for offset calculation",
		Complexity: "O(n^2) worst case, near O(n log n) on networks",
		Key:        "size descending, first use, the later last use",
		Guarantee:  equalSizes,
	}
}

func (greedySizeBestFit) Plan(ctx context.Context, t *lifetime.Table, o Options) (*lifetime.Plan, error) {
	m := method{rule: smallestGap, order: bySize()}
	return m.place(ctx, t, o)
}
