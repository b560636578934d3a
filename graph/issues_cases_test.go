package graph

import (
	"slices"
	"strings"
	"testing"
)

// Cases that users of runtimes reported, as tables of lifetimes.

// rowsOf links the model's subgraphs, builds the table of the first by the
// profile, sizes as they are, and prints its rows.
func rowsOf(t *testing.T, m *Model, profile string) (string, *Lifetimes) {
	t.Helper()
	p, err := LookupProfile(profile)
	if err != nil {
		t.Fatal(err)
	}
	p.Align, p.RoundSizes = 1, 1
	l, err := NewLifetimes(m, m.Subgraphs[0], Stored(m.Subgraphs[0]), p)
	if err != nil {
		t.Fatal(err)
	}
	var rows []string
	for _, b := range l.Table.Buffers {
		rows = append(rows, row(b))
	}
	return strings.Join(rows, " "), l
}

// calling is a model whose first subgraph is made of the lines; the operator
// given calls the other subgraphs.
func calling(t *testing.T, lines []string, op int, callees ...*Subgraph) *Model {
	t.Helper()
	m := &Model{Name: "m", Subgraphs: append([]*Subgraph{program(t, lines...)}, callees...)}
	for i := range callees {
		callees[i].Index = i + 1
		m.Subgraphs[0].Ops[op].Callees = append(m.Subgraphs[0].Ops[op].Callees, i+1)
	}
	m.Subgraphs[0].Outputs = []int{len(m.Subgraphs[0].Tensors) - 1}
	if err := m.Subgraphs[0].Link(); err != nil {
		t.Fatal(err)
	}
	return m
}

// inner is a subgraph of the lines that gives back its last tensor.
func inner(t *testing.T, lines ...string) *Subgraph {
	t.Helper()
	s := program(t, lines...)
	s.Outputs = []int{len(s.Tensors) - 1}
	if err := s.Link(); err != nil {
		t.Fatal(err)
	}
	return s
}

// tensorflow/tflite-micro issues 947, 3698, 1575 and tile-ai/tilelang-ascend
// issue 1156: what a called subgraph needs meets all that the caller still
// holds; subgraphs that are called once or again are not left out; a subgraph
// without operators has tensors all the same.
func TestCalledSubgraphsMeetTheirCaller(t *testing.T) {
	empty := &Subgraph{Tensors: []Tensor{{Name: "nothing", Type: Int32, Shape: []int32{2}, Bytes: 8}}, Inputs: []int{0}, Outputs: []int{0}}
	if err := empty.Link(); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name  string
		model *Model
		held  string   // of the caller, from before to after
		parts []string // of the callees
	}{
		{"IF", calling(t, []string{"ABS in > kept", "IF in in > out", "ADD out kept > end"}, 1,
			inner(t, "ABS x > y"), inner(t, "NEG u > v")), "kept", []string{"x", "y", "u", "v"}},
		{"IF, ELSE empty", calling(t, []string{"ABS in > kept", "IF in in > out", "ADD out kept > end"}, 1,
			inner(t, "ABS x > y"), empty), "kept", []string{"x", "y", "nothing"}},
		{"WHILE", calling(t, []string{"ABS in > kept", "WHILE in > out", "ADD out kept > end"}, 1,
			inner(t, "ABS c > d"), inner(t, "ABS p > q", "NEG q > r")), "kept", []string{"c", "d", "p", "q", "r"}},
		{"CALL_ONCE", calling(t, []string{"ABS in > kept", "CALL_ONCE >", "ADD in kept > end"}, 1,
			inner(t, "ABS #w > z")), "kept", []string{"z"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			rows, l := rowsOf(t, test.model, "tflm")
			find := func(name string) int {
				for i, b := range l.Table.Buffers {
					if tensor := l.Refs[i].Tensors[0]; test.model.Subgraphs[tensor.Subgraph].Tensors[tensor.Tensor].Name == name {
						if b.Size == 0 || b.Upper <= b.Lower {
							t.Errorf("%s has no life: %s", name, row(b))
						}
						return i
					}
				}
				t.Fatalf("%s is not planned: %s", name, rows)
				return 0
			}
			held := &l.Table.Buffers[find(test.held)]
			for _, name := range test.parts {
				part := &l.Table.Buffers[find(name)]
				if name != "nothing" && !held.Overlaps(part) {
					t.Errorf("%s does not meet %s", row(*part), row(*held))
				}
			}
		})
	}
}

// tensorflow/tflite-micro issue 837: two operators of one kind in two
// subgraphs have working memory each, once.
func TestWorkspaceIsOnePerOperator(t *testing.T) {
	m := calling(t, []string{"ABS in > a", "IF a a > b", "NEG b > end"}, 1, inner(t, "OWN x > y"), inner(t, "OWN u > v"))
	want := 0
	for _, s := range m.Subgraphs[1:] {
		s.Tensors = append(s.Tensors, Tensor{Index: len(s.Tensors), Name: "work", Type: Int32, Shape: []int32{4}, Bytes: 16})
		s.Ops[0].Workspace = []int{len(s.Tensors) - 1}
		if err := s.Link(); err != nil {
			t.Fatal(err)
		}
		want++
	}
	_, l := rowsOf(t, m, "tflm")
	got := map[TensorRef]int{}
	for i, b := range l.Table.Buffers {
		if b.Name == "work" || strings.HasSuffix(b.Name, "work") {
			got[l.Refs[i].Tensors[0]]++
		}
	}
	if len(got) != want {
		t.Errorf("working memory of %d operators, there are %d", len(got), want)
	}
	for ref, n := range got {
		if n != 1 {
			t.Errorf("%v is planned %d times", ref, n)
		}
	}
}

