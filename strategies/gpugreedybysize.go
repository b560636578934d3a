package strategies

// GPU greedy by size plans offsets as TFLite's GPU delegate does: the largest
// first, each into the smallest gap between the placed buffers that are ever
// live with it.
//
// Complexity: O(n^2) in the worst case; near O(n log n) on tables of networks.
// The original is O(n^2).
//
// Reference: GreedyBySizeAssignment, tensorflow/lite/delegates/gpu/common/
// memory_management/greedy_by_size_assignment.cc, tensorflow/tensorflow at
// commit 25227c94fd82; Y. Pisarchyk, J. Lee, "Efficient memory management for
// deep neural net inference", MLSys 2020 workshop, arXiv:2001.03288.
//
// Rule, to the byte: the end of every buffer is rounded up to the alignment,
// and a gap is measured from there; the smallest gap that is large enough is
// taken, of equal ones the lowest. Records come in birth order.
//
// Departures: the original sorts with std::sort, so that the order of equal
// sizes depends on the C++ library; here it is the order of the records, or,
// with the tie rule libstdc++, the one GNU's library leaves. It knows one
// alignment for all buffers, no fixed offsets and no gaps in lives.

import (
	"context"

	"github.com/arenalab/arenalab/lifetime"
)

// gpuPaper is where the strategies of the GPU delegate were published.
const gpuPaper = "Y. Pisarchyk, J. Lee, Efficient memory management for deep neural net inference, MLSys 2020 workshop, arXiv:2001.03288"

// gpuFolder is where the code is.
const gpuFolder = "tensorflow/lite/delegates/gpu/common/memory_management/"

type gpuGreedyBySize struct{}

func (gpuGreedyBySize) Info() Info {
	return Info{
		Name:       "gpu-greedy-by-size",
		Title:      "TFLite GPU: greedy by size",
		Summary:    "offsets of TFLite's GPU delegate: largest first, smallest gap",
		Reference:  gpuPaper + "; " + gpuFolder + "greedy_by_size_assignment.cc, tensorflow/tensorflow at 25227c94fd82",
		Complexity: "O(n^2) worst case, near O(n log n) on networks",
		Key:        "size descending; ties by first use, then by row",
		RowOrder:   true,
	}
}

func (gpuGreedyBySize) Plan(ctx context.Context, t *lifetime.Table, o Options) (*lifetime.Plan, error) {
	m := method{
		rule:  smallestGap,
		order: sorting{key: sizeDown, native: lowerUp, feed: lowerUp},
		whole: true,
	}
	return m.place(ctx, t, o)
}
