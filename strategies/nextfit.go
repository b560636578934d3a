package strategies

// Next fit takes the buffers in the order of their first step and puts each
// into the first hole that holds it, counted from where the last one was put:
// the search goes up from there and round to the lowest hole, so that it is
// short, and what is placed together lies together.
//
// Complexity: O(n log n); O(n^2) in the worst case on tables with gaps, fixed
// offsets or several alignments.
//
// References: D. E. Knuth, The Art of Computer Programming, volume 1, section
// 2.5, exercise 6, Addison-Wesley, 1968 (3rd edition 1997), the roving pointer;
// P. R. Wilson, M. S. Johnstone, M. Neely and D. Boles, "Dynamic Storage
// Allocation: A Survey and Critical Review", IWMM 1995, LNCS 986,
// doi:10.1007/3-540-60368-9_19.
//
// Rule: the pointer is the end of the buffer placed last, 0 at first. A hole is
// the free bytes below or between buffers live with the one to be placed. The
// lowest hole that is large enough and whose first aligned offset is not below
// the pointer is taken; failing that, the lowest that is large enough. As in a
// free list, a hole is known by its start: one that was freed around the
// pointer is met only after going round. The space above what is live has no
// end and is no hole: it is taken only if no hole will do.
//
// Departures: an allocator has a heap of fixed size, whose end closes the last
// hole. Buffers born at the same step come larger first, then longer-lived
// first. Buffers with fixed offsets do not move the pointer.

import (
	"context"

	"github.com/arenalab/arenalab/lifetime"
)

type nextFit struct{}

func (nextFit) Info() Info {
	return Info{
		Name:       "next-fit",
		Title:      "Next fit in birth order",
		Summary:    "in order of first use, into the next hole above the last buffer placed",
		Reference:  survey,
		Complexity: "O(n log n); O(n^2) with gaps, fixed offsets or mixed alignments",
		Key:        "first use, the larger, the later last use",
		Guarantee:  equalSizes,
	}
}

func (nextFit) Plan(ctx context.Context, t *lifetime.Table, o Options) (*lifetime.Plan, error) {
	pointer := int64(0) // rounded up to the alignment, as all holes are
	return placeAtBirth(ctx, t, o, nextGap, newHeap(false), func(h *blockHeap, size int64) int32 {
		x := h.searchFrom(h.root, pointer, size)
		if x == 0 {
			x = h.search(size)
		}
		x = h.takeFrom(x, size)
		pointer = h.blocks[x].offset + size
		return x
	})
}

// searchFrom returns the lowest hole of the subtree that begins at or above the
// pointer and holds the size, or 0. The treap must be in order of address.
func (h *blockHeap) searchFrom(root int32, pointer, size int64) int32 {
	if root == 0 || h.blocks[root].widest < size {
		return 0
	}
	b := &h.blocks[root]
	if b.offset >= pointer {
		if x := h.searchFrom(b.left, pointer, size); x != 0 {
			return x
		}
		if b.size >= size {
			return root
		}
	}
	return h.searchFrom(b.right, pointer, size)
}
