package strategies

import (
	"sort"

	"github.com/arenalab/arenalab/lifetime"
)

// offerBlocks is offer where the arena is a stack of blocks, in the order of
// their making: the gap counts as one in each block it reaches into. It reports
// true once the gap leaves the block that holds the kept one.
func (f *fit) offerBlocks(low, high int64) bool {
	k := sort.Search(len(f.blocks), func(k int) bool { return f.blocks[k].high > low })
	for ; k < len(f.blocks) && f.blocks[k].low < high; k++ {
		if f.offset >= 0 && k != f.block {
			return true
		}
		b := f.blocks[k]
		top := min(b.high, high)
		offset := lifetime.AlignUp(max(b.low, low), f.align)
		if offset+f.size > top || f.offset >= 0 && (f.rule == lowestGap || top-offset >= f.least) {
			continue
		}
		f.least, f.offset, f.block = top-offset, offset, k
		if f.rule == lowestGap || f.least == f.size {
			return true
		}
	}
	return false
}
