package cli

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/arenalab/arenalab/bench"
	"github.com/arenalab/arenalab/graph"
	"github.com/arenalab/arenalab/reorder"
	"github.com/arenalab/arenalab/report"
	"github.com/arenalab/arenalab/strategies"
)

// formats are what -format takes: those for people and those for programs.
var formats = []string{"table", "markdown", "latex", "html", "csv", "jsonl", "bench"}

var metrics = []string{"gap", "arena", "time", "frag"}

// options is the parsed command line of the main job.
type options struct {
	list       func(io.Writer) // what to list instead of working
	paths      []string
	strategies []strategies.Strategy
	orders     []reorder.Reorderer
	profiles   []graph.Profile

	format  string
	metric  string
	out     string
	plots   string
	effort  string // axis of the plots of convergence
	color   string
	width   int
	plain   bool
	quiet   bool
	verbose bool

	reps      int
	budget    time.Duration
	timeout   time.Duration
	decisions int64
	workers   int
	seed      uint64
	ties      strategies.Ties
	spread    int
	align     int64
	closed    bool
	validate  string
}

const usageHead = `Usage: compare [flags] [file or folder ...]

Plans the tensor arena of every .tflite model, operator graph and .csv lifetime
table with each strategy, runs each plan to prove it safe, and shows how far it is
from the proven lower bound. Without a path it takes the models and tables built in.

  compare -strategies all models/             every strategy on a folder
  compare -profile tflm -metric arena m.tflite   bytes that TFLite-Micro needs
  compare -orders all -strategies litert models/ what operator order changes
  compare -format csv tables/ > results.csv   one row a plan, for a spreadsheet
  compare runtimes -from litert -to tflm m.tflite     why their arenas differ
  compare explain -profile tflm m.tflite         where the bytes of the arena go
  compare fit -capacity 256K m.tflite            does it fit, and what could be saved
  compare certify compare-out/results.jsonl      check every bound of a run anew
  compare reorder -o smaller.tflite m.tflite     the same model in a better order
  compare export -strategy tflm m.tflite > plan.csv   lifetimes and offsets
  compare zoo build -resolution 224 -o big/ mobilenet-v2
  compare graded build -o hard/                  tables to test a planner with
  compare graphs build -o graphs/                operator graphs to try orders on
  compare help strategies | orders | profiles | formats | exit-codes | zoo

Files go to -out: results.jsonl, results.csv, summary.md, report.html, plots/.

Flags:
`

