package cli

import (
	"context"
	"flag"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/arenalab/arenalab/bench"
	"github.com/arenalab/arenalab/datasets"
	"github.com/arenalab/arenalab/report"
	"github.com/arenalab/arenalab/strategies"
)

const fitUsage = `Usage: compare fit [flags] file ...

Answers how small the arena of a model or table can be, with a proof; whether it
fits into a capacity, and if not, which buffers are to blame; and what would be
saved if a buffer went, halved, or lived a step less. The exit code is 1 if a
file does not fit, or cannot be shown to.

  compare fit -profile tflm model.tflite
  compare fit -capacity 256K -profile tflm model.tflite

Flags:
`

// fit answers the questions of a capacity for each file.
func fit(ctx context.Context, args []string, e env) (int, error) {
	fs := flag.NewFlagSet("compare fit", flag.ContinueOnError)
	var capacity int64
	fs.Func("capacity", "`bytes` of arena to fit into, such as 262144, 256K or 1M", func(s string) (err error) {
		capacity, err = parseBytes(s)
		return err
	})
	order := fs.String("order", "stored", "operator order")
	profile := fs.String("profile", "litert", "runtime profile, or a JSON file")
	timeout := fs.Duration("timeout", time.Minute, "limit of the work on one file")
	decisions := fs.Int64("decisions", 0, "budget of the search; 0: its own; -1: until -timeout")
	seed := fs.Uint64("seed", 1, "of the search")
	closed := fs.Bool("closed", false, "tables state closed lives [first, last]")
	o := &options{color: "auto"}
	fs.StringVar(&o.format, "format", "table", "table, markdown, latex, html")
	fs.IntVar(&o.width, "width", 0, "columns of the table; 0: COLUMNS or the terminal's, else 100")
	fs.BoolVar(&o.plain, "plain", false, "ASCII only, words for symbols")
	paths, err := parseSub(fs, fitUsage, args, e)
	if err != nil {
		return ExitUsage, err
	}
	if len(paths) == 0 {
		return ExitUsage, usageError("fit needs a model or a table")
	}
	cfg, err := exportConfig("", *order, *profile)
	if err != nil {
		return ExitUsage, usageError("fit: %w", err)
	}
	f := fitter{e: e, o: o, capacity: capacity, timeout: *timeout, plan: strategies.Options{Seed: *seed, Decisions: *decisions}}
	set := datasets.Load(paths, datasets.LoadOptions{Closed: *closed, Stdin: e.stdin})
	err = bench.Run(ctx, cfg, set.All(), func(c *bench.Cell) error { return f.cell(ctx, c) })
	if ctx.Err() != nil {
		return ExitInterrupted, ctx.Err()
	}
	return f.code, err
}

// fitter answers for one table after the other.
type fitter struct {
	e        env
	o        *options
	capacity int64
	timeout  time.Duration
	plan     strategies.Options
	code     int
	shown    int
}

// cell answers for the table that the cell was planned from.
func (f *fitter) cell(ctx context.Context, c *bench.Cell) error {
	if !c.Safe() {
		fmt.Fprintf(f.e.stderr, "compare: %s: %s\n", c.Record.Model, c.Error)
		f.code = ExitFailed
		return nil
	}
	limited, cancel := context.WithTimeout(ctx, f.timeout)
	defer cancel()
	got, err := bench.FitTable(limited, c.Table, f.capacity, f.plan)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		fmt.Fprintf(f.e.stderr, "compare: %s: %v\n", c.Record.Model, err)
		f.code = ExitFailed
		return nil
	}
	if f.capacity > 0 && got.Plan.Arena > f.capacity {
		f.code = ExitFailed
	}
	if f.shown++; f.shown > 1 {
		fmt.Fprintln(f.e.stdout)
	}
	return report.Fit(f.e.stdout, c, got, reportOptions(f.o, f.e))
}

// parseBytes reads a number of bytes, with K, M or G for 2^10, 2^20 or 2^30.
func parseBytes(s string) (int64, error) {
	number, shift := strings.TrimSpace(s), 0
	number = strings.TrimSuffix(strings.TrimSuffix(number, "B"), "i")
	if n := len(number); n > 0 {
		if i := strings.IndexByte("KMG", number[n-1]); i >= 0 {
			number, shift = strings.TrimSpace(number[:n-1]), 10*(i+1)
		}
	}
	v, err := strconv.ParseInt(number, 10, 64)
	if err != nil || v <= 0 || v > math.MaxInt64>>shift {
		return 0, fmt.Errorf("%q is not a number of bytes such as 262144, 256K or 1M", s)
	}
	return v << shift, nil
}
