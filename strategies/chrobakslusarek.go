package strategies

// Chrobak-Slusarek rounds sizes up to powers of two and takes the largest
// first, each at the lowest offset that is free: then every hole is a multiple
// of what is to be placed, and the plan is a first-fit colouring of intervals.
// What rounding wasted is given back by a last fall of all buffers.
//
// Complexity: O(n^2) in the worst case; near O(n log n) on tables of networks.
//
// References: M. Chrobak, M. Slusarek, "On some packing problems related to
// dynamic storage allocation", RAIRO Theoretical Informatics and Applications
// 22(4), 1988, pages 487-499; the factor 8 of first fit is from N. S.
// Narayanaswamy, R. Subhash Babu, "A note on first-fit coloring of interval
// graphs", Order 25(1), 2008, pages 49-53, doi:10.1007/s11083-008-9076-6.
//
// Departures: the fall, which raises no buffer. Sizes are rounded up to the
// alignment if that is more. Fixed offsets are obstacles from the start, for
// which nothing is proven. A buffer with gaps lives all its life.

import (
	"cmp"
	"context"

	"github.com/arenalab/arenalab/lifetime"
)

type chrobakSlusarek struct{}

func (chrobakSlusarek) Info() Info {
	return Info{
		Name:       "chrobak-slusarek",
		Title:      "Chrobak and Slusarek",
		Summary:    "first fit of sizes rounded up to powers of two, largest first",
		Reference:  "M. Chrobak and M. Slusarek, On some packing problems related to dynamic storage allocation, RAIRO Theoretical Informatics and Applications 22(4), 1988; N. S. Narayanaswamy and R. Subhash Babu, A note on first-fit coloring of interval graphs, Order 25(1), 2008, doi:10.1007/s11083-008-9076-6",
		Complexity: "O(n^2) worst case, near O(n log n) on networks",
		Key:        "power of two descending, first use, the larger, the later last use",
		Guarantee:  "below 16 times the peak live bytes, 8 times if sizes are powers of two; without alignments, gaps and fixed offsets",
	}
}

func (chrobakSlusarek) Plan(ctx context.Context, t *lifetime.Table, o Options) (*lifetime.Plan, error) {
	m := method{order: byClass(), whole: true}
	return m.run(ctx, t, o, func(ctx context.Context, p *placement) (*lifetime.Plan, error) {
		for k := range p.items {
			p.items[k].size = p.items[k].class()
		}
		if err := p.fill(ctx, tuning{listLimit, perBucket, crowd}); err != nil {
			return nil, err
		}
		for k := range p.items {
			p.items[k].size = t.Buffers[p.items[k].index].Size
		}
		loose := make([]uint64, len(p.offsets))
		for i, offset := range p.offsets {
			loose[i] = uint64(offset)
		}
		if err := p.squeeze(ctx, loose); err != nil {
			return nil, err
		}
		return lifetime.NewPlan(t, p.offsets), nil
	})
}

// byClass: the power of two that holds the buffer, descending; ties by Lower,
// then the larger.
func byClass() sorting {
	return sorting{key: func(*lifetime.Table) func(a, b *item) int {
		return func(a, b *item) int { return cmp.Compare(b.class(), a.class()) }
	}, native: settle}
}
