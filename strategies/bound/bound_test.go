package bound_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/arenalab/arenalab/lifetime"
	"github.com/arenalab/arenalab/strategies"
	"github.com/arenalab/arenalab/strategies/bound"
	"pgregory.net/rapid"
)

func at(offset int64) *int64 { return &offset }

func TestLower(t *testing.T) {
	tests := []struct {
		name    string
		buffers []lifetime.Buffer
		align   int64
		want    lifetime.Bound
	}{
		{name: "empty", want: lifetime.Bound{Kind: lifetime.BoundLoad}},
		{
			name: "load at the second step",
			buffers: []lifetime.Buffer{
				{Size: 5, Lower: 0, Upper: 2},
				{Size: 0, Lower: 0, Upper: 9},
				{Size: 7, Lower: 1, Upper: 3},
				{Size: 6, Lower: 2, Upper: 3, Gaps: []lifetime.Gap{{Lower: 2, Upper: 3, Keep: &lifetime.Window{Lower: 1, Upper: 2}}}},
			},
			want: lifetime.Bound{Value: 12, Kind: lifetime.BoundLoad, Step: 1, Buffers: []int{0, 2}},
		},
		{
			name: "seven buffers whose optimum is 6",
			buffers: []lifetime.Buffer{
				{Size: 3, Lower: 1, Upper: 3}, {Size: 1, Lower: 2, Upper: 5}, {Size: 2, Lower: 3, Upper: 4},
				{Size: 2, Lower: 3, Upper: 6}, {Size: 1, Lower: 4, Upper: 8}, {Size: 2, Lower: 5, Upper: 6},
				{Size: 3, Lower: 6, Upper: 7},
			},
			want: lifetime.Bound{Value: 5, Kind: lifetime.BoundLoad, Step: 3, Buffers: []int{1, 2, 3}},
		},
		{
			name: "all but one pad count",
			buffers: []lifetime.Buffer{
				{Size: 5, Align: 16, Lower: 0, Upper: 1}, {Size: 17, Align: 16, Lower: 0, Upper: 1},
			},
			want: lifetime.Bound{Value: 16 + 32 - 15, Kind: lifetime.BoundAlignment, Step: 0, Align: 16, Buffers: []int{0, 1}},
		},
		{
			name:  "option",
			align: 64,
			buffers: []lifetime.Buffer{
				{Size: 4, Lower: 0, Upper: 1}, {Size: 4, Align: 4, Lower: 0, Upper: 1}, {Size: 4, Lower: 0, Upper: 1},
			},
			want: lifetime.Bound{Value: 132, Kind: lifetime.BoundAlignment, Step: 0, Align: 64, Buffers: []int{0, 1, 2}},
		},
		{
			// At step 0 the load is 100; at step 1 only 9, but 3 times 64.
			name: "not at the step of the load",
			buffers: []lifetime.Buffer{
				{Size: 100, Align: 1, Lower: 0, Upper: 1},
				{Size: 3, Align: 64, Lower: 1, Upper: 2}, {Size: 3, Align: 64, Lower: 1, Upper: 2}, {Size: 3, Align: 64, Lower: 1, Upper: 3},
			},
			want: lifetime.Bound{Value: 131, Kind: lifetime.BoundAlignment, Step: 1, Align: 64, Buffers: []int{1, 2, 3}},
		},
		{
			// Without the largest pad the sum falls, so the later step wins
			// although as much is live, rounded, at the earlier one.
			name: "largest pad dies first",
			buffers: []lifetime.Buffer{
				{Size: 1, Align: 8, Lower: 0, Upper: 1}, {Size: 9, Align: 8, Lower: 0, Upper: 1},
				{Size: 7, Align: 8, Lower: 1, Upper: 2}, {Size: 15, Align: 8, Lower: 1, Upper: 2},
			},
			want: lifetime.Bound{Value: 23, Kind: lifetime.BoundAlignment, Step: 1, Align: 8, Buffers: []int{2, 3}},
		},
		{
			name: "stricter alignments count as well",
			buffers: []lifetime.Buffer{
				{Size: 5, Align: 16, Lower: 0, Upper: 1}, {Size: 17, Align: 32, Lower: 0, Upper: 1}, {Size: 9, Lower: 0, Upper: 1},
			},
			want: lifetime.Bound{Value: 16 + 32 - 15, Kind: lifetime.BoundAlignment, Step: 0, Align: 16, Buffers: []int{0, 1}},
		},
		{
			name: "fixed",
			buffers: []lifetime.Buffer{
				{Size: 5, Lower: 0, Upper: 2}, {Size: 4, Lower: 3, Upper: 4, Fixed: at(8)}, {Size: 4, Lower: 4, Upper: 6, Fixed: at(6)},
			},
			want: lifetime.Bound{Value: 12, Kind: lifetime.BoundFixed, Step: 3, Buffers: []int{1}},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			table := &lifetime.Table{Buffers: test.buffers}
			got := bound.Lower(table, test.align)
			if fmt.Sprint(*got) != fmt.Sprint(test.want) {
				t.Errorf("got %+v, want %+v", *got, test.want)
			}
			if err := lifetime.CheckBound(lifetime.WithAlign(table, test.align), got); err != nil {
				t.Error(err)
			}
		})
	}
}

