package executor

import (
	"slices"
	"strings"
	"testing"

	"github.com/arenalab/arenalab/graph"
	"github.com/arenalab/arenalab/lifetime"
)

// tiny writes small models down. Tensors have 16 bytes and the name of their
// order of appearance.
type tiny struct{ s graph.Subgraph }

func (m *tiny) tensor(names ...string) []int {
	var list []int
	for _, name := range names {
		i := slices.IndexFunc(m.s.Tensors, func(t graph.Tensor) bool { return t.Name == name })
		if i < 0 {
			i = len(m.s.Tensors)
			m.s.Tensors = append(m.s.Tensors, graph.Tensor{Index: i, Name: name, Bytes: 16})
		}
		list = append(list, i)
	}
	return list
}

// op adds an operator such as "ADD a b > c d".
func (m *tiny) op(text string) {
	left, right, _ := strings.Cut(text, ">")
	words := strings.Fields(left)
	code, ok := graph.OpCode(words[0])
	if !ok {
		panic("no operator " + words[0])
	}
	m.s.Ops = append(m.s.Ops, graph.Op{
		Index: len(m.s.Ops), Code: code, Inputs: m.tensor(words[1:]...), Outputs: m.tensor(strings.Fields(right)...),
	})
}

func (m *tiny) link(t *testing.T, profile string) *graph.Lifetimes {
	t.Helper()
	if err := m.s.Link(); err != nil {
		t.Fatal(err)
	}
	p, err := graph.LookupProfile(profile)
	if err != nil {
		t.Fatal(err)
	}
	p.Align, p.RoundSizes = 1, 1
	p.InPlace, p.Order, p.Kernels, p.KeepUnused = "", "", "", false // the cases say themselves what shares memory
	return m.lifetimes(t, p)
}

func (m *tiny) lifetimes(t *testing.T, p graph.Profile) *graph.Lifetimes {
	t.Helper()
	lt, err := graph.NewLifetimes(&graph.Model{Name: "tiny", Subgraphs: []*graph.Subgraph{&m.s}}, &m.s, graph.Stored(&m.s), p)
	if err != nil {
		t.Fatal(err)
	}
	return lt
}

// merge puts tensors into the buffer of the first of them.
func merge(lt *graph.Lifetimes, names ...string) {
	find := func(name string) int {
		return slices.IndexFunc(lt.Table.Buffers, func(b lifetime.Buffer) bool { return b.Name == name })
	}
	for _, name := range names[1:] {
		to, from := find(names[0]), find(name)
		b, c := &lt.Table.Buffers[to], lt.Table.Buffers[from]
		b.Lower, b.Upper = min(b.Lower, c.Lower), max(b.Upper, c.Upper)
		lt.Refs[to].Tensors = append(lt.Refs[to].Tensors, lt.Refs[from].Tensors...)
		lt.Refs = slices.Delete(lt.Refs, from, from+1)
		lt.Table.Buffers = slices.Delete(lt.Table.Buffers, from, from+1)
	}
}

// validate plans by first fit, puts the buffers named in at somewhere else,
// and returns what the run says.
func validate(t *testing.T, m *tiny, lt *graph.Lifetimes, at map[string]int64) string {
	t.Helper()
	p, err := FromGraph(&m.s, graph.Stored(&m.s), lt)
	if err != nil {
		t.Fatal(err)
	}
	offsets := place(lt.Table)
	for i := range lt.Table.Buffers {
		if off, ok := at[lt.Table.Buffers[i].Name]; ok {
			offsets[i] = off
		}
	}
	return message(verdicts(t, p, lifetime.NewPlan(lt.Table, offsets)))
}

// TestAliasChain is the defect of LiteRT's in-place sharing: the consumers of
// an alias between the root and the operator's own input are not counted, so
// ADD writes over x although y is still to be read.
func TestAliasChain(t *testing.T) {
	m := &tiny{}
	m.s.Inputs = m.tensor("in")
	m.op("CONV_2D in > x")
	m.op("RESHAPE x > y")
	m.op("RESHAPE y > z")
	m.op("ADD z in > w")
	m.op("MUL w y > v")
	m.s.Outputs = m.tensor("v")
	lt := m.link(t, "litert")
	merge(lt, "x", "y", "z", "w")
	got := validate(t, m, lt, nil)
	want := `operator 4 MUL reads tensor 2 "y": byte 16 of the arena was overwritten by operator 3 ADD writing tensor 4 "w" in place: the runtime's sharing rule gives both buffer 1, so no plan is safe`
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}

	// The profile applies the rule itself.
	profile, err := graph.LookupProfile("litert")
	if err != nil {
		t.Fatal(err)
	}
	profile.Align = 1
	lt = m.lifetimes(t, profile)
	if got := validate(t, m, lt, nil); got != want {
		t.Errorf("by the profile's rule\ngot  %s\nwant %s", got, want)
	}

	lt = m.link(t, "litert")
	merge(lt, "x", "y", "z")
	if got := validate(t, m, lt, nil); got != "" {
		t.Errorf("views of x alone are fine, but: %s", got)
	}
	p, err := FromGraph(&m.s, graph.Stored(&m.s), lt)
	if err != nil {
		t.Fatal(err)
	}
	// In memory: in, x, w, v; the views write nothing.
	if p.Operators() != 5 || p.Steps() != 7 || len(p.values) != 4 {
		t.Errorf("%d operators, %d steps, %d values", p.Operators(), p.Steps(), len(p.values))
	}
}

