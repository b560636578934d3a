package datasets

import (
	"math/rand/v2"
	"strings"

	"github.com/arenalab/arenalab/lifetime"
)

// chunky cuts a full arena of few steps and few units, so that many buffers are
// of one size and many are born at once.
func chunky(steps, units int64) maker {
	return func(r *rand.Rand, n int) *Synthetic {
		t := &tiler{r: r, times: 50, tiles: []rect{{0, steps, 0, units}}}
		for try := 0; len(t.tiles) < n && try < 50*n; try++ {
			t.cut(t.large())
		}
		tab := &lifetime.Table{}
		var offsets []int64
		for _, c := range t.tiles {
			tab.Buffers = append(tab.Buffers, lifetime.Buffer{Size: (c.top - c.bottom) * unit, Lower: c.left, Upper: c.right})
			offsets = append(offsets, c.bottom*unit)
		}
		return mixed(r, tab, offsets)
	}
}

// tight cuts a chunky arena and then, several times, lets two buffers of one
// size that follow each other be one, wherever they lie. Every step stays full,
// but a plan as high as that mostly is no more. There is none by construction:
// the graded set has them with one that was searched for.
func tight(steps, units int64, merges int) maker {
	return func(r *rand.Rand, n int) *Synthetic {
		t := chunky(steps, units)(r, n+merges).Table
		for range merges {
			var pairs [][2]int
			for i := range t.Buffers {
				for j := range t.Buffers {
					if a, b := &t.Buffers[i], &t.Buffers[j]; a.Upper == b.Lower && a.Size == b.Size {
						pairs = append(pairs, [2]int{i, j})
					}
				}
			}
			if len(pairs) == 0 {
				break
			}
			p := pairs[r.IntN(len(pairs))]
			t.Buffers[p[0]].Upper = t.Buffers[p[1]].Upper
			t.Buffers = append(t.Buffers[:p[1]], t.Buffers[p[1]+1:]...)
		}
		return &Synthetic{Table: t}
	}
}

// known is what was found of a tight table.
type known struct {
	offsets      string // of a plan: a hexadecimal digit for each buffer, in units
	lower, upper int64  // the steps that are swept to prove that no plan is a unit lower
	backward     bool
	buffers      []int // that the proof needs
}

// with adds what is known to the maker's table.
func (k *known) with(of maker) maker {
	return func(r *rand.Rand, n int) *Synthetic {
		t := of(r, n).Table
		offsets := make([]int64, len(k.offsets))
		for i := range offsets {
			offsets[i] = int64(strings.IndexByte("0123456789abcdef", k.offsets[i])) * unit
		}
		return proven(t, offsets)
	}
}

// bound is the proof.
func (k *known) bound(s *Synthetic) *lifetime.Bound {
	return &lifetime.Bound{
		Kind: lifetime.BoundSweep, Value: s.Optimum, Capacity: s.Optimum - unit,
		Lower: k.lower, Upper: k.upper, Backward: k.backward, Buffers: k.buffers,
	}
}
