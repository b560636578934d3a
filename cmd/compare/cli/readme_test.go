package cli

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/arenalab/arenalab/bench"
	"github.com/arenalab/arenalab/report"
	"github.com/arenalab/arenalab/strategies"
)

var update = flag.Bool("update", false, "rewrite the generated parts of README.md and results/")

const root = "../../.."

// builtin is the list before any test registers a strategy of its own.
var builtin = strategies.All()

// TestReadmeIsCurrent compares the generated parts of the README with what
// they are generated from: the strategies' own descriptions, the example that
// the tests run, and the committed run.
func TestReadmeIsCurrent(t *testing.T) {
	recs := committedRun(t)
	path := filepath.Join(root, "README.md")
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	text := string(data)
	for mark, want := range map[string]string{
		"summary":    summaryPart(t, recs),
		"strategies": strategiesPart(),
		"orders":     ordersPart(),
		"example":    examplePart(t),
	} {
		text, err = replacePart(text, mark, want)
		if err != nil {
			t.Fatal(err)
		}
	}
	current(t, path, text)
}

// TestResultsAreCurrent compares the committed summary with the committed
// records.
func TestResultsAreCurrent(t *testing.T) {
	var buf bytes.Buffer
	if err := report.Summary(&buf, committedRun(t), report.Options{Format: report.Markdown, Rows: -1}); err != nil {
		t.Fatal(err)
	}
	current(t, filepath.Join(root, "results", "embedded.md"), buf.String())
}

// current fails if the file is not as wanted, or writes it.
func current(t *testing.T, path, want string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, []byte(want), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Errorf("%s is not current: go test ./cmd/compare/cli -update", path)
	}
}

// replacePart replaces what stands between the two marks.
func replacePart(text, mark, part string) (string, error) {
	begin, end := "<!-- "+mark+" -->\n", "<!-- end of "+mark+" -->"
	head, rest, ok := strings.Cut(text, begin)
	_, tail, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		return "", fmt.Errorf("no part %q in the README", mark)
	}
	return head + begin + part + end + tail, nil
}

// committedRun reads the records in results/.
func committedRun(t *testing.T) []bench.Record {
	t.Helper()
	path := filepath.Join(root, "results", "embedded.jsonl")
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	recs, err := bench.ReadJSONL(f, path)
	if err != nil {
		t.Fatal(err)
	}
	return recs
}

// summaryPart is the summary of the committed run for the planners people
// know, few rows.
func summaryPart(t *testing.T, recs []bench.Record) string {
	t.Helper()
	var few []bench.Record
	shown := map[string]bool{"naive": true, "first-fit": true, "best-fit": true, "greedy-size": true, "litert": true, "tflm": true, "anytime": true}
	for _, r := range recs {
		if shown[r.Strategy] && r.Source == "model" {
			few = append(few, r)
		}
	}
	var buf bytes.Buffer
	if err := report.Summary(&buf, few, report.Options{Rows: 8, Width: 92}); err != nil {
		t.Fatal(err)
	}
	return "```\n" + buf.String() + "```\n"
}

func strategiesPart() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d of them; `compare help strategies` adds references, keys and guarantees.\n\n", len(builtin))
	b.WriteString("| name | rule | complexity |\n|---|---|---|\n")
	for _, s := range builtin {
		i := s.Info()
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", i.Name, escapeCell(i.Summary), escapeCell(i.Complexity))
	}
	return b.String()
}

func ordersPart() string {
	var b strings.Builder
	list := bench.Orders()
	fmt.Fprintf(&b, "%d of them; `compare help orders` adds references.\n\n", len(list))
	b.WriteString("| name | rule | what is proven |\n|---|---|---|\n")
	for _, r := range list {
		i := r.Info()
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", i.Name, escapeCell(i.Summary), escapeCell(i.Guarantee))
	}
	return b.String()
}

func escapeCell(s string) string { return strings.ReplaceAll(s, "|", `\|`) }

// examplePart is the strategy of example_test.go, without the words around.
func examplePart(t *testing.T) string {
	t.Helper()
	data, err := os.ReadFile("example_test.go")
	if err != nil {
		t.Fatal(err)
	}
	_, code, ok := strings.Cut(string(data), "\n// lastBornFirst places")
	if !ok {
		t.Fatal("example_test.go holds no strategy")
	}
	code = "// lastBornFirst places" + code
	return "```go\n" + strings.TrimRight(code, "\n") + "\n```\n"
}
