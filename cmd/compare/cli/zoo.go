package cli

import (
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/arenalab/arenalab/datasets"
)

const zooUsage = `Usage: compare zoo list
       compare zoo build [flags] name ...

Lists the networks that can be built, or builds them as .tflite files with
random weights, at any resolution. "all" builds every one.

Flags of build:
`

// zoo lists and builds the networks of package datasets.
func zoo(args []string, e env) error {
	if len(args) > 0 && args[0] == "list" {
		helpZoo(e.stdout)
		return nil
	}
	fs := flag.NewFlagSet("compare zoo", flag.ContinueOnError)
	var p datasets.Params
	fs.IntVar(&p.Resolution, "resolution", 0, "edge of the input image, or length of the sequence; 0: the default")
	fs.IntVar(&p.Width, "width", 0, "channels of the first stage; 0: the default")
	fs.IntVar(&p.Depth, "depth", 0, "cells, blocks, layers or levels; 0: the default")
	fs.IntVar(&p.Classes, "classes", 0, "outputs of the classifier; 0: the default")
	fs.IntVar(&p.Batch, "batch", 0, "images at a time; 0: the default")
	fs.BoolVar(&p.Quantized, "int8", false, "int8 throughout, else float32")
	fs.Uint64Var(&p.Seed, "seed", 0, "of weights and random wiring")
	dir := fs.String("o", ".", "`folder` the files go to")
	if len(args) == 0 || args[0] != "build" {
		args = []string{"-h"}
	} else {
		args = args[1:]
	}
	names, err := parseSub(fs, zooUsage, args, e)
	if err != nil {
		return err
	}
	builders, err := lookupBuilders(names)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(*dir, 0o755); err != nil {
		return err
	}
	for _, b := range builders {
		if err := build(b, p, *dir, e.stdout); err != nil {
			return err
		}
	}
	return nil
}

func lookupBuilders(names []string) ([]datasets.Builder, error) {
	if len(names) == 0 {
		return nil, usageError("zoo build needs a name, or all")
	}
	var out []datasets.Builder
	for _, name := range names {
		if name == "all" {
			out = append(out, datasets.Zoo()...)
			continue
		}
		b, ok := datasets.Lookup(name)
		if !ok {
			var known []string
			for _, b := range datasets.Zoo() {
				known = append(known, b.Name)
			}
			return nil, usageError("unknown network %q; known: %s", name, strings.Join(known, ", "))
		}
		out = append(out, b)
	}
	return out, nil
}

func build(b datasets.Builder, p datasets.Params, dir string, stdout io.Writer) error {
	data, err := b.Build(p)
	if err != nil {
		return fmt.Errorf("zoo %s: %w", b.Name, err)
	}
	name := b.Name
	if p.Resolution > 0 {
		name += fmt.Sprintf("-%d", p.Resolution)
	}
	if p.Quantized {
		name += "-int8"
	}
	path := filepath.Join(dir, name+".tflite")
	if err := os.WriteFile(path, data, 0o644); err != nil {
		return err
	}
	fmt.Fprintf(stdout, "%s %d bytes\n", path, len(data))
	return nil
}
