package cli

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/arenalab/arenalab/bench"
	"github.com/arenalab/arenalab/datasets"
	"github.com/arenalab/arenalab/graph"
	"github.com/arenalab/arenalab/graph/opgraph"
	"github.com/arenalab/arenalab/graph/tflite"
	"github.com/arenalab/arenalab/report"
)

const reorderUsage = `Usage: compare reorder [flags] model

Writes the model with its operators in another order, and its tensors in another
sequence if the order asks for that, so that a runtime needs a smaller arena.
Nothing else in the file changes. A subgraph stays as it is unless the planner
makes a smaller arena of the new order.

  compare reorder -profile tflm -o smaller.tflite model.tflite
  compare reorder -order for-litert -o smaller.tflite model.tflite

Flags:
`

// reorderModel writes a model in another order.
func reorderModel(ctx context.Context, args []string, e env) (int, error) {
	fs := flag.NewFlagSet("compare reorder", flag.ContinueOnError)
	order := fs.String("order", "", "algorithm that orders the operators; empty: for-PLANNER if there is one, else exact")
	profile := fs.String("profile", "litert", "runtime `profile`, or a JSON file")
	planner := fs.String("strategy", "", "`planner` of the runtime; empty: the one of the profile's name, else greedy-size")
	out := fs.String("o", "", "`file` to write; empty: only say what would be won")
	timeout := fs.Duration("timeout", 0, "limit of the search for an order; 0: its own budget")
	paths, err := parseSub(fs, reorderUsage, args, e)
	if err != nil {
		return ExitUsage, err
	}
	if len(paths) != 1 {
		return ExitUsage, usageError("reorder takes one model, not %d", len(paths))
	}
	cfg, err := reorderConfig(*order, *profile, *planner)
	if err != nil {
		return ExitUsage, usageError("reorder: %w", err)
	}
	cfg.Timeout = *timeout
	set := datasets.Load(paths, datasets.LoadOptions{})
	if in := set.At(0); in.Err != nil || in.Model == nil {
		return ExitFailed, errors.Join(in.Err, fmt.Errorf("%s: a model is wanted", paths[0]))
	}
	w := rewriting{cfg: cfg, orders: map[int]graph.Order{}}
	if err := bench.Run(ctx, cfg, set.All(), w.add); err != nil {
		return ExitFailed, err
	}
	if w.failed != nil {
		return ExitFailed, w.failed
	}
	if err := report.Reordered(e.stdout, w.gains, report.Options{Format: report.Text}); err != nil {
		return ExitFailed, err
	}
	if *out == "" {
		return ExitOK, nil
	}
	return ExitOK, w.write(paths[0], *out)
}

func reorderConfig(order, profile, planner string) (bench.Config, error) {
	planner = plannerOf(planner, profile)
	if order == "" {
		order = "for-" + planner
		if _, err := bench.LookupOrders(order); err != nil {
			order = "exact"
		}
	}
	cfg, err := exportConfig(planner, order, profile)
	if err != nil {
		return cfg, err
	}
	stored, err := bench.LookupOrders("stored")
	if cfg.Orders[0].Info().Name != "stored" {
		cfg.Orders = append(stored, cfg.Orders...)
	}
	return cfg, err
}

// rewriting collects what the orders of a model come to.
type rewriting struct {
	cfg    bench.Config
	model  *graph.Model
	stored *bench.Cell // of the subgraph at hand
	orders map[int]graph.Order
	gains  []report.Gain
	failed error
}

// add takes the cells of a subgraph: the stored order, then the other.
func (w *rewriting) add(c *bench.Cell) error {
	if !c.Safe() {
		w.failed = fmt.Errorf("%s, order %s: %s", c.Record.Model, c.Record.Order, c.Error)
		return nil
	}
	w.model = c.Model
	if w.stored == nil || w.stored.Record.Subgraph != c.Record.Subgraph {
		w.stored = c
		return nil
	}
	g := report.Gain{Before: w.stored.Record, After: c.Record, Taken: c.ArenaBytes < w.stored.ArenaBytes}
	w.gains = append(w.gains, g)
	if g.Taken {
		w.orders[c.Record.Subgraph] = c.Order
	}
	return nil
}

// write writes the model in its new order.
func (w *rewriting) write(from, to string) error {
	data, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	var text []byte
	if strings.EqualFold(filepath.Ext(from), ".tflite") || bytes.Contains(data[:min(len(data), 8)], []byte("TFL3")) {
		text, err = tflite.Permute(data, w.model, w.orders)
	} else {
		var b bytes.Buffer
		err = opgraph.EncodeOrder(&b, w.model, w.order(0))
		text = b.Bytes()
	}
	if err != nil {
		return err
	}
	return os.WriteFile(to, text, 0o644)
}

func (w *rewriting) order(subgraph int) graph.Order {
	if o, ok := w.orders[subgraph]; ok {
		return o
	}
	return graph.Stored(w.model.Subgraphs[subgraph])
}
