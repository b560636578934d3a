package strategies

import (
	"testing"

	"pgregory.net/rapid"
)

// The merged list holds exactly the bytes of all spans, ascending, and its
// spans neither overlap nor touch.
func TestMerge(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var list []span
		var taken [64]bool
		for range rapid.IntRange(0, 20).Draw(t, "spans") {
			low := rapid.Int64Range(0, 60).Draw(t, "low")
			s := span{low, rapid.Int64Range(low+1, min(low+12, 63)).Draw(t, "high")}
			news := false
			for at := s.low; at < s.high; at++ {
				news = news || !taken[at]
				taken[at] = true
			}
			if merge(&list, s) != news {
				t.Fatalf("%v reported new: %v", s, !news)
			}
		}
		var want []span
		for at := range taken {
			switch {
			case !taken[at]:
			case at > 0 && taken[at-1]:
				want[len(want)-1].high++
			default:
				want = append(want, span{int64(at), int64(at) + 1})
			}
		}
		if len(list) != len(want) {
			t.Fatalf("%v, want %v", list, want)
		}
		for i := range want {
			if list[i] != want[i] {
				t.Fatalf("%v, want %v", list, want)
			}
		}
	})
}
