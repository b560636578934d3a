package strategies

import (
	"cmp"
	"slices"
	"testing"

	"github.com/arenalab/arenalab/lifetime"
	"pgregory.net/rapid"
)

// plainTVM puts each buffer above the last hole below which something lies.
func plainTVM(byConflicts bool) func(*lifetime.Table) []int64 {
	return func(t *lifetime.Table) []int64 {
		met := make([]int, len(t.Buffers))
		for i := range t.Buffers {
			for j := range t.Buffers {
				if i != j && t.Buffers[i].Overlaps(&t.Buffers[j]) {
					met[i]++
				}
			}
		}
		return plainly(t, func(a, b int) int {
			x, y := &t.Buffers[a], &t.Buffers[b]
			first, then := cmp.Compare(y.Size, x.Size), cmp.Compare(met[b], met[a])
			if byConflicts {
				first, then = then, first
			}
			return cmp.Or(first, then, cmp.Compare(y.Name, x.Name))
		}, func(_ int, holes []span) int64 { return holes[len(holes)-1].low })
	}
}

func TestTVMGreedyEqualsPlainWords(t *testing.T) {
	for _, s := range []tvmGreedy{{}, {conflicts: true}} {
		plain := plainTVM(s.conflicts)
		rapid.Check(t, func(t *rapid.T) {
			shape := shapeOf{buffers: 40, steps: 14, align: -1, sizes: 30}
			if rapid.Bool().Draw(t, "alike") {
				shape.sizes = 3
			}
			equalPlain(t, s, randomTable(t, shape), plain)
		})
		equalPlain(t, s, large(700), plain)
	}
}

func TestTVMGreedyByHand(t *testing.T) {
	// B lies on A, and C, which would fit below B, on B.
	leading := closed(1, [3]int64{100, 0, 1}, [3]int64{80, 1, 2}, [3]int64{60, 2, 3})
	// D meets most; of A and E, equal in all, the later name comes first.
	crowd := closed(4, [3]int64{9, 0, 0}, [3]int64{7, 2, 2}, [3]int64{6, 3, 3}, [3]int64{5, 0, 3}, [3]int64{9, 0, 0})
	for _, test := range []struct {
		s     tvmGreedy
		table *lifetime.Table
		want  []int64
	}{
		{tvmGreedy{}, leading, []int64{0, 100, 180}},
		{tvmGreedy{conflicts: true}, leading, []int64{80, 0, 80}},
		{tvmGreedy{}, crowd, []int64{12, 0, 0, 24, 0}},
		{tvmGreedy{conflicts: true}, crowd, []int64{20, 8, 8, 0, 8}},
	} {
		plan, err := test.s.Plan(t.Context(), test.table, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(plan.Offsets, test.want) {
			t.Errorf("%s: %v, want %v", test.s.Info().Name, plan.Offsets, test.want)
		}
	}
}

// Nothing lies below a given offset that it meets, whatever room there is.
func TestTVMGreedyKeepsPins(t *testing.T) {
	table := closed(1, [3]int64{10, 0, 1}, [3]int64{4, 1, 2}, [3]int64{4, 2, 3})
	table.Buffers[1].Fixed = pin(50)
	for _, s := range []tvmGreedy{{}, {conflicts: true}} {
		plan, err := s.Plan(t.Context(), table, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if want := []int64{54, 50, 54}; !slices.Equal(plan.Offsets, want) {
			t.Errorf("%s: %v, want %v", s.Info().Name, plan.Offsets, want)
		}
	}
}
