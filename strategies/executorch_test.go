package strategies

import (
	"slices"
	"testing"

	"github.com/arenalab/arenalab/lifetime"
	"pgregory.net/rapid"
)

// plainExecutorch follows the words of the rule, tensor by tensor and block by
// block. All alignments of the table are equal.
func plainExecutorch(t *lifetime.Table) []int64 {
	var rows []int
	for i := range t.Buffers {
		if t.Buffers[i].Size > 0 {
			rows = append(rows, i)
		}
	}
	round := func(i int, to int64) int64 { return lifetime.AlignUp(t.Buffers[i].Size, to) }
	slices.SortStableFunc(rows, func(a, b int) int {
		if d := round(a, t.Buffers[a].Align) - round(b, t.Buffers[b].Align); d != 0 {
			return int(d)
		}
		return int(round(a, 16) - round(b, 16))
	})
	slices.Reverse(rows)
	type block struct {
		size    int64
		members []int
	}
	var blocks []*block
	inner := make([]int64, len(t.Buffers))
	top := func(b *block, i int) int64 {
		end := int64(0)
		for _, j := range b.members {
			if t.Buffers[i].Overlaps(&t.Buffers[j]) {
				end = max(end, inner[j]+round(j, t.Buffers[j].Align))
			}
		}
		return end
	}
	for _, i := range rows {
		size := round(i, t.Buffers[i].Align)
		at := slices.IndexFunc(blocks, func(b *block) bool { return top(b, i) == 0 })
		if at < 0 {
			at = slices.IndexFunc(blocks, func(b *block) bool { return top(b, i)+size <= b.size })
		}
		if at < 0 {
			at = len(blocks)
			blocks = append(blocks, &block{size: size})
		}
		inner[i] = top(blocks[at], i)
		blocks[at].members = append(blocks[at].members, i)
	}
	start := int64(0)
	for _, b := range blocks {
		for _, i := range b.members {
			inner[i] += start
		}
		start += b.size
	}
	return inner
}

func TestExecutorchEqualsPlainWords(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		shape := shapeOf{buffers: 50, steps: 14, align: -1, sizes: 60}
		if rapid.Bool().Draw(t, "alike") {
			shape.sizes = 4
		}
		equalPlain(t, executorch{}, randomTable(t, shape), plainExecutorch)
	})
	equalPlain(t, executorch{}, large(600), plainExecutorch)
}

func TestExecutorchByHand(t *testing.T) {
	for _, test := range []struct {
		s     executorch
		table *lifetime.Table
		want  []int64
	}{
		// C is never live with A, and B does not fit above anything.
		{executorch{}, closed(1, [3]int64{100, 0, 1}, [3]int64{80, 1, 2}, [3]int64{60, 2, 3}), []int64{0, 100, 0}},
		// C finds room above B in the block of A; D, who would lie above C, does not.
		{executorch{}, closed(1, [3]int64{100, 0, 0}, [3]int64{60, 1, 2}, [3]int64{30, 2, 3}, [3]int64{20, 2, 2}), []int64{0, 0, 60, 100}},
		// Of equal ones the last row first, each 20 bytes rounded to 32.
		{executorch{}, closed(16, [3]int64{20, 0, 1}, [3]int64{32, 1, 2}), []int64{32, 0}},
		{executorch{naive: true}, closed(16, [3]int64{20, 0, 0}, [3]int64{0, 1, 1}, [3]int64{1, 2, 2}, [3]int64{5, 3, 3}), []int64{0, 0, 32, 48}},
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