// TestInPlaceOtherReader: an operator may work in place only if nobody else
// reads its input later, not even itself as a graph output.
func TestInPlaceOtherReader(t *testing.T) {
	for _, test := range []struct {
		name    string
		ops     []string
		outputs []string
		want    string
	}{
		{"last reader", []string{"CONV_2D in > x", "TANH x > z", "ADD x in > y"}, []string{"y", "z"}, ""},
		{"read later", []string{"CONV_2D in > x", "ADD x in > y", "TANH x > z"}, []string{"y", "z"},
			`operator 2 TANH reads tensor 1 "x": byte 16 of the arena was overwritten by operator 1 ADD writing tensor 2 "y" in place: the runtime's sharing rule gives both buffer 1, so no plan is safe`},
		{"graph output", []string{"CONV_2D in > x", "ADD x in > y"}, []string{"x", "y"},
			`the caller at exit reads tensor 1 "x": byte 16 of the arena was overwritten by operator 1 ADD writing tensor 2 "y" in place: the runtime's sharing rule gives both buffer 1, so no plan is safe`},
		{"x + x", []string{"CONV_2D in > x", "ADD x x > y"}, []string{"y"}, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			m := &tiny{}
			m.s.Inputs = m.tensor("in")
			for _, op := range test.ops {
				m.op(op)
			}
			m.s.Outputs = m.tensor(test.outputs...)
			lt := m.link(t, "litert")
			merge(lt, "x", "y")
			if got := validate(t, m, lt, nil); got != test.want {
				t.Errorf("got  %q\nwant %q", got, test.want)
			}
		})
	}
}

// TestInputs: a runtime that keeps inputs promises them to the caller; one
// that recycles them does not.
func TestInputs(t *testing.T) {
	for profile, want := range map[string]string{
		"litert": `the caller at exit reads tensor 0 "in": byte 0 of the arena was overwritten by operator 2 CONV_2D writing tensor 3 "c"`,
		"tflm":   "",
	} {
		m := &tiny{}
		m.s.Inputs = m.tensor("in")
		m.op("CONV_2D in > a")
		m.op("CONV_2D a > b")
		m.op("CONV_2D b > c")
		m.op("CONV_2D c > d")
		m.s.Outputs = m.tensor("d")
		if got := validate(t, m, m.link(t, profile), map[string]int64{"b": 32, "c": 0, "d": 16}); got != want {
			t.Errorf("%s: got  %q\nwant %q", profile, got, want)
		}
	}
}

// TestUnreadResults: results that nobody reads are written all the same.
func TestUnreadResults(t *testing.T) {
	m := &tiny{}
	m.s.Inputs = m.tensor("in")
	m.op("SPLIT in > a dead")
	m.op("CONV_2D a > b")
	m.s.Outputs = m.tensor("b")
	for _, test := range []struct {
		profile string
		at      map[string]int64
		want    string
	}{
		{"tflm", map[string]int64{"dead": 17}, `operator 0 SPLIT has written tensor 1 "a": byte 17 of the arena was overwritten by operator 0 SPLIT writing tensor 2 "dead"`},
		{"tflm", map[string]int64{"dead": 15}, `operator 0 SPLIT reads tensor 0 "in": byte 15 of the arena was overwritten by operator 0 SPLIT writing tensor 2 "dead"`},
		{"tflm", map[string]int64{"dead": 32, "b": 32}, ""},
		{"litert", map[string]int64{"dead": 32, "b": 40}, `tensor 2 "dead" lives at step 2 (the caller at exit): byte 40 of the arena was overwritten by operator 1 CONV_2D writing tensor 3 "b"`},
	} {
		if got := validate(t, m, m.link(t, test.profile), test.at); got != test.want {
			t.Errorf("%s %v:\ngot  %q\nwant %q", test.profile, test.at, got, test.want)
		}
	}
}

