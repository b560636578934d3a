package bound

import (
	"slices"

	"github.com/arenalab/arenalab/lifetime"
)

// Objects returns a lower bound, in bytes, on the blocks of any plan of shared
// objects for a valid table: one that gives every buffer a whole block, at
// least as large, for all its life. It is the sum over k of the most bytes that
// the k-th largest buffer of any instant has, for where k buffers of a size or
// more are live together there are k blocks of that size. Gaps are not counted:
// no other buffer may use the block then. Nor is what alignment adds between
// blocks.
//
// It bounds nothing else. A plan of offsets, which need no blocks, may have a
// smaller arena, though never one below the load.
//
// O(n log n + n w), w the most buffers live together.
//
// Reference: Y. Pisarchyk and J. Lee, "Efficient Memory Management for Deep
// Neural Net Inference", 2020, arXiv:2001.03288 (positional maximums).
func Objects(t *lifetime.Table) int64 {
	whole := make([]lifetime.Piece, 0, len(t.Buffers))
	for i := range t.Buffers {
		if b := &t.Buffers[i]; b.Size > 0 {
			whole = append(whole, lifetime.Piece{Buffer: i, Lower: b.Lower, Upper: b.Upper, High: b.Size})
		}
	}
	var live, most []int64 // live sizes ascending; most by rank, the largest first
	changed := false
	for _, e := range events(whole, 1) {
		at, _ := slices.BinarySearch(live, e.bytes)
		if e.birth {
			live, changed = slices.Insert(live, at, e.bytes), true
			continue
		}
		if changed { // else no more is live than at the last look
			most, changed = raised(most, live), false
		}
		live = slices.Delete(live, at, at+1)
	}
	var sum int64
	for _, size := range most {
		sum += size
	}
	return sum
}

// raised returns, by rank, the larger of most and of the sizes, which are
// ascending.
func raised(most, sizes []int64) []int64 {
	for len(most) < len(sizes) {
		most = append(most, 0)
	}
	for i, size := range sizes {
		rank := len(sizes) - 1 - i
		most[rank] = max(most[rank], size)
	}
	return most
}
