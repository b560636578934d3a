package strategies

// Naive stacks all buffers on top of each other in row order, each at the next
// multiple of its alignment, and shares nothing: the arena of a runtime without
// a planner, against which reuse is measured.
//
// Complexity: O(n), with f fixed offsets O(n + f log f).
//
// Reference: class LinearMemoryPlanner, tensorflow/lite/micro/memory_planner/
// linear_memory_planner.cc, tensorflow/tflite-micro at commit 90b983c2b3f1.
//
// Departures: the original takes sizes already rounded and knows neither
// alignments nor fixed offsets; here bytes of fixed buffers are stepped over
// whenever they are live.

import (
	"cmp"
	"context"
	"slices"

	"github.com/arenalab/arenalab/lifetime"
)

type naive struct{}

func (naive) Info() Info {
	return Info{
		Name:       "naive",
		Title:      "Naive",
		Summary:    "every buffer in memory of its own, stacked in row order",
		Reference:  "class LinearMemoryPlanner, tensorflow/lite/micro/memory_planner/linear_memory_planner.cc, tensorflow/tflite-micro at 90b983c2b3f1",
		Complexity: "O(n)",
		Key:        "by row",
		Guarantee:  "the sum of all sizes, plus the padding for alignment",
		RowOrder:   true,
	}
}

func (naive) Plan(ctx context.Context, t *lifetime.Table, o Options) (*lifetime.Plan, error) {
	return stack(ctx, t, o, false)
}

// stack puts the buffers on top of each other by row, sizes rounded up to the
// alignment or not, and steps over those with fixed offsets.
func stack(ctx context.Context, t *lifetime.Table, o Options, rounds bool) (*lifetime.Plan, error) {
	ctx, cancel := limit(ctx, o)
	defer cancel()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	p, err := prepare(&method{whole: true, rounds: rounds, order: sorting{key: rows}}, t, o)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(p.pinned, func(a, b int) int { return cmp.Compare(*t.Buffers[a].Fixed, *t.Buffers[b].Fixed) })
	top, pinned := int64(0), p.pinned
	for k := range p.items {
		it := &p.items[k]
		top = lifetime.AlignUp(top, it.align)
		for len(pinned) > 0 && *t.Buffers[pinned[0]].Fixed < top+it.size {
			b := &t.Buffers[pinned[0]]
			if b.Size > 0 {
				top = lifetime.AlignUp(max(top, *b.Fixed+b.Size), it.align)
			}
			pinned = pinned[1:]
		}
		p.offsets[it.index] = top
		top += it.size
	}
	return lifetime.NewPlan(t, p.offsets), nil
}
