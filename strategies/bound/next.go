package bound

// mostSums bounds the sums of sizes that next looks at.
const mostSums = 1 << 20

// next returns the smallest arena above the capacity that the buffers can need.
// Where nothing can move down, each lies on the floor, on a fixed one, or on
// another; so without alignments in between, ends are sums of sizes.
func (q query) next() int64 {
	unit := unitOf(q)
	sums := q.sums(unit)
	best := int64(-1)
	for _, i := range q.buffers {
		b := &q.t.Buffers[i]
		end := int64(-1)
		if b.Fixed != nil {
			if end = *b.Fixed + b.Size; end <= q.capacity {
				continue
			}
		} else {
			k := max(0, floorDiv(q.capacity-b.Size, unit)+1)
			step := max(1, b.Alignment()/unit)
			k = ceilDiv(k, step) * step
			for size := ceilDiv(b.Size, unit); k+size < int64(len(sums)) && !sums[k+size]; {
				k++
			}
			end = k*unit + b.Size
		}
		if best < 0 || end < best {
			best = end
		}
	}
	return max(best, q.capacity+1)
}

// sums returns which multiples of the unit are sums of sizes, from 0 or a fixed
// offset on, up to two sizes above the capacity; nil if ends are no such sums.
func (q query) sums(unit int64) []bool {
	var longest int64
	for _, i := range q.buffers {
		b := &q.t.Buffers[i]
		if b.Alignment() > unit {
			return nil
		}
		for _, g := range b.Gaps {
			if g.Keep != nil {
				return nil
			}
		}
		longest = max(longest, b.Size/unit)
	}
	limit := q.capacity/unit + 2*longest + 2
	if limit*int64(len(q.buffers)) > 16*mostSums || limit > mostSums {
		return nil
	}
	out := make([]bool, limit)
	out[0] = true
	for _, i := range q.buffers {
		if f := q.t.Buffers[i].Fixed; f != nil && *f/unit < limit {
			out[*f/unit] = true
		}
	}
	for _, i := range q.buffers {
		size := ceilDiv(q.t.Buffers[i].Size, unit)
		for k := limit - 1; k >= size; k-- {
			out[k] = out[k] || out[k-size]
		}
	}
	return out
}
