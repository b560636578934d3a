package strategies

// ORT pattern replays one inference and gives each buffer, as it is allocated,
// the gap between live blocks in which it wastes the least; only if none fits
// does it go above the last live block. The result is the pattern that ONNX
// Runtime keeps for later runs with the same shapes.
//
// Complexity: O(n log n); O(n^2) with fixed offsets or several alignments. The
// original is O(n) a call.
//
// Reference: class MemPatternPlanner, onnxruntime/core/framework/
// mem_pattern_planner.h, microsoft/onnxruntime at commit 00ca16892218.
//
// Rule, to the byte: sizes are rounded up to the buffer's alignment, as the
// caller does with 64 or 256; the bytes below the first live block are a gap
// too; of equal gaps the lowest is taken. What ends at a step is freed before
// anything that is born at the next one.
//
// Departures: buffers born at one step are allocated by row. Before it traces,
// the runtime merges tensors of equal type and shape, and inputs with outputs
// that may take their place: a table knows neither. Fixed offsets are obstacles
// from the start. A buffer with gaps is taken to be live all its life.

import (
	"context"

	"github.com/arenalab/arenalab/lifetime"
)

type ortPattern struct{}

func (ortPattern) Info() Info {
	return Info{
		Name:       "ort-pattern",
		Title:      "ONNX Runtime memory pattern",
		Summary:    "ONNX Runtime's trace: as allocated, the gap with the least waste",
		Reference:  "class MemPatternPlanner, onnxruntime/core/framework/mem_pattern_planner.h, microsoft/onnxruntime at 00ca16892218",
		Complexity: "O(n log n); O(n^2) with fixed offsets or mixed alignments",
		Key:        "first use; ties by row",
		RowOrder:   true,
	}
}

func (ortPattern) Plan(ctx context.Context, t *lifetime.Table, o Options) (*lifetime.Plan, error) {
	order, o := traced(o)
	m := method{rule: smallestGap, order: order, births: true, whole: true, rounds: true}
	return m.place(ctx, t, o)
}