// What LiteRT lays on top of what: sizes must agree (ggml-org/llama.cpp pull
// 16666), graph inputs, outputs and constants are left alone (XMOS ai_tools
// 321), and nothing is written over that has another reader (iree-org/iree
// issue 19355).
func TestSharingOfLiteRT(t *testing.T) {
	for _, test := range []struct {
		name    string
		lines   []string
		outputs string
		want    string // what shares, "" for nothing
	}{
		{"sole reader", []string{"EXP in > x", "ADD x x2 > y", "EXP y > z"}, "z", "x y"},
		{"view", []string{"EXP in > x", "RESHAPE x #shape > y", "EXP y > z", "EXP x > w"}, "z w", "x y"},
		{"other size", []string{"EXP in > x:1", "ADD x in > y:4", "EXP y > z"}, "z", ""},
		{"another reader", []string{"EXP in > x", "ADD x in > y", "EXP x > w", "EXP y > z"}, "z w", ""},
		{"graph input", []string{"ADD in #c > y", "EXP y > z"}, "z", ""},
		{"graph output", []string{"EXP in > x", "ADD x in > y"}, "y", ""},
		{"constant", []string{"EXP in > x", "ADD #c #d > y", "EXP y > z"}, "z x", ""},
		{"not on the list", []string{"EXP in > x", "TANH x > y", "EXP y > z"}, "z", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := program(t, test.lines...)
			for _, name := range strings.Fields(test.outputs) {
				s.Outputs = append(s.Outputs, slices.IndexFunc(s.Tensors, func(x Tensor) bool { return x.Name == name }))
			}
			if err := s.Link(); err != nil {
				t.Fatal(err)
			}
			rows, l := rowsOf(t, &Model{Name: "m", Subgraphs: []*Subgraph{s}}, "litert")
			var got []string
			for _, r := range l.Refs {
				if len(r.Tensors) > 1 {
					for _, x := range r.Tensors {
						got = append(got, s.Tensors[x.Tensor].Name)
					}
				}
			}
			if g := strings.Join(got, " "); g != test.want {
				t.Errorf("shared %q, not %q: %s", g, test.want, rows)
			}
		})
	}
}

// ggml-org/ggml issue 1491: an operator was said to work in place and read its
// operand again. Which operators may is said kernel by kernel: those that the
// runtime does not name never do, and a profile of one's own that does without
// the rule shares nothing, whatever they are.
func TestSharingIsPerKernel(t *testing.T) {
	litert, err := LookupProfile("litert")
	if err != nil {
		t.Fatal(err)
	}
	careful := litert
	careful.Name, careful.InPlace = "careful", ""
	var named []string
	for code := range 256 {
		name := OpName(int32(code))
		if _, ok := OpCode(name); !ok {
			continue
		}
		s := program(t, "EXP in > x", name+" x x2 > y", "EXP y > z")
		s.Outputs = []int{len(s.Tensors) - 1}
		if err := s.Link(); err != nil {
			t.Fatal(err)
		}
		for _, p := range []Profile{litert, careful} {
			l, err := NewLifetimes(&Model{Name: "m", Subgraphs: []*Subgraph{s}}, s, Stored(s), p)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			for _, r := range l.Refs {
				switch {
				case len(r.Tensors) > 1 && p.Name == careful.Name:
					t.Errorf("%s shares without a rule", name)
				case len(r.Tensors) > 1:
					named = append(named, name)
				}
			}
		}
	}
	slices.Sort(named)
	const want = "ADD BITCAST DIV DYNAMIC_UPDATE_SLICE EXPAND_DIMS MUL RESHAPE SOFTMAX SQUEEZE SUB"
	if got := strings.Join(named, " "); got != want {
		t.Errorf("in place: %s, want %s", got, want)
	}
}

// tensorflow/tensorflow issue 36161: a tensor that nothing uses is
// no fault; it is left out by name, or kept apart where the runtime plans it.
func TestUnusedTensorIsNamed(t *testing.T) {
	for _, profile := range []string{"litert", "plain", "tflm"} {
		s := program(t, "EXP in > out")
		s.Tensors = append(s.Tensors, Tensor{Index: 2, Name: "unused", Type: Int32, Shape: []int32{2}, Bytes: 8})
		s.Outputs = []int{1}
		if err := s.Link(); err != nil {
			t.Fatal(err)
		}
		rows, l := rowsOf(t, &Model{Name: "m", Subgraphs: []*Subgraph{s}}, profile)
		left := slices.Contains(l.Outside, Outside{TensorRef{0, 2}, IsUnused})
		if planned := strings.Contains(rows, "unused"); planned == left || planned != (profile == "tflm") {
			t.Errorf("%s: %s, outside %v", profile, rows, l.Outside)
		}
	}
}
