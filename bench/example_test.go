package bench_test

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/arenalab/arenalab/bench"
	"github.com/arenalab/arenalab/datasets"
	"github.com/arenalab/arenalab/lifetime"
	"github.com/arenalab/arenalab/strategies"
)

// longestFirst places the buffers that live longest first, each at the lowest
// offset where it fits.
type longestFirst struct{}

func (longestFirst) Info() strategies.Info {
	return strategies.Info{
		Name:       "longest-first",
		Title:      "Longest life first",
		Summary:    "lives descending, each at the lowest offset that is free",
		Complexity: "O(n²)",
	}
}

func (longestFirst) Plan(_ context.Context, t *lifetime.Table, o strategies.Options) (*lifetime.Plan, error) {
	t = lifetime.WithAlign(t, o.Align)
	order := make([]int, len(t.Buffers))
	for i := range order {
		order[i] = i
	}
	life := func(i int) int64 { return t.Buffers[i].Upper - t.Buffers[i].Lower }
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(life(b), life(a)) })

	offsets := make([]int64, len(t.Buffers))
	var placed []int // ascending by offset
	for _, i := range order {
		b := &t.Buffers[i]
		for _, j := range placed {
			p := &t.Buffers[j]
			if b.Overlaps(p) && offsets[i]+b.Size > offsets[j] {
				offsets[i] = max(offsets[i], lifetime.AlignUp(offsets[j]+p.Size, b.Alignment()))
			}
		}
		at, _ := slices.BinarySearchFunc(placed, offsets[i], func(j int, off int64) int { return cmp.Compare(offsets[j], off) })
		placed = slices.Insert(placed, at, i)
	}
	return lifetime.NewPlan(t, offsets), nil
}

// A strategy of your own takes part in a run once it is registered, or named in
// the configuration.
func Example() {
	strategies.Register(longestFirst{})
	list, err := strategies.Lookup("greedy-size,longest-first,naive")
	if err != nil {
		fmt.Println(err)
		return
	}
	table := &lifetime.Table{Name: "five", Buffers: []lifetime.Buffer{
		{Name: "a", Lower: 0, Upper: 3, Size: 9},
		{Name: "b", Lower: 1, Upper: 5, Size: 8},
		{Name: "c", Lower: 2, Upper: 5, Size: 7},
		{Name: "d", Lower: 4, Upper: 6, Size: 5},
		{Name: "e", Lower: 5, Upper: 8, Size: 9},
	}}
	inputs := slices.Values([]datasets.Input{{Name: table.Name, Table: table}})
	cfg := bench.Config{Strategies: list, Reps: 1}
	err = bench.Run(context.Background(), cfg, inputs, func(c *bench.Cell) error {
		fmt.Printf("%-13s arena %2d, bound %2d, gap %2.0f%%, %v, %s\n", c.Strategy,
			c.ArenaBytes, c.LowerBoundBytes, 100*c.Gap, c.Status, c.Validated)
		return nil
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// greedy-size   arena 29, bound 24, gap 21%, feasible, symbolic
	// longest-first arena 24, bound 24, gap  0%, optimal, symbolic
	// naive         arena 38, bound 24, gap 58%, feasible, symbolic
}
