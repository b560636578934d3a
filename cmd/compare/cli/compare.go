package cli

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"

	"github.com/arenalab/arenalab/bench"
	"github.com/arenalab/arenalab/datasets"
	"github.com/arenalab/arenalab/lifetime"
	"github.com/arenalab/arenalab/report"
	"github.com/arenalab/arenalab/strategies"
)

// compare is the main job: plan, time, check and report.
func compare(ctx context.Context, args []string, e env) (int, error) {
	o, err := parse(args, e.stderr)
	if err != nil {
		return ExitUsage, err
	}
	if o.list != nil {
		o.list(e.stdout)
		return ExitOK, nil
	}
	inputs, count := load(o, e)
	prog := newProgress(e.stderr, o.quiet)
	cfg := bench.Config{
		Strategies: o.strategies, Orders: o.orders, Profiles: o.profiles,
		Reps: o.reps, Budget: o.budget, Timeout: o.timeout, Decisions: o.decisions,
		Seed: o.seed, Ties: o.ties, Align: o.align, Workers: o.workers, Validate: o.validate,
		Tool: toolVersion(), Inputs: count,
		Progress: func(p bench.Progress) { prog.at(p.Done, p.Model) },
	}
	if o.spread > 0 {
		err := spread(ctx, o, e, cfg, inputs)
		prog.clear()
		return ExitOK, err
	}
	out, err := newOutput(o, e)
	if err != nil {
		return ExitFailed, err
	}
	failed := 0
	runErr := bench.Run(ctx, cfg, inputs, func(c *bench.Cell) error {
		if !c.Safe() && !errors.Is(c.Err, strategies.ErrTooLarge) {
			failed++
		}
		prog.clear()
		sayCell(o, e, c)
		out.add(c)
		return nil
	})
	prog.clear()
	outErr := out.finish(ctx.Err() != nil)
	switch {
	case runErr != nil:
		return ExitFailed, errors.Join(runErr, outErr)
	case outErr != nil:
		return ExitFailed, outErr
	case failed > 0:
		return ExitFailed, nil
	}
	return ExitOK, nil
}

// spread reports how far arenas move with ties and the order of rows.
func spread(ctx context.Context, o *options, e env, cfg bench.Config, inputs iter.Seq[datasets.Input]) error {
	var all []bench.Spread
	runErr := bench.Spreads(ctx, cfg, inputs, o.spread, func(s *bench.Spread) error {
		all = append(all, *s)
		return nil
	})
	return errors.Join(runErr, report.Spreads(e.stdout, all, reportOptions(o, e)))
}

// load finds the inputs: those named, or those built in.
func load(o *options, e env) (iter.Seq[datasets.Input], int) {
	opts := datasets.LoadOptions{Closed: o.closed, Stdin: e.stdin}
	if len(o.paths) > 0 {
		set := datasets.Load(o.paths, opts)
		if s := set.Skipped.String(); s != "" && !o.quiet {
			fmt.Fprintln(e.stderr, "compare:", s)
		}
		return set.All(), set.Len()
	}
	models := datasets.LoadFS(datasets.Models(), []string{"."}, opts)
	tables := datasets.LoadFS(datasets.Tables(), []string{"."}, datasets.LoadOptions{})
	both := func(yield func(datasets.Input) bool) {
		for in := range models.All() {
			if !yield(in) {
				return
			}
		}
		tables.All()(yield)
	}
	return both, models.Len() + tables.Len()
}

// sayCell tells of failures as they happen, and of every plan if asked.
func sayCell(o *options, e env, c *bench.Cell) {
	what := c.Record.Model
	if c.Strategy != "" {
		what += fmt.Sprintf(", %s, order %s, profile %s", c.Strategy, c.Record.Order, c.Profile)
	}
	switch {
	case !c.Safe():
		fmt.Fprintf(e.stderr, "compare: %s: %s: %s\n", what, c.Status, c.Error)
		if o.verbose && len(c.Stack) > 0 {
			fmt.Fprintf(e.stderr, "%s\n", c.Stack)
		}
	case o.verbose:
		fmt.Fprintf(e.stderr, "compare: %s: %s, arena %d, bound %d, %s\n",
			what, c.Status, c.ArenaBytes, c.LowerBoundBytes, c.Validated)
	}
}

// reportOptions are the table's options as the flags and the terminal say.
func reportOptions(o *options, e env) report.Options {
	f, _ := e.stdout.(*os.File)
	r := report.Options{
		Format: report.Format(o.format),
		Metric: report.Metric(o.metric),
		Width:  o.width,
		Color:  report.ColorEnabled(f, o.color),
		Plain:  o.plain,
	}
	if r.Format == "table" {
		r.Format = report.Text
	}
	if r.Width == 0 {
		r.Width = report.TerminalWidth(f)
	}
	return r
}

// planned reports whether the cell holds a plan to draw.
func planned(c *bench.Cell) bool {
	return c.Plan != nil && c.Table != nil && len(c.Table.Buffers) > 0 &&
		(c.Status == lifetime.Feasible || c.Status == lifetime.Optimal)
}
