package strategies

// Vela's linear allocator stacks all live ranges and shares nothing between
// them.
//
// Complexity: O(n), with f fixed offsets O(n + f log f).
//
// Reference: linear_allocate_live_ranges, ethosu/vela/tensor_allocation.py, the
// package ethos-u-vela 5.2.0.
//
// Rule, to the byte: each live range at the end of the one before it, whose size
// is rounded up to the alignment.
//
// Departures: the original gives constants that are compressed alike one
// address; a table holds each only once. It has one alignment for all, and no
// fixed offsets: here their bytes are stepped over. With a single alignment the
// offsets are those of naive.

import (
	"context"

	"github.com/arenalab/arenalab/lifetime"
)

type velaLinear struct{}

func (velaLinear) Info() Info {
	return Info{
		Name:       "vela-linear",
		Title:      "Vela, LinearAlloc",
		Summary:    "the allocator of Arm's Vela that shares nothing",
		Reference:  "linear_allocate_live_ranges, ethosu/vela/tensor_allocation.py, ethos-u-vela 5.2.0",
		Complexity: "O(n)",
		Key:        "by row",
		Guarantee:  "the sum of all sizes, rounded up to their alignment",
		RowOrder:   true,
	}
}

func (velaLinear) Plan(ctx context.Context, t *lifetime.Table, o Options) (*lifetime.Plan, error) {
	return stack(ctx, t, o, true)
}
