package exact

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/arenalab/arenalab/lifetime"
)

// exhaust returns the smallest arena of the table by trying all offsets, or -1
// if fixed ones collide: where parts of buffers are kept, the order in which
// buffers lie says too little for bruteForce.
func exhaust(t *lifetime.Table) int64 {
	t = &lifetime.Table{Buffers: slices.Clone(t.Buffers)}
	slices.SortStableFunc(t.Buffers, func(x, y lifetime.Buffer) int {
		return cmp.Or(rank(x.Fixed == nil)-rank(y.Fixed == nil), cmp.Compare(y.Size, x.Size))
	})
	b := brute{t: t, offsets: make([]int64, len(t.Buffers)), placed: make([]bool, len(t.Buffers))}
	least := int64(0)
	for i := range t.Buffers {
		buf := &t.Buffers[i]
		if buf.Fixed != nil {
			if !b.free(i, *buf.Fixed) {
				return -1
			}
			b.offsets[i], b.placed[i] = *buf.Fixed, true
		}
		least = max(least, buf.Size+max(0, offset(buf)))
	}
	for !b.within(0, least) {
		least++
	}
	return least
}

// within reports whether the buffers from i on have places within the capacity
// beside those that are placed.
func (b *brute) within(i int, capacity int64) bool {
	if i == len(b.placed) {
		return true
	}
	if b.placed[i] {
		return b.within(i+1, capacity)
	}
	buf := &b.t.Buffers[i]
	for at := int64(0); at <= capacity-buf.Size; at += buf.Alignment() {
		if !b.free(i, at) {
			continue
		}
		b.offsets[i], b.placed[i] = at, true
		ok := b.within(i+1, capacity)
		b.placed[i] = false
		if ok {
			return true
		}
	}
	return false
}

// keepParts makes gaps of the table keep some bytes, and adds such gaps.
func keepParts(r *rand.Rand, t *lifetime.Table) {
	for i := range t.Buffers {
		b := &t.Buffers[i]
		if len(b.Gaps) == 0 && r.IntN(2) == 0 {
			from := b.Lower + r.Int64N(b.Upper-b.Lower)
			b.Gaps = []lifetime.Gap{{Lower: from, Upper: from + 1 + r.Int64N(b.Upper-from)}}
			if to := b.Gaps[0].Upper; to < b.Upper && r.IntN(2) == 0 {
				b.Gaps = append(b.Gaps, lifetime.Gap{Lower: to, Upper: to + 1 + r.Int64N(b.Upper-to)})
			}
		}
		for k := range b.Gaps {
			if r.IntN(4) > 0 {
				low := r.Int64N(b.Size)
				b.Gaps[k].Keep = &lifetime.Window{Lower: low, Upper: low + 1 + r.Int64N(b.Size-low)}
			}
		}
	}
}

// TestWindows asks a brute force about tables in which gaps keep parts of
// buffers, with everything else that a table may hold.
func TestWindows(t *testing.T) {
	n := 200
	if slow {
		n = 10_000
	}
	var above, pinned, clashing int
	for k := range 8 * n {
		r := rand.New(rand.NewPCG(uint64(k), 11))
		table := random(r, shape{k&1 > 0, k&2 > 0, k&4 > 0})
		keepParts(r, table)
		want := exhaust(table)
		if want < 0 {
			pinned++
			continue
		}
		got, err := Minimize(context.Background(), table, Options{Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		if got.Plan == nil || got.Plan.Arena != want || got.Plan.LowerBound != want {
			t.Fatalf("%d: %+v: plan %+v, want arena %d", k, table.Buffers, got.Plan, want)
		}
		if err := lifetime.Check(table, got.Plan); err != nil {
			t.Fatal(err)
		}
		load := table.Load()
		if load < want {
			above++
		}
		for c := max(load-1, 0); c <= want; c++ {
			expect := lifetime.Infeasible
			if c == want {
				expect = lifetime.Feasible
			}
			if _, status, _ := Feasible(context.Background(), table, c, Options{}); status != expect {
				t.Fatalf("%d: %+v: %v at %d, optimum %d", k, table.Buffers, status, c, want)
			}
		}
		if ps, err := split(table); err == nil {
			for _, p := range ps.list {
				clashing += len(p.clashes)
			}
		}
	}
	t.Logf("of %d tables %d need more than their load, %d have no plan; %d pairs clash", 8*n, above, pinned, clashing)
	if above == 0 || clashing == 0 {
		t.Error("the tables are too easy to tell")
	}
}
