package graph

import (
	"slices"
	"strings"
	"testing"
)

// TestLentInputs goes through the operators that call subgraphs: which inputs
// of a called one have room in its own arena, and why the others have none.
func TestLentInputs(t *testing.T) {
	// Input y is read, z is not, w is nothing but a result.
	callee := func() *Subgraph {
		s := program(t, "ABS y > a", "NEG a > out")
		for _, name := range []string{"z", "w"} {
			s.Inputs = append(s.Inputs, len(s.Tensors))
			s.Tensors = append(s.Tensors, Tensor{Index: len(s.Tensors), Name: name, Type: Int32, Shape: []int32{2}, Bytes: 8})
		}
		s.Outputs = []int{len(s.Tensors) - 1, 2}
		if err := s.Link(); err != nil {
			t.Fatal(err)
		}
		return s
	}
	const all = "y z w a out"
	for _, test := range []struct {
		name, line string
		position   int // of the subgraph among the callees
		rows       string
		lent       string
		unused     string
		note       string
	}{
		{"not called", "ABS in > end", -1, all, "", "", ""},
		{"IF", "IF in in > end", 0, "a out", "y w", "z", "results that move"},
		{"ELSE", "IF in in > end", 1, "a out", "y w", "z", "results that move"},
		{"condition", "WHILE in > end", 0, "y w a out", "", "z", ""},
		{"body", "WHILE in > end", 1, "a out", "y z w", "", "inputs that lie in the memory of the operator that calls the subgraph: 3"},
		{"composite", "STABLEHLO_COMPOSITE in > end", 0, "a out", "y w", "z", "results that move"},
		{"CALL_ONCE", "CALL_ONCE >", 0, all, "", "", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			caller := program(t, test.line, "ABS in > last")
			caller.Outputs = []int{len(caller.Tensors) - 1}
			other := inner(t, "ABS p > q")
			m := &Model{Name: "m", Subgraphs: []*Subgraph{caller, callee(), other}}
			m.Subgraphs[1].Index, other.Index = 1, 2
			switch test.position {
			case 0:
				caller.Ops[0].Callees = []int{1, 2}
			case 1:
				caller.Ops[0].Callees = []int{2, 1}
			}
			if err := caller.Link(); err != nil {
				t.Fatal(err)
			}
			p, err := LookupProfile("litert")
			if err != nil {
				t.Fatal(err)
			}
			s := m.Subgraphs[1]
			l, err := NewLifetimes(m, s, Stored(s), p)
			if err != nil {
				t.Fatal(err)
			}
			var rows, lent, unused []string
			for _, b := range l.Table.Buffers {
				rows = append(rows, b.Name)
			}
			for _, o := range l.Outside {
				switch name := s.Tensors[o.Tensor.Tensor].Name; o.Reason {
				case IsLent:
					lent = append(lent, name)
				case IsUnused:
					unused = append(unused, name)
				default:
					t.Errorf("%s is outside: %s", name, o.Reason)
				}
			}
			slices.SortFunc(rows, func(a, b string) int { return strings.Index(all, a) - strings.Index(all, b) })
			for _, c := range []struct{ what, want, got string }{
				{"rows", test.rows, strings.Join(rows, " ")},
				{"lent", test.lent, strings.Join(lent, " ")},
				{"dropped", test.unused, strings.Join(unused, " ")},
			} {
				if c.got != c.want {
					t.Errorf("%s %q, want %q", c.what, c.got, c.want)
				}
			}
			if notes := strings.Join(l.Notes, "\n"); !strings.Contains(notes, test.note) || test.note == "" && notes != "" {
				t.Errorf("notes %q, want %q", notes, test.note)
			}
			// TFLite-Micro copies, and a profile without kernels says nothing.
			for _, name := range []string{"tflm", "plain"} {
				p, err := LookupProfile(name)
				if err != nil {
					t.Fatal(err)
				}
				l, err := NewLifetimes(m, s, Stored(s), p)
				if err != nil {
					t.Fatal(err)
				}
				if len(l.Table.Buffers) < 5 {
					t.Errorf("%s: %d rows", name, len(l.Table.Buffers))
				}
			}
		})
	}
}
