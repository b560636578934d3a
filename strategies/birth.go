package strategies

import (
	"cmp"
	"context"
	"slices"

	"github.com/arenalab/arenalab/lifetime"
)

// simulate places the items, ascending by Lower and all of one alignment, as
// an allocator would serve them: at each birth what has died is freed, and a
// hole is taken by the method's rule. What is live then is exactly what the
// buffer conflicts with among those before it, so the offsets are those of
// fill, in O(n log n). Sizes are rounded up to the alignment, which changes no
// offset where all have the same.
func (p *placement) simulate(ctx context.Context) error {
	h := newHeap(p.rule != lowestGap)
	h.highest = p.rule == smallestGapHigh
	return p.serve(ctx, h, func(it *item) int32 {
		return h.take(lifetime.AlignUp(it.size, it.align))
	})
}

// serve takes a block for each item at its birth and frees it at its death.
func (p *placement) serve(ctx context.Context, h *blockHeap, take func(*item) int32) error {
	deaths := make([]int32, len(p.items))
	for k := range deaths {
		deaths[k] = int32(k)
	}
	slices.SortFunc(deaths, func(a, b int32) int {
		if c := cmp.Compare(p.items[a].upper, p.items[b].upper); c != 0 {
			return c
		}
		return cmp.Compare(a, b)
	})
	blocks := make([]int32, len(p.items))
	d := 0
	for k := range p.items {
		if k%checkEvery == 0 {
			if err := ctx.Err(); err != nil {
				return err
			}
		}
		it := &p.items[k]
		for p.items[deaths[d]].upper <= it.lower {
			h.free(blocks[deaths[d]])
			d++
		}
		blocks[k] = take(it)
		p.offsets[it.index] = h.blocks[blocks[k]].offset
	}
	return nil
}

// block is a piece of the simulated heap, taken or a hole. All blocks form a
// list by address, without two holes side by side and without a hole at the
// end; the holes are also nodes of a treap.
type block struct {
	offset, size int64
	below, above int32 // neighbours by address, 0: none
	hole         bool

	left, right int32
	priority    uint32
	widest      int64 // largest size in the subtree
}

// blockHeap is the simulated heap. Block 0 stands for none.
type blockHeap struct {
	bySize  bool // the treap's key: (size, offset), else offset
	highest bool // with bySize, the higher offset comes first
	blocks  []block
	spare   []int32
	root    int32 // of the treap of holes
	top     int32 // block with the highest address
	peak    int64 // of takeBelow: the highest end so far
	random  uint32
}

func newHeap(bySize bool) *blockHeap {
	return &blockHeap{bySize: bySize, blocks: make([]block, 1, 1024), random: 2463534242}
}

func (h *blockHeap) new(b block) int32 {
	if n := len(h.spare); n > 0 {
		x := h.spare[n-1]
		h.spare = h.spare[:n-1]
		h.blocks[x] = b
		return x
	}
	h.blocks = append(h.blocks, b)
	return int32(len(h.blocks) - 1)
}

// take returns a block of the given size.
func (h *blockHeap) take(size int64) int32 { return h.takeFrom(h.search(size), size) }

// takeFrom returns a block at the start of the hole x, on top if x is 0.
func (h *blockHeap) takeFrom(x int32, size int64) int32 {
	if x == 0 {
		top := h.blocks[h.top]
		x = h.new(block{offset: top.offset + top.size, size: size, below: h.top})
		if h.top != 0 {
			h.blocks[h.top].above = x
		}
		h.top = x
		return x
	}
	h.remove(x)
	b := h.blocks[x]
	if b.size == size {
		return x
	}
	rest := h.new(block{offset: b.offset + size, size: b.size - size, below: x, above: b.above})
	h.blocks[b.above].below = rest // a hole is never on top
	h.blocks[x].size, h.blocks[x].above = size, rest
	h.insert(rest)
	return x
}

// free makes the block a hole and merges it with the holes next to it.
func (h *blockHeap) free(x int32) {
	b := &h.blocks[x]
	if y := b.below; h.blocks[y].hole {
		h.remove(y)
		low := &h.blocks[y]
		b.offset, b.size, b.below = low.offset, low.size+b.size, low.below
		if b.below != 0 {
			h.blocks[b.below].above = x
		}
		h.spare = append(h.spare, y)
	}
	if y := b.above; h.blocks[y].hole {
		h.remove(y)
		high := &h.blocks[y]
		b.size, b.above = b.size+high.size, high.above
		h.blocks[b.above].below = x
		h.spare = append(h.spare, y)
	}
	if x != h.top {
		h.insert(x)
		return
	}
	h.top = b.below
	if h.top != 0 {
		h.blocks[h.top].above = 0
	}
	h.spare = append(h.spare, x)
}

// search returns the hole for the size, or 0: the smallest one that is large
// enough, or the lowest one, as the treap is ordered.
func (h *blockHeap) search(size int64) int32 {
	found := int32(0)
	for x := h.root; x != 0 && h.blocks[x].widest >= size; {
		b := &h.blocks[x]
		switch {
		case h.bySize && b.size < size:
			x = b.right
		case h.bySize:
			found, x = x, b.left
		case b.left != 0 && h.blocks[b.left].widest >= size:
			x = b.left
		case b.size >= size:
			return x
		default:
			x = b.right
		}
	}
	return found
}
