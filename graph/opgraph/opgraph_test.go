package opgraph_test

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/arenalab/arenalab/graph"
	"github.com/arenalab/arenalab/graph/opgraph"
	"github.com/arenalab/arenalab/graph/tflite"
)

const small = `# two branches
i in 8
t a 4
t b 4
v state 16
o out 2

n Conv left a in
n Split right b,rest in
n Add sum out a b state
n Print say - rest
w say 32
w sum 5
b say sum
`

func decode(t testing.TB, text string) *graph.Model {
	t.Helper()
	m, err := opgraph.Decode(strings.NewReader(text), "test")
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestDecode(t *testing.T) {
	m := decode(t, strings.Replace(small, "t b 4", "t b 4\nt rest 1", 1))
	s := m.Subgraphs[0]
	if got := fmt.Sprint(len(s.Tensors), s.Inputs, s.Outputs, len(s.Ops), s.Before); got != "8 [0] [5] 4 [[] [] [0 1] [1 2]]" {
		t.Errorf("got %s", got)
	}
	if op := s.Ops[1]; op.Name() != "CUSTOM:Split" || op.Label != "right" || fmt.Sprint(op.Outputs) != "[2 3]" {
		t.Errorf("operator %+v", op)
	}
	if !s.Tensors[4].Variable || s.Tensors[0].Bytes != 8 || len(m.Hash) != 64 {
		t.Errorf("tensors %+v, hash %q", s.Tensors, m.Hash)
	}
}

func TestDecodeErrors(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"", "test: no operator graph"},
		{"x", `test:1: line begins with "x"`},
		{"i a", `test:1: line "i" has 2 words, want 3`},
		{"t a 1e3", `tensor "a": "1e3" is not a number of bytes`},
		{"t a -1", `tensor "a": "-1" is not a number of bytes`},
		{"t a 1152921504606846977", "is not a number of bytes"},
		{"t a 1152921504606846976\nt b 1", `tensor "b": all tensors together`},
		{"t a,b 1", "must not be - or have a comma"},
		{"t a 1\nt a 1", `test:2: tensor "a" is named twice`},
		{"i a 1\no a 2", `tensor "a" has 2 bytes, and 1 before`},
		{"i a 1\nn Conv c", `line "n" has 3 words`},
		{"i a 1\nn Conv c b a", `operator "c": result "b" is no tensor named before`},
		{"i a 1\nt b 1\nn Conv c b x", `operator "c": operand "x" is no tensor`},
		{"i a 1\nt b 1\nt d 1\nn Conv c b a\nn Conv c d a", `operator "c" is named twice`},
		{"i a 1\nw c 1", `operator "c" is not named before`},
		{"i a 1\nt b 1\nn X c b a\nw c x", `operator "c": "x" is not a number of bytes`},
		{"i a 1\nt b 1\nn X c b a\nw c", `line "w" has 2 words`},
		{"i a 1\nb c d", `operator "c" is not named before`},
		{"i a 1\nt b 1\nt d 1\nn X c b a\nn X e d a\nb c e", `operator "e", which it is to wait for, stands after it`},
		{"t a 1\nt b 1\nn Conv c b a", `test: operator 0 CUSTOM:Conv reads tensor 0 "a", which nothing writes`},
		{"y\nz", "test:2:"}, // all faults at once
	} {
		_, err := opgraph.Decode(strings.NewReader(test.text), "test")
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%q: error %v, want %q", test.text, err, test.want)
		}
	}
	if _, err := opgraph.Read(filepath.Join(t.TempDir(), "none.txt")); !os.IsNotExist(err) {
		t.Errorf("error %v", err)
	}
}

// waits returns for every operator those that run before it in every order.
func waits(s *graph.Subgraph) []map[int]bool {
	all := make([]map[int]bool, len(s.Ops))
	for i := range s.Ops {
		all[i] = map[int]bool{}
		for _, p := range s.Before[i] {
			all[i][p] = true
			maps.Copy(all[i], all[p])
		}
	}
	return all
}

// sameGraph compares what orders and arenas depend on.
func sameGraph(a, b *graph.Model) error {
	s, u := a.Subgraphs[0], b.Subgraphs[0]
	for _, p := range graph.Profiles() {
		if p.Kernels != "" {
			continue // the text has no kernels
		}
		x, err := graph.NewMemory(a, s, p)
		if err != nil {
			return err
		}
		y, err := graph.NewMemory(b, u, p)
		if err != nil {
			return err
		}
		got, want := x.Peak(graph.Stored(s).Ops), y.Peak(graph.Stored(u).Ops)
		if got != want {
			return fmt.Errorf("%s: peak %d and %d", p.Name, got, want)
		}
	}
	if !slices.EqualFunc(waits(s), waits(u), maps.Equal[map[int]bool, map[int]bool]) {
		return fmt.Errorf("precedence %v and %v", s.Before, u.Before)
	}
	return nil
}

func roundTrip(t testing.TB, m *graph.Model) *graph.Model {
	t.Helper()
	var text bytes.Buffer
	if err := opgraph.Encode(&text, m); err != nil {
		t.Fatal(err)
	}
	again, err := opgraph.Decode(bytes.NewReader(text.Bytes()), m.Name)
	if err != nil {
		t.Fatalf("%s: %v\n%.2000s", m.Name, err, text.String())
	}
	var twice bytes.Buffer
	if err := opgraph.Encode(&twice, again); err != nil || !bytes.Equal(text.Bytes(), twice.Bytes()) {
		t.Errorf("%s: written again it differs (%v)\n%.2000s\n%.2000s", m.Name, err, text.String(), twice.String())
	}
	return again
}

func TestRoundTrip(t *testing.T) {
	m := decode(t, strings.Replace(small, "t b 4", "t b 4\nt rest 1", 1))
	if err := sameGraph(m, roundTrip(t, m)); err != nil {
		t.Error(err)
	}
}

// TestData reads all graphs of the data set, and writes all its models, whose
// peaks and precedence stay what they were.
func TestData(t *testing.T) {
	root := os.Getenv("ARENALAB_DATA")
	if root == "" {
		t.Skip("ARENALAB_DATA is not set: no graphs and models")
	}
	graphs, _ := filepath.Glob(filepath.Join(root, "graphs", "*.txt"))
	for _, file := range graphs {
		m, err := opgraph.Read(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := sameGraph(m, roundTrip(t, m)); err != nil {
			t.Errorf("%s: %v", file, err)
		}
	}
	models, _ := filepath.Glob(filepath.Join(root, "models", "*.tflite"))
	written := 0
	for _, file := range models {
		m, err := tflite.Read(file)
		if err != nil {
			continue // for the reader's tests
		}
		written++
		if err := sameGraph(m, roundTrip(t, m)); err != nil {
			t.Errorf("%s: %.500v", file, err)
		}
	}
	if len(graphs) == 0 || written == 0 {
		t.Errorf("%d graphs and %d models", len(graphs), written)
	}
}

func FuzzDecode(f *testing.F) {
	f.Add(small)
	f.Add("i a 1\no b 2\nn Conv c b a\nb c c\n")
	f.Add("i a 1\no a 1\nn X y - a a\n")
	f.Fuzz(func(t *testing.T, text string) {
		m, err := opgraph.Decode(strings.NewReader(text), "fuzz")
		if err != nil {
			return
		}
		if err := sameGraph(m, roundTrip(t, m)); err != nil {
			t.Error(err)
		}
	})
}
