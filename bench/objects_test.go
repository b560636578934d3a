package bench_test

import (
	"context"
	"strings"
	"testing"

	"github.com/arenalab/arenalab/bench"
	"github.com/arenalab/arenalab/lifetime"
	"github.com/arenalab/arenalab/strategies"
	"pgregory.net/rapid"
)

func lookup(t *testing.T, pattern string) []strategies.Strategy {
	t.Helper()
	list, err := strategies.Lookup(pattern)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// TestSharedObjects: of planners that share blocks, records have both the
// blocks, with their own bound, and the arena of the blocks laid end to end.
// The table is that of TFLite's tests of them: a block of 64 bytes and one of
// 32 do for all five.
func TestSharedObjects(t *testing.T) {
	rows := table([3]int64{0, 2, 16}, [3]int64{1, 3, 8}, [3]int64{2, 4, 64}, [3]int64{3, 5, 32}, [3]int64{4, 6, 8})
	cfg := sizeOnly(lookup(t, "gpu-greedy-by-breadth,gpu-equality,gpu-greedy-by-size")...)
	type figures struct {
		count               int
		bytes, bound, arena int64
	}
	got := map[string]figures{}
	for _, c := range run(t, cfg, tableInput("five", rows)) {
		got[c.Strategy] = figures{c.ObjectCount, c.ObjectBytes, c.ObjectBoundBytes, c.ArenaBytes}
	}
	want := map[string]figures{
		"gpu-greedy-by-breadth": {2, 96, 96, 96},
		"gpu-equality":          {4, 120, 96, 120},
		"gpu-greedy-by-size":    {0, 0, 0, 96}, // it plans offsets
	}
	for name, w := range want {
		if got[name] != w {
			t.Errorf("%s: %+v, want %+v", name, got[name], w)
		}
	}

	// Between blocks alignment takes bytes that are in none of them.
	cfg.Align = 64
	for _, c := range run(t, cfg, tableInput("five", rows)) {
		if c.Strategy == "gpu-equality" && (c.ObjectBytes != 120 || c.ArenaBytes <= 120) {
			t.Errorf("aligned to 64: objects of %d bytes in an arena of %d", c.ObjectBytes, c.ArenaBytes)
		}
	}
}

// TestFixedBuffersAreInNoObject, and so not in the bound.
func TestFixedBuffersAreInNoObject(t *testing.T) {
	rows := table([3]int64{0, 2, 16}, [3]int64{0, 2, 100})
	rows.Buffers[1].Fixed = new(int64)
	c := run(t, sizeOnly(lookup(t, "gpu-equality")...), tableInput("pinned", rows))[0]
	if c.ObjectCount != 1 || c.ObjectBytes != 16 || c.ObjectBoundBytes != 16 || c.ArenaBytes != 116 {
		t.Errorf("%d objects of %d bytes, bound %d, arena %d", c.ObjectCount, c.ObjectBytes, c.ObjectBoundBytes, c.ArenaBytes)
	}
}

// TestFalseObjects: what a strategy says of its objects is not believed.
func TestFalseObjects(t *testing.T) {
	rows := table([3]int64{0, 1, 16}, [3]int64{1, 2, 8}, [3]int64{0, 2, 0})
	for _, test := range []struct {
		objects []lifetime.Object
		why     string
	}{
		{[]lifetime.Object{{Size: 16, Buffers: []int{0, 1}}}, ""},
		{[]lifetime.Object{{Size: 20, Buffers: []int{2, 0, 1}}}, ""},
		{[]lifetime.Object{{Size: 16, Buffers: []int{0}}}, `buffer 1 "b1" is in no object`},
		{[]lifetime.Object{{Size: 16, Buffers: []int{0, 1}}, {Size: 8, Buffers: []int{1}}}, "in two objects"},
		{[]lifetime.Object{{Size: 8, Buffers: []int{0, 1}}}, "larger than its object"},
		{[]lifetime.Object{{Size: 16, Buffers: []int{0, 3}}}, "names buffer 3 of 3"},
		{[]lifetime.Object{{Size: 16, Buffers: []int{-1}}}, "names buffer -1 of 3"},
		{[]lifetime.Object{}, "in no object"},
	} {
		s := fake{"sharing", func(_ context.Context, t *lifetime.Table) (*lifetime.Plan, error) {
			p := lifetime.NewPlan(t, make([]int64, len(t.Buffers)))
			p.Objects = test.objects
			return p, nil
		}}
		c := run(t, sizeOnly(s), tableInput("three", rows))[0]
		text := strings.Join(c.Warnings, "\n")
		if !c.Safe() || (c.ObjectCount > 0) != (test.why == "") || !strings.Contains(text, test.why) || test.why == "" && text != "" {
			t.Errorf("%v: %d objects, safe %v, warnings %q", test.objects, c.ObjectCount, c.Safe(), text)
		}
	}
	moved := fake{"moved", func(_ context.Context, t *lifetime.Table) (*lifetime.Plan, error) {
		p := lifetime.NewPlan(t, []int64{0, 8, 0})
		p.Objects = []lifetime.Object{{Size: 16, Buffers: []int{0, 1}}}
		return p, nil
	}}
	if c := run(t, sizeOnly(moved), tableInput("three", rows))[0]; c.ObjectCount != 0 || !strings.Contains(strings.Join(c.Warnings, "\n"), "not at the address") {
		t.Errorf("an object at two addresses was believed: %q", c.Warnings)
	}
}

// TestObjectFigures: every planner that shares blocks has all three figures,
// which are as large as they must be, on random tables.
func TestObjectFigures(t *testing.T) {
	all := lookup(t, "all")
	rapid.Check(t, func(r *rapid.T) {
		rows := new(lifetime.Table)
		for range rapid.IntRange(1, 12).Draw(r, "buffers") {
			lower := rapid.Int64Range(0, 8).Draw(r, "lower")
			rows.Buffers = append(rows.Buffers, lifetime.Buffer{
				Lower: lower, Upper: lower + rapid.Int64Range(1, 5).Draw(r, "life"),
				Size: rapid.Int64Range(0, 40).Draw(r, "size"), Align: 1 << rapid.IntRange(0, 4).Draw(r, "align"),
			})
		}
		sharing := 0
		cfg := sizeOnly(all...)
		cfg.Timeout = 0
		err := bench.Run(context.Background(), cfg, seq(tableInput("random", rows)), func(c *bench.Cell) error {
			switch {
			case c.Plan == nil || c.Plan.Objects == nil:
				if c.ObjectCount != 0 || c.ObjectBytes != 0 || c.ObjectBoundBytes != 0 {
					r.Errorf("%s makes no objects, and has figures of them", c.Strategy)
				}
				return nil
			case c.ObjectCount != len(c.Plan.Objects):
				r.Errorf("%s: %d objects, the record says %d; %q", c.Strategy, len(c.Plan.Objects), c.ObjectCount, c.Warnings)
			case c.ObjectBytes < c.ObjectBoundBytes || c.ObjectBoundBytes < c.PeakLiveBytes || c.ArenaBytes < c.ObjectBytes:
				r.Errorf("%s: peak %d, bound %d, objects %d, arena %d", c.Strategy, c.PeakLiveBytes, c.ObjectBoundBytes, c.ObjectBytes, c.ArenaBytes)
			}
			sharing++
			return nil
		})
		if err != nil {
			r.Fatal(err)
		}
		if sharing < 2 {
			r.Errorf("%d strategies made objects", sharing)
		}
	})
}
