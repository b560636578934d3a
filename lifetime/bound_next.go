package lifetime

import (
	"math"
	"math/big"
)

// maxSums bounds the sums of sizes that nextArena looks at, in units.
const maxSums = 1 << 20

// nextArena returns the smallest arena above the capacity that the buffers can
// need, if they cannot do with the capacity.
//
// In the plan that excerpt describes, the topmost buffer is at a whole number of
// units. Where no window is kept and no alignment comes in between, it also
// lies on the floor, on a fixed buffer, or on another that does, so that its
// end is a sum of sizes of some of the buffers, from 0 or a fixed offset on.
func nextArena(picked *Table, capacity int64) int64 {
	unit := commonUnit(picked.Buffers)
	sums := chainSums(picked.Buffers, unit, capacity)
	next := int64(math.MaxInt64)
	for i := range picked.Buffers {
		b := &picked.Buffers[i]
		if b.Fixed != nil {
			if end := *b.Fixed + b.Size; end > capacity {
				next = min(next, end)
			}
			continue
		}
		at := max(0, floorDiv(capacity-b.Size, unit)+1) // the first offset above the capacity
		step := stepOf(b, unit)
		at = (at + step - 1) / step * step
		if sums != nil {
			size := (b.Size + unit - 1) / unit
			end := at + size
			for limit := int64(sums.BitLen()); end < limit && sums.Bit(int(end)) == 0; {
				end++
			}
			at = end - size
		}
		next = min(next, at*unit+b.Size)
	}
	return max(min(next, capacity+maxTotal), capacity+1)
}

// chainSums returns the set of ends, in units, that chains of buffers can have,
// up to two sizes above the capacity; nil if ends are no such sums, or too many.
// The last bit is set always: there the set ends.
func chainSums(buffers []Buffer, unit, capacity int64) *big.Int {
	limit := capacity / unit
	sums := big.NewInt(1)
	for i := range buffers {
		b := &buffers[i]
		if stepOf(b, unit) != 1 {
			return nil
		}
		for _, g := range b.Gaps {
			if g.Keep != nil {
				return nil
			}
		}
		limit = max(limit, capacity/unit+2*(b.Size/unit)+2)
	}
	if limit > maxSums || limit*int64(len(buffers)) > 16*maxSums {
		return nil
	}
	for i := range buffers {
		if f := buffers[i].Fixed; f != nil && *f/unit < limit {
			sums.SetBit(sums, int(*f/unit), 1)
		}
	}
	mask := new(big.Int).Lsh(big.NewInt(1), uint(limit))
	mask.Sub(mask, big.NewInt(1))
	shifted := new(big.Int)
	for i := range buffers {
		if size := (buffers[i].Size + unit - 1) / unit; size < limit {
			shifted.Lsh(sums, uint(size))
			sums.Or(sums, shifted.And(shifted, mask))
		}
	}
	return sums.SetBit(sums, int(limit), 1)
}
