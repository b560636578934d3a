package executor

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/arenalab/arenalab/executor/kernels"
	"github.com/arenalab/arenalab/graph"
	"github.com/arenalab/arenalab/lifetime"
)

// chain is a model of three operators, with a plan that is safe and one in
// which the last overwrites the input of its own.
func chain(t *testing.T) (m *tiny, lt *graph.Lifetimes, safe, unsafe *lifetime.Plan) {
	t.Helper()
	m = &tiny{}
	m.s.Inputs = m.tensor("in")
	m.op("CONV_2D in > a")
	m.op("CONV_2D a > b")
	m.op("CONV_2D b > c")
	m.s.Outputs = m.tensor("a", "c")
	if err := m.s.Link(); err != nil {
		t.Fatal(err)
	}
	lt = m.lifetimes(t, graph.Profile{Name: "mine", Align: 1, RoundSizes: 1})
	place := func(at map[string]int64) *lifetime.Plan {
		var offsets []int64
		for _, b := range lt.Table.Buffers {
			offsets = append(offsets, at[b.Name])
		}
		return lifetime.NewPlan(lt.Table, offsets)
	}
	return m, lt, place(map[string]int64{"in": 0, "a": 16, "b": 32, "c": 48}), place(map[string]int64{"in": 0, "a": 16, "b": 32, "c": 31})
}

