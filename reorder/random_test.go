package reorder

import (
	"fmt"

	"github.com/arenalab/arenalab/graph"
	"pgregory.net/rapid"
)

// randomSubgraph draws a linked subgraph of up to n operators with several
// results each, unread results, graph inputs that are outputs, constants,
// variables and operators with side effects.
func randomSubgraph(t *rapid.T, n int) *graph.Subgraph {
	s := &graph.Subgraph{}
	tensor := func() int {
		i := len(s.Tensors)
		s.Tensors = append(s.Tensors, graph.Tensor{
			Index: i, Name: fmt.Sprint("t", i), Type: graph.Int8,
			Bytes: rapid.Int64Range(0, 50).Draw(t, "bytes"),
		})
		return i
	}
	for range rapid.IntRange(1, 3).Draw(t, "inputs") {
		s.Inputs = append(s.Inputs, tensor())
	}
	special := tensor()
	if rapid.Bool().Draw(t, "constant") {
		s.Tensors[special].Constant = true
	} else {
		s.Tensors[special].Variable = true
	}
	for i := range rapid.IntRange(0, n).Draw(t, "operators") {
		op := graph.Op{Index: i, Code: int32(i % 3)}
		for range rapid.IntRange(0, 4).Draw(t, "reads") {
			op.Inputs = append(op.Inputs, rapid.IntRange(max(-1, len(s.Tensors)-8), len(s.Tensors)-1).Draw(t, "read"))
		}
		if rapid.IntRange(0, 9).Draw(t, "calls") == 0 {
			op.Callees = []int{1}
		}
		for range rapid.IntRange(0, 2).Draw(t, "writes") {
			op.Outputs = append(op.Outputs, tensor())
		}
		for range rapid.IntRange(-6, 2).Draw(t, "after") {
			op.After = append(op.After, rapid.IntRange(0, max(0, i-1)).Draw(t, "operator"))
		}
		if i == 0 {
			op.After = nil
		}
		s.Ops = append(s.Ops, op)
	}
	for i := range s.Tensors {
		if i != special && rapid.IntRange(0, 5).Draw(t, "output") == 0 {
			s.Outputs = append(s.Outputs, i)
		}
	}
	if err := s.Link(); err != nil {
		t.Fatalf("link: %v", err)
	}
	return s
}

// chainSubgraph builds a subgraph from lists of tensor indices: for each
// operator its reads and the one tensor it writes. Tensor 0 is the input.
func chainSubgraph(bytes []int64, ops [][2][]int, outputs ...int) *graph.Subgraph {
	s := &graph.Subgraph{Inputs: []int{0}, Outputs: outputs}
	for i, n := range bytes {
		s.Tensors = append(s.Tensors, graph.Tensor{Index: i, Type: graph.Int8, Bytes: n})
	}
	for i, op := range ops {
		s.Ops = append(s.Ops, graph.Op{Index: i, Inputs: op[0], Outputs: op[1]})
	}
	return s
}

// memoryOf returns what the subgraph needs under a profile.
func memoryOf(t interface{ Fatal(...any) }, s *graph.Subgraph, p graph.Profile) *graph.Memory {
	p.Name = "test"
	m, err := graph.NewMemory(&graph.Model{Subgraphs: []*graph.Subgraph{s, {Index: 1}}}, s, p)
	if err != nil {
		t.Fatal(err)
	}
	return m
}
