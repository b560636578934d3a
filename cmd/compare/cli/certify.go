package cli

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/arenalab/arenalab/bench"
	"github.com/arenalab/arenalab/datasets"
	"github.com/arenalab/arenalab/lifetime"
)

const certifyUsage = `Usage: compare certify [flags] records.jsonl [file or folder ...]

Checks the lower bound of every record once more: reads the model or table the
record is of, makes its lifetimes anew and verifies the witness. A file is looked
for by its hash: at the path it had, among the files and folders named, and among
those built in.

  compare certify compare-out/results.jsonl models/ tables/

Flags:
`

// certify re-checks the bounds of a file of records.
func certify(ctx context.Context, args []string, e env) (int, error) {
	fs := flag.NewFlagSet("compare certify", flag.ContinueOnError)
	profiles := fs.String("profile", "", "profiles of your own that records are of: comma-separated JSON `files` or NAME=file.json")
	closed := fs.Bool("closed", false, "tables state closed lives [first, last]")
	timeout := fs.Duration("timeout", time.Minute, "limit of ordering the operators of one model")
	paths, err := parseSub(fs, certifyUsage, args, e)
	if err != nil {
		return ExitUsage, err
	}
	if len(paths) == 0 {
		return ExitUsage, usageError("certify needs a file of records")
	}
	files := newLibrary(paths[1:], datasets.LoadOptions{Closed: *closed, Stdin: e.stdin})
	c := &bench.Certifier{Find: files.find, Timeout: *timeout}
	if *profiles != "" {
		if c.Profiles, err = lookupProfiles(*profiles); err != nil {
			return ExitUsage, usageError("certify: %w", err)
		}
	}
	recs, torn, err := readRecords(paths[0], e)
	if err != nil {
		return ExitFailed, err
	}
	sum := tally{kinds: map[lifetime.BoundKind]int{}, verdicts: map[bench.Verdict]int{}}
	for i := range recs {
		if ctx.Err() != nil {
			return ExitInterrupted, ctx.Err()
		}
		verdict, err := c.Check(ctx, &recs[i])
		sum.add(&recs[i], verdict)
		if verdict == bench.Wrong || verdict == bench.NotFound {
			fmt.Fprintf(e.stdout, "%s: record %d, %s, %s: %v\n", verdict, i+1, recs[i].Model, recs[i].Strategy, err)
		}
	}
	sum.print(e.stdout, len(recs))
	if torn || sum.verdicts[bench.Wrong]+sum.verdicts[bench.NotFound] > 0 {
		return ExitFailed, nil
	}
	return ExitOK, nil
}

// readRecords reads a file of records. One whose last line is torn is read up
// to there.
func readRecords(path string, e env) (recs []bench.Record, torn bool, err error) {
	in := e.stdin
	if path != "-" {
		f, err := os.Open(path)
		if err != nil {
			return nil, false, err
		}
		defer f.Close()
		in = f
	}
	recs, err = bench.ReadJSONL(in, path)
	if cut := (*bench.TornError)(nil); errors.As(err, &cut) {
		fmt.Fprintf(e.stderr, "compare: %v\n", err)
		return recs, true, nil
	}
	return recs, false, err
}

// tally counts what came of the records.
type tally struct {
	verdicts map[bench.Verdict]int
	kinds    map[lifetime.BoundKind]int // of the bounds that hold
	optimal  int
}

func (t *tally) add(rec *bench.Record, v bench.Verdict) {
	t.verdicts[v]++
	if v == bench.Holds {
		t.kinds[rec.Bound.Kind]++
		if rec.Status == lifetime.Optimal {
			t.optimal++
		}
	}
}

func (t *tally) print(w io.Writer, records int) {
	var kinds []string
	for _, k := range slices.Sorted(maps.Keys(t.kinds)) {
		kinds = append(kinds, fmt.Sprintf("%s %d", k, t.kinds[k]))
	}
	detail := ""
	if len(kinds) > 0 {
		detail = " (" + strings.Join(kinds, ", ") + ")"
	}
	fmt.Fprintf(w, "%d records: %d bounds hold%s, %d plans optimal by them; %d wrong, %d of files not found, %d without a bound\n",
		records, t.verdicts[bench.Holds], detail, t.optimal,
		t.verdicts[bench.Wrong], t.verdicts[bench.NotFound], t.verdicts[bench.NoBound])
}

// library finds files by their hash. It reads the sets only as far as it has to.
type library struct {
	o     datasets.LoadOptions
	sets  []*datasets.Set
	known map[string]place
	set   int // the first not yet read through
	next  int // of it, the first file not yet read
}

type place struct{ set, file int }

func newLibrary(paths []string, o datasets.LoadOptions) *library {
	l := &library{o: o, known: map[string]place{}}
	if len(paths) > 0 {
		l.sets = append(l.sets, datasets.Load(paths, o))
	}
	for _, builtin := range []fs.FS{datasets.Models(), datasets.Tables()} {
		l.sets = append(l.sets, datasets.LoadFS(builtin, []string{"."}, datasets.LoadOptions{}))
	}
	return l
}

// find returns the file with the hash.
func (l *library) find(path, hash string) (datasets.Input, error) {
	if hash == "" {
		return datasets.Input{}, fmt.Errorf("%w: %s, of which the record has no hash", bench.ErrNotFound, path)
	}
	if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
		for in := range datasets.Load([]string{path}, l.o).All() {
			if in.Hash == hash {
				return in, in.Err
			}
		}
	}
	if p, ok := l.known[hash]; ok {
		in := l.sets[p.set].At(p.file)
		return in, in.Err
	}
	for ; l.set < len(l.sets); l.set, l.next = l.set+1, 0 {
		for s := l.sets[l.set]; l.next < s.Len(); {
			in := s.At(l.next)
			l.known[in.Hash] = place{l.set, l.next}
			l.next++
			if in.Hash == hash {
				return in, in.Err
			}
		}
	}
	return datasets.Input{}, fmt.Errorf("%w: %s (SHA-256 %s)", bench.ErrNotFound, path, hash)
}