// parse reads the command line. Flags may stand after paths too, as people
// type them; everything after "--" is a path.
func parse(args []string, stderr io.Writer) (*options, error) {
	o := &options{}
	fs := flag.NewFlagSet("compare", flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	names := fs.String("strategies", "all", "comma-separated `names` or patterns such as greedy-*, all, or list to list them")
	orders := fs.String("orders", "stored", "operator orders: comma-separated `names`, all, or list")
	profiles := fs.String("profile", "litert", "runtime profiles: comma-separated `names`, JSON files, NAME=file.json, or all")
	fs.StringVar(profiles, "runtime", "litert", "the same as -profile")
	fs.StringVar(&o.format, "format", "table", "what stdout gets: "+strings.Join(formats, ", "))
	fs.StringVar(&o.metric, "metric", "gap", "cells of the table: "+strings.Join(metrics, ", "))
	fs.StringVar(&o.out, "out", "compare-out", "`folder` for results and plots; empty: none")
	fs.StringVar(&o.plots, "plots", "auto", "arena maps and plots of convergence of single models: auto (those with most to see), all, none")
	fs.StringVar(&o.effort, "convergence", string(report.ByTime), "what plots of convergence are drawn against: time, or decisions, the same on any machine")
	fs.StringVar(&o.color, "color", "auto", "auto, always, never")
	fs.IntVar(&o.width, "width", 0, "columns of the table; 0: COLUMNS or the terminal's, else 100")
	fs.BoolVar(&o.plain, "plain", false, "ASCII only, words for symbols")
	fs.BoolVar(&o.quiet, "q", false, "no progress, only failures on stderr")
	fs.BoolVar(&o.verbose, "v", false, "a line for every plan on stderr")
	fs.IntVar(&o.reps, "reps", 0, "timed runs of a strategy; 1: sizes only, on all cores; 0: as many as -budget allows")
	fs.DurationVar(&o.budget, "budget", 10*time.Millisecond, "time to spend on timing one strategy on one table")
	fs.DurationVar(&o.timeout, "timeout", time.Minute, "limit of one run of a strategy")
	fs.Int64Var(&o.decisions, "decisions", 0, "budget of searches such as exact and anytime, the same on any machine; 0: their own `number`; -1: until -timeout")
	fs.IntVar(&o.workers, "j", 0, "plans made side by side; 0: all cores with -reps 1, else 1")
	fs.Uint64Var(&o.seed, "seed", 1, "of strategies that draw random numbers")
	fs.Func("ties", "how buffers are ordered that a key does not tell apart: native, stored, size, libstdc++ or random:SEED", func(s string) (err error) {
		o.ties, err = strategies.ParseTies(s)
		return err
	})
	fs.IntVar(&o.spread, "spread", 0, "report how far arenas move over `K` random tie-breaks and K shuffles of the rows, instead of the plans")
	fs.Int64Var(&o.align, "align", 0, "least alignment of every offset in `bytes`; 0: as the profile or table says")
	fs.StringVar(&o.validate, "validate", bench.ValidateKernels, "how plans of models are proven safe: "+strings.Join(bench.Validations(), ", "))
	fs.BoolVar(&o.closed, "closed", false, "tables state closed lives [first, last]")

	paths, err := parseInterspersed(fs, args)
	if errors.Is(err, flag.ErrHelp) {
		fmt.Fprint(stderr, usageHead)
		fs.SetOutput(stderr)
		fs.PrintDefaults()
		return nil, err
	}
	if err != nil {
		return nil, usageError("%w", err)
	}
	o.paths = paths
	for _, l := range []struct {
		value string
		print func(io.Writer)
	}{{*names, helpStrategies}, {*orders, helpOrders}, {*profiles, helpProfiles}} {
		if l.value == "list" {
			o.list = l.print
			return o, nil
		}
	}
	if err := o.resolve(*names, *orders, *profiles); err != nil {
		return nil, usageError("%w", err)
	}
	return o, nil
}

// parseSub parses the flags of a subcommand and returns the rest. Asked for
// help, it prints the usage and the flags and returns flag.ErrHelp.
func parseSub(fs *flag.FlagSet, usage string, args []string, e env) ([]string, error) {
	fs.SetOutput(io.Discard)
	paths, err := parseInterspersed(fs, args)
	if errors.Is(err, flag.ErrHelp) {
		fmt.Fprint(e.stderr, usage)
		fs.SetOutput(e.stderr)
		fs.PrintDefaults()
		return nil, err
	}
	if err != nil {
		return nil, usageError("%s: %w", strings.TrimPrefix(fs.Name(), "compare "), err)
	}
	return paths, nil
}

// parseInterspersed parses flags wherever they stand and returns the rest.
func parseInterspersed(fs *flag.FlagSet, args []string) ([]string, error) {
	var literal []string
	if i := slices.Index(args, "--"); i >= 0 {
		args, literal = args[:i], args[i+1:]
	}
	var paths []string
	for len(args) > 0 {
		if err := fs.Parse(args); err != nil {
			return nil, err
		}
		if args = fs.Args(); len(args) > 0 {
			paths, args = append(paths, args[0]), args[1:]
		}
	}
	return append(paths, literal...), nil
}

// resolve looks up what the flags name and checks the rest.
func (o *options) resolve(names, orders, profiles string) (err error) {
	if o.strategies, err = strategies.Lookup(names); err != nil {
		return err
	}
	if o.orders, err = bench.LookupOrders(orders); err != nil {
		return err
	}
	if o.profiles, err = lookupProfiles(profiles); err != nil {
		return err
	}
	for _, c := range []struct {
		flag, value string
		known       []string
	}{
		{"format", o.format, formats},
		{"metric", o.metric, metrics},
		{"plots", o.plots, []string{"auto", "all", "none"}},
		{"convergence", o.effort, []string{string(report.ByTime), string(report.ByDecisions)}},
		{"color", o.color, []string{"auto", "always", "never"}},
		{"validate", o.validate, bench.Validations()},
	} {
		if !slices.Contains(c.known, c.value) {
			return fmt.Errorf("-%s %q: want one of %s", c.flag, c.value, strings.Join(c.known, ", "))
		}
	}
	switch {
	case o.reps < 0 || o.spread < 0 || o.workers < 0 || o.width < 0 || o.budget < 0 || o.timeout < 0:
		return errors.New("-reps, -spread, -j, -width, -budget and -timeout cannot be negative")
	case o.align < 0 || o.align&(o.align-1) != 0 || o.align > 1<<30:
		return fmt.Errorf("-align %d is not a power of two up to 2^30", o.align)
	}
	return nil
}

// lookupProfiles takes names of built-in profiles, files, and "all".
func lookupProfiles(list string) ([]graph.Profile, error) {
	if list == "all" {
		return graph.Profiles(), nil
	}
	var out []graph.Profile
	for _, name := range strings.Split(list, ",") {
		name = strings.TrimSpace(name)
		if as, file, ok := strings.Cut(name, "="); ok {
			p, err := readProfile(file)
			if err != nil {
				return nil, err
			}
			p.Name = as
			out = append(out, p)
			continue
		}
		if !strings.HasSuffix(name, ".json") {
			p, err := graph.LookupProfile(name)
			if err != nil {
				return nil, err
			}
			out = append(out, p)
			continue
		}
		p, err := readProfile(name)
		if err != nil {
			return nil, err
		}
		out = append(out, p)
	}
	return out, nil
}

func readProfile(path string) (graph.Profile, error) {
	f, err := os.Open(path)
	if err != nil {
		return graph.Profile{}, err
	}
	defer f.Close()
	p, err := graph.ReadProfile(f)
	if err != nil {
		return p, fmt.Errorf("%s: %w", path, err)
	}
	return p, nil
}
