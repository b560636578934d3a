package executor

import (
	"testing"

	"pgregory.net/rapid"
)

func TestBitTree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.SampledFrom([]int{1, 2, 63, 64, 65, 4096, 4097, 300_000}).Draw(t, "n")
		var tree bitTree
		tree.reset(2 * n)
		tree.add(n)
		tree.reset(n) // forgets
		in := map[int]bool{}
		for range rapid.IntRange(0, 60).Draw(t, "operations") {
			i := rapid.IntRange(0, n-1).Draw(t, "i")
			if rapid.Bool().Draw(t, "add") {
				tree.add(i)
				in[i] = true
			} else {
				tree.remove(i)
				delete(in, i)
			}
			q := rapid.IntRange(0, n-1).Draw(t, "query")
			before, after := -1, -1
			for k := range in {
				if k < q {
					before = max(before, k)
				}
				if k > q && (after < 0 || k < after) {
					after = k
				}
			}
			if got := tree.before(q); got != before {
				t.Fatalf("before(%d) = %d, want %d", q, got, before)
			}
			if got := tree.after(q); got != after {
				t.Fatalf("after(%d) = %d, want %d", q, got, after)
			}
			if tree.has(q) != in[q] {
				t.Fatalf("has(%d) = %v", q, !in[q])
			}
		}
	})
}
