package cli

import (
	"context"
	"flag"
	"fmt"
	"iter"

	"github.com/arenalab/arenalab/bench"
	"github.com/arenalab/arenalab/datasets"
	"github.com/arenalab/arenalab/lifetime"
	"github.com/arenalab/arenalab/strategies"
)

const exportUsage = `Usage: compare export [flags] file

Writes the lifetime table of a model to stdout as CSV in MiniMalloc's dialect,
with the offsets of a plan if a strategy is named: the plan has been checked and
executed like any other.

  compare export -profile tflm model.tflite > table.csv
  compare export -strategy litert model.tflite > plan.csv

Flags:
`

// export writes one lifetime table, planned or not.
func export(ctx context.Context, args []string, e env) error {
	fs := flag.NewFlagSet("compare export", flag.ContinueOnError)
	strategy := fs.String("strategy", "", "add the offsets of this strategy's plan")
	order := fs.String("order", "stored", "operator order")
	profile := fs.String("profile", "litert", "runtime profile, or a JSON file")
	subgraph := fs.Int("subgraph", 0, "subgraph of the model")
	closed := fs.Bool("closed", false, "a table given states closed lives [first, last]")
	paths, err := parseSub(fs, exportUsage, args, e)
	if err != nil {
		return err
	}
	if len(paths) != 1 {
		return usageError("export takes one file, not %d", len(paths))
	}
	cfg, err := exportConfig(*strategy, *order, *profile)
	if err != nil {
		return usageError("export: %w", err)
	}
	set := datasets.Load(paths, datasets.LoadOptions{Closed: *closed, Stdin: e.stdin})
	cell, err := oneCell(ctx, cfg, set.All(), *subgraph)
	if err != nil {
		return err
	}
	plan := cell.Plan
	if *strategy == "" {
		plan = nil
	}
	return lifetime.WriteCSV(e.stdout, cell.Table, plan)
}

// exportConfig is a matrix of one cell. Where only the table is wanted it is
// planned naively, which is quick and checks it.
func exportConfig(strategy, order, profile string) (bench.Config, error) {
	if strategy == "" {
		strategy = "naive"
	}
	cfg := bench.Config{Reps: 1, Tool: toolVersion()}
	var err error
	if cfg.Strategies, err = strategies.Lookup(strategy); err != nil {
		return cfg, err
	}
	if cfg.Orders, err = bench.LookupOrders(order); err != nil {
		return cfg, err
	}
	if cfg.Profiles, err = lookupProfiles(profile); err != nil {
		return cfg, err
	}
	for what, list := range map[string]int{"strategy": len(cfg.Strategies), "order": len(cfg.Orders), "profile": len(cfg.Profiles)} {
		if list != 1 {
			return cfg, fmt.Errorf("-%s names %d of them, one is wanted", what, list)
		}
	}
	return cfg, nil
}

// oneCell runs the matrix and returns the cell of the subgraph.
func oneCell(ctx context.Context, cfg bench.Config, inputs iter.Seq[datasets.Input], subgraph int) (*bench.Cell, error) {
	var found *bench.Cell
	var failed error
	err := bench.Run(ctx, cfg, inputs, func(c *bench.Cell) error {
		switch {
		case c.Strategy == "" || c.Record.Subgraph == subgraph && !c.Safe():
			failed = fmt.Errorf("%s: %s", c.Record.Model, c.Error)
		case c.Record.Subgraph == subgraph:
			found = c
		}
		return nil
	})
	switch {
	case err != nil:
		return nil, err
	case failed != nil:
		return nil, failed
	case found == nil:
		return nil, fmt.Errorf("no subgraph %d with anything to plan", subgraph)
	}
	return found, nil
}
