package tflite

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/arenalab/arenalab/graph"
)

// corpus returns the folder of test data, which is not part of the project.
func corpus(t testing.TB) string {
	dir := os.Getenv("ARENALAB_DATA")
	if dir == "" {
		t.Skip("ARENALAB_DATA is not set: no test data")
	}
	return dir
}

// files lists the files of a folder of the corpus.
func files(t testing.TB, folder, pattern string) []string {
	t.Helper()
	list, err := filepath.Glob(filepath.Join(corpus(t), folder, pattern))
	if err != nil || len(list) == 0 {
		t.Fatalf("no files %s in %s: %v", pattern, folder, err)
	}
	return list
}

// readTSV returns the rows of a table of the corpus by their first column.
func readTSV(t *testing.T, name string) map[string]map[string]string {
	t.Helper()
	f, err := os.Open(filepath.Join(corpus(t), name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	lines.Scan()
	head := strings.Split(lines.Text(), "\t")
	rows := map[string]map[string]string{}
	for lines.Scan() {
		cells := strings.Split(lines.Text(), "\t")
		row := map[string]string{}
		for i := range min(len(cells), len(head)) {
			row[head[i]] = cells[i]
		}
		rows[cells[0]] = row
	}
	return rows
}

// reasons are the only ones for which a model in circulation may be refused.
// Each is refused by LiteRT too.
var reasons = regexp.MustCompile(`^.*: (subgraph 0: operator \d+ \w+: output tensor \d+ ".*" is a graph input|` +
	`subgraph 0: operator \d+ \w+ reads tensor \d+ ".*", which nothing writes)`)

func TestModelsInCirculation(t *testing.T) {
	rows := readTSV(t, "MODELS.tsv")
	refused, compared := 0, 0
	list := files(t, "models", "*.tflite")
	for _, path := range list {
		m, err := Read(path)
		if err != nil {
			refused++
			if !reasons.MatchString(err.Error()) {
				t.Error(err)
			}
			continue
		}
		if len(m.Hash) != 64 || m.Weights == nil {
			t.Errorf("%s: hash %q, weights %v", path, m.Hash, m.Weights)
		}
		for i, b := range m.Buffers {
			if _, err := m.ReadBuffer(i); err != nil && b.External == "" {
				t.Error(err)
			}
		}
		if row, ok := rows[m.Name]; ok {
			compared++
			compare(t, m, row)
		}
	}
	t.Logf("%d models, %d compared with the table, %d refused", len(list), compared, refused)
	if refused*100 > len(list) {
		t.Errorf("%d of %d models are refused", refused, len(list))
	}
}

// compare checks the counts that a reader apart from this one found.
func compare(t *testing.T, m *graph.Model, row map[string]string) {
	t.Helper()
	ops, tensors := 0, 0
	types := map[string]bool{}
	for _, s := range m.Subgraphs {
		ops += len(s.Ops)
		tensors += len(s.Tensors)
		for i := range s.Tensors {
			types[strings.ToUpper(s.Tensors[i].Type.String())] = true
		}
	}
	check := func(column string, got int) {
		if want, err := strconv.Atoi(row[column]); err == nil && got != want {
			t.Errorf("%s: %s is %d, want %d", m.Name, column, got, want)
		} else if err != nil {
			t.Errorf("%s: column %s: %v", m.Name, column, err)
		}
	}
	check("bytes", int(m.FileBytes))
	check("subgraphs", len(m.Subgraphs))
	check("ops", ops)
	check("tensors", tensors)
	check("main_inputs", len(m.Subgraphs[0].Inputs))
	check("main_outputs", len(m.Subgraphs[0].Outputs))
	check("signatures", len(m.Signatures))
	for _, want := range strings.Split(row["dtypes"], "+") {
		if !types[want] {
			t.Errorf("%s: no tensor of type %s", m.Name, want)
		}
	}
}

// words are what an error or a note must say if the expectation has the key.
var words = map[string]string{
	"no identifier":        "identifier",
	"not TFL3":             "not a TFLite model",
	"truncated":            "truncated",
	"offset past the end":  "past the end of the file",
	"size overflow":        "size overflow",
	"buffer size mismatch": "buffer size mismatch",
	"two producers":        "two producers",
	"cycle":                "before its producer",
	"recursion":            "recursion",
	"overlap":              "overlap",
	"reject plan":          "plan rejected",
	"unknown operator":     "BUILTIN:",
}

// TestBrokenFiles reads files of which the manifest says what to expect of
// them.
func TestBrokenFiles(t *testing.T) {
	manifest := readTSV(t, "MANIFEST.tsv")
	const mostBytes = 64 << 20
	for _, path := range files(t, "broken", "*") {
		name := filepath.Base(path)
		_, expect, ok := strings.Cut(manifest["broken/"+name]["exercises"], "expect: ")
		if !ok {
			t.Errorf("%s: the manifest does not say what to expect", name)
			continue
		}
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			m, err := Read(path)
			runtime.ReadMemStats(&after)
			if n := after.TotalAlloc - before.TotalAlloc; n > mostBytes {
				t.Errorf("%d bytes allocated", n)
			}
			verdict(t, expect, m, err)
			if again, err2 := Read(path); (again == nil) != (m == nil) || fmt.Sprint(err) != fmt.Sprint(err2) {
				t.Errorf("read twice: %v, then %v", err, err2)
			}
		})
	}
}

func verdict(t *testing.T, expect string, m *graph.Model, err error) {
	t.Helper()
	said := fmt.Sprint(err)
	if err == nil {
		said = strings.Join(m.Notes, "\n")
		for _, s := range m.Subgraphs {
			for i := range s.Ops {
				said += "\n" + s.Ops[i].Name()
			}
		}
	}
	switch {
	case strings.Contains(expect, " or ") || strings.Contains(expect, "any clear verdict"):
		return // either will do
	case expect == "reject plan":
		if err != nil || m.Offline != nil {
			t.Errorf("model refused, or plan accepted: %v", err)
		}
	case strings.HasPrefix(expect, "reject"):
		if err == nil {
			t.Errorf("accepted, want %q", expect)
		}
		if foreign := strings.Contains(expect, "TFL3") || strings.Contains(expect, "identifier"); foreign && !errors.Is(err, ErrNotTFLite) {
			t.Errorf("%v is not ErrNotTFLite", err)
		}
	case strings.HasPrefix(expect, "report"):
		if err == nil && len(m.Notes) == 0 {
			t.Errorf("accepted without a word, want %q", expect)
		}
	case strings.HasPrefix(expect, "accept"), strings.HasPrefix(expect, "parse"), strings.HasPrefix(expect, "plan"):
		if err != nil {
			t.Errorf("refused: %v, want %q", err, expect)
		} else if strings.HasSuffix(expect, "; report") && len(m.Notes) == 0 {
			t.Errorf("no note, want %q", expect)
		}
	default:
		t.Errorf("expectation %q is not understood", expect)
	}
	for key, want := range words {
		if strings.Contains(expect, key) && !strings.Contains(said, want) {
			t.Errorf("says %q, want a word of %q", said, want)
		}
	}
}