// The bound is one less than the optimum here: no single instant shows it.
func TestSevenBuffersNeedSix(t *testing.T) {
	table := &lifetime.Table{Buffers: []lifetime.Buffer{
		{Size: 3, Lower: 1, Upper: 3}, {Size: 1, Lower: 2, Upper: 5}, {Size: 2, Lower: 3, Upper: 4},
		{Size: 2, Lower: 3, Upper: 6}, {Size: 1, Lower: 4, Upper: 8}, {Size: 2, Lower: 5, Upper: 6},
		{Size: 3, Lower: 6, Upper: 7},
	}}
	if fits(table, 5) || !fits(table, 6) {
		t.Errorf("fits in 5: %v, in 6: %v", fits(table, 5), fits(table, 6))
	}
}

// fits reports whether any plan has at most the given arena, by trying all
// offsets of all buffers on a grid of steps and bytes.
func fits(t *lifetime.Table, capacity int64) bool {
	taken := map[[2]int64]bool{} // step, byte
	cells := func(i int, offset int64) [][2]int64 {
		var out [][2]int64
		b := &t.Buffers[i]
		for step := b.Lower; step < b.Upper; step++ {
			low, high := int64(0), b.Size
			for _, g := range b.Gaps {
				if g.Lower <= step && step < g.Upper {
					high = 0
					if g.Keep != nil {
						low, high = g.Keep.Lower, g.Keep.Upper
					}
				}
			}
			for at := offset + low; at < offset+high; at++ {
				out = append(out, [2]int64{step, at})
			}
		}
		return out
	}
	var try func(i int) bool
	try = func(i int) bool {
		if i == len(t.Buffers) {
			return true
		}
		b := &t.Buffers[i]
		for offset := int64(0); offset+b.Size <= capacity; offset++ {
			if offset%b.Alignment() != 0 || b.Fixed != nil && offset != *b.Fixed {
				continue
			}
			mine := cells(i, offset)
			if slices.ContainsFunc(mine, func(c [2]int64) bool { return taken[c] }) {
				continue
			}
			for _, c := range mine {
				taken[c] = true
			}
			if try(i + 1) {
				return true
			}
			for _, c := range mine {
				delete(taken, c)
			}
		}
		return false
	}
	return try(0)
}

func tinyTable(t *rapid.T) *lifetime.Table {
	n := rapid.IntRange(1, 5).Draw(t, "n")
	table := &lifetime.Table{Buffers: make([]lifetime.Buffer, n)}
	for i := range table.Buffers {
		b := &table.Buffers[i]
		b.Size = rapid.Int64Range(0, 4).Draw(t, "size")
		b.Align = int64(1) << rapid.IntRange(0, 2).Draw(t, "align")
		b.Lower = rapid.Int64Range(0, 3).Draw(t, "lower")
		b.Upper = b.Lower + rapid.Int64Range(1, 3).Draw(t, "life")
		if b.Size > 1 && rapid.IntRange(0, 3).Draw(t, "gap") == 0 {
			g := lifetime.Gap{Lower: b.Lower, Upper: b.Lower + 1}
			if rapid.Bool().Draw(t, "window") {
				g.Keep = &lifetime.Window{Lower: 1, Upper: 2}
			}
			b.Gaps = []lifetime.Gap{g}
		}
		if rapid.IntRange(0, 7).Draw(t, "pin") == 0 {
			b.Fixed = at(b.Align * rapid.Int64Range(0, 3).Draw(t, "at"))
		}
	}
	return table
}

