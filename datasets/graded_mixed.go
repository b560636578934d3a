package datasets

import (
	"fmt"
	"math/bits"
	"math/rand/v2"

	"github.com/arenalab/arenalab/lifetime"
)

// The makers here change tables of other makers so that the plan these come
// with stays safe and optimal.

// maker makes a table of n buffers.
type maker = func(r *rand.Rand, n int) *Synthetic

// pinned gives some of the buffers, a share in percent, the offset of the plan.
// The peak of live bytes stays what it was, and so does the optimum.
func pinned(of maker, percent int) maker {
	return func(r *rand.Rand, n int) *Synthetic {
		s := of(r, n)
		for i := range s.Table.Buffers {
			if r.IntN(100) < percent {
				at := s.Plan.Offsets[i]
				s.Table.Buffers[i].Fixed = &at
			}
		}
		return s
	}
}

// gapped makes n buffers, or nearly so many, of fewer. One that is long and large enough is away in
// the middle of its life, wholly or but for a window at its bottom, and another
// buffer has its place. At every step as many bytes are live as before.
func gapped(of maker, percent int) maker {
	return func(r *rand.Rand, n int) *Synthetic {
		whole := n * 100 / (100 + percent)
		s := of(r, whole)
		offsets := s.Plan.Offsets
		for try := 0; len(s.Table.Buffers) < n && try < 50*n; try++ {
			i := r.IntN(whole)
			b := &s.Table.Buffers[i]
			life := b.Upper - b.Lower
			if life < 3 || b.Size < 2 || len(b.Gaps) > 0 {
				continue
			}
			from := b.Lower + 1 + r.Int64N(life-2)
			gap := lifetime.Gap{Lower: from, Upper: from + 1 + r.Int64N(b.Upper-1-from)}
			kept := int64(0)
			if r.IntN(2) == 0 {
				kept = 1 + r.Int64N(b.Size-1)
				gap.Keep = &lifetime.Window{Lower: 0, Upper: kept}
			}
			b.Gaps = []lifetime.Gap{gap}
			guest := lifetime.Buffer{
				Name: fmt.Sprintf("b%d", len(s.Table.Buffers)), Size: b.Size - kept, Lower: gap.Lower, Upper: gap.Upper,
			}
			at := offsets[i] + kept
			s.Table.Buffers = append(s.Table.Buffers, guest)
			offsets = append(offsets, at)
		}
		return proven(s.Table, offsets)
	}
}

const grain = 256 // bytes: the alignment of what aligned makes

// aligned multiplies bytes by the grain, and then takes off less than one grain
// of each buffer: what lies on top of it stays where it is. At the middle step
// every buffer is aligned to the grain at least, and none loses more than half
// of one, the topmost exactly that; no other topmost buffer loses less. So the
// rounded sizes less the largest pad are the arena. All other buffers are
// aligned to any power of two that their offset allows.
func aligned(of maker) maker {
	return func(r *rand.Rand, n int) *Synthetic {
		s := of(r, n)
		top := s.Plan.Arena
		offsets := s.Plan.Offsets
		lower, upper := s.Table.Span()
		for i := range s.Table.Buffers {
			b := &s.Table.Buffers[i]
			middle := liveAt(b, lower+(upper-lower)/2)
			pad := r.Int64N(grain)
			switch topmost := offsets[i]+b.Size == top; {
			case topmost && middle:
				pad = grain / 2
			case topmost:
				pad = grain/2 + pad/2
			case middle:
				pad /= 2
			}
			offsets[i] *= grain
			b.Size = b.Size*grain - pad
			most := min(bits.TrailingZeros64(uint64(offsets[i])|1<<16), 16)
			least := 0
			if middle {
				least = bits.TrailingZeros64(grain)
			}
			b.Align = 1 << (least + r.IntN(most-least+1))
		}
		return proven(s.Table, offsets)
	}
}

func liveAt(b *lifetime.Buffer, step int64) bool { return b.Lower <= step && step < b.Upper }

// alignedBound is the proof for aligned.
func alignedBound(s *Synthetic) *lifetime.Bound {
	lower, upper := s.Table.Span()
	b := &lifetime.Bound{Kind: lifetime.BoundAlignment, Align: grain, Step: lower + (upper-lower)/2, Value: s.Optimum}
	for i := range s.Table.Buffers {
		if liveAt(&s.Table.Buffers[i], b.Step) {
			b.Buffers = append(b.Buffers, i)
		}
	}
	return b
}
