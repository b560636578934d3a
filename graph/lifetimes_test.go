package graph

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/arenalab/arenalab/lifetime"
)

// branch is the subgraph
//
//	in ─▶ op0 ─▶ a ─▶ op1 ─▶ b ─▶ op3 ─▶ out
//	             └──▶ op2 ─▶ c ────┘        (op2 also writes dead)
//
// with a second graph input nobody reads, a constant, a variable read by op2
// and a string tensor.
func branch(t *testing.T) (*Model, *Subgraph) {
	t.Helper()
	s := &Subgraph{
		Tensors: []Tensor{
			{Name: "in", Bytes: 100}, {Name: "a", Bytes: 30}, {Name: "b", Bytes: 20}, {Name: "c", Bytes: 10},
			{Name: "dead", Bytes: 5}, {Name: "out", Bytes: 7}, {Name: "const", Bytes: 64, Constant: true},
			{Name: "state", Bytes: 40, Variable: true}, {Name: "unread", Bytes: 3},
			{Name: "text", Type: String, Bytes: NoSize}, {Name: "nobody", Bytes: 9},
		},
		Inputs:  []int{0, 8},
		Outputs: []int{5},
		Ops: []Op{
			{Inputs: []int{0, 6}, Outputs: []int{1}},
			{Inputs: []int{1, -1}, Outputs: []int{2}},
			{Inputs: []int{1, 7}, Outputs: []int{3, 4, 9}},
			{Inputs: []int{2, 3}, Outputs: []int{5}},
		},
	}
	for i := range s.Tensors {
		s.Tensors[i].Index = i
	}
	for i := range s.Ops {
		s.Ops[i].Index = i
	}
	if err := s.Link(); err != nil {
		t.Fatal(err)
	}
	return &Model{Name: "branch", Subgraphs: []*Subgraph{s}}, s
}

// row prints a buffer as name[lower,upper)size.
func row(b lifetime.Buffer) string {
	return fmt.Sprintf("%s[%d,%d)%d", b.Name, b.Lower, b.Upper, b.Size)
}

func TestLifetimesByProfile(t *testing.T) {
	for _, test := range []struct {
		profile    string
		want       string
		persistent int64
		steps      int
	}{
		// Inputs and the dead result outlive operator 3 by the exit step.
		// Rows are in the order in which the runtime places them.
		{"litert", "in[0,5)100 unread[0,5)3 a[0,3)30 b[1,4)20 c[2,4)10 out[3,5)7 dead[2,5)5", 40, 5},
		// Inputs die with their last reader, the dead result at its producer.
		{"plain", "in[0,1)100 a[0,3)30 b[1,4)20 c[2,4)10 dead[2,3)5 out[3,4)7 state[0,4)40 unread[0,1)3", 0, 4},
		// Scope 0 is the entry; sizes are multiples of 16. What nobody uses has
		// room after everything else.
		{"tflm", "in[0,2)112 a[1,4)32 b[2,5)32 c[3,5)16 dead[3,4)16 out[4,5)16 unread[0,1)16 nobody[5,6)16", 48, 6},
	} {
		t.Run(test.profile, func(t *testing.T) {
			m, s := branch(t)
			p, err := LookupProfile(test.profile)
			if err != nil {
				t.Fatal(err)
			}
			l, err := NewLifetimes(m, s, Stored(s), p)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for i, b := range l.Table.Buffers {
				got = append(got, row(b))
				if b.Align != max(p.Align, 1) {
					t.Errorf("%s has alignment %d, want %d", b.Name, b.Align, p.Align)
				}
				if name := s.Tensors[l.Refs[i].Tensors[0].Tensor].Name; name != b.Name {
					t.Errorf("row %s refers to tensor %s", b.Name, name)
				}
			}
			if g := strings.Join(got, " "); g != test.want {
				t.Errorf("rows\n got %s\nwant %s", g, test.want)
			}
			if l.PersistentBytes != test.persistent {
				t.Errorf("persistent %d bytes, want %d", l.PersistentBytes, test.persistent)
			}
			if len(l.Steps) != test.steps {
				t.Errorf("%d steps, want %d", len(l.Steps), test.steps)
			}
			if len(l.Table.Buffers)+len(l.Outside) != len(s.Tensors) {
				t.Errorf("%d tensors are inside and %d outside, of %d", len(l.Table.Buffers), len(l.Outside), len(s.Tensors))
			}
		})
	}
}

