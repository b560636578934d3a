package exact

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/arenalab/arenalab/lifetime"
)

// TestFindWindow: the part of a table in the window does not fit, and what a
// brute force finds for it is no more than for the whole.
func TestFindWindow(t *testing.T) {
	shorter := 0
	for k := range 200 {
		r := rand.New(rand.NewPCG(uint64(k), 17))
		table := random(r, shape{pins: k&1 > 0, gaps: k&2 > 0, aligns: k&4 > 0})
		want := bruteForce(table)
		if want <= 1 {
			continue
		}
		lower, upper := FindWindow(context.Background(), table, want-1, Options{})
		part, kept := Clip(table, lower, upper)
		if err := part.Validate(); err != nil {
			t.Fatal(err)
		}
		if got := bruteForce(part); got != want {
			t.Fatalf("%d: %+v in [%d, %d) needs %d, all %d", k, table.Buffers, lower, upper, got, want)
		}
		if !slices.IsSorted(kept) || len(kept) != len(part.Buffers) {
			t.Fatalf("positions %v of %d buffers", kept, len(part.Buffers))
		}
		if from, to := table.Span(); lower > from || upper < to {
			shorter++
		}
	}
	if shorter == 0 {
		t.Error("every window is all there is")
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if lower, upper := FindWindow(ctx, seven(), 5, Options{}); lower != 1 || upper != 8 {
		t.Errorf("after the end: [%d, %d), want all steps", lower, upper)
	}
}

func TestClip(t *testing.T) {
	table := &lifetime.Table{Buffers: []lifetime.Buffer{
		{Size: 4, Lower: 0, Upper: 9, Gaps: []lifetime.Gap{{Lower: 1, Upper: 3}, {Lower: 4, Upper: 8, Keep: &lifetime.Window{Upper: 2}}}},
		{Size: 4, Lower: 0, Upper: 9, Gaps: []lifetime.Gap{{Lower: 2, Upper: 8}}},
		{Size: 4, Lower: 0, Upper: 3},
		{Size: 4, Lower: 5, Upper: 6},
	}}
	got, kept := Clip(table, 3, 6)
	if !slices.Equal(kept, []int{0, 3}) {
		t.Fatalf("kept %v", kept)
	}
	b := got.Buffers[0]
	if b.Lower != 3 || b.Upper != 6 || len(b.Gaps) != 1 || b.Gaps[0].Lower != 4 || b.Gaps[0].Upper != 6 || b.Gaps[0].Keep.Upper != 2 {
		t.Errorf("clipped to %+v", b)
	}
	if len(table.Buffers[0].Gaps) != 2 {
		t.Error("the table was modified")
	}
}
