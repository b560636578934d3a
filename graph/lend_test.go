package graph

import (
	"slices"
	"strings"
	"testing"
)

// lender is a model of three subgraphs. The operator of the line calls the
// second, whose input y is read, z is not, and w is nothing but a result, at
// the position among its callees, and the third at the other.
func lender(t *testing.T, line string, position int) *Model {
	t.Helper()
	callee := program(t, "ABS y > a", "NEG a > out")
	for _, name := range []string{"z", "w"} {
		callee.Inputs = append(callee.Inputs, len(callee.Tensors))
		callee.Tensors = append(callee.Tensors, Tensor{Index: len(callee.Tensors), Name: name, Type: Int32, Shape: []int32{2}, Bytes: 8})
	}
	callee.Outputs = []int{len(callee.Tensors) - 1, 2}
	caller, other := program(t, line, "ABS in > last"), inner(t, "ABS p > q")
	caller.Outputs = []int{len(caller.Tensors) - 1}
	callee.Index, other.Index = 1, 2
	switch position {
	case 0:
		caller.Ops[0].Callees = []int{1, 2}
	case 1:
		caller.Ops[0].Callees = []int{2, 1}
	}
	for _, s := range []*Subgraph{caller, callee} {
		if err := s.Link(); err != nil {
			t.Fatal(err)
		}
	}
	return &Model{Name: "m", Subgraphs: []*Subgraph{caller, callee, other}}
}

// TestLentInputs goes through the operators that call subgraphs: which inputs
// of a called one have room in its own arena, and why the others have none.
func TestLentInputs(t *testing.T) {
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
			m := lender(t, test.line, test.position)
			rows, by, notes := calleeRows(t, m, "litert")
			slices.SortFunc(rows, func(a, b string) int { return strings.Index(all, a) - strings.Index(all, b) })
			for _, c := range []struct{ what, want, got string }{
				{"rows", test.rows, strings.Join(rows, " ")},
				{"lent", test.lent, strings.Join(by[IsLent], " ")},
				{"dropped", test.unused, strings.Join(by[IsUnused], " ")},
			} {
				if c.got != c.want {
					t.Errorf("%s %q, want %q", c.what, c.got, c.want)
				}
			}
			if !strings.Contains(notes, test.note) || test.note == "" && notes != "" {
				t.Errorf("notes %q, want %q", notes, test.note)
			}
			// TFLite-Micro copies, and so does what papers define.
			for _, name := range []string{"tflm", "plain"} {
				if _, by, _ := calleeRows(t, m, name); len(by[IsLent]) > 0 {
					t.Errorf("%s: %v are lent", name, by[IsLent])
				}
			}
		})
	}
}

// calleeRows plans the second subgraph and returns the names of its rows, of
// the tensors outside by the reason, and the notes.
func calleeRows(t *testing.T, m *Model, profile string) (rows []string, by map[Reason][]string, notes string) {
	t.Helper()
	p, err := LookupProfile(profile)
	if err != nil {
		t.Fatal(err)
	}
	s := m.Subgraphs[1]
	l, err := NewLifetimes(m, s, Stored(s), p)
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range l.Table.Buffers {
		rows = append(rows, b.Name)
	}
	by = map[Reason][]string{}
	for _, o := range l.Outside {
		by[o.Reason] = append(by[o.Reason], s.Tensors[o.Tensor.Tensor].Name)
	}
	return rows, by, strings.Join(l.Notes, "\n")
}

// TestUnclaimedResults: a loop's result that the body never changes and nobody
// reads has no memory of its own; each of the two alone is not enough.
func TestUnclaimedResults(t *testing.T) {
	for _, test := range []struct {
		name         string
		keeps, reads bool
		want         bool // a row
	}{
		{"kept, unread", true, false, false},
		{"kept, read", true, true, true},
		{"changed, unread", false, false, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			lines := []string{"WHILE x > y", "ABS x > end"}
			if test.reads {
				lines[1] = "ADD x y > end"
			}
			body := program(t, "ABS p > q")
			body.Outputs = []int{slices.IndexFunc(body.Tensors, func(x Tensor) bool { return x.Name == "q" })}
			if test.keeps {
				body.Outputs = slices.Clone(body.Inputs)
			}
			if err := body.Link(); err != nil {
				t.Fatal(err)
			}
			rows, _ := rowsOf(t, calling(t, lines, 0, inner(t, "ABS c > d"), body), "litert")
			if got := strings.Contains(rows, "y["); got != test.want {
				t.Errorf("y has a row: %v, want %v: %s", got, test.want, rows)
			}
		})
	}
}