func TestLifetimesFollowTheOrder(t *testing.T) {
	m, s := branch(t)
	p, _ := LookupProfile("plain")
	l, err := NewLifetimes(m, s, Order{Name: "swapped", Ops: []int{0, 2, 1, 3}}, p)
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(l.Table.Buffers, func(b lifetime.Buffer) bool { return b.Name == "c" })
	if got := row(l.Table.Buffers[i]); got != "c[1,4)10" {
		t.Errorf("got %s, want c[1,4)10", got)
	}
	if _, err := NewLifetimes(m, s, Order{Ops: []int{1, 0, 2, 3}}, p); err == nil {
		t.Error("an order that reads tensor a before it is written passed")
	}
}

func TestReasonsOutside(t *testing.T) {
	m, s := branch(t)
	p, _ := LookupProfile("litert")
	l, err := NewLifetimes(m, s, Stored(s), p)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]Reason{}
	for _, o := range l.Outside {
		got[s.Tensors[o.Tensor.Tensor].Name] = o.Reason
	}
	want := map[string]Reason{"const": IsConstant, "state": IsVariable, "text": IsUnsized, "nobody": IsUnused}
	for name, reason := range want {
		if got[name] != reason {
			t.Errorf("%s is outside because %q, want %q", name, got[name], reason)
		}
	}
	if len(got) != len(want) {
		t.Errorf("outside: %v, want %v", got, want)
	}
	notes := []string{"compute a shape at run time: 1, the first operator 2 ADD", "without a static size"}
	if len(l.Notes) != len(notes) {
		t.Fatalf("notes %q, want %d", l.Notes, len(notes))
	}
	for i, part := range notes { // operator 2 writes the string tensor
		if !strings.Contains(l.Notes[i], part) {
			t.Errorf("note %q does not say %q", l.Notes[i], part)
		}
	}
}

func TestWorkspaceLivesAtItsOperator(t *testing.T) {
	m, s := branch(t)
	s.Ops[1].Workspace = []int{10} // "nobody"
	p, _ := LookupProfile("plain")
	l, err := NewLifetimes(m, s, Stored(s), p)
	if err != nil {
		t.Fatal(err)
	}
	last := l.Table.Buffers[len(l.Table.Buffers)-1]
	if row(last) != "nobody[1,2)9" || last.Kind != lifetime.Scratch {
		t.Errorf("got %s, %v", row(last), last.Kind)
	}
}

func TestProfileJSON(t *testing.T) {
	good := `{"name":"mine","align":32,"round_sizes":8,"keep_inputs":true}`
	p, err := ReadProfile(strings.NewReader(good))
	if err != nil {
		t.Fatal(err)
	}
	if p.Align != 32 || p.Round(9) != 16 || !p.KeepInputs || p.KeepUnread {
		t.Errorf("read %+v", p)
	}
	for _, bad := range []string{
		`{"name":"x","align":24}`, `{"align":16}`, `{"name":"x","aling":16}`, `{"name":"x","round_sizes":-1}`, `[`,
		`{"name":"x","nested":true,"lends":true}`, `{"name":"x","nested":true,"order":"tflite"}`,
	} {
		if _, err := ReadProfile(strings.NewReader(bad)); err == nil {
			t.Errorf("%s was accepted", bad)
		}
	}
	if _, err := LookupProfile("tfml"); err == nil || !strings.Contains(err.Error(), "tflm") {
		t.Errorf("the error for an unknown profile does not list the known: %v", err)
	}
}

func TestEmptySubgraph(t *testing.T) {
	s := &Subgraph{}
	if err := s.Link(); err != nil {
		t.Fatal(err)
	}
	for _, p := range Profiles() {
		l, err := NewLifetimes(&Model{Name: "empty", Subgraphs: []*Subgraph{s}}, s, Stored(s), p)
		if err != nil || len(l.Table.Buffers) != 0 || len(l.Steps) == 0 {
			t.Errorf("%s: %+v, %v", p.Name, l, err)
		}
	}
}
