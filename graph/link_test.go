package graph

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// chain returns in ─▶ op0 ─▶ a ─▶ op1 ─▶ out, with a constant read by both and
// a variable, not linked.
func chain() *Subgraph {
	return &Subgraph{
		Tensors: []Tensor{
			{Name: "in", Bytes: 4}, {Name: "a", Bytes: 4}, {Name: "out", Bytes: 4},
			{Name: "const", Bytes: 4, Constant: true}, {Name: "state", Bytes: 4, Variable: true},
			{Name: "empty"},
		},
		Inputs:  []int{0},
		Outputs: []int{2},
		Ops: []Op{
			{Inputs: []int{0, 3, -1}, Outputs: []int{1}},
			{Inputs: []int{1, 3, 1, 4, 5}, Outputs: []int{2}},
		},
	}
}

func TestLink(t *testing.T) {
	s := chain()
	if err := s.Link(); err != nil {
		t.Fatal(err)
	}
	if want := []int{-1, 0, 1, -1, -1, -1}; !slices.Equal(s.Producer, want) {
		t.Errorf("producers %v, want %v", s.Producer, want)
	}
	if got, want := fmt.Sprint(s.Consumers), "[[0] [1] [] [0 1] [1] [1]]"; got != want {
		t.Errorf("consumers %s, want %s", got, want)
	}
	if got, want := fmt.Sprint(s.Before), "[[] [0]]"; got != want {
		t.Errorf("precedence %s, want %s", got, want)
	}
}

func TestLinkFaults(t *testing.T) {
	for _, test := range []struct {
		name   string
		change func(*Subgraph)
		want   string
	}{
		{"input", func(s *Subgraph) { s.Ops[0].Inputs[0] = -2 }, "operator 0 ADD: input 0: tensor index -2 is out of range (6 tensors)"},
		{"large input", func(s *Subgraph) { s.Ops[1].Inputs[0] = 6 }, "operator 1 ADD: input 0: tensor index 6 is out of range"},
		{"output", func(s *Subgraph) { s.Ops[1].Outputs[0] = -1 }, "operator 1 ADD: output 0: tensor index -1"},
		{"intermediate", func(s *Subgraph) { s.Ops[1].Intermediates = []int{-1, 9} }, "operator 1 ADD: intermediate 1: tensor index 9"},
		{"workspace", func(s *Subgraph) { s.Ops[1].Workspace = []int{-1} }, "operator 1 ADD: workspace 0: tensor index -1"},
		{"graph input", func(s *Subgraph) { s.Inputs[0] = -1 }, "graph input 0: tensor index -1"},
		{"graph output", func(s *Subgraph) { s.Outputs[0] = 99 }, "graph output 0: tensor index 99"},
		{"constant", func(s *Subgraph) { s.Ops[0].Outputs[0] = 3 }, `operator 0 ADD: output tensor 3 "const" is a constant`},
		{"variable", func(s *Subgraph) { s.Ops[0].Outputs[0] = 4 }, `output tensor 4 "state" is a variable`},
		{"writes input", func(s *Subgraph) { s.Ops[1].Outputs[0] = 0 }, `operator 1 ADD: output tensor 0 "in" is a graph input`},
		{"twice", func(s *Subgraph) { s.Ops[1].Outputs = []int{2, 2} }, `output tensor 2 "out" is listed twice`},
		{"two producers", func(s *Subgraph) { s.Ops[1].Outputs = []int{2, 1} }, `operator 1 ADD: output tensor 1 "a" has two producers: operator 0 ADD`},
		{"cycle", func(s *Subgraph) { s.Ops[0].Inputs[0] = 2 }, `operator 0 ADD reads tensor 2 "out" before its producer, operator 1 ADD, has run`},
		{"itself", func(s *Subgraph) { s.Ops[1].Inputs[0] = 2 }, `operator 1 ADD reads tensor 2 "out" before its producer, operator 1`},
		{"unwritten", func(s *Subgraph) { s.Inputs = nil }, `operator 0 ADD reads tensor 0 "in", which nothing writes`},
		{"output unwritten", func(s *Subgraph) { s.Ops = s.Ops[:1] }, `graph output 0: tensor 2 "out" is never written`},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := chain()
			test.change(s)
			if err := s.Link(); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %q", err, test.want)
			}
		})
	}
}

func TestLinkCapsFaults(t *testing.T) {
	s := chain()
	for range 1000 {
		s.Ops = append(s.Ops, Op{Inputs: []int{77}})
	}
	if n := strings.Count(s.Link().Error(), "\n"); n != maxFaults-1 {
		t.Errorf("%d faults reported, want %d", n+1, maxFaults)
	}
}

