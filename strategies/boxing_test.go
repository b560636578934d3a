package strategies

import (
	"context"
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/arenalab/arenalab/lifetime"
)

// The open boxes are a safe plan of all buffers, before anything falls.
func TestBoxesAreSafe(t *testing.T) {
	check := func(t fataler, table *lifetime.Table, seed uint64) {
		p, err := prepare(&method{order: bySizeAndLife(), whole: true}, table, Options{})
		if err != nil {
			t.Fatalf("%v", err)
		}
		if len(p.items) == 0 {
			return
		}
		x := newBoxer(context.Background(), p, seed)
		loose := x.pack()
		sum := 0.0
		for i, a := range x.parcels[:len(loose)] {
			sum += a.height
			for j, b := range x.parcels[:i] {
				if a.lower < b.upper && b.lower < a.upper && loose[i] < loose[j]+b.height && loose[j] < loose[i]+a.height {
					t.Fatalf("items %d at %g and %d at %g meet: %+v %+v", i, loose[i], j, loose[j], a, b)
				}
			}
		}
		packed := map[int32]int{}
		for _, b := range x.parcels {
			for _, k := range b.inside {
				packed[k]++
			}
		}
		for k := range x.parcels {
			if n := packed[int32(k)]; n > 1 {
				t.Fatalf("parcel %d is in %d boxes", k, n)
			}
		}
		if !x.uniform && len(packed) < len(loose) {
			t.Fatalf("%d of %d buffers are boxed", len(packed), len(loose))
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		most := int64(1) << rapid.IntRange(0, 40).Draw(t, "most")
		check(t, randomTable(t, shapeOf{buffers: 80, steps: 25, align: -1, sizes: most}), rapid.Uint64().Draw(t, "seed"))
	})
	// Enough alike and alive at once for strips to be cut, and sizes far enough
	// apart for boxes within boxes.
	many := &lifetime.Table{}
	for i := range int64(3000) {
		many.Buffers = append(many.Buffers, lifetime.Buffer{Size: 1 + i%7, Lower: i % 977, Upper: 1000 + i%1009})
	}
	for i := range int64(40) {
		many.Buffers = append(many.Buffers, lifetime.Buffer{Size: 1 << (20 + i%12), Lower: i * 11, Upper: i*11 + 300})
	}
	check(t, many, 1)
}

func TestBoxing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		table := randomTable(t, shapes["mixed"])
		first, err := (&method{rule: lowestGap, order: bySizeAndLife(), whole: true}).place(t.Context(), table, Options{})
		if err != nil {
			t.Fatal(err)
		}
		plan, err := boxing{}.Plan(t.Context(), table, Options{Seed: 7})
		if err != nil {
			t.Fatal(err)
		}
		if plan.Arena > first.Arena {
			t.Fatalf("arena %d, first fit %d", plan.Arena, first.Arena)
		}
	})
}

// With time for first fit only, its plan is the answer.
func TestBoxingKeepsItsBest(t *testing.T) {
	table := large(3000)
	want, err := (&method{rule: lowestGap, order: bySizeAndLife(), whole: true}).place(t.Context(), table, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if want.Arena == table.Load() {
		t.Fatal("there is nothing to gain")
	}
	ctx := &countdown{Context: t.Context(), left: 2 + len(table.Buffers)/checkEvery + 1}
	plan, err := boxing{}.Plan(ctx, table, Options{TimeLimit: 0})
	if err != nil {
		t.Fatal(err)
	}
	if plan.Arena != want.Arena {
		t.Errorf("arena %d, first fit %d", plan.Arena, want.Arena)
	}
	if _, err := (boxing{}).Plan(t.Context(), table, Options{TimeLimit: time.Nanosecond}); err == nil {
		t.Error("a plan without any time")
	}
}

func TestRoundUp(t *testing.T) {
	for _, share := range []float64{1e-4, 0.01, 0.3, goldenLimit} {
		for h := 1.0; h < 1e15; h = math.Floor(h*1.7) + 1 {
			unit := roundUp(h, share)
			if unit < h || unit > h*(1+share)+1 {
				t.Errorf("%g rounds up to %g with share %g", h, unit, share)
			}
		}
	}
}
