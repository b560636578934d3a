package strategies

// Kierstead rounds sizes up to powers of two, takes the largest first and
// colours them as intervals are coloured on-line: each goes into the lowest
// band of addresses that its life leaves room for if all were pushed down, and
// of three copies of the band takes the first that no neighbour has. What
// rounding wasted is given back by a last fall of all buffers.
//
// Complexity: O(n log n + l) with l the sum of lives in births; l is at most
// n^2, and on tables of networks some hundreds of n.
//
// References: H. A. Kierstead, "A polynomial time approximation algorithm for
// dynamic storage allocation", Discrete Mathematics 88(2-3), 1991, pages
// 231-237, doi:10.1016/0012-365X(91)90011-P; the on-line colouring is from
// H. A. Kierstead, W. T. Trotter, "An extremal problem in recursive
// combinatorics", Congressus Numerantium 33, 1981, pages 143-153. M. Slusarek,
// "A coloring algorithm for interval graphs", MFCS 1989, LNCS 379, pages
// 471-480, doi:10.1007/3-540-51486-4_94, found the same bound.
//
// Why it holds: let a step be filled up to y, for the least y such that those
// of the buffers taken so far that are live then and begin at y or below hold y
// bytes: none begins at y, none reaches across it. A buffer of size s begins at
// the largest y of its life; at the step with that y nobody else is in the band
// [y, y+s), and as the step is then filled up to y+s or more, nobody will be. So
// all who share a band have a step of their own each, and a buffer meets one of
// them to the left and one to the right at most. Bands of larger buffers are
// unions of smaller ones, so those taken before it that are in its band are in
// all of it: two, and one of three copies is free. No band ends above the peak
// of the rounded sizes, which is less than twice the peak live bytes.
//
// Departures: a buffer begins where the bands below it are full from the bottom
// up, where the original lets bands count as full that are so only together.
// The fall, which raises no buffer. Sizes are rounded up to the alignment if
// that is more. Fixed offsets are obstacles in the fall, and the bands know
// nothing of them. A buffer with gaps lives all its life.

import (
	"context"

	"github.com/arenalab/arenalab/lifetime"
)

type kierstead struct{}

func (kierstead) Info() Info {
	return Info{
		Name:       "kierstead",
		Title:      "Kierstead",
		Summary:    "on-line interval colouring, largest power of two first, then first fit",
		Reference:  "H. A. Kierstead, A polynomial time approximation algorithm for dynamic storage allocation, Discrete Mathematics 88(2-3), 1991, doi:10.1016/0012-365X(91)90011-P; M. Slusarek, A coloring algorithm for interval graphs, MFCS 1989, doi:10.1007/3-540-51486-4_94",
		Complexity: "O(n log n + l), l the sum of lives in births",
		Key:        "power of two descending, first use, the larger, the later last use",
		Guarantee:  "below 6 times the peak live bytes, 3 times if sizes are powers of two; without alignments, gaps and fixed offsets",
	}
}

func (kierstead) Plan(ctx context.Context, t *lifetime.Table, o Options) (*lifetime.Plan, error) {
	m := method{order: byClass(), whole: true}
	return m.run(ctx, t, o, func(ctx context.Context, p *placement) (*lifetime.Plan, error) {
		loose, err := p.kiersteadBands(ctx)
		if err != nil {
			return nil, err
		}
		if err := p.squeeze(ctx, loose); err != nil {
			return nil, err
		}
		return lifetime.NewPlan(t, p.offsets), nil
	})
}

// kiersteadBands returns the offsets of the published plan, by buffer: the
// three copies of all bands on top of each other.
func (p *placement) kiersteadBands(ctx context.Context) ([]uint64, error) {
	b := newBands(p.items)
	var height, align int64
	for k := range p.items {
		if k%checkEvery == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		height = max(height, b.take(&p.items[k]).top)
		align = max(align, p.items[k].align)
	}
	height = lifetime.AlignUp(height, align)
	loose := make([]uint64, len(p.offsets))
	for k, n := range b.taken {
		loose[p.items[k].index] = uint64(n.copy)*uint64(height) + uint64(n.bottom)
	}
	return loose, nil
}
