package strategies

import (
	"cmp"
	"context"
	"math/bits"
	"slices"
)

// squeeze lets the items of a loose plan fall: in ascending order of their
// loose offsets (by buffer), each goes to the lowest offset at which it is
// clear of those before it. If the loose plan was safe and aligned, none rises:
// all that an item conflicts with was below it, and has not risen either.
// Equal offsets are taken as settle orders them.
func (p *placement) squeeze(ctx context.Context, loose []uint64) error {
	last := settle(p.table)
	slices.SortFunc(p.items, func(a, b item) int {
		return cmp.Or(cmp.Compare(loose[a.index], loose[b.index]), last(&a, &b), cmp.Compare(a.index, b.index))
	})
	return p.fill(ctx, tuning{listLimit, perBucket, crowd})
}

// height returns the arena of the offsets.
func (p *placement) height() int64 {
	var top int64
	for i, o := range p.offsets {
		top = max(top, o+p.table.Buffers[i].Size)
	}
	return top
}

// class returns the smallest power of two that holds the item, its alignment
// included: what is at a multiple of its class is aligned.
func (it *item) class() int64 {
	return max(1<<bits.Len64(uint64(it.size-1)), it.align)
}
