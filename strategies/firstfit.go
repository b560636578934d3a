package strategies

// First fit takes the buffers as an allocator meets them, in the order of their
// first step, and puts each at the lowest offset at which it is clear of those
// still live. It never looks ahead.
//
// Complexity: O(n log n); O(n^2) in the worst case on tables with gaps, fixed
// offsets or several alignments.
//
// References: D. E. Knuth, The Art of Computer Programming, volume 1, section
// 2.5, Addison-Wesley, 1968 (3rd edition 1997); J. M. Robson, "Worst case
// fragmentation of first fit and best fit storage allocation strategies", The
// Computer Journal 20(3), 1977, pages 242-244, doi:10.1093/comjnl/20.3.242.
//
// Departures: buffers born at the same step come larger first, then
// longer-lived first, where an allocator would serve them as they are asked
// for.

import (
	"context"

	"github.com/arenalab/arenalab/lifetime"
)

type firstFit struct{}

func (firstFit) Info() Info {
	return Info{
		Name:       "first-fit",
		Title:      "First fit in birth order",
		Summary:    "in order of first use, at the lowest offset that is free",
		Reference:  "D. E. Knuth, The Art of Computer Programming, vol. 1, sec. 2.5, 1968; J. M. Robson, Worst case fragmentation of first fit and best fit storage allocation strategies, The Computer Journal 20(3), 1977, doi:10.1093/comjnl/20.3.242",
		Complexity: "O(n log n); O(n^2) with gaps, fixed offsets or mixed alignments",
		Key:        "first use, the larger, the later last use",
		Guarantee:  equalSizes,
	}
}

// equalSizes is the guarantee of everything that places in birth order among
// equals: with one size it is the greedy colouring of an interval graph.
const equalSizes = "equals the peak live bytes if all sizes are equal and a multiple of the common alignment, without gaps and fixed offsets"

func (firstFit) Plan(ctx context.Context, t *lifetime.Table, o Options) (*lifetime.Plan, error) {
	m := method{rule: lowestGap, order: byBirth(), births: true}
	return m.place(ctx, t, o)
}
