package strategies

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// Merged lists hold exactly the bytes of all spans and of the gaps that are too
// small, ascending, and do not disturb one another in their common memory.
func TestMerge(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const most = 96
		var pool spanPool
		var lists [3]spanList
		var taken [len(lists)][most]bool
		least := rapid.Int64Range(1, 3).Draw(t, "least")
		for range rapid.IntRange(0, 60).Draw(t, "spans") {
			k := rapid.IntRange(0, len(lists)-1).Draw(t, "list")
			low := rapid.Int64Range(0, most-2).Draw(t, "low")
			s := span{low, rapid.Int64Range(low+1, min(low+9, most-1)).Draw(t, "high")}
			news := false
			for at := s.low; at < s.high; at++ {
				news = news || !taken[k][at]
				taken[k][at] = true
			}
			for i, n := int64(0), int64(most); i < n; i++ { // fill small gaps
				if i > 0 && taken[k][i-1] && !taken[k][i] {
					j := i
					for j < n && !taken[k][j] {
						j++
					}
					for at := i; j < n && j-i < least && at < j; at++ {
						taken[k][at] = true
					}
				}
			}
			if pool.merge(&lists[k], s, least) != news {
				t.Fatalf("%v reported new: %v", s, !news)
			}
		}
		for k := range lists {
			var want []span
			for at := range taken[k] {
				switch {
				case !taken[k][at]:
				case at > 0 && taken[k][at-1]:
					want[len(want)-1].high++
				default:
					want = append(want, span{int64(at), int64(at) + 1})
				}
			}
			if got := pool.view(&lists[k]); !slices.Equal(got, want) {
				t.Fatalf("%v, want %v", got, want)
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
		if err := p.fill(t.Context(), tune); err != nil {
			t.Fatal(err)
		}
		offsets = p.offsets
		p, _ = prepare(&m, table, Options{})
		_, _, alive = compress(p, nil)
		return alive, offsets
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
