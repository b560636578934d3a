package cli

import (
	"context"
	"flag"
	"fmt"

	"github.com/arenalab/arenalab/bench"
	"github.com/arenalab/arenalab/datasets"
	"github.com/arenalab/arenalab/reorder"
	"github.com/arenalab/arenalab/report"
	"github.com/arenalab/arenalab/strategies"
)

const explainUsage = `Usage: compare explain [flags] model ...

Says where the bytes of an arena go: what is lost to the order of operators, to
the numbers of tensors, to the planner, to alignment and to results that are not
in the place of an operand, each against its proven bound. The parts add up.

  compare explain -profile tflm model.tflite

Flags:
`

// explain attributes the bytes of the arena of each model.
func explain(ctx context.Context, args []string, e env) (int, error) {
	fs := flag.NewFlagSet("compare explain", flag.ContinueOnError)
	profile := fs.String("profile", "litert", "runtime `profile`, or a JSON file")
	planner := fs.String("strategy", "", "`planner` of the runtime; empty: the one of the profile's name, else greedy-size")
	timeout := fs.Duration("timeout", 0, "limit of each of five searches; 0: their own budgets")
	steps := fs.Int64("steps", 20_000, "orders that a search looks at, the same on any machine")
	seed := fs.Uint64("seed", 1, "of the searches")
	o := &options{color: "auto"}
	fs.StringVar(&o.format, "format", "table", "table, markdown, latex, html")
	fs.IntVar(&o.width, "width", 0, "columns of the table; 0: COLUMNS or the terminal's, else 100")
	fs.BoolVar(&o.plain, "plain", false, "ASCII only, words for symbols")
	paths, err := parseSub(fs, explainUsage, args, e)
	if err != nil {
		return ExitUsage, err
	}
	if len(paths) == 0 {
		return ExitUsage, usageError("explain needs a model")
	}
	profiles, err := lookupProfiles(*profile)
	if err == nil && len(profiles) != 1 {
		err = fmt.Errorf("-profile names %d of them, one is wanted", len(profiles))
	}
	if err != nil {
		return ExitUsage, usageError("explain: %w", err)
	}
	p := profiles[0]
	name := plannerOf(*planner, p.Name)
	if list, err := strategies.Lookup(name); err != nil || len(list) != 1 {
		return ExitUsage, usageError("explain: -strategy %s: want the name of one strategy", name)
	}
	code := ExitOK
	for in := range datasets.Load(paths, datasets.LoadOptions{}).All() {
		err := in.Err
		if err == nil && in.Model == nil {
			err = fmt.Errorf("%s: the order of a lifetime table is given; a model is wanted", in.Path)
		}
		if err == nil {
			for _, s := range in.Model.Subgraphs {
				if len(s.Ops) == 0 || p.Nested && s.Index > 0 {
					continue
				}
				title := in.Name
				if s.Index > 0 {
					title += fmt.Sprintf("#%d", s.Index)
				}
				var a *bench.Attribution
				a, err = bench.Attribute(ctx, in.Model, s, p, name, reorder.Options{Seed: *seed, TimeLimit: *timeout, Steps: *steps})
				if err != nil {
					break
				}
				if err = report.Explain(e.stdout, title, name, p.Name, a, reportOptions(o, e)); err != nil {
					return ExitFailed, err
				}
				fmt.Fprintln(e.stdout)
			}
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

// plannerOf returns the strategy that stands for a runtime unless one is named.
func plannerOf(named, profile string) string {
	if named != "" {
		return named
	}
	if _, err := strategies.Lookup(profile); err == nil {
		return profile
	}
	return "greedy-size"
}
