package lifetime

import "math/big"

// maxSums bounds the sums of sizes that nextArena looks at, in units.
const maxSums = 1 << 20

// nextArena returns the smallest arena above the capacity that the buffers can
// need, if they cannot do with the capacity.
//
// In the plan that excerpt describes, the topmost buffer is at a whole number of
// units. Where no window is kept and no alignment comes in between, it also
// lies on the floor, on a fixed buffer, or on another that does, so that the
// offset is a sum of sizes of some of the buffers, from 0 or a fixed offset on.
func nextArena(picked *Table, capacity int64) int64 {
	unit := commonUnit(picked.Buffers)
	sums := chainSums(picked.Buffers, unit, capacity)
	next := int64(-1)
	for i := range picked.Buffers {
		b := &picked.Buffers[i]
		at := max(0, floorDiv(capacity-b.Size, unit)+1) // the first offset above the capacity
		if sums != nil {
			for limit := int64(sums.BitLen()); at < limit && sums.Bit(int(at)) == 0; {
				at++
			}
		}
		step := stepOf(b, unit)
		at = (at + step - 1) / step * step
		if end := at*unit + b.Size; b.Fixed == nil && (next < 0 || end < next) {
			next = end
		} else if b.Fixed != nil && *b.Fixed+b.Size > capacity && (next < 0 || *b.Fixed+b.Size < next) {
			next = *b.Fixed + b.Size
		}
	}
	return max(next, capacity+1)
}

// chainSums returns the set of offsets, in units, that chains of buffers lead
// to, up to one size above the capacity; nil if offsets are no such sums, or
// too many. The last bit is set always: there the set ends.
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
		limit = max(limit, capacity/unit+b.Size/unit+1)
	}
	if limit > maxSums || limit*int64(len(buffers)) > 64*maxSums {
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
