package strategies

// IREE packs the slices of a stream in the order in which they are listed, each
// into the smallest hole between the placed slices that are ever live with it,
// with the measure of holes that TensorFlow Lite has.
//
// Complexity: O(n^2) in the worst case; near O(n log n) on tables of networks.
// The original is O(n^2).
//
// Reference: packStaticSlicesGreedily, compiler/src/iree/compiler/Dialect/
// Stream/Transforms/LayoutSlices.cpp, iree-org/iree at commit 0ca4f62a8f17.
//
// Rule, to the byte: by row, without any sort. Sizes are rounded up to the range
// alignment, offsets to the offset alignment, which are both the alignment of
// the table here. A hole qualifies if the rounded size fits above its aligned
// start and if it is smaller, measured from there, than the best so far, which
// is remembered with the padding below that start.
//
// Departures: slices of unknown size, which the original lays above these, are
// not in tables. Fixed offsets, which it does not know, are obstacles from the
// start; a buffer with gaps is taken to use all its bytes all its life.

import (
	"context"

	"github.com/arenalab/arenalab/lifetime"
)

type iree struct{}

func (iree) Info() Info {
	return Info{
		Name:       "iree-layout-slices",
		Title:      "IREE, layout slices",
		Summary:    "by row, into the smallest hole, as measured by TensorFlow Lite",
		Reference:  "packStaticSlicesGreedily, compiler/src/iree/compiler/Dialect/Stream/Transforms/LayoutSlices.cpp, iree-org/iree at 0ca4f62a8f17",
		Complexity: "O(n^2) worst case, near O(n log n) on networks",
		Key:        "by row",
		RowOrder:   true,
	}
}

func (iree) Plan(ctx context.Context, t *lifetime.Table, o Options) (*lifetime.Plan, error) {
	m := iree{}.method()
	return m.place(ctx, t, o)
}

func (iree) method() method {
	return method{rule: litertGap, order: sorting{key: rows}, whole: true, rounds: true}
}
