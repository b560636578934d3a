package bench_test

import (
	"context"
	"fmt"
	"log"
	"slices"

	"github.com/arenalab/arenalab/bench"
	"github.com/arenalab/arenalab/datasets"
	"github.com/arenalab/arenalab/lifetime"
	"github.com/arenalab/arenalab/strategies"
)

// A run plans every input with every strategy, proves each plan safe and hands
// on a cell, which is a record and all that it was computed from.
func Example() {
	list, err := strategies.Lookup("best-fit,litert,naive")
	if err != nil {
		log.Fatal(err)
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
		fmt.Printf("%-9s arena %d, bound %d, gap %.0f%%, %v, %s, a at %d\n", c.Strategy,
			c.ArenaBytes, c.LowerBoundBytes, 100*c.Gap, c.Status, c.Validated, c.Plan.Offsets[0])
		return nil
	})
	if err != nil {
		log.Fatal(err)
	}
	// Output:
	// best-fit  arena 24, bound 24, gap 0%, optimal, symbolic, a at 0
	// litert    arena 29, bound 24, gap 21%, feasible, symbolic, a at 0
	// naive     arena 38, bound 24, gap 58%, feasible, symbolic, a at 0
}
