package strategies

// beamCost is a table of (end / peak of live bytes) to a power, in fixed point,
// so that sums do not depend on the order of adding up.
type beamCost struct {
	nodes []int64 // of ends up to the limit, at equal distances
	scale float64 // nodes a byte
}

const (
	beamNodes = 1 << 12
	beamParts = 1 << 8  // of the way between nodes
	beamOne   = 1 << 30 // the cost of an end at the peak
	beamMost  = 1 << 50 // of an end far above it
)

// set makes the table for ends up to the limit.
func (c *beamCost) set(t *skyTable, limit int64, power int) {
	if c.nodes == nil {
		c.nodes = make([]int64, beamNodes+2)
	}
	most := min(beamMost, float64((1<<62)/int64(t.sections)))
	c.scale = beamNodes / float64(limit)
	for i := range c.nodes {
		c.nodes[i] = int64(min(most, beamOne*raised(float64(i)/c.scale/float64(t.peak), power)))
	}
}

// raised returns base to the power, rounded alike on all machines.
func raised(base float64, power int) float64 {
	out := 1.0
	for ; power > 0; power >>= 1 {
		if power&1 == 1 {
			out = float64(out * base)
		}
		base = float64(base * base)
	}
	return out
}

// of returns the cost of an end.
func (c *beamCost) of(end int64) int64 {
	x := int64(float64(end) * c.scale * beamParts)
	i, part := x/beamParts, x%beamParts
	low := c.nodes[i]
	return low + (c.nodes[i+1]-low)*part/beamParts
}

// beamSet is a set of numbers that is emptied often.
type beamSet struct {
	slots []beamSlot
	round uint64
}

type beamSlot struct{ key, round uint64 }

// reset empties the set and makes room for n numbers.
func (s *beamSet) reset(n int) {
	size := 16
	for size < 2*n {
		size *= 2
	}
	if len(s.slots) < size {
		s.slots, s.round = make([]beamSlot, size), 0
	}
	s.round++
}

// add reports whether the number is new.
func (s *beamSet) add(key uint64) bool {
	mask := uint64(len(s.slots) - 1)
	for i := key & mask; ; i = (i + 1) & mask {
		switch slot := &s.slots[i]; {
		case slot.round != s.round:
			*slot = beamSlot{key, s.round}
			return true
		case slot.key == key:
			return false
		}
	}
}

// mix spreads the bits of a number.
func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
