package strategies

import (
	"slices"
	"testing"

	"github.com/arenalab/arenalab/lifetime"
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

// A table in which most buffers meet is left to the list, and the offsets do
// not show it.
func TestCrowd(t *testing.T) {
	table := large(1000)
	m := methods["greedy-size-best-fit"]
	plan := func(tune tuning) (alive int, offsets []int64) {
		p, err := prepare(&m, table, Options{})
		if err != nil {
			t.Fatal(err)
		}
		_, alive = newGrid(p, func(int) []lifetime.Piece { return nil }, perBucket)
		if err := p.fill(t.Context(), tune); err != nil {
			t.Fatal(err)
		}
		return alive, p.offsets
	}
	if alive, _ := plan(tuning{listLimit: 1 << 30}); alive > 50 {
		t.Errorf("%d of 1000 short lives are said to meet", alive)
	}
	for i := range table.Buffers {
		table.Buffers[i].Upper += 600
	}
	alive, want := plan(tuning{listLimit: 1 << 30})
	if alive < 300 || alive > 700 {
		t.Errorf("%d of 1000 long lives are said to meet", alive)
	}
	for _, crowd := range []int{0, 1, 1000} {
		if _, got := plan(tuning{listLimit: -1, perBucket: perBucket, crowd: crowd}); !slices.Equal(got, want) {
			t.Errorf("offsets differ for a crowd of one in %d", crowd)
		}
	}
}
