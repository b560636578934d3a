package strategies

// Worst fit takes the buffers in the order of their first step and puts each at
// the start of the largest hole, so that what is left of the hole is as useful
// as can be. It is the yardstick of what best fit gains.
//
// Complexity: O(n log n); O(n^2) in the worst case on tables with gaps, fixed
// offsets or several alignments.
//
// References: D. E. Knuth, The Art of Computer Programming, volume 1, section
// 2.5, Addison-Wesley, 1968 (3rd edition 1997); P. R. Wilson, M. S. Johnstone,
// M. Neely and D. Boles, "Dynamic Storage Allocation: A Survey and Critical
// Review", IWMM 1995, LNCS 986, doi:10.1007/3-540-60368-9_19.
//
// Rule: a hole is the free bytes below or between buffers live with the one to
// be placed, measured from the first aligned offset; the largest is taken, the
// lowest of equals. The space above what is live has no end and is no hole: it
// is taken only if no hole will do, since else it would always be.
//
// Departures: an allocator has a heap of fixed size, whose end closes the last
// hole. Buffers born at the same step come larger first, then longer-lived
// first.

import (
	"context"

	"github.com/arenalab/arenalab/lifetime"
)

// survey names what both worst fit and next fit follow.
const survey = "D. E. Knuth, The Art of Computer Programming, vol. 1, sec. 2.5, 1968; P. R. Wilson et al., Dynamic Storage Allocation: A Survey and Critical Review, IWMM 1995, doi:10.1007/3-540-60368-9_19"

type worstFit struct{}

func (worstFit) Info() Info {
	return Info{
		Name:       "worst-fit",
		Title:      "Worst fit in birth order",
		Summary:    "in order of first use, into the largest hole",
		Reference:  survey,
		Complexity: "O(n log n); O(n^2) with gaps, fixed offsets or mixed alignments",
		Key:        "first use, the larger, the later last use",
		Guarantee:  equalSizes,
	}
}

func (worstFit) Plan(ctx context.Context, t *lifetime.Table, o Options) (*lifetime.Plan, error) {
	return placeAtBirth(ctx, t, o, largestGap, newHeap(true), func(h *blockHeap, size int64) int32 {
		return h.takeFrom(h.searchLargest(size), size)
	})
}

// placeAtBirth places in birth order by the rule. Tables that a heap can
// simulate are served from h by take, which follows the same rule.
func placeAtBirth(ctx context.Context, t *lifetime.Table, o Options, r rule, h *blockHeap, take func(h *blockHeap, size int64) int32) (*lifetime.Plan, error) {
	ctx, cancel := limit(ctx, o)
	defer cancel()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	p, err := prepare(&method{rule: r, order: byBirth(), births: true}, t, o)
	if err != nil {
		return nil, err
	}
	if p.plain && len(p.items) > listLimit {
		err = p.serve(ctx, h, func(it *item) int32 {
			return take(h, lifetime.AlignUp(it.size, it.align))
		})
	} else {
		err = p.fill(ctx, tuning{listLimit, perBucket, crowd})
	}
	if err != nil {
		return nil, err
	}
	return lifetime.NewPlan(t, p.offsets), nil
}

// searchLargest returns the lowest of the largest holes, or 0 if even these do
// not hold the size. The treap must be in order of size.
func (h *blockHeap) searchLargest(size int64) int32 {
	return h.search(max(size, h.blocks[h.root].widest))
}
