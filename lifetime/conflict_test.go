package lifetime

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestConflictsAgainstBrute(t *testing.T) {
	for name, s := range map[string]shape{
		"gaps":  {buffers: 8, steps: 8, size: 2, gaps: true},
		"whole": {buffers: 40, steps: 30, size: 2},
	} {
		t.Run(name, func(t *testing.T) {
			many(t, func(t *rapid.T) {
				tab := tables(s).Draw(t, "table")
				want := make([]int, len(tab.Buffers))
				var pairs int64
				for i := range tab.Buffers {
					for j := range i {
						if bruteConflict(tab, i, j) {
							want[i]++
							want[j]++
							pairs++
						}
					}
				}
				if diff := cmp.Diff(want, tab.ConflictCounts()); diff != "" {
					t.Fatal(diff)
				}
				if got := tab.Conflicts(); got != pairs {
					t.Fatalf("%d conflicts, want %d", got, pairs)
				}
			})
		})
	}
}

func TestConflictCounts(t *testing.T) {
	gap := func(lower, upper int64) []Gap { return []Gap{{Lower: lower, Upper: upper}} }
	tab := &Table{Buffers: []Buffer{
		{Size: 4, Lower: 0, Upper: 8, Gaps: gap(2, 6)},
		{Size: 4, Lower: 2, Upper: 6},                                                         // wholly in the gap
		{Size: 4, Lower: 1, Upper: 7, Gaps: gap(1, 6)},                                        // only step 6 is left
		{Size: 0, Lower: 0, Upper: 8},                                                         // of no size
		{Size: 4, Lower: 0, Upper: 8, Gaps: gap(0, 8)},                                        // never there
		{Size: 4, Lower: 8, Upper: 9},                                                         // born as others die
		{Size: 4, Lower: 2, Upper: 4, Gaps: []Gap{{Lower: 2, Upper: 4, Keep: &Window{0, 1}}}}, // a window counts
	}}
	if diff := cmp.Diff([]int{1, 1, 1, 0, 0, 0, 1}, tab.ConflictCounts()); diff != "" {
		t.Error(diff)
	}
}
