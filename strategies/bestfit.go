package strategies

// Best fit takes the buffers in the order of their first step and puts each
// into the smallest hole between those still live that holds it, the lowest
// among equals; if none does, on top. It never looks ahead.
//
// Complexity: O(n log n); O(n^2) in the worst case on tables with gaps, fixed
// offsets or several alignments.
//
// References: D. E. Knuth, The Art of Computer Programming, volume 1, section
// 2.5, Addison-Wesley, 1968 (3rd edition 1997); J. M. Robson, "Worst case
// fragmentation of first fit and best fit storage allocation strategies", The
// Computer Journal 20(3), 1977, pages 242-244, doi:10.1093/comjnl/20.3.242.
//
// Departures: a hole is measured from its first aligned offset; ties at one
// step as in first-fit.

import (
	"context"

	"github.com/arenalab/arenalab/lifetime"
)

type bestFit struct{}

func (bestFit) Info() Info {
	return Info{
		Name:       "best-fit",
		Title:      "Best fit in birth order",
		Summary:    "in order of first use, into the smallest hole that is large enough",
		Reference:  "D. E. Knuth, The Art of Computer Programming, vol. 1, sec. 2.5, 1968; J. M. Robson, Worst case fragmentation of first fit and best fit storage allocation strategies, The Computer Journal 20(3), 1977, doi:10.1093/comjnl/20.3.242",
		Complexity: "O(n log n); O(n^2) with gaps, fixed offsets or mixed alignments",
		Key:        "first use, the larger, the later last use",
		Guarantee:  equalSizes,
	}
}

func (bestFit) Plan(ctx context.Context, t *lifetime.Table, o Options) (*lifetime.Plan, error) {
	m := method{rule: smallestGap, order: byBirth(), births: true}
	return m.place(ctx, t, o)
}