// TestLinkOrdersEffects: operators with effects keep their order, others do
// not depend on them.
func TestLinkOrdersEffects(t *testing.T) {
	s := &Subgraph{
		Tensors: []Tensor{{Name: "x", Bytes: 4}, {Name: "state", Bytes: 4, Variable: true}, {Name: "handle", Type: Resource, Bytes: NoSize}},
		Inputs:  []int{0},
		Ops: []Op{
			{Inputs: []int{0, 1}},                  // 0 touches a variable
			{Inputs: []int{0}},                     // 1 is pure
			{Code: OpCustom},                       // 2 may print
			{Code: OpVarHandle, Outputs: []int{2}}, // 3 makes a resource
			{Code: OpIf, Callees: []int{1, 2}},     // 4 calls
		},
	}
	if err := s.Link(); err != nil {
		t.Fatal(err)
	}
	if got, want := fmt.Sprint(s.Before), "[[] [] [0] [2] [3]]"; got != want {
		t.Errorf("precedence %s, want %s", got, want)
	}
}

// subgraphs generates linked subgraphs: each operator reads tensors that exist
// already and writes new ones.
func subgraphs() *rapid.Generator[*Subgraph] {
	return rapid.Custom(func(t *rapid.T) *Subgraph {
		s := &Subgraph{}
		tensor := func() int {
			s.Tensors = append(s.Tensors, Tensor{Index: len(s.Tensors), Bytes: 4})
			return len(s.Tensors) - 1
		}
		for range rapid.IntRange(1, 3).Draw(t, "inputs") {
			s.Inputs = append(s.Inputs, tensor())
		}
		for i := range rapid.IntRange(0, 12).Draw(t, "ops") {
			op := Op{Index: i, Inputs: rapid.SliceOfN(rapid.IntRange(-1, len(s.Tensors)-1), 0, 4).Draw(t, "reads")}
			for range rapid.IntRange(0, 2).Draw(t, "writes") {
				op.Outputs = append(op.Outputs, tensor())
			}
			s.Ops = append(s.Ops, op)
		}
		return s
	})
}

func TestLinkProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := subgraphs().Draw(t, "subgraph")
		if err := s.Link(); err != nil {
			t.Fatal(err)
		}
		for x := range s.Tensors {
			var readers []int
			producer := -1
			for i, op := range s.Ops {
				if slices.Contains(op.Inputs, x) {
					readers = append(readers, i)
				}
				if slices.Contains(op.Outputs, x) {
					producer = i
				}
			}
			if producer != s.Producer[x] || !slices.Equal(readers, s.Consumers[x]) {
				t.Fatalf("tensor %d: producer %d consumers %v, want %d %v", x, s.Producer[x], s.Consumers[x], producer, readers)
			}
		}
		for i, op := range s.Ops {
			var before []int
			for _, x := range op.Inputs {
				if x >= 0 && s.Producer[x] >= 0 {
					before = append(before, s.Producer[x])
				}
			}
			slices.Sort(before)
			if before = slices.Compact(before); !slices.Equal(before, s.Before[i]) {
				t.Fatalf("operator %d runs after %v, want %v", i, s.Before[i], before)
			}
		}
		if err := s.CheckOrder(Stored(s)); err != nil {
			t.Fatal(err)
		}
	})
}

// TestCheckOrder compares with the definition: a permutation in which every
// operator has all it needs.
func TestCheckOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := subgraphs().Draw(t, "subgraph")
		if err := s.Link(); err != nil {
			t.Fatal(err)
		}
		o := Stored(s)
		o.Ops = rapid.Permutation(o.Ops).Draw(t, "order")
		valid := true
		for at, i := range o.Ops {
			for _, p := range s.Before[i] {
				valid = valid && slices.Index(o.Ops, p) < at
			}
		}
		if err := s.CheckOrder(o); (err == nil) != valid {
			t.Fatalf("order %v: %v, want valid = %t", o.Ops, err, valid)
		}
	})
}

func TestCheckOrderFaults(t *testing.T) {
	s := chain()
	if err := s.Link(); err != nil {
		t.Fatal(err)
	}
	for want, ops := range map[string][]int{
		"has 1 of 2 operators":                                      {0},
		"operator 2 at position 1 is out of range":                  {0, 2},
		"operator 0 ADD runs twice":                                 {0, 0},
		"operator 1 ADD runs before operator 0 ADD, which it needs": {1, 0},
	} {
		if err := s.CheckOrder(Order{Name: "x", Ops: ops}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("order %v: %v, want %q", ops, err, want)
		}
	}
}

func BenchmarkLink(b *testing.B) {
	s := &Subgraph{Tensors: []Tensor{{Bytes: 4}}, Inputs: []int{0}}
	for i := range 5000 {
		s.Tensors = append(s.Tensors, Tensor{Bytes: 4})
		s.Ops = append(s.Ops, Op{Inputs: []int{i, i / 2}, Outputs: []int{i + 1}})
	}
	b.ReportAllocs()
	for b.Loop() {
		if err := s.Link(); err != nil {
			b.Fatal(err)
		}
	}
}
