package bound

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestPadHeap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var h padHeap
		var want []int64
		for _, bytes := range rapid.SliceOf(rapid.Int64Range(0, 9)).Draw(t, "bytes") {
			h.push(pad{bytes: bytes})
			want = append(want, bytes)
			if rapid.IntRange(0, 3).Draw(t, "pop") == 0 {
				slices.Sort(want)
				if h[0].bytes != want[len(want)-1] {
					t.Fatalf("%d on top of %v", h[0].bytes, want)
				}
				h.pop()
				want = want[:len(want)-1]
			}
		}
		slices.Sort(want)
		for len(want) > 0 {
			if h[0].bytes != want[len(want)-1] {
				t.Fatalf("%d on top of %v", h[0].bytes, want)
			}
			h.pop()
			want = want[:len(want)-1]
		}
	})
}
