package strategies

// ggml allocates and frees as the graph is run: each tensor goes into the
// smallest free block, except that the block at the end, which has no end of its
// own, is used only if no other will do.
//
// Complexity: O(n log n); O(n^2) in the worst case on tables with fixed offsets
// or several alignments. The original walks the list of free blocks each time.
//
// Reference: ggml_dyn_tallocr_alloc and ggml_dyn_tallocr_free_bytes,
// ggml/src/ggml-alloc.c, ggml-org/llama.cpp at commit 0450e2f9dffd.
//
// Rule, to the byte: by first use, then by row. Sizes are padded to the
// alignment. Of equally small blocks the highest is taken. Free blocks that
// touch are one. What a step reads for the last time is freed after what it
// writes is allocated, as in any table of closed lives.
//
// Departures: one chunk without a limit on its size, as with backends that have
// none, and any number of free blocks, of which the original stops at 256.
// Working in place belongs to the table. Fixed offsets, which the original does
// not know, are obstacles from the start; a buffer with gaps is taken to use all
// its bytes all its life.

import (
	"context"

	"github.com/arenalab/arenalab/lifetime"
)

type ggml struct{}

func (ggml) Info() Info {
	return Info{
		Name:       "ggml",
		Title:      "ggml (llama.cpp)",
		Summary:    "in order of first use, into the smallest free block, the highest of equals",
		Reference:  "ggml_dyn_tallocr_alloc, ggml/src/ggml-alloc.c, ggml-org/llama.cpp at 0450e2f9dffd",
		Complexity: "O(n log n); O(n^2) with fixed offsets or mixed alignments",
		Key:        "first use; ties by row",
		RowOrder:   true,
	}
}

func (ggml) Plan(ctx context.Context, t *lifetime.Table, o Options) (*lifetime.Plan, error) {
	m := ggml{}.method()
	return m.place(ctx, t, o)
}

func (ggml) method() method {
	return method{rule: smallestGapHigh, order: byFirstUse(), births: true, whole: true, rounds: true}
}

// byFirstUse: Lower ascending; ties by row.
func byFirstUse() sorting {
	return sorting{key: lowerUp, columns: func(*lifetime.Table) []column { return []column{lowerColumn} }}
}