func TestHashesOnly(t *testing.T) {
	m, lt, safe, unsafe := chain(t)
	x := machine(t, subgraphs(t, m), map[string]kernels.Kernel{"CONV_2D": bump{1}})
	rec, err := x.Record(context.Background(), 0, RecordOptions{MaxBytes: -1})
	if err != nil {
		t.Fatal(err)
	}
	if v := rec.Value(0, 0, 1); v != nil {
		t.Errorf("kept %v", v)
	}
	a, err := rec.NewArenaRun(graph.Stored(&m.s), lt)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.Run(context.Background(), safe, RunOptions{}); err != nil {
		t.Error(err)
	}
	if _, err := a.Run(context.Background(), safe, RunOptions{Replay: true}); !errors.Is(err, ErrTooLarge) {
		t.Errorf("a replay needs results: %v", err)
	}
	_, err = a.Run(context.Background(), unsafe, RunOptions{})
	var d *Difference
	if !errors.As(err, &d) || d.Element != -1 || d.Cause == nil {
		t.Errorf("got %v", err)
	}
	if _, err := a.Run(context.Background(), safe, RunOptions{MaxArena: 63}); !errors.Is(err, ErrTooLarge) {
		t.Errorf("got %v for an arena above the limit", err)
	}
	short := &lifetime.Plan{Offsets: slices.Clone(safe.Offsets), Arena: 63}
	var out *OutsideError
	if _, err := a.Run(context.Background(), short, RunOptions{}); !errors.As(err, &out) {
		t.Errorf("got %v for a buffer outside of the arena", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := a.Run(ctx, safe, RunOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v after the context ended", err)
	}
}

// TestSymbolicMachine: without kernels results depend on all operands, on state
// and on handles, and a wrong operand is seen.
func TestSymbolicMachine(t *testing.T) {
	m, lt, safe, unsafe := chain(t)
	model := subgraphs(t, m)
	var values [][]byte
	for _, seed := range []uint64{1, 1, 2} {
		x, err := NewMachine(model, MachineOptions{Seed: seed, Symbolic: true})
		if err != nil {
			t.Fatal(err)
		}
		rec, err := x.Record(context.Background(), 0, RecordOptions{})
		if err != nil {
			t.Fatal(err)
		}
		values = append(values, rec.Value(0, 0, m.tensor("c")[0]))
		a, err := rec.NewArenaRun(graph.Stored(&m.s), lt)
		if err != nil {
			t.Fatal(err)
		}
		if res, err := a.Run(context.Background(), safe, RunOptions{}); err != nil || res.Symbolic != 3 || res.Operators != 3 {
			t.Errorf("%+v, error %v", res, err)
		}
		var d *Difference
		if _, err := a.Run(context.Background(), unsafe, RunOptions{}); !errors.As(err, &d) || d.Cause == nil {
			t.Errorf("got %v", err)
		}
	}
	if !bytes.Equal(values[0], values[1]) || bytes.Equal(values[0], values[2]) {
		t.Errorf("results %v: the first two have the same seed, the last another", values)
	}
	s := &tiny{}
	s.s.Inputs = s.tensor("in")
	s.op("VAR_HANDLE > h")
	s.op("SVDF in state h > out")
	s.s.Outputs = s.tensor("out")
	s.s.Tensors[s.tensor("state")[0]].Variable = true
	x := machine(t, subgraphs(t, s), nil)
	for i := range x.subs[0].ops {
		x.subs[0].ops[i].key = 5 // the same operator in each invocation
	}
	rec := everywhere(t, x)
	for n := range rec.inputs {
		copy(rec.inputs[n][0], rec.inputs[0][0])
	}
	if a, b := rec.Value(0, 0, s.tensor("state")[0]), rec.Value(1, 0, s.tensor("state")[0]); bytes.Equal(a, b) {
		t.Error("state does not change")
	}
}

// TestValidatorNotes: what keeps kernels from running is said.
func TestValidatorNotes(t *testing.T) {
	reshapes := func() *tiny {
		m := &tiny{}
		m.s.Inputs = m.tensor("in")
		m.op("RESHAPE in > a")
		m.op("RESHAPE a > out")
		m.s.Outputs = m.tensor("out")
		return m
	}
	for _, test := range []struct {
		name   string
		o      ReferenceOptions
		work   int64
		change func(*tiny)
		arena  int64
		kernel kernels.Kernel // of RESHAPE
		engine string
		note   string
	}{
		{name: "kernels", engine: EngineKernels},
		{name: "replay", work: -1, engine: EngineReplay},
		{name: "model", o: ReferenceOptions{Machine: MachineOptions{MaxBytes: 40}}, engine: EngineSymbolic,
			note: `validated without kernels: called: subgraph 0: tensor 2 "out": too large to run: the model has more than 40 bytes of constants and tensors`},
		{name: "work", o: ReferenceOptions{MaxWork: 3}, engine: EngineSymbolic,
			note: "validated without kernels: too large to run: 0 million multiplications"},
		{name: "arena", arena: 31, engine: EngineSymbolic,
			note: "some plans validated without kernels: too large to run: an arena of 32 bytes"},
		{name: "none", o: ReferenceOptions{Machine: MachineOptions{Symbolic: true}}, engine: EngineSymbolic,
			note: "validated without kernels: there is none for any operator"},
		{name: "some", engine: EngineSymbolic, change: func(m *tiny) { m.op("WHERE a > b"); m.s.Outputs = m.tensor("out", "b") },
			note: "validated with symbolic results of operators without a kernel: WHERE"},
		{name: "panic", kernel: panics{}, engine: EngineSymbolic,
			note: "validated without kernels: called: subgraph 0: operator 0 RESHAPE: defective kernel: no such row"},
	} {
		m := reshapes()
		if test.change != nil {
			test.change(m)
		}
		model := subgraphs(t, m)
		ref := NewReference(model, test.o)
		if test.kernel != nil {
			ref.machine = machine(t, model, map[string]kernels.Kernel{"RESHAPE": test.kernel})
		}
		lt := m.lifetimes(t, graph.Profile{Name: "mine", Align: 1, RoundSizes: 1})
		v, err := NewValidator(model, &m.s, graph.Stored(&m.s), lt, ValidatorOptions{Reference: ref, MaxWork: test.work})
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			res, err := v.Validate(context.Background(), sweep(lt.Table), Options{MaxArena: test.arena})
			if err != nil || res.Engine != test.engine {
				t.Errorf("%s: %+v, error %v, want %s", test.name, res, err, test.engine)
			}
		}
		if got := strings.Join(v.Notes(), "\n"); got != test.note {
			t.Errorf("%s: notes %q, want %q", test.name, got, test.note)
		}
	}
	tab := &lifetime.Table{Buffers: []lifetime.Buffer{{Size: 3, Upper: 1}}}
	v := NewTableValidator(tab)
	if res, err := v.Validate(context.Background(), sweep(tab), Options{}); err != nil || res.Engine != EngineSymbolic || v.Notes() != nil {
		t.Errorf("a table: %+v, error %v, notes %v", res, err, v.Notes())
	}
}

type panics struct{}

func (panics) Run(*kernels.Call) error { panic("no such row") }

// TestBadCalls: what cannot be passed is an error that names the operator.
func TestBadCalls(t *testing.T) {
	for _, test := range []struct {
		name   string
		change func(main, sub *tiny)
		want   string
	}{
		{"sizes", func(_, sub *tiny) { sub.s.Tensors[sub.s.Inputs[0]].Bytes = 8 },
			`operator 0 STABLEHLO_COMPOSITE: shape computed at run time: tensor 0 "in" of 16 bytes passed as tensor 0 "x" of 8 bytes`},
		{"inputs", func(_, sub *tiny) { sub.s.Inputs = append(sub.s.Inputs, sub.tensor("more")...) },
			"operator 0 STABLEHLO_COMPOSITE: invalid operator: subgraph 1 has 2 inputs for 1"},
		{"results", func(_, sub *tiny) { sub.s.Outputs = append(sub.s.Outputs, sub.s.Outputs...) },
			"operator 0 STABLEHLO_COMPOSITE: invalid operator: subgraph 1 has 2 results for 1"},
		{"subgraph", func(main, _ *tiny) { main.s.Ops[0].Callees[0] = 7 },
			"operator 0 STABLEHLO_COMPOSITE: invalid operator: there is no subgraph 7"},
		{"operand", func(main, _ *tiny) { main.s.Ops[0].Inputs[0] = -1 },
			"operator 0 STABLEHLO_COMPOSITE: invalid operator: operand 0 is missing"},
	} {
		main, sub := &tiny{}, &tiny{}
		main.s.Inputs = main.tensor("in")
		main.op("STABLEHLO_COMPOSITE in > out")
		main.s.Ops[0].Callees = []int{1}
		main.s.Outputs = main.tensor("out")
		sub.s.Inputs = sub.tensor("x")
		sub.op("CONV_2D x > y")
		sub.s.Outputs = sub.tensor("y")
		test.change(main, sub)
		m := machine(t, subgraphs(t, main, sub), map[string]kernels.Kernel{"CONV_2D": bump{1}})
		_, err := m.Record(context.Background(), 0, RecordOptions{})
		if want := "called: subgraph 0: " + test.want; err == nil || err.Error() != want {
			t.Errorf("%s:\ngot  %v\nwant %s", test.name, err, want)
		}
	}
	loop := &tiny{}
	loop.op("CALL_ONCE >")
	loop.s.Ops[0].Callees = []int{0}
	if _, err := NewMachine(subgraphs(t, loop), MachineOptions{}); err == nil || err.Error() != "called: subgraph 0 calls itself" {
		t.Errorf("got %v", err)
	}
}

// TestGenerator compares with inputs of recordings.
func TestGenerator(t *testing.T) {
	g := generator(DefaultSeed)
	data := make([]byte, 3)
	if g.fill(data, graph.Int8); !bytes.Equal(data, []byte{0x98, 0xc0, 0x13}) {
		t.Errorf("int8: %x", data)
	}
	g = 7
	data = make([]byte, 32)
	g.fill(data, graph.Int32)
	var got []string
	for i := 0; i < len(data); i += 4 {
		got = append(got, number(data[i:], graph.Int32))
	}
	if s := fmt.Sprint(got); s != "[2 3 3 2 4 2 3 1]" {
		t.Errorf("int32: %v", s)
	}
	for d, want := range map[graph.DType]string{
		graph.Float32: "0.19018495", graph.Int64: "0", graph.Int16: "-26537", graph.Uint8: "0x98", graph.Bool: "0x01", graph.Float16: "0x57b4",
	} {
		g = DefaultSeed
		g.fill(data, d)
		if got := number(data, d); got != want {
			t.Errorf("%v: %s, want %s", d, got, want)
		}
	}
}

// TestAxes: the bias of a layer may have the axis of its weights.
func TestAxes(t *testing.T) {
	for _, test := range []struct {
		shape []int32
		axis  int
		n     int // scales
		want  int
	}{
		{[]int32{8}, 3, 8, 0}, {[]int32{8}, 0, 8, 0}, {[]int32{8}, 3, 1, 0}, {nil, 2, 1, 0},
		{[]int32{8}, 3, 4, 3}, {[]int32{8, 2}, 3, 8, 3}, {[]int32{8, 2}, 1, 2, 1}, {nil, 0, 1, 0},
	} {
		x := &graph.Tensor{Shape: test.shape, Quant: &graph.Quant{Scale: make([]float32, test.n), Axis: test.axis}}
		if got := along(x).Axis; got != test.want || x.Quant.Axis != test.axis {
			t.Errorf("%v, %d scales along %d: %d, want %d", test.shape, test.n, test.axis, got, test.want)
		}
	}
}
