package strategies

// LiteRT plans as TensorFlow Lite's runtime does: what is live throughout
// comes first, then the largest, each into the smallest hole between the placed
// buffers that are ever live with it, with the runtime's own measure of holes.
//
// Complexity: O(n^2) in the worst case; near O(n log n) on tables of networks.
// The original is O(n^2).
//
// Reference: ArenaPlanner::CreateTensorAllocationVector in
// tflite/arena_planner.cc and SimpleMemoryArena::Allocate in
// tflite/simple_memory_arena.cc, google-ai-edge/LiteRT at commit f67457790c9c.
//
// Rule, to the byte: buffers that span the whole table (graph inputs,
// variables) first, by row; then size descending, then first use ascending. A
// hole qualifies if the buffer fits above its aligned start and if it is
// smaller, measured from there, than the best so far; the best so far is
// remembered with the padding below that start. Sizes are not rounded.
//
// Departures: the original sorts with std::sort, so what is equal in size and
// first use comes in an order that depends on the C++ library; here it comes by
// row, or with the tie rule libstdc++ as GNU's library leaves it. The original knows no fixed offsets: here they are obstacles from the
// start. It knows no gaps either: a buffer is taken to use all its bytes all
// its life. Alignment is that of the table; the runtime's own is 64.

import (
	"cmp"
	"context"
	"math"

	"github.com/arenalab/arenalab/lifetime"
)

type litert struct{}

func (litert) Info() Info {
	return Info{
		Name:       "litert",
		Title:      "LiteRT (TensorFlow Lite)",
		Summary:    "the planner of LiteRT, to the byte: largest first, best fit",
		Reference:  "ArenaPlanner and SimpleMemoryArena, tflite/arena_planner.cc and tflite/simple_memory_arena.cc, google-ai-edge/LiteRT at f67457790c9c",
		Complexity: "O(n^2) worst case, near O(n log n) on networks",
		Key:        "live throughout by row; size descending, first use; ties by row",
		RowOrder:   true,
	}
}

func (litert) Plan(ctx context.Context, t *lifetime.Table, o Options) (*lifetime.Plan, error) {
	m := method{rule: litertGap, order: litert{}.order(), whole: true}
	return m.place(ctx, t, o)
}

func (litert) order() sorting {
	return sorting{key: litertKey, feed: lowerUp, columns: func(t *lifetime.Table) []column {
		lower, upper := t.Span()
		always := func(it *item) uint64 {
			if it.lower == lower && it.upper == upper {
				return uint64(it.index)
			}
			return math.MaxInt64
		}
		return []column{always, sizeColumn, lowerColumn}
	}}
}

// litertKey is the comparison the runtime sorts by. It leaves ties.
func litertKey(t *lifetime.Table) func(a, b *item) int {
	lower, upper := t.Span()
	return func(a, b *item) int {
		always := a.lower == lower && a.upper == upper
		other := b.lower == lower && b.upper == upper
		switch {
		case always && other:
			return cmp.Compare(a.index, b.index)
		case always:
			return -1
		case other:
			return 1
		}
		return cmp.Or(cmp.Compare(b.size, a.size), cmp.Compare(a.lower, b.lower))
	}
}
