package datasets

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/arenalab/arenalab/lifetime"
)

// planted lets a tiling of another maker be followed by one copy of the seven
// buffers that need six units although no more than five are live. Six units are
// higher than the tiling by the slack, in percent. So they are the optimum: the
// peak of live bytes, that of the tiling, does not show it, and the tiling has
// little room.
func planted(of maker, slack int64) maker {
	return func(r *rand.Rand, n int) *Synthetic {
		s := of(r, n-len(gapSeed))
		_, end := s.Table.Span()
		offsets := s.Plan.Offsets
		one := (s.Plan.Arena*(100+slack)/100 + 5) / 6
		for _, b := range gapSeed {
			s.Table.Buffers = append(s.Table.Buffers, lifetime.Buffer{
				Size: b.size * one, Lower: end + b.lower, Upper: end + b.upper,
			})
			offsets = append(offsets, b.offset*one)
		}
		return mixed(r, s.Table, offsets)
	}
}

// walled chains copies of the seven buffers in time, each with buffers beside
// it that live as long as all seven together, as high in all as the given
// units. A plan of one copy with these needs their units and six: without them
// what is left can be pushed together to a plan of the seven.
func walled(walls int, high int64) maker {
	return func(r *rand.Rand, n int) *Synthetic {
		t := &lifetime.Table{}
		var offsets []int64
		add := func(size, lower, upper, at int64) {
			t.Buffers = append(t.Buffers, lifetime.Buffer{Size: size * unit, Lower: lower, Upper: upper})
			offsets = append(offsets, at*unit)
		}
		for k := range int64(n / (len(gapSeed) + walls)) {
			start := 7*k + 1
			at := int64(6)
			for _, size := range parts(r, high, walls) {
				add(size, start, start+7, at)
				at += size
			}
			for _, b := range gapSeed {
				add(b.size, start-1+b.lower, start-1+b.upper, b.offset)
			}
		}
		return mixed(r, t, offsets)
	}
}

// parts returns numbers above 0 with the given sum.
func parts(r *rand.Rand, sum int64, count int) []int64 {
	cuts := []int64{0, sum}
	for len(cuts) <= count {
		if c := 1 + r.Int64N(sum-1); !slices.Contains(cuts, c) {
			cuts = append(cuts, c)
		}
	}
	slices.Sort(cuts)
	out := make([]int64, count)
	for i := range out {
		out[i] = cuts[i+1] - cuts[i]
	}
	return out
}

// mixed puts the rows in random order.
func mixed(r *rand.Rand, t *lifetime.Table, offsets []int64) *Synthetic {
	r.Shuffle(len(offsets), func(i, j int) {
		t.Buffers[i], t.Buffers[j] = t.Buffers[j], t.Buffers[i]
		offsets[i], offsets[j] = offsets[j], offsets[i]
	})
	for i := range t.Buffers {
		t.Buffers[i].Name = fmt.Sprintf("b%d", i)
	}
	return proven(t, offsets)
}

// plantedBound is the proof for planted: no way to place the last seven.
func plantedBound(s *Synthetic) *lifetime.Bound {
	_, end := s.Table.Span()
	return sweepBound(s, end-7, end)
}

// walledBound is the proof for walled, and for gap: no way to place what lives
// in the first period.
func walledBound(s *Synthetic) *lifetime.Bound { return sweepBound(s, 1, 8) }

// sweepBound says that what is born and dies within the steps does not fit into
// less than the optimum.
func sweepBound(s *Synthetic, lower, upper int64) *lifetime.Bound {
	b := &lifetime.Bound{Kind: lifetime.BoundSweep, Value: s.Optimum, Capacity: s.Optimum - 1, Lower: lower, Upper: upper}
	for i := range s.Table.Buffers {
		if c := &s.Table.Buffers[i]; lower <= c.Lower && c.Upper <= upper {
			b.Buffers = append(b.Buffers, i)
		}
	}
	return b
}
