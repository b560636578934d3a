package cli

import (
	"context"
	"flag"
	"fmt"

	"github.com/arenalab/arenalab/bench"
	"github.com/arenalab/arenalab/datasets"
	"github.com/arenalab/arenalab/report"
	"github.com/arenalab/arenalab/strategies"
)

const runtimesUsage = `Usage: compare runtimes [flags] file ...

Says why a model needs another arena in one runtime than in another: goes from
the first to the second a rule at a time (alignment, kept inputs, in-place,
working memory, subgraphs, planner, ...) and plans anew after each.

  compare runtimes -from litert -to tflm model.tflite

Flags:
`

// runtimes compares two runtimes on each model.
func runtimes(ctx context.Context, args []string, e env) (int, error) {
	fs := flag.NewFlagSet("compare runtimes", flag.ContinueOnError)
	from := fs.String("from", "litert", "profile to start from, `NAME` or NAME=file.json")
	to := fs.String("to", "tflm", "profile to end at, `NAME` or NAME=file.json")
	planner := fs.String("strategy", "greedy-size", "planner of a profile that has none of its own name")
	o := &options{color: "auto"}
	fs.StringVar(&o.format, "format", "table", "table, markdown, latex, html")
	fs.IntVar(&o.width, "width", 0, "columns of the table; 0: COLUMNS or the terminal's, else 100")
	fs.BoolVar(&o.plain, "plain", false, "ASCII only, words for symbols")
	paths, err := parseSub(fs, runtimesUsage, args, e)
	if err != nil {
		return ExitUsage, err
	}
	if len(paths) == 0 {
		return ExitUsage, usageError("runtimes needs a model")
	}
	var ends [2]bench.Runtime
	for i, name := range []string{*from, *to} {
		if ends[i], err = lookupRuntime(name, *planner); err != nil {
			return ExitUsage, usageError("runtimes: %w", err)
		}
	}
	code := ExitOK
	first := true
	for in := range datasets.Load(paths, datasets.LoadOptions{Stdin: e.stdin}).All() {
		err := in.Err
		if err == nil && in.Model == nil {
			err = fmt.Errorf("%s: a lifetime table is the same in every runtime; a model is wanted", in.Path)
		}
		var changes []bench.Change
		if err == nil {
			changes, err = bench.CompareRuntimes(ctx, in.Model, ends[0], ends[1])
		}
		if err == nil && !first {
			fmt.Fprintln(e.stdout)
		}
		if err == nil {
			first = false
			err = report.Runtimes(e.stdout, in.Name, changes, reportOptions(o, e))
		}
		if ctx.Err() != nil {
			return ExitInterrupted, ctx.Err()
		}
		if err != nil {
			fmt.Fprintf(e.stderr, "compare: %v\n", err)
			code = ExitFailed
		}
	}
	return code, nil
}

// lookupRuntime returns the profile with the planner of its name, or with the
// given one.
func lookupRuntime(name, planner string) (bench.Runtime, error) {
	profiles, err := lookupProfiles(name)
	if err != nil {
		return bench.Runtime{}, err
	}
	if len(profiles) != 1 {
		return bench.Runtime{}, fmt.Errorf("%q names %d profiles, one is wanted", name, len(profiles))
	}
	list, err := strategies.Lookup(profiles[0].Name)
	if err != nil {
		if list, err = strategies.Lookup(planner); err != nil {
			return bench.Runtime{}, err
		}
	}
	if len(list) != 1 {
		return bench.Runtime{}, fmt.Errorf("-strategy %q names %d strategies, one is wanted", planner, len(list))
	}
	return bench.Runtime{Profile: profiles[0], Strategy: list[0]}, nil
}
