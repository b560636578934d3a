package strategies

// MLIR's static memory planner takes the allocations as they begin and puts each
// into the smallest hole between those still live. What the arena has above
// them counts as a hole like the others.
//
// Complexity: O(n log n); O(n^2) in the worst case on tables with fixed offsets
// or several alignments. The original is O(n^2 log n).
//
// Reference: bestFitMemoryPlanner, mlir/lib/Dialect/Bufferization/Transforms/
// StaticMemoryPlanning.cpp, llvm/llvm-project after pull request 207403 (2026).
//
// Rule, to the byte: begin ascending. A hole is measured from its aligned start;
// the smallest that holds the allocation wins, the lowest of equals. The bytes
// between the highest live allocation and the highest end so far are the last
// hole. If none will do, the allocation goes above what is live.
//
// Departures: the original's sort is unstable; here ties come by row. Fixed
// offsets, which it does not know, are obstacles from the start, and count in
// the height of the arena; a buffer with gaps is taken to use all its bytes all
// its life.

import (
	"context"

	"github.com/arenalab/arenalab/lifetime"
)

type mlir struct{}

func (mlir) Info() Info {
	return Info{
		Name:       "mlir-best-fit",
		Title:      "MLIR, static memory planner",
		Summary:    "in order of first use, into the smallest hole, the end of the arena included",
		Reference:  "bestFitMemoryPlanner, mlir/lib/Dialect/Bufferization/Transforms/StaticMemoryPlanning.cpp, llvm/llvm-project after pull request 207403",
		Complexity: "O(n log n); O(n^2) with fixed offsets or mixed alignments",
		Key:        "first use; ties by row",
		RowOrder:   true,
	}
}

func (mlir) Plan(ctx context.Context, t *lifetime.Table, o Options) (*lifetime.Plan, error) {
	ctx, cancel := limit(ctx, o)
	defer cancel()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	p, err := prepare(&method{order: byFirstUse(), births: true, whole: true}, t, o)
	if err != nil {
		return nil, err
	}
	if p.plain {
		h := newHeap(true)
		err = p.serve(ctx, h, h.takeBelow)
	} else {
		err = mlirScan(ctx, p)
	}
	if err != nil {
		return nil, err
	}
	return lifetime.NewPlan(t, p.offsets), nil
}

// takeBelow is take, but the bytes above the top block, up to the highest end
// there ever was, are taken before a larger hole. That end is not rounded up.
func (h *blockHeap) takeBelow(it *item) int32 {
	size := lifetime.AlignUp(it.size, it.align)
	x := h.search(size)
	if x != 0 {
		top := &h.blocks[h.top]
		if above := h.peak - top.offset - top.size; above >= it.size && above < h.blocks[x].size {
			x = 0
		}
	}
	x = h.takeFrom(x, size)
	h.peak = max(h.peak, h.blocks[x].offset+it.size)
	return x
}

// mlirScan follows the words of the rule, for tables that no heap can simulate.
func mlirScan(ctx context.Context, p *placement) error {
	l := newList(len(p.items) + len(p.pinned))
	arena := int64(0)
	for _, i := range p.pinned {
		if b := &p.table.Buffers[i]; b.Size > 0 {
			l.add(obstacle{p.offsets[i], p.offsets[i] + b.Size, b.Lower, b.Upper})
			arena = max(arena, p.offsets[i]+b.Size)
		}
	}
	for k := range p.items {
		it := &p.items[k]
		if k%checkEvery == 0 {
			if err := ctx.Err(); err != nil {
				return err
			}
			l.forget(it.lower)
		}
		f := newFit(smallestGap, it.size, it.align)
		top := int64(0)
		for i := range l.taken {
			o := &l.taken[i]
			if o.lower < it.upper && o.upper > it.lower {
				f.offer(top, o.low)
				top = max(top, o.high)
			}
		}
		f.offer(top, arena)
		offset := f.finish(top)
		l.add(obstacle{offset, offset + it.size, it.lower, it.upper})
		p.offsets[it.index] = offset
		arena = max(arena, offset+it.size)
	}
	return nil
}
