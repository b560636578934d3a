package exact

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/arenalab/arenalab/lifetime"
)

// bruteForce returns the smallest arena of the table, or -1 if its fixed
// offsets collide: the least over all orders in which the buffers are put at
// the lowest place that is free. Where nothing can move down, taking buffers
// by offset gives that very plan, so some order reaches the optimum.
func bruteForce(t *lifetime.Table) int64 {
	b := brute{t: t, offsets: make([]int64, len(t.Buffers)), placed: make([]bool, len(t.Buffers)), best: 1 << 60}
	var arena int64
	for i := range t.Buffers {
		if f := t.Buffers[i].Fixed; f != nil {
			if !b.free(i, *f) {
				return -1
			}
			b.offsets[i], b.placed[i] = *f, true
			arena = max(arena, *f+t.Buffers[i].Size)
		}
	}
	b.try(arena)
	return b.best
}

type brute struct {
	t       *lifetime.Table
	offsets []int64
	placed  []bool
	best    int64
}

// taken returns the bytes of the buffer that are taken at the step.
func taken(b *lifetime.Buffer, step int64) (low, high int64) {
	if step < b.Lower || step >= b.Upper {
		return 0, 0
	}
	for _, g := range b.Gaps {
		if step >= g.Lower && step < g.Upper {
			return kept(g).Lower, kept(g).Upper
		}
	}
	return 0, b.Size
}

// free asks every step at which both may be there.
func (b *brute) free(i int, at int64) bool {
	for j := range b.offsets {
		if !b.placed[j] || i == j {
			continue
		}
		for step := max(b.t.Buffers[i].Lower, b.t.Buffers[j].Lower); step < min(b.t.Buffers[i].Upper, b.t.Buffers[j].Upper); step++ {
			lowI, highI := taken(&b.t.Buffers[i], step)
			lowJ, highJ := taken(&b.t.Buffers[j], step)
			if lowI < highI && lowJ < highJ && at+lowI < b.offsets[j]+highJ && b.offsets[j]+lowJ < at+highI {
				return false
			}
		}
	}
	return true
}

func (b *brute) try(arena int64) {
	if arena >= b.best {
		return
	}
	done := true
	for i := range b.placed {
		if b.placed[i] {
			continue
		}
		done = false
		buf := &b.t.Buffers[i]
		at := int64(0)
		for !b.free(i, at) {
			at += buf.Alignment()
		}
		b.offsets[i], b.placed[i] = at, true
		b.try(max(arena, at+buf.Size))
		b.placed[i] = false
	}
	if done {
		b.best = arena
	}
}

// shape says what a random table may hold.
type shape struct{ pins, gaps, aligns bool }

// random returns a small table. A third of them are full: a mutation of the
// smallest table known whose optimum is above its load.
func random(r *rand.Rand, s shape) *lifetime.Table {
	t := &lifetime.Table{Name: "random"}
	if r.IntN(6) > 0 {
		for _, b := range [][3]int64{{1, 3, 3}, {2, 5, 1}, {3, 4, 2}, {3, 6, 2}, {4, 8, 1}, {5, 6, 2}, {6, 7, 3}} {
			t.Buffers = append(t.Buffers, lifetime.Buffer{Lower: b[0], Upper: b[1], Size: b[2]})
		}
		for range r.IntN(2) {
			b := &t.Buffers[r.IntN(len(t.Buffers))]
			switch r.IntN(3) {
			case 0:
				b.Size = 1 + r.Int64N(3)
			case 1:
				b.Upper++
			default:
				b.Lower--
			}
		}
	} else {
		for range 1 + r.IntN(7) {
			low := r.Int64N(6)
			t.Buffers = append(t.Buffers, lifetime.Buffer{Lower: low, Upper: low + 1 + r.Int64N(4), Size: 1 + r.Int64N(5)})
		}
	}
	for i := range t.Buffers {
		b := &t.Buffers[i]
		if s.aligns {
			b.Align = 1 << r.IntN(3)
			if r.IntN(2) == 0 {
				b.Size *= 2
			}
		}
		if s.gaps && r.IntN(3) == 0 && b.Upper-b.Lower > 2 {
			b.Gaps = []lifetime.Gap{{Lower: b.Lower + 1, Upper: b.Upper - 1}}
			if r.IntN(8) == 0 { // never there at all
				b.Gaps = []lifetime.Gap{{Lower: b.Lower, Upper: b.Upper}}
			}
		}
		if s.pins && r.IntN(5) == 0 {
			at := r.Int64N(4) * b.Alignment()
			b.Fixed = &at
		}
	}
	r.Shuffle(len(t.Buffers), func(i, j int) { t.Buffers[i], t.Buffers[j] = t.Buffers[j], t.Buffers[i] })
	return t
}

func TestBruteForce(t *testing.T) {
	n := 300
	if slow {
		n = 3200
	}
	var infeasible int
	for k := range 8 * n {
		s := shape{k&1 > 0, k&2 > 0, k&4 > 0}
		table := random(rand.New(rand.NewPCG(uint64(k), 1)), s)
		want := bruteForce(table)
		if want < 0 {
			continue
		}
		o := Options{Seed: 1}
		if k%3 == 0 && !s.pins { // from a plan of the worst kind
			o.Start = lifetime.NewPlan(table, stacked(table))
		}
		got, err := Minimize(context.Background(), table, o)
		if err != nil {
			t.Fatal(err)
		}
		if got.Plan == nil || got.Plan.Arena != want || got.Plan.LowerBound != want {
			t.Fatalf("%d: %+v: plan %+v, want arena %d", k, table.Buffers, got.Plan, want)
		}
		if err := lifetime.Check(table, got.Plan); err != nil {
			t.Fatal(err)
		}
		if live := table.Load(); live < want {
			infeasible++
			for c := max(live-1, 0); c < want; c++ {
				if _, status, _ := Feasible(context.Background(), table, c, Options{}); status != lifetime.Infeasible {
					t.Fatalf("%d: %+v: %v at %d, optimum %d", k, table.Buffers, status, c, want)
				}
			}
		}
		if _, status, _ := Feasible(context.Background(), table, want, Options{}); status != lifetime.Feasible {
			t.Fatalf("%d: %+v: %v at the optimum %d", k, table.Buffers, status, want)
		}
	}
	t.Logf("%d of %d tables need more than their load", infeasible, 8*n)
}
