package graph_test

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"pgregory.net/rapid"

	"github.com/arenalab/arenalab/graph"
	"github.com/arenalab/arenalab/graph/tflite"
)

// randomOrder draws an order that the subgraph allows.
func randomOrder(r *rand.Rand, s *graph.Subgraph) graph.Order {
	o := graph.Order{Name: "random"}
	done := make([]bool, len(s.Ops))
	for len(o.Ops) < len(s.Ops) {
		var ready []int
		for i := range s.Ops {
			free := !done[i]
			for _, p := range s.Before[i] {
				free = free && done[p]
			}
			if free {
				ready = append(ready, i)
			}
		}
		i := ready[r.IntN(len(ready))]
		done[i] = true
		o.Ops = append(o.Ops, i)
	}
	return o
}

// samePeak compares the peak of an order with the load of its table.
func samePeak(m *graph.Model, s *graph.Subgraph, mem *graph.Memory, o graph.Order) error {
	l, err := graph.NewLifetimes(m, s, o, mem.Profile)
	if err != nil {
		return err
	}
	got, want := mem.Peak(o.Ops), l.Table.Load()
	switch {
	case got == want, mem.Loose != "":
		return nil
	}
	return fmt.Errorf("%s %s subgraph %d order %v: peak %d, load of the table %d (loose: %q)",
		m.Name, mem.Profile.Name, s.Index, o, got, want, mem.Loose)
}

var codes = []int32{graph.OpCustom, opOf("RELU"), opOf("ADD"), opOf("RESHAPE"), opOf("CONV_2D"), opOf("SOFTMAX")}

func opOf(name string) int32 {
	for code := range int32(256) {
		if graph.OpName(code) == name {
			return code
		}
	}
	return -1
}

// drawModel draws a model of one subgraph, with operators of several results,
// results nobody reads, inputs nobody reads, variables and constants.
func drawModel(t *rapid.T) *graph.Model {
	s := &graph.Subgraph{}
	tensor := func() int {
		n := len(s.Tensors)
		s.Tensors = append(s.Tensors, graph.Tensor{Index: n, Name: fmt.Sprint("t", n), Type: graph.Int8,
			Bytes: rapid.Int64Range(1, 6).Draw(t, "bytes") * 8})
		return n
	}
	var there []int
	for range rapid.IntRange(1, 3).Draw(t, "inputs") {
		n := tensor()
		s.Inputs = append(s.Inputs, n)
		there = append(there, n)
	}
	for range rapid.IntRange(0, 1).Draw(t, "variables") {
		n := tensor()
		s.Tensors[n].Variable = true
		there = append(there, n)
	}
	for i := range rapid.IntRange(1, 9).Draw(t, "operators") {
		op := graph.Op{Index: i, Code: rapid.SampledFrom(codes).Draw(t, "code"), Custom: "Relu"}
		for range rapid.IntRange(1, 3).Draw(t, "operands") {
			op.Inputs = append(op.Inputs, rapid.SampledFrom(there).Draw(t, "operand"))
		}
		for range rapid.IntRange(1, 2).Draw(t, "results") {
			op.Outputs = append(op.Outputs, tensor())
		}
		there = append(there, op.Outputs...)
		s.Ops = append(s.Ops, op)
	}
	for range rapid.IntRange(1, 2).Draw(t, "outputs") {
		s.Outputs = append(s.Outputs, there[len(there)-1-rapid.IntRange(0, len(there)-1).Draw(t, "output")])
	}
	if err := s.Link(); err != nil {
		t.Fatal(err)
	}
	return &graph.Model{Name: "drawn", Subgraphs: []*graph.Subgraph{s}}
}

func TestMemoryAgreesWithTables(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := drawModel(t)
		s := m.Subgraphs[0]
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		for _, p := range graph.Profiles() {
			for _, static := range []bool{false, true} {
				p.StaticOnly = static
				mem, err := graph.NewMemory(m, s, p)
				if err != nil {
					t.Fatal(err)
				}
				if !static && mem.Loose != "" {
					t.Fatal(mem.Loose)
				}
				for range 3 {
					o := randomOrder(r, s)
					o.Numbers = r.Perm(len(s.Tensors))
					if err := samePeak(m, s, mem, o); err != nil {
						t.Fatal(err)
					}
				}
			}
		}
	})
}

// TestMemoryOfModels does the same for real models, whose operators call
// subgraphs, have working memory, and touch variables.
func TestMemoryOfModels(t *testing.T) {
	dir, rows := modelRows(t)
	r := rand.New(rand.NewPCG(1, 1))
	checked, loose := 0, 0
	for _, row := range rows {
		m, err := tflite.Read(filepath.Join(dir, "models", row["file"]))
		if err != nil {
			continue // for the reader's tests
		}
		for _, s := range m.Subgraphs {
			for _, p := range graph.Profiles() {
				mem, err := graph.NewMemory(m, s, p)
				if err != nil {
					t.Fatal(err)
				}
				if mem.Loose != "" {
					loose++
				}
				orders := []graph.Order{graph.Stored(s)}
				if len(s.Ops) < 300 {
					orders = append(orders, randomOrder(r, s))
				}
				for _, o := range orders {
					checked++
					if err := samePeak(m, s, mem, o); err != nil {
						t.Error(err)
					}
				}
			}
		}
	}
	if checked == 0 {
		t.Error("nothing checked")
	}
	t.Logf("%d orders; %d subgraphs and profiles loose", checked, loose)
}
