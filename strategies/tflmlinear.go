package strategies

// TFLM's linear planner stacks all buffers in the order in which they are
// requested and shares nothing: it is there to tell errors of planning from
// errors of kernels.
//
// Complexity: O(n), with f fixed offsets O(n + f log f).
//
// Reference: class LinearMemoryPlanner, tensorflow/lite/micro/memory_planner/
// linear_memory_planner.cc, tensorflow/tflite-micro at commit 90b983c2b3f1.
//
// Rule, to the byte: each buffer at the end of the one before it, sizes rounded
// up to the buffer's alignment (the runtime rounds to 16 before it asks).
//
// Departures: the original plans 1024 buffers at most, ignores alignment, and
// knows no fixed offsets: here their bytes are stepped over. With a single
// alignment the offsets are those of naive.

import (
	"context"

	"github.com/arenalab/arenalab/lifetime"
)

type tflmLinear struct{}

func (tflmLinear) Info() Info {
	return Info{
		Name:       "tflm-linear",
		Title:      "TensorFlow Lite for Microcontrollers, linear",
		Summary:    "the planner of TFLM that shares nothing",
		Reference:  "class LinearMemoryPlanner, tensorflow/lite/micro/memory_planner/linear_memory_planner.cc, tensorflow/tflite-micro at 90b983c2b3f1",
		Complexity: "O(n)",
		Key:        "by row",
		Guarantee:  "the sum of all sizes, rounded up to their alignment",
		RowOrder:   true,
	}
}

func (tflmLinear) Plan(ctx context.Context, t *lifetime.Table, o Options) (*lifetime.Plan, error) {
	p, err := stack(ctx, t, o, true)
	if err == nil {
		p.Notes = overflows(t, p.Offsets, o.Align)
	}
	return p, err
}
