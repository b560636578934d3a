package graph

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// shares lists the rows of several tensors as "root=alias,alias", sorted.
func shares(t *testing.T, s *Subgraph) string {
	t.Helper()
	p, err := LookupProfile("litert")
	if err != nil {
		t.Fatal(err)
	}
	l, err := NewLifetimes(&Model{Subgraphs: []*Subgraph{s}}, s, Stored(s), p)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, ref := range l.Refs {
		var names []string
		for _, x := range ref.Tensors {
			names = append(names, s.Tensors[x.Tensor].Name)
		}
		if len(names) > 1 {
			out = append(out, names[0]+"="+strings.Join(names[1:], ","))
		}
	}
	slices.Sort(out)
	return strings.Join(out, " ")
}

// TestSharingRule goes through the rule of TFLite's planner. Every program ends
// in a graph output that is not shared.
func TestSharingRule(t *testing.T) {
	for _, test := range []struct {
		name  string
		lines []string
		want  string
	}{
		{"view", []string{"RELU in > x", "RESHAPE x > y", "RELU y > o"}, "x=y"},
		{"views of a view", []string{"RELU in > x", "RESHAPE x > y", "SQUEEZE y > z", "RELU z > o"}, "x=y,z"},
		{"view of a graph input", []string{"RESHAPE in > y", "RELU y > o"}, ""},
		{"view of a constant", []string{"RELU in > x", "DEQUANTIZE #c > y", "RESHAPE y > z", "ADD x z > o"}, ""},
		{"graph output", []string{"RELU in > x", "RESHAPE x > o"}, ""},
		{"first operand", []string{"RELU in > x", "ADD x in > y", "RELU y > o"}, "x=y"},
		{"second operand", []string{"RELU in > x", "SUB in x > y", "RELU y > o"}, "x=y"},
		{"read again", []string{"RELU in > x", "ADD x in > y", "MUL x y > z", "RELU z > o"}, "y=z"},
		{"read twice at once", []string{"RELU in > x", "ADD x x > y", "RELU y > o"}, ""},
		{"broadcast", []string{"RELU in:3 > x:1", "ADD x in > y:3", "RELU y > o"}, ""},
		{"scalars", []string{"RELU in:1 > x:1", "ADD x in > y:1", "RELU y > o"}, ""},
		{"softmax", []string{"RELU in > x", "SOFTMAX x > y", "RELU y > o"}, "x=y"},
		{"not an operator that shares", []string{"RELU in > x", "TANH x > y", "RELU y > o"}, ""},
		{"siblings", []string{"RELU in > x", "RESHAPE x > y", "RESHAPE x > z", "ADD z in > w", "MUL w y > o"}, "x=y,z"},
		// The defect: y is read after w is written over it.
		{"chain", []string{"RELU in > x", "RESHAPE x > y", "RESHAPE y > z", "ADD z in > w", "MUL w y > o"}, "x=y,z,w"},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := program(t, test.lines...)
			for i := range s.Tensors {
				if s.Tensors[i].Name == "o" {
					s.Outputs = []int{i}
				}
			}
			if got := shares(t, s); got != test.want {
				t.Errorf("shared %q, want %q", got, test.want)
			}
		})
	}
}

// TestSharedLifetime: a root lives until the last reader of any alias.
func TestSharedLifetime(t *testing.T) {
	s := program(t, "RELU in > x", "RESHAPE x > y", "RELU in > u", "ADD u y > v", "RELU v > o")
	s.Outputs = []int{len(s.Tensors) - 1}
	p, _ := LookupProfile("litert")
	l, err := NewLifetimes(&Model{Subgraphs: []*Subgraph{s}}, s, Stored(s), p)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, b := range l.Table.Buffers {
		got = append(got, fmt.Sprintf("%s[%d,%d)", b.Name, b.Lower, b.Upper))
	}
	// v lies over u; all have the same size, so that births decide.
	if want := "in[0,6) x[0,4) u[2,5) o[4,6)"; strings.Join(got, " ") != want {
		t.Errorf("got %s, want %s", strings.Join(got, " "), want)
	}
}
