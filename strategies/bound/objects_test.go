package bound_test

import (
	"slices"
	"testing"

	"github.com/arenalab/arenalab/lifetime"
	"github.com/arenalab/arenalab/strategies/bound"
	"pgregory.net/rapid"
)

func TestObjects(t *testing.T) {
	tests := []struct {
		name    string
		buffers []lifetime.Buffer
		want    int64
	}{
		{name: "empty"},
		{
			// Blocks of 64 and 32: every instant has two buffers at most.
			name: "two at a time",
			buffers: []lifetime.Buffer{
				{Size: 16, Lower: 0, Upper: 2}, {Size: 8, Lower: 1, Upper: 3}, {Size: 64, Lower: 2, Upper: 4},
				{Size: 32, Lower: 3, Upper: 5}, {Size: 8, Lower: 4, Upper: 6},
			},
			want: 96,
		},
		{
			// 100 alone, then 60 beside 50.
			name: "the second largest of another instant",
			buffers: []lifetime.Buffer{
				{Size: 100, Lower: 0, Upper: 1}, {Size: 60, Lower: 1, Upper: 2}, {Size: 50, Lower: 1, Upper: 2},
			},
			want: 150, // above the load of 110
		},
		{
			name: "death and birth at one step",
			buffers: []lifetime.Buffer{
				{Size: 10, Lower: 0, Upper: 5}, {Size: 10, Lower: 5, Upper: 6}, {Size: 0, Lower: 0, Upper: 9},
			},
			want: 10,
		},
		{
			name: "gaps are no help",
			buffers: []lifetime.Buffer{
				{Size: 10, Lower: 0, Upper: 3, Gaps: []lifetime.Gap{{Lower: 1, Upper: 2}}}, {Size: 10, Lower: 1, Upper: 2},
			},
			want: 20,
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := bound.Objects(&lifetime.Table{Buffers: test.buffers}); got != test.want {
				t.Errorf("got %d, want %d", got, test.want)
			}
		})
	}
}

// The definition, step by step; never below the load of whole lives; and never
// above the blocks of a planner that takes the first free block that is large
// enough, largest buffers first.
func TestObjectsProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		table := &lifetime.Table{Buffers: rapid.SliceOfN(rapid.Custom(func(t *rapid.T) lifetime.Buffer {
			lower := rapid.Int64Range(0, 12).Draw(t, "lower")
			return lifetime.Buffer{
				Size:  rapid.Int64Range(0, 9).Draw(t, "size"),
				Lower: lower,
				Upper: lower + rapid.Int64Range(1, 6).Draw(t, "steps"),
			}
		}), 0, 15).Draw(t, "buffers")}
		got := bound.Objects(table)
		var most []int64
		for step := range int64(20) {
			var sizes []int64
			for _, b := range table.Buffers {
				if b.Lower <= step && step < b.Upper {
					sizes = append(sizes, b.Size)
				}
			}
			slices.Sort(sizes)
			slices.Reverse(sizes)
			for k, size := range sizes {
				if k == len(most) {
					most = append(most, 0)
				}
				most[k] = max(most[k], size)
			}
		}
		var want int64
		for _, size := range most {
			want += size
		}
		if got != want {
			t.Fatalf("got %d, want %d", got, want)
		}
		if load := bound.Lower(table, 0).Value; got < load {
			t.Fatalf("got %d, below the load of %d", got, load)
		}
		if blocks := firstFreeBlock(table); got > blocks {
			t.Fatalf("got %d, above a plan of %d", got, blocks)
		}
	})
}

// firstFreeBlock returns the bytes of a plan of shared objects.
func firstFreeBlock(t *lifetime.Table) (sum int64) {
	order := slices.Clone(t.Buffers)
	slices.SortStableFunc(order, func(a, b lifetime.Buffer) int { return int(b.Size - a.Size) })
	var blocks [][]lifetime.Buffer
next:
	for _, b := range order {
		for i, block := range blocks {
			if !slices.ContainsFunc(block, func(o lifetime.Buffer) bool { return o.Lower < b.Upper && b.Lower < o.Upper }) {
				blocks[i] = append(block, b)
				continue next
			}
		}
		blocks = append(blocks, []lifetime.Buffer{b})
		sum += b.Size
	}
	return sum
}
