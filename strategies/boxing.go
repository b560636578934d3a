package strategies

// Boxing packs buffers of about one size into boxes, boxes of about one size
// into larger boxes, and so on, until all boxes are alike and can be coloured
// as intervals. Opened again, the boxes give an order, in which every buffer
// falls to the lowest offset that is free. That is repeated with other random
// instants at which boxes are cut, and the best plan is kept.
//
// Complexity: O(n^2) for each of at most 20 rounds in the worst case; near
// O(n log n) on tables of networks.
//
// References: A. L. Buchsbaum, H. Karloff, C. Kenyon, N. Reingold, M. Thorup,
// "OPT versus LOAD in dynamic storage allocation", SIAM Journal on Computing
// 33(3), 2004, pages 632-646 (STOC 2003, pages 556-564,
// doi:10.1145/780542.780624); C. P. Lamprakos et al., "Futureproof static memory
// planning", arXiv:2504.04874, 2025, whose program this follows:
// cappadokes/idealloc, coreba/src, at commit a21f84d.
//
// Rule: start with first fit by size and lifetime, both descending. Add one
// long buffer 2216.54 times the smallest if sizes differ too little, and choose
// the error (Theorem 16) that leaves the least ratio of sizes. In each round box
// small sizes while the theory allows, box all with Corollary 15, colour the
// boxes, open them, and let the buffers fall. Stop at the peak live bytes.
//
// Departures: random numbers have a seed and come from one generator, where the
// original draws anew in every thread. Rounds are bounded by the number of
// buffers placed too. A box is opened into rows of the height it was packed
// with, so that the opened plan is safe, where the original stacks every size
// apart. Buffers of a critical instant are all live at it. Fixed offsets are
// obstacles in the fall, unknown to the boxes; buffers with gaps live all their
// lives.

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/arenalab/arenalab/lifetime"
)

type boxing struct{}

func (boxing) Info() Info {
	return Info{
		Name:       "boxing",
		Title:      "Boxing (idealloc)",
		Summary:    "random boxes of equal heights, opened into an order for first fit",
		Reference:  "A. L. Buchsbaum, H. Karloff, C. Kenyon, N. Reingold, M. Thorup, OPT versus LOAD in dynamic storage allocation, STOC 2003, doi:10.1145/780542.780624; C. P. Lamprakos et al., Futureproof static memory planning, arXiv:2504.04874; cappadokes/idealloc at a21f84d",
		Complexity: "O(n^2) worst case for each of at most 20 rounds",
		Key:        "size descending, lifetime descending, then the order of the boxes",
		Guarantee:  "no more than first fit by size and lifetime; " + equalSizes,
	}
}

const (
	boxingRounds     = 20
	boxingPlacements = 200_000 // in all rounds together, but one round at least
)

func (boxing) Plan(ctx context.Context, t *lifetime.Table, o Options) (*lifetime.Plan, error) {
	m := method{order: bySizeAndLife(), whole: true}
	return m.run(ctx, t, o, func(ctx context.Context, p *placement) (*lifetime.Plan, error) {
		return p.box(ctx, o.Seed)
	})
}

// bySizeAndLife: the larger first, then the longer-lived.
func bySizeAndLife() sorting {
	return sorting{key: func(*lifetime.Table) func(a, b *item) int {
		return func(a, b *item) int {
			return cmp.Or(cmp.Compare(b.size, a.size), cmp.Compare(b.upper-b.lower, a.upper-a.lower))
		}
	}, native: settle}
}

// box improves the plan of first fit until a round is cut short by ctx, nothing
// can be gained any more or the rounds are over.
func (p *placement) box(ctx context.Context, seed uint64) (*lifetime.Plan, error) {
	if err := p.fill(ctx, tuning{listLimit, perBucket, crowd}); err != nil {
		return nil, err
	}
	best, arena := slices.Clone(p.offsets), p.height()
	plan := func(rounds int) *lifetime.Plan {
		out := lifetime.NewPlan(p.table, best)
		out.Stats.Decisions = int64(1+rounds) * int64(len(p.items))
		return out
	}
	target := p.table.Load()
	if arena <= target || len(p.items) < 2 {
		return plan(0), nil
	}
	x := newBoxer(ctx, p, seed)
	rounds := min(boxingRounds, 1+boxingPlacements/len(p.items))
	for r := range rounds {
		x.fall(p, x.pack())
		switch err := p.fillUpTo(ctx, arena-1); {
		case errors.Is(err, errHigh):
		case err != nil:
			return plan(r), nil // it has taken time, but there is a plan
		case p.height() < arena:
			arena = p.height()
			copy(best, p.offsets)
		}
		if arena <= target || x.uniform {
			return plan(r + 1), nil
		}
	}
	return plan(rounds), nil
}
