package lifetime

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestLiveBytesAgainstBrute(t *testing.T) {
	many(t, func(t *rapid.T) {
		tab := tables(tiny).Draw(t, "table")
		c := tab.LiveBytes()
		lower, upper := tab.Span()
		var peak, first int64
		for step := lower - 2; step < upper+2; step++ {
			want := bruteLive(tab, step)
			if got := c.At(step); got != want {
				t.Fatalf("%d bytes at step %d, want %d", got, step, want)
			}
			if want > peak {
				peak, first = want, step
			}
		}
		if step, bytes := c.Peak(); step != first || bytes != peak {
			t.Fatalf("peak %d at step %d, want %d at %d", bytes, step, peak, first)
		}
		if got := tab.Load(); got != peak {
			t.Fatalf("load %d, want %d", got, peak)
		}
		if !slices.IsSorted(c.Times) || len(slices.Compact(slices.Clone(c.Times))) != len(c.Times) {
			t.Fatalf("times do not ascend: %v", c.Times)
		}
		if n := len(c.Live); n != len(c.Times) || n > 0 && c.Live[n-1] != 0 {
			t.Fatalf("curve %v", c)
		}
	})
}

func TestLiveBytes(t *testing.T) {
	tab := &Table{Buffers: []Buffer{
		{Size: 4, Lower: 0, Upper: 3, Gaps: []Gap{{Lower: 1, Upper: 2, Keep: &Window{1, 2}}}},
		{Size: 8, Lower: 1, Upper: 2},
		{Size: 0, Lower: 0, Upper: 9},
		{Size: 4, Lower: 5, Upper: 6},
	}}
	want := Curve{Times: []int64{0, 1, 2, 3, 5, 6}, Live: []int64{4, 9, 4, 0, 4, 0}}
	if diff := cmp.Diff(want, tab.LiveBytes()); diff != "" {
		t.Error(diff)
	}
	if got := (&Table{}).Load(); got != 0 {
		t.Errorf("load of the empty table is %d", got)
	}
}
