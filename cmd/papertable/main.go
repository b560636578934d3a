// Command papertable recomputes the table of Pisarchyk and Lee, "Efficient
// Memory Management for Deep Neural Net Inference", 2020, arXiv:2001.03288: the
// memory of intermediate tensors of six networks under the strategies of the
// paper. It draws the networks from package datasets, without weights, plans
// them, checks every plan, and writes the figures beside the published ones:
//
//	go run ./cmd/papertable -out results
//
// The result is the same on every machine; a test keeps results/ current.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
)

// name is that of the files written, without extension.
const name = "pisarchyk-lee-2020"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	fs := flag.NewFlagSet("papertable", flag.ContinueOnError)
	fs.SetOutput(stderr)
	out := fs.String("out", "", "`folder` for "+name+".md and .jsonl; the tables are printed if it is empty")
	if err := fs.Parse(args); err != nil {
		return 2
	}
	if fs.NArg() > 0 {
		fmt.Fprintf(stderr, "papertable: unexpected argument %q\n", fs.Arg(0))
		return 2
	}
	text, records, err := compute(ctx)
	if err == nil && *out == "" {
		_, err = stdout.Write(text)
	} else if err == nil {
		err = save(*out, text, records)
	}
	if err != nil {
		fmt.Fprintf(stderr, "papertable: %v\n", err)
		return 1
	}
	return 0
}

// compute returns the tables as Markdown and the figures as JSON Lines.
func compute(ctx context.Context) (text, records []byte, err error) {
	var all []*result
	var lines bytes.Buffer
	enc := json.NewEncoder(&lines)
	for i := range networks {
		r, err := measureNetwork(ctx, &networks[i])
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", networks[i].title, err)
		}
		all = append(all, r)
		for _, record := range r.records() {
			if err := enc.Encode(record); err != nil {
				return nil, nil, err
			}
		}
	}
	return write(all), lines.Bytes(), nil
}

func save(dir string, text, records []byte) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, name+".md"), text, 0o666); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, name+".jsonl"), records, 0o666)
}
