package lifetime

import (
	"cmp"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestOrder(t *testing.T) {
	var s sorter // kept, so that what one call leaves could harm the next
	many(t, func(t *rapid.T) {
		elem := rapid.OneOf(rapid.Int64Range(-3, 3), rapid.Int64Range(0, 1<<24), rapid.Int64())
		keys := rapid.SliceOf(elem).Draw(t, "keys")
		want := make([]int32, len(keys))
		for i := range want {
			want[i] = int32(i)
		}
		slices.SortStableFunc(want, func(a, b int32) int { return cmp.Compare(keys[a], keys[b]) })
		positions, sorted := s.order(len(keys), func(i int) int64 { return keys[i] })
		if !slices.Equal(positions, want) {
			t.Fatalf("order %v, want %v", positions, want)
		}
		slices.Sort(keys)
		if !slices.Equal(sorted, keys) {
			t.Fatalf("keys %v, want %v", sorted, keys)
		}
	})
}

func TestRankSet(t *testing.T) {
	many(t, func(t *rapid.T) {
		n := rapid.SampledFrom([]int{1, 63, 64, 65, 4096, 4097, 300000}).Draw(t, "n")
		at := rapid.OneOf(rapid.IntRange(0, n-1), rapid.SampledFrom([]int{0, n - 1, n / 2, min(63, n-1), min(64, n-1)}))
		s, model := newRankSet(n), map[int]bool{}
		for range rapid.IntRange(1, 100).Draw(t, "operations") {
			i := at.Draw(t, "i")
			switch rapid.IntRange(0, 2).Draw(t, "what") {
			case 0:
				s.add(i)
				model[i] = true
			case 1: // of a member or not
				s.remove(i)
				delete(model, i)
			}
			before, after := -1, -1
			for m := range model {
				if m < i && m > before {
					before = m
				}
				if m > i && (after < 0 || m < after) {
					after = m
				}
			}
			if s.before(i) != before || s.after(i) != after {
				t.Fatalf("around %d: %d and %d, want %d and %d", i, s.before(i), s.after(i), before, after)
			}
		}
	})
}
