package bound_test

import (
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/arenalab/arenalab/lifetime"
	"github.com/arenalab/arenalab/strategies/bound"
	"github.com/arenalab/arenalab/strategies/exact"
)

// tight cuts a full arena of steps by units into n rectangles, each a buffer,
// and then lets buffers of one size that follow each other be one, wherever
// they lie, until there is no plan of the load any more, as fits says: every
// instant stays full. It returns nil if that never happens.
func tight(r *rand.Rand, steps, units int64, n int, fits func(*lifetime.Table) bool) *lifetime.Table {
	type tile struct{ t0, t1, y0, y1 int64 }
	tiles := []tile{{0, steps, 0, units}}
	for try := 0; len(tiles) < n && try < 50*n; try++ {
		k := r.IntN(len(tiles))
		for range 3 {
			area := func(t tile) int64 { return (t.t1 - t.t0) * (t.y1 - t.y0) }
			if j := r.IntN(len(tiles)); area(tiles[j]) > area(tiles[k]) {
				k = j
			}
		}
		c := tiles[k]
		if r.IntN(2) == 0 && c.t1-c.t0 > 1 {
			at := c.t0 + 1 + r.Int64N(c.t1-c.t0-1)
			tiles[k].t1 = at
			tiles = append(tiles, tile{at, c.t1, c.y0, c.y1})
		} else if c.y1-c.y0 > 1 {
			at := c.y0 + 1 + r.Int64N(c.y1-c.y0-1)
			tiles[k].y1 = at
			tiles = append(tiles, tile{c.t0, c.t1, at, c.y1})
		}
	}
	t := &lifetime.Table{}
	for _, c := range tiles {
		t.Buffers = append(t.Buffers, lifetime.Buffer{Size: c.y1 - c.y0, Lower: c.t0, Upper: c.t1})
	}
	for merged := 1; ; merged++ {
		if !merge(r, t) {
			return nil
		}
		if merged >= n/12 && !fits(t) {
			return t
		}
	}
}

// merge makes one buffer of two; false if there are no such.
func merge(r *rand.Rand, t *lifetime.Table) bool {
	var pairs [][2]int
	for i := range t.Buffers {
		for j := range t.Buffers {
			if a, b := &t.Buffers[i], &t.Buffers[j]; i != j && a.Upper == b.Lower && a.Size == b.Size {
				pairs = append(pairs, [2]int{i, j})
			}
		}
	}
	if len(pairs) == 0 {
		return false
	}
	p := pairs[r.IntN(len(pairs))]
	t.Buffers[p[0]].Upper = t.Buffers[p[1]].Upper
	t.Buffers = append(t.Buffers[:p[1]:p[1]], t.Buffers[p[1]+1:]...)
	return true
}

// TestRefuteTight proves of tilings that they cannot be laid at their load,
// although every instant is full. Which tables those are, the exact search says.
func TestRefuteTight(t *testing.T) {
	seeds, least := []uint64{20, 64, 87, 103}, 4
	if os.Getenv("ARENALAB_SLOW") != "" {
		seeds, least = nil, 0
		for s := range uint64(150) {
			seeds = append(seeds, s)
		}
	}
	tables, proven := 0, 0
	for _, n := range []int{40, 60, 80}[:1+min(2, len(seeds)/75)] {
		if n > 60 {
			seeds = seeds[:20]
		}
		for _, seed := range seeds {
			table := tight(rand.New(rand.NewPCG(seed, 1)), 40, 12, n, func(table *lifetime.Table) bool {
				_, status, err := exact.Feasible(t.Context(), table, 12, exact.Options{Decisions: 100_000})
				return err != nil || status != lifetime.Infeasible
			})
			if table == nil {
				continue
			}
			tables++
			b, err := bound.Refute(t.Context(), table, 12, nil, bound.Limits{Whole: n > 60})
			if err != nil {
				t.Fatal(err)
			}
			if b == nil {
				t.Logf("n = %d, seed %d: no proof", n, seed)
				continue
			}
			proven++
			used, err := lifetime.CheckBoundWithin(table, b, math.MaxInt)
			if err != nil || b.Value != 13 {
				t.Errorf("n = %d, seed %d: %d bytes: %v", n, seed, b.Value, err)
			}
			t.Logf("n = %d, seed %d: %s of %d buffers, %d operations", n, seed, b.Kind, len(b.Buffers), used)
		}
	}
	if tables < 4 || proven < least || proven*10 < tables*7 {
		t.Errorf("%d of %d proven", proven, tables)
	}
}
