package cli

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/arenalab/arenalab/datasets"
	"github.com/arenalab/arenalab/graph/opgraph"
)

const gradedUsage = `Usage: compare graded list
       compare graded build [-o folder] [name ...]

Lists or writes the graded set: thirty lifetime tables, from those that every
rule solves to those that nothing has solved yet, with their optimum where it is
known by construction. Without a name all are written.

Flags of build:
`

const graphsUsage = `Usage: compare graphs list
       compare graphs build [-o folder] [name ...]

Lists or writes operator graphs to try orders on: networks found by search,
random wiring, layers, trees, lattices and more, most with the least peak of any
order, known by construction or proven. Without a name all are written.

Flags of build:
`

// graded lists and writes the graded set of package datasets.
func graded(args []string, e env) error {
	var items []item
	for _, g := range datasets.Graded() {
		optimum := "optimum not known"
		if g.Optimum > 0 {
			optimum = fmt.Sprintf("optimum %d B", g.Optimum)
		}
		items = append(items, item{
			name: g.Name, file: g.Name + ".csv",
			line: fmt.Sprintf("%-28s %6d buffers  peak live %d B, %s; solved by: %s", g.Name, g.Buffers, g.Peak, optimum, g.Grade),
			size: fmt.Sprintf("%d buffers", g.Buffers),
			write: func(w io.Writer) error {
				s, _ := g.Build()
				return datasets.WriteSynthetic(w, s)
			},
		})
	}
	return collection(args, e, "graded", "table", gradedUsage, items)
}

// graphs lists and writes the operator graphs of package datasets.
func graphs(args []string, e env) error {
	var items []item
	for _, g := range datasets.OperatorGraphs() {
		optimum := "not proven"
		if g.Optimum > 0 {
			optimum = fmt.Sprintf("%d B", g.Optimum)
		}
		items = append(items, item{
			name: g.Name, file: g.Name + ".graph",
			line: fmt.Sprintf("%-28s %6d operators  least peak of any order, profile plain: %s", g.Name, g.Ops, optimum),
			size: fmt.Sprintf("%d operators", g.Ops),
			write: func(w io.Writer) error {
				built, err := g.Build()
				if err != nil {
					return err
				}
				fmt.Fprintf(w, "# %s: family %s, seed %d; least peak of any order, profile plain: %s\n", g.Name, g.Family, g.Seed, optimum)
				return opgraph.Encode(w, built.Model)
			},
		})
	}
	return collection(args, e, "graphs", "graph", graphsUsage, items)
}

// item is a file that the command can make.
type item struct {
	name, file string
	line       string // what list says of it
	size       string
	write      func(io.Writer) error
}

// collection is a subcommand that lists files or writes them.
func collection(args []string, e env, command, noun, usage string, all []item) error {
	if len(args) > 0 && args[0] == "list" {
		for _, x := range all {
			fmt.Fprintln(e.stdout, x.line)
		}
		return nil
	}
	fs := flag.NewFlagSet("compare "+command, flag.ContinueOnError)
	dir := fs.String("o", ".", "`folder` the files go to")
	if len(args) == 0 || args[0] != "build" {
		args = []string{"-h"}
	} else {
		args = args[1:]
	}
	names, err := parseSub(fs, usage, args, e)
	if err != nil {
		return err
	}
	for _, name := range names {
		if !slices.ContainsFunc(all, func(x item) bool { return x.name == name }) {
			return usageError("%s build: no %s %q; \"compare %s list\" names them", command, noun, name, command)
		}
	}
	if err := os.MkdirAll(*dir, 0o755); err != nil {
		return err
	}
	for _, x := range all {
		if len(names) > 0 && !slices.Contains(names, x.name) {
			continue
		}
		path := filepath.Join(*dir, x.file)
		if err := writeItem(path, x); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		fmt.Fprintf(e.stdout, "%s %s\n", path, x.size)
	}
	return nil
}

func writeItem(path string, x item) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	return errors.Join(x.write(f), f.Close())
}
