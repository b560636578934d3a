package reorder

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/arenalab/arenalab/graph"
	"github.com/arenalab/arenalab/graph/tflite"
)

func dataRoot(t *testing.T) string {
	root := os.Getenv("ARENALAB_DATA")
	if root == "" {
		t.Skip("ARENALAB_DATA is not set: no real models and graphs")
	}
	return root
}

// Every reorderer returns valid orders for every subgraph of real models.
func TestOrdersOfModels(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(dataRoot(t), "models", "*.tflite"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no models (%v)", err)
	}
	subgraphs := 0
	for _, file := range files {
		m, err := tflite.Read(file)
		if err != nil {
			continue // for the reader's tests
		}
		for _, s := range m.Subgraphs {
			subgraphs++
			for _, p := range graph.Profiles() {
				memory, err := graph.NewMemory(m, s, p)
				if err != nil {
					t.Fatalf("%s: %v", file, err)
				}
				for _, r := range All() {
					order, err := r.Order(t.Context(), memory, Options{Steps: 300})
					if err != nil {
						t.Fatalf("%s: %v", file, err)
					}
					if err := s.CheckOrder(order); err != nil {
						t.Errorf("%s: subgraph %d: %v", filepath.Base(file), s.Index, err)
					}
				}
			}
		}
	}
	t.Logf("%d files, %d subgraphs", len(files), subgraphs)
	if subgraphs < len(files)/2 {
		t.Errorf("only %d subgraphs read from %d files", subgraphs, len(files))
	}
}

// The stored orders of the graphs have the recorded peaks, and no order is
// below the recorded optimum.
func TestOrdersOfGraphs(t *testing.T) {
	root := filepath.Join(dataRoot(t), "graphs")
	f, err := os.Open(filepath.Join(root, "EXPECTED.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	plain, err := graph.LookupProfile("plain")
	if err != nil {
		t.Fatal(err)
	}
	graphs := 0
	for lines := bufio.NewScanner(f); lines.Scan(); {
		w := strings.Split(lines.Text(), "\t")
		if w[0] == "graph" {
			continue
		}
		graphs++
		m := readGraph(t, filepath.Join(root, w[0]+".txt"))
		s := m.Subgraphs[0]
		if fmt.Sprint(len(s.Ops)) != w[1] {
			t.Errorf("%s: %d operators, recorded %s", w[0], len(s.Ops), w[1])
		}
		optimum, err := strconv.ParseFloat(w[3], 64)
		if err != nil {
			t.Fatal(err)
		}
		var peaks []string
		memory, err := graph.NewMemory(m, s, plain)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range All() {
			order, err := r.Order(t.Context(), memory, Options{Steps: 300})
			if err != nil {
				t.Fatal(err)
			}
			lives, err := graph.NewLifetimes(m, s, order, plain)
			if err != nil {
				t.Fatal(err)
			}
			kib := float64(lives.Table.Load()) / 1024
			peaks = append(peaks, fmt.Sprintf("%s %.1f", order.Name, kib))
			if got := fmt.Sprintf("%.1f", kib); order.Name == "stored" && got != w[2] {
				t.Errorf("%s as stored: peak %s KiB, recorded %s", w[0], got, w[2])
			}
			if kib < optimum-0.05 {
				t.Errorf("%s by %s: peak %.1f KiB, below the optimum %.1f", w[0], order.Name, kib, optimum)
			}
		}
		t.Logf("%s: optimum %s, %s", w[0], w[3], strings.Join(peaks, ", "))
	}
	if graphs == 0 {
		t.Error("no graphs recorded")
	}
}

// readGraph reads the text format of the graphs.
func readGraph(t *testing.T, file string) *graph.Model {
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	s := &graph.Subgraph{}
	index := map[string]int{}
	for _, line := range strings.Split(strings.TrimSpace(string(text)), "\n") {
		w := strings.Fields(line)
		switch w[0] {
		case "i", "o", "t":
			bytes, err := strconv.ParseInt(w[2], 10, 64)
			if err != nil {
				t.Fatalf("%s: %v", file, err)
			}
			n := len(s.Tensors)
			index[w[1]] = n
			s.Tensors = append(s.Tensors, graph.Tensor{Index: n, Name: w[1], Type: graph.Int8, Bytes: bytes})
			if w[0] == "i" {
				s.Inputs = append(s.Inputs, n)
			} else if w[0] == "o" {
				s.Outputs = append(s.Outputs, n)
			}
		case "n":
			op := graph.Op{Index: len(s.Ops), Code: graph.OpCustom, Custom: w[1], Outputs: []int{index[w[3]]}}
			for _, name := range w[4:] {
				op.Inputs = append(op.Inputs, index[name])
			}
			s.Ops = append(s.Ops, op)
		default:
			t.Fatalf("%s: line %q", file, line)
		}
	}
	if err := s.Link(); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return &graph.Model{Name: filepath.Base(file), Subgraphs: []*graph.Subgraph{s}}
}
