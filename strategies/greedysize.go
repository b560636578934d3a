package strategies

// Greedy by size places the largest buffer first, each at the lowest offset at
// which it is clear of all placed buffers that are ever live with it, so that
// small buffers fill the holes between large ones.
//
// Complexity: O(n^2) in the worst case; near O(n log n) on tables of networks.
//
// References: Y. Pisarchyk and J. Lee, "Efficient Memory Management for Deep
// Neural Net Inference", MLSys 2020 workshop on resource-constrained learning,
// arXiv:2001.03288 (the order); class GreedyMemoryPlanner of TensorFlow Lite
// for Microcontrollers (the order with first fit).
//
// Departures: equal sizes come in order of first use, then longer-lived first;
// both references leave that to the order of the rows. For the planner as it
// ships see tflm.

import (
	"context"

	"github.com/arenalab/arenalab/lifetime"
)

type greedySize struct{}

func (greedySize) Info() Info {
	return Info{
		Name:       "greedy-size",
		Title:      "Greedy by size, first fit",
		Summary:    "largest first, at the lowest offset that is free throughout its life",
		Reference:  "Y. Pisarchyk and J. Lee, Efficient Memory Management for Deep Neural Net Inference, 2020, arXiv:2001.03288 (order); class GreedyMemoryPlanner, tensorflow/tflite-micro (order with first fit)",
		Complexity: "O(n^2) worst case, near O(n log n) on networks",
		Key:        "size descending, first use, the later last use",
		Guarantee:  equalSizes,
	}
}

func (greedySize) Plan(ctx context.Context, t *lifetime.Table, o Options) (*lifetime.Plan, error) {
	m := method{rule: lowestGap, order: bySize()}
	return m.place(ctx, t, o)
}
