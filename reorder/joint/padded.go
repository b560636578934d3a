package joint

import (
	"context"

	"github.com/arenalab/arenalab/graph"
	"github.com/arenalab/arenalab/lifetime"
	"github.com/arenalab/arenalab/reorder"
)

// padded returns an order of the least peak when sizes are rounded up to the
// alignment of offsets, and as Lower what no arena can be below because of that;
// nil if rounding changes nothing. Where offsets are multiples of the alignment,
// buffers rounded up do not overlap either, and only the topmost may reach beyond
// the arena: so the least peak of rounded sizes, less the most that rounding adds
// to one, is a bound.
func padded(ctx context.Context, m *graph.Memory, l *lives, find BracketFunc, o reorder.Options) (*Bracket, error) {
	p := m.Profile
	most := int64(0)
	for _, size := range l.size {
		most = max(most, lifetime.AlignUp(size, p.Align)-size)
	}
	if most == 0 || p.RoundSizes > 1 && p.Align%p.RoundSizes != 0 {
		return nil, nil
	}
	p.RoundSizes = p.Align
	rounded, err := graph.NewMemory(m.Model, m.Subgraph, p)
	if err != nil {
		return nil, err
	}
	b, err := find(ctx, rounded, o)
	if err != nil {
		return nil, err
	}
	return &Bracket{Order: b.Order, Lower: b.Lower - most, Proven: b.Proven}, nil
}
