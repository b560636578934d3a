package strategies

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/arenalab/arenalab/lifetime"
)

// The records of the GPU delegate's own unit tests, and what its planners make
// of them.
func TestGPUUnitRecords(t *testing.T) {
	chain := closed(1, [3]int64{16, 0, 1}, [3]int64{8, 1, 2}, [3]int64{64, 2, 3}, [3]int64{32, 3, 4}, [3]int64{8, 4, 5})
	branches := closed(1, [3]int64{32, 0, 1}, [3]int64{32, 1, 4}, [3]int64{8, 2, 5}, [3]int64{16, 3, 5}, [3]int64{8, 4, 5},
		[3]int64{64, 5, 7}, [3]int64{8, 6, 8}, [3]int64{8, 7, 8}, [3]int64{16, 8, 9})
	for _, test := range []struct {
		name  string
		table *lifetime.Table
		s     Strategy
		want  []int64 // sizes of the objects
	}{
		{"chain", chain, gpuInOrder{}, []int64{64, 32}},
		{"chain", chain, gpuGreedyByBreadth{}, []int64{64, 32}},
		{"chain", chain, gpuSizeDistance{}, []int64{64, 32}},
		{"branches", branches, gpuInOrder{}, []int64{64, 32, 16, 8}},
		{"branches", branches, gpuMinCostFlow{}, nil}, // 112 in all
	} {
		p, err := test.s.Plan(t.Context(), test.table, Options{})
		if err != nil {
			t.Fatal(err)
		}
		var sizes []int64
		var sum int64
		for _, o := range p.Objects {
			sizes = append(sizes, o.Size)
			sum += o.Size
		}
		slices.Sort(sizes)
		slices.Reverse(sizes)
		if test.want == nil {
			if sum != 112 || p.Arena != 112 {
				t.Errorf("%s, %s: objects %v, want 112 bytes in all", test.name, test.s.Info().Name, sizes)
			}
			continue
		}
		if !slices.Equal(sizes, test.want) {
			t.Errorf("%s, %s: objects %v, want %v", test.name, test.s.Info().Name, sizes, test.want)
		}
	}
}

// ONNX Runtime's trace in plain words: free what has ended, then take the gap
// with the least waste between live blocks, the lowest of equals, else the end.
// Sizes are rounded up to the alignment, which is the same for all.
func plainTrace(t *lifetime.Table) []int64 {
	order := identity(len(t.Buffers))
	slices.SortStableFunc(order, func(a, b int) int { return int(t.Buffers[a].Lower - t.Buffers[b].Lower) })
	offsets := make([]int64, len(t.Buffers))
	size := func(i int) int64 { return lifetime.AlignUp(t.Buffers[i].Size, t.Buffers[i].Align) }
	var live []int
	for _, i := range order {
		b := &t.Buffers[i]
		if b.Size == 0 {
			continue
		}
		live = slices.DeleteFunc(live, func(j int) bool { return t.Buffers[j].Upper <= b.Lower })
		slices.SortFunc(live, func(x, y int) int { return int(offsets[x] - offsets[y]) })
		at, best, end := int64(-1), int64(1<<60), int64(0)
		for _, j := range live {
			if gap := offsets[j] - end; gap >= size(i) && gap < best {
				at, best = end, gap
			}
			end = max(end, offsets[j]+size(j))
		}
		if at < 0 {
			at = end
		}
		offsets[i] = at
		live = append(live, i)
	}
	return offsets
}

func identity(n int) []int {
	s := make([]int, n)
	for i := range s {
		s[i] = i
	}
	return s
}

func TestORTPatternInPlainWords(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		table := randomTable(t, shapeOf{buffers: 40, steps: 14, align: -1, sizes: 30})
		p, err := ortPattern{}.Plan(t.Context(), table, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if want := plainTrace(table); !slices.Equal(p.Offsets, want) {
			t.Fatalf("offsets %v, want %v of\n%v", p.Offsets, want, table.Buffers)
		}
	})
}

// Relax reuses a storage of up to 16 times the size, makes one of at least a
// sixteenth grow, and leaves others alone.
func TestTVMRelaxMatchRange(t *testing.T) {
	for _, test := range []struct {
		name  string
		table *lifetime.Table
		want  []int64 // objects, in order of creation
	}{
		{"16 times is reused", closed(1, [3]int64{160, 0, 0}, [3]int64{10, 1, 1}), []int64{160}},
		{"more is not", closed(1, [3]int64{161, 0, 0}, [3]int64{10, 1, 1}), []int64{161, 10}},
		{"a sixteenth grows", closed(1, [3]int64{10, 0, 0}, [3]int64{160, 1, 1}), []int64{160}},
		{"less does not", closed(1, [3]int64{9, 0, 0}, [3]int64{160, 1, 1}), []int64{9, 160}},
		{"the smallest that is large enough", closed(1, [3]int64{50, 0, 0}, [3]int64{30, 0, 0}, [3]int64{20, 1, 1}), []int64{50, 30}},
		{"the largest below grows", closed(1, [3]int64{20, 0, 0}, [3]int64{30, 0, 0}, [3]int64{40, 1, 1}), []int64{20, 40}},
	} {
		p, err := tvmRelax{}.Plan(t.Context(), test.table, Options{})
		if err != nil {
			t.Fatal(err)
		}
		var sizes []int64
		for _, o := range p.Objects {
			sizes = append(sizes, o.Size)
		}
		if !slices.Equal(sizes, test.want) {
			t.Errorf("%s: objects %v, want %v", test.name, sizes, test.want)
		}
	}
}
