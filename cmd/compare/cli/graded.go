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
)

const gradedUsage = `Usage: compare graded list
       compare graded build [-o folder] [name ...]

Lists or writes the graded set: thirty lifetime tables, from those that every
rule solves to those that nothing has solved yet, with their optimum where it is
known by construction. Without a name all are written.

Flags of build:
`

// graded lists and writes the graded set of package datasets.
func graded(args []string, e env) error {
	all := datasets.Graded()
	if len(args) > 0 && args[0] == "list" {
		for _, g := range all {
			optimum := "optimum not known"
			if g.Optimum > 0 {
				optimum = fmt.Sprintf("optimum %d B", g.Optimum)
			}
			fmt.Fprintf(e.stdout, "%-28s %6d buffers  peak live %d B, %s; solved by: %s\n", g.Name, g.Buffers, g.Peak, optimum, g.Grade)
		}
		return nil
	}
	fs := flag.NewFlagSet("compare graded", flag.ContinueOnError)
	dir := fs.String("o", ".", "`folder` the files go to")
	if len(args) == 0 || args[0] != "build" {
		args = []string{"-h"}
	} else {
		args = args[1:]
	}
	names, err := parseSub(fs, gradedUsage, args, e)
	if err != nil {
		return err
	}
	for _, name := range names {
		if !slices.ContainsFunc(all, func(g datasets.GradedTable) bool { return g.Name == name }) {
			return usageError("graded build: no table %q; \"compare graded list\" names them", name)
		}
	}
	if err := os.MkdirAll(*dir, 0o755); err != nil {
		return err
	}
	for _, g := range all {
		if len(names) > 0 && !slices.Contains(names, g.Name) {
			continue
		}
		if err := writeGraded(g, filepath.Join(*dir, g.Name+".csv"), e.stdout); err != nil {
			return err
		}
	}
	return nil
}

func writeGraded(g datasets.GradedTable, path string, out io.Writer) error {
	s, _ := g.Build()
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	err = datasets.WriteSynthetic(f, s)
	if err := errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	fmt.Fprintf(out, "%s %d buffers\n", path, len(s.Table.Buffers))
	return nil
}