// No plan of any table is below its bound, and every bound has a proof.
func TestLowerIsBelowEveryPlan(t *testing.T) {
	tight, loose := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		table := tinyTable(t)
		align := []int64{0, 1, 2, 4}[rapid.IntRange(0, 3).Draw(t, "least")]
		for i := range table.Buffers {
			if f := table.Buffers[i].Fixed; f != nil && align > 1 {
				*f = lifetime.AlignUp(*f, align)
			}
		}
		aligned := lifetime.WithAlign(table, align)
		low := bound.Lower(table, align)
		if err := lifetime.CheckBound(aligned, low); err != nil {
			t.Fatal(err)
		}
		if low.Value < aligned.Load() {
			t.Fatalf("bound %d below the load %d", low.Value, aligned.Load())
		}
		if fits(aligned, low.Value-1) {
			t.Fatalf("a plan has %d bytes, bound %+v\n%+v", low.Value-1, low, table.Buffers)
		}
		if fits(aligned, low.Value) {
			tight++
		} else {
			loose++
		}
	})
	if tight <= loose {
		t.Errorf("the bound is met by %d of %d tables only", tight, tight+loose)
	}
}

// CheckBound refuses a value above what its witness shows.
func TestLowerIsAllTheWitnessShows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		table := tinyTable(t)
		low := bound.Lower(table, 0)
		low.Value++
		if lifetime.CheckBound(table, low) == nil {
			t.Fatalf("the witness shows more: %+v", low)
		}
	})
}

func TestWithAlign(t *testing.T) {
	table := &lifetime.Table{Name: "t", Buffers: []lifetime.Buffer{{Name: "a", Align: 4}, {Name: "b"}}}
	if lifetime.WithAlign(table, 0) != table || lifetime.WithAlign(table, 1) != table {
		t.Error("a copy without need")
	}
	got := lifetime.WithAlign(table, 2)
	if got.Name != "t" || got.Buffers[0].Align != 4 || got.Buffers[1].Align != 2 || got.Buffers[1].Name != "b" {
		t.Errorf("got %+v", got)
	}
	if table.Buffers[1].Align != 0 {
		t.Error("the table was modified")
	}
}

// On real tables: proofs hold, and no strategy is below.
func TestLowerOnTables(t *testing.T) {
	root := os.Getenv("ARENALAB_DATA")
	if root == "" {
		t.Skip("ARENALAB_DATA is not set: no real tables")
	}
	files, err := filepath.Glob(filepath.Join(root, "tables", "*.csv"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no tables in %s (%v)", root, err)
	}
	greedy, err := strategies.Lookup("greedy-size,first-fit")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		f, err := os.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		table, err := lifetime.ReadCSV(f, lifetime.CSVOptions{Name: filepath.Base(file)})
		f.Close()
		if err != nil {
			t.Logf("passed over: %v", err)
			continue
		}
		for _, align := range []int64{0, 64} {
			aligned := lifetime.WithAlign(table, align)
			low := bound.Lower(table, align)
			if err := lifetime.CheckBound(aligned, low); err != nil {
				t.Errorf("%s: %v", table.Name, err)
			}
			for _, s := range greedy {
				plan, err := s.Plan(t.Context(), table, strategies.Options{Align: align})
				if err != nil {
					t.Fatalf("%s: %v", table.Name, err)
				}
				if err := lifetime.Check(aligned, plan); err != nil {
					t.Errorf("%s by %s: %v", table.Name, s.Info().Name, err)
				}
				if plan.Arena < low.Value {
					t.Errorf("%s by %s: arena %d below the bound %d", table.Name, s.Info().Name, plan.Arena, low.Value)
				}
			}
		}
	}
}

func BenchmarkLower(b *testing.B) {
	for _, n := range []int{100, 10000} {
		table := &lifetime.Table{Buffers: make([]lifetime.Buffer, n)}
		for i := range table.Buffers {
			table.Buffers[i] = lifetime.Buffer{Size: int64(i*7919%4096 + 1), Align: 64, Lower: int64(i), Upper: int64(i + 1 + i%17)}
		}
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				bound.Lower(table, 0)
			}
		})
	}
}
