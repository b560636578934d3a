package cli

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/arenalab/arenalab/bench"
	"github.com/arenalab/arenalab/lifetime"
	"github.com/arenalab/arenalab/strategies"
)

const goodTable = "id,lower,upper,size\na,0,2,4\nb,1,3,8\n"

// run calls Main and returns what it wrote.
func run(ctx context.Context, stdin string, args ...string) (code int, stdout, stderr string) {
	var out, err bytes.Buffer
	code = Main(ctx, args, strings.NewReader(stdin), &out, &err)
	return code, out.String(), err.String()
}

// write makes a file in a new folder and returns its path.
func write(t *testing.T, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestExitCodes(t *testing.T) {
	good := write(t, "good.csv", goodTable)
	bad := write(t, "bad.csv", "id,lower,upper,size\na,3,2,4\n")
	common := []string{"-reps", "1", "-out", "", "-q"}
	for _, test := range []struct {
		name string
		args []string
		want int
		say  string // on stderr
	}{
		{"good table", []string{good}, ExitOK, ""},
		{"flags after the path", []string{good, "-strategies", "naive"}, ExitOK, ""},
		{"path after --", []string{"-strategies", "naive", "--", good}, ExitOK, ""},
		{"bad table", []string{bad}, ExitFailed, "bad.csv: line 2"},
		{"bad beside good", []string{bad, good}, ExitFailed, "bad.csv"},
		{"missing file", []string{"no/such.tflite"}, ExitFailed, "no/such.tflite"},
		{"missing beside good", []string{"no/such.tflite", good}, ExitFailed, "no/such.tflite"},
		{"empty folder", []string{t.TempDir()}, ExitFailed, "the folder is empty"},
		{"unknown strategy", []string{"-strategies", "gredy-size", good}, ExitUsage, "greedy-size"},
		{"unknown order", []string{"-orders", "sideways", good}, ExitUsage, "depth-first"},
		{"unknown profile", []string{"-profile", "xla", good}, ExitUsage, "litert, plain, plain-inplace, tflm"},
		{"unknown flag", []string{"-strategy", "naive"}, ExitUsage, "-strategy"},
		{"unknown format", []string{"-format", "pdf"}, ExitUsage, "latex"},
		{"negative repetitions", []string{"-reps", "-1"}, ExitUsage, "negative"},
		{"profile file", []string{"-profile", "nosuch.json"}, ExitUsage, "nosuch.json"},
		{"help", []string{"-h"}, ExitOK, "Usage: compare"},
	} {
		t.Run(test.name, func(t *testing.T) {
			code, _, stderr := run(context.Background(), "", append(common, test.args...)...)
			if code != test.want || !strings.Contains(stderr, test.say) {
				t.Errorf("exit %d, want %d with %q on stderr:\n%s", code, test.want, test.say, stderr)
			}
		})
	}
}

// blocker plans like naive, but for the table "b" only when the run is over.
type blocker struct{ strategies.Strategy }

func (b blocker) Info() strategies.Info {
	return strategies.Info{Name: "zz-blocker", Title: "Blocker", Summary: "waits"}
}

func (b blocker) Plan(ctx context.Context, t *lifetime.Table, o strategies.Options) (*lifetime.Plan, error) {
	if t.Name == "b" {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	return b.Strategy.Plan(ctx, t, o)
}

var registerBlocker = sync.OnceFunc(func() {
	naive, err := strategies.Lookup("naive")
	if err != nil {
		panic(err)
	}
	strategies.Register(blocker{naive[0]})
})

// TestInterrupt ends a run in the middle: what was done is in the records and
// in the table.
func TestInterrupt(t *testing.T) {
	registerBlocker()
	dir, out := t.TempDir(), t.TempDir()
	for _, name := range []string{"a.csv", "b.csv", "c.csv"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(goodTable), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	results := filepath.Join(out, resultsName)
	go func() {
		for ctx.Err() == nil {
			if data, _ := os.ReadFile(results); bytes.Contains(data, []byte("\n")) {
				cancel()
			}
			time.Sleep(time.Millisecond)
		}
	}()
	code, stdout, stderr := run(ctx, "", "-j", "1", "-reps", "1", "-strategies", "naive,zz-blocker", "-out", out, dir)
	if code != ExitInterrupted {
		t.Errorf("exit %d, want %d; stderr:\n%s", code, ExitInterrupted, stderr)
	}
	f, err := os.Open(results)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	recs, err := bench.ReadJSONL(f, results)
	if err != nil || len(recs) == 0 {
		t.Fatalf("%d records, %v", len(recs), err)
	}
	for _, r := range recs {
		if r.Model == "c" {
			t.Errorf("the run went on to table c")
		}
	}
	if !strings.Contains(stdout, "naive") {
		t.Errorf("no table of what was done:\n%s", stdout)
	}
}

// fullDisk fails after some bytes, as a full disk does.
type fullDisk struct{ left int }

var errFull = errors.New("no space left on device")

func (w *fullDisk) Write(p []byte) (int, error) {
	if len(p) > w.left {
		n := w.left
		w.left = 0
		return n, errFull
	}
	w.left -= len(p)
	return len(p), nil
}

// TestFullDisk: stdout fills up, the files in the output folder are whole.
func TestFullDisk(t *testing.T) {
	good, out := write(t, "good.csv", goodTable), t.TempDir()
	for _, format := range []string{"jsonl", "csv", "bench", "table"} {
		var stderr bytes.Buffer
		args := []string{"-reps", "1", "-plots", "none", "-out", out, "-format", format, good}
		code := Main(context.Background(), args, nil, &fullDisk{left: 300}, &stderr)
		if code != ExitFailed || !strings.Contains(stderr.String(), errFull.Error()) {
			t.Errorf("%s: exit %d, stderr %q", format, code, &stderr)
		}
		data, err := os.ReadFile(filepath.Join(out, resultsName))
		if err != nil {
			t.Fatal(err)
		}
		if got, want := bytes.Count(data, []byte("\n")), len(strategies.All()); got != want {
			t.Errorf("%s: %d records in the output folder, want %d", format, got, want)
		}
	}
}

// TestLostResultsFile: the record file fails in the middle of a run, stdout and
// the other files are whole, and the exit code tells.
func TestLostResultsFile(t *testing.T) {
	o := &options{out: t.TempDir(), format: "csv", plots: "none"}
	var stdout, stderr bytes.Buffer
	w, err := newOutput(o, env{stdout: &stdout, stderr: &stderr})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.files[0].Close(); err != nil { // writing fails from here on
		t.Fatal(err)
	}
	for _, model := range []string{"m1", "m2"} {
		w.add(&bench.Cell{Record: bench.Record{Schema: bench.SchemaVersion, Model: model, Strategy: "s"}})
	}
	if err := w.finish(true); err == nil || strings.Count(stderr.String(), "compare: ") != 1 || !strings.Contains(stderr.String(), resultsName) {
		t.Errorf("error %v; stderr does not tell of %s once:\n%s", err, resultsName, &stderr)
	}
	file, err := os.ReadFile(filepath.Join(o.out, "results.csv"))
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"stdout": stdout.String(), "results.csv": string(file)} {
		if !strings.Contains(text, ",m1,") || !strings.Contains(text, ",m2,") {
			t.Errorf("%s lacks a record:\n%s", name, text)
		}
	}
}

func TestShorten(t *testing.T) {
	for _, test := range []struct {
		in   string
		n    int
		want string
	}{
		{"short", 10, "short"},
		{"exactly_10", 10, "exactly_10"},
		{"a_name_that_is_too_long", 11, "a_na…o_long"},
		{"日本語のとても長い名前", 6, "日本…い名前"},
	} {
		if got := shorten(test.in, test.n); got != test.want {
			t.Errorf("shorten(%q, %d) = %q, want %q", test.in, test.n, got, test.want)
		}
	}
}