// TestVariables: state is read and updated, and must survive the run.
func TestVariables(t *testing.T) {
	m := &tiny{}
	m.s.Inputs = m.tensor("in")
	m.op("SVDF in state > a")
	m.op("CONV_2D a > b")
	m.s.Outputs = m.tensor("b")
	m.s.Tensors[m.tensor("state")[0]].Variable = true
	if got := validate(t, m, m.link(t, "plain"), nil); got != "" {
		t.Error(got)
	}
	lt := m.link(t, "plain")
	got := validate(t, m, lt, map[string]int64{"state": 16, "a": 32, "b": 16})
	want := `the caller at exit reads tensor 1 "state": byte 16 of the arena was overwritten by operator 1 CONV_2D writing tensor 3 "b"`
	if got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	if got := validate(t, m, m.link(t, "litert"), nil); got != "" {
		t.Error("in persistent memory: " + got)
	}
}

// TestCalledSubgraph: what lives while a subgraph runs must survive it.
func TestCalledSubgraph(t *testing.T) {
	m := &tiny{}
	m.s.Inputs = m.tensor("in")
	m.op("CONV_2D in > a")
	m.op("IF in > b")
	m.op("ADD a b > c")
	m.s.Outputs = m.tensor("c")
	lt := m.link(t, "plain")
	// The branch, subgraph 1, has one operator that runs before IF is done.
	lt.Steps = slices.Insert(lt.Steps, 1, graph.Step{Subgraph: 1, Op: 0})
	for i := range lt.Table.Buffers {
		b := &lt.Table.Buffers[i]
		if b.Lower >= 1 {
			b.Lower++
		}
		if b.Upper >= 2 || b.Name == "a" {
			b.Upper++
		}
	}
	lt.Table.Buffers = append(lt.Table.Buffers, lifetime.Buffer{Name: "inner", Size: 8, Lower: 1, Upper: 2})
	lt.Refs = append(lt.Refs, graph.Ref{Tensors: []graph.TensorRef{{Subgraph: 1, Tensor: 0}}})
	if got := validate(t, m, lt, nil); got != "" {
		t.Error(got)
	}
	got := validate(t, m, lt, map[string]int64{"in": 0, "a": 16, "b": 32, "c": 48, "inner": 20})
	want := `operator 2 ADD reads tensor 1 "a": byte 20 of the arena was overwritten by subgraph 1 operator 0 writing buffer 4 "inner"`
	if got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

// TestUnwritten: a buffer of the table that nothing uses is a promise as well.
func TestUnwritten(t *testing.T) {
	m := &tiny{}
	m.s.Inputs = m.tensor("in")
	m.op("CONV_2D in > a")
	m.op("CONV_2D a > b")
	m.s.Outputs = m.tensor("b")
	m.tensor("unused")
	lt := m.link(t, "litert")
	lt.Table.Buffers = append(lt.Table.Buffers, lifetime.Buffer{Name: "unused", Size: 16, Lower: 0, Upper: 1 << 31})
	lt.Refs = append(lt.Refs, graph.Ref{Tensors: []graph.TensorRef{{Tensor: 3}}})
	got := validate(t, m, lt, map[string]int64{"in": 0, "a": 16, "b": 32, "unused": 40})
	want := `buffer 3 "unused" lives at step 2 (the caller at exit): byte 40 of the arena was overwritten by operator 1 CONV_2D writing tensor 2 "b"`
	if got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

// TestProgramCost: what is read twice by one operator is looked at once before
// and once after it writes, and the second look is the one in real bytes.
func TestProgramCost(t *testing.T) {
	m := &tiny{}
	m.s.Inputs = m.tensor("in")
	m.op("ADD in in > a")
	m.op("ADD a a > b")
	m.s.Outputs = m.tensor("b")
	for profile, steps := range map[string]int{"litert": 4, "plain": 4, "tflm": 4} {
		p, err := FromGraph(&m.s, graph.Stored(&m.s), m.link(t, profile))
		if err != nil {
			t.Fatal(err)
		}
		bytes := int64(3*16 + 3*16) // three writes, three reads
		if profile == "litert" {
			bytes += 16 // the input at the exit
		}
		if p.Steps() != steps || p.Bytes() != bytes {
			t.Errorf("%s: %d steps and %d bytes, want %d and %d", profile, p.Steps(), p.Bytes(), steps, bytes)
		}
	}
}

func TestEmptyGraphs(t *testing.T) {
	m := &tiny{}
	if got := validate(t, m, m.link(t, "plain"), nil); got != "" {
		t.Error(got)
	}
	// A graph input that is a graph output, without any operator.
	m.s.Inputs, m.s.Outputs = m.tensor("a", "b"), m.tensor("a")
	for _, profile := range []string{"litert", "plain", "tflm"} {
		if got := validate(t, m, m.link(t, profile), nil); got != "" {
			t.Errorf("%s: %s", profile, got)
		}
		got := validate(t, m, m.link(t, profile), map[string]int64{"a": 0, "b": 15})
		want := `the caller at entry has written tensor 0 "a": byte 15 of the arena was overwritten by the caller at entry writing tensor 1 "b"`
		if got != want {
			t.Errorf("%s: got  %q\nwant %q", profile, got, want)
		}
	}
}
