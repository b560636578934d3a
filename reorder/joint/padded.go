package joint

import (
	"context"

	"github.com/arenalab/arenalab/graph"
	"github.com/arenalab/arenalab/lifetime"
	"github.com/arenalab/arenalab/reorder"
)

// padded returns what no arena can be below because offsets are aligned. Where
// they are multiples of the alignment, buffers rounded up to that do not overlap
// either, and only the topmost may reach beyond the arena: so the least peak of
// rounded sizes, less the most that rounding adds to one, is a bound. It is 0 if
// no size is rounded.
func padded(ctx context.Context, m *graph.Memory, l *lives, find BracketFunc, o reorder.Options) (bound int64, proven bool, err error) {
	p := m.Profile
	most := int64(0)
	for _, size := range l.size {
		most = max(most, lifetime.AlignUp(size, p.Align)-size)
	}
	if most == 0 || p.RoundSizes > 1 && p.Align%p.RoundSizes != 0 {
		return 0, false, nil
	}
	p.RoundSizes = p.Align
	rounded, err := graph.NewMemory(m.Model, m.Subgraph, p)
	if err != nil {
		return 0, false, err
	}
	b, err := find(ctx, rounded, o)
	if err != nil {
		return 0, false, err
	}
	return b.Lower - most, b.Proven, nil
}
