package strategies

// TFLM plans as TensorFlow Lite for Microcontrollers does: largest first, each
// at the lowest offset at which it is clear of all placed buffers that are ever
// live with it. Of equal sizes the one added last comes first.
//
// Complexity: O(n^2) in the worst case; near O(n log n) on tables of networks.
// The original is O(n^2).
//
// Reference: class GreedyMemoryPlanner, tensorflow/lite/micro/memory_planner/
// greedy_memory_planner.cc, tensorflow/tflite-micro at commit 90b983c2b3f1.
//
// Rule, to the byte: sizes are rounded up to the buffer's alignment (the
// runtime rounds to 16 before it asks its planner). Buffers with fixed offsets
// are those the runtime calls offline-planned: they come first and never move.
// Rows are in the order in which the runtime adds buffers.
//
// Departures: sizes and offsets are 64 bits wide, not 32; where 32 would not
// do, the plan carries a note. Offsets are aligned
// even where buffers of different alignment meet, which the original leaves to
// its caller. Fixed offsets that clash are refused, where the original allows
// them. It knows no gaps: a buffer is taken to use all its bytes all its life.

import (
	"cmp"
	"context"
	"fmt"
	"math"

	"github.com/arenalab/arenalab/lifetime"
)

type tflm struct{}

func (tflm) Info() Info {
	return Info{
		Name:       "tflm",
		Title:      "TensorFlow Lite for Microcontrollers",
		Summary:    "the planner of TFLM, to the byte: largest first, first fit",
		Reference:  "class GreedyMemoryPlanner, tensorflow/lite/micro/memory_planner/greedy_memory_planner.cc, tensorflow/tflite-micro at 90b983c2b3f1",
		Complexity: "O(n^2) worst case, near O(n log n) on networks",
		Key:        "size descending; ties by row, the last first",
		RowOrder:   true,
	}
}

func (tflm) Plan(ctx context.Context, t *lifetime.Table, o Options) (*lifetime.Plan, error) {
	m := method{rule: lowestGap, order: tflm{}.order(), whole: true, rounds: true}
	p, err := m.place(ctx, t, o)
	if err == nil {
		p.Notes = overflows(t, p.Offsets, o.Align)
	}
	return p, err
}

// overflows says whether the original would have miscounted: it adds offsets
// and rounded sizes as int, of 32 bits on all its targets.
func overflows(t *lifetime.Table, offsets []int64, align int64) []string {
	end := int64(0)
	for i := range t.Buffers {
		b := &t.Buffers[i]
		end = max(end, offsets[i]+lifetime.AlignUp(b.Size, max(b.Alignment(), align)))
	}
	if end <= math.MaxInt32 {
		return nil
	}
	return []string{fmt.Sprintf("would overflow int32: the runtime counts to %d, the plan ends at %d bytes", math.MaxInt32, end)}
}

func (tflm) order() sorting {
	return sorting{key: sizeDown, native: lastAddedFirst, columns: func(*lifetime.Table) []column {
		return []column{sizeColumn, func(it *item) uint64 { return ^uint64(it.index) }}
	}}
}

func lastAddedFirst(*lifetime.Table) func(a, b *item) int {
	return func(a, b *item) int { return cmp.Compare(b.index, a.index) }
}
