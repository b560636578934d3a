package bound

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/arenalab/arenalab/graph"
	"github.com/arenalab/arenalab/reorder/proof/prooftest"
)

// bestSet returns the best bound of all sets of two operators or more, by trying
// all of them.
func bestSet(m *graph.Memory) (best int64) {
	n := len(m.Ops)
	plain := *m
	plain.First = 0
	least := func(v int, in, out uint) int64 {
		low := int64(math.MaxInt64)
		for s := range uint(1) << n {
			closed := s>>v&1 == 0 && in&^s == 0 && out&s == 0
			for u, list := range m.Before {
				for _, p := range list {
					closed = closed && (s>>p&1 != 0 || u != v && s>>u&1 == 0)
				}
			}
			if closed {
				low = min(low, prooftest.Live(&plain, s, v))
			}
		}
		return low
	}
	for set := range uint(1) << n {
		if bits.OnesCount(set) < 2 {
			continue
		}
		first, last := int64(math.MaxInt64), int64(math.MaxInt64)
		for v := range n {
			if others := set &^ (1 << v); set>>v&1 != 0 {
				first = min(first, least(v, 0, others))
				last = min(last, least(v, others, 0))
			}
		}
		best = max(best, first, last)
	}
	return best
}

// No set proves more than that which is found, but for single operators.
func TestBestSet(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	above := 0
	for range 400 {
		m := prooftest.Draw(r, r.IntN(7))
		f, err := New(m)
		if err != nil {
			t.Fatal(err)
		}
		var cut, set int64
		if b := f.Cut(t.Context(), nil, 0, nil); b != nil {
			cut = b.Value
		}
		if b := f.Set(t.Context(), nil, cut, nil); b != nil {
			set = b.Value
			above++
		}
		if want := bestSet(m); max(set, cut) != max(want, cut) {
			t.Fatalf("best set %d, found %d, by cuts %d\n%+v", want, set, cut, m)
		}
	}
	if above == 0 {
		t.Error("no set is better than a cut")
	}
}
