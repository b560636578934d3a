package executor

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/arenalab/arenalab/executor/kernels"
	"github.com/arenalab/arenalab/graph"
)

// bump is a kernel that adds a number to all bytes of its operand.
type bump struct{ by byte }

func (k bump) Run(c *kernels.Call) error {
	for i, b := range c.In[0] {
		c.Out[0][i] = b + k.by
	}
	return nil
}

// subgraphs links a model of several subgraphs over tensors of uint8. Names
// that begin with "h" are handles, those with "k" constants.
func subgraphs(t testing.TB, list ...*tiny) *graph.Model {
	t.Helper()
	m := &graph.Model{Name: "called"}
	for i, x := range list {
		x.s.Index = i
		for k := range x.s.Tensors {
			v := &x.s.Tensors[k]
			v.Type, v.Shape = graph.Uint8, []int32{int32(v.Bytes)}
			if v.Name[0] == 'h' {
				v.Type, v.Shape, v.Bytes = graph.Resource, nil, graph.NoSize
			}
			v.Constant = v.Name[0] == 'k'
		}
		if err := x.s.Link(); err != nil {
			t.Fatal(err)
		}
		m.Subgraphs = append(m.Subgraphs, &x.s)
	}
	return m
}

// machine prepares a model with kernels of tests.
func machine(t testing.TB, model *graph.Model, own map[string]kernels.Kernel) *Machine {
	t.Helper()
	m, err := NewMachine(model, MachineOptions{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range m.subs {
		for k := range x.ops {
			o := &x.ops[k]
			if kernel := own[o.name]; kernel != nil {
				o.how, o.kernel, o.reason = byKernel, kernel, nil
			}
		}
	}
	return m
}

// everywhere records a model, returns that, and makes sure that runs in valid
// plans of all profiles agree and do not allocate.
func everywhere(t *testing.T, m *Machine) *Recording {
	t.Helper()
	ctx := context.Background()
	rec, err := m.Record(ctx, 0, RecordOptions{})
	if err != nil {
		t.Fatal(err)
	}
	s := m.model.Subgraphs[0]
	for _, p := range graph.Profiles() {
		lt, err := graph.NewLifetimes(m.model, s, graph.Stored(s), p)
		if err != nil {
			t.Fatal(err)
		}
		a, err := rec.NewArenaRun(graph.Stored(s), lt)
		if err != nil {
			t.Fatalf("%s: %v", p.Name, err)
		}
		plan := sweep(lt.Table)
		for _, replay := range []bool{false, true} {
			if _, err := a.Run(ctx, plan, RunOptions{Replay: replay}); err != nil {
				t.Errorf("%s, replay %v: %v", p.Name, replay, err)
			}
		}
		if n := testing.AllocsPerRun(2, func() { _, err = a.Run(ctx, plan, RunOptions{}) }); n > 0 || err != nil {
			t.Errorf("%s: %v allocations, error %v", p.Name, n, err)
		}
	}
	return rec
}

func TestLoop(t *testing.T) {
	main, cond, body := &tiny{}, &tiny{}, &tiny{}
	main.s.Inputs = main.tensor("count", "state")
	main.op("CONV_2D state > first")
	main.op("WHILE count first > n out")
	main.s.Ops[1].Callees = []int{1, 2}
	main.op("CONV_2D out > last")
	main.s.Outputs = main.tensor("last")
	cond.s.Inputs = cond.tensor("n", "state")
	cond.op("CONV_2D n > a")
	cond.op("CONV_2D a > b")
	cond.op("NEG b > more") // takes the two off again
	cond.s.Outputs = cond.tensor("more")
	body.s.Inputs = body.tensor("n", "state")
	body.op("FLOOR n > less")
	body.op("CONV_2D state > x")
	body.op("CONV_2D x > y")
	body.s.Outputs = body.tensor("less", "y")
	model := subgraphs(t, main, cond, body)
	m := machine(t, model, map[string]kernels.Kernel{"CONV_2D": bump{1}, "NEG": bump{254}, "FLOOR": bump{255}})
	rec := everywhere(t, m)
	for inv := range rec.Invocations() {
		rounds := rec.Input(inv, 0)[0] // of the first byte, which is that of the condition
		want := slices.Clone(rec.Input(inv, 1))
		for i := range want {
			want[i] += 2 + 2*rounds
		}
		if got := rec.Value(inv, 0, main.s.Outputs[0]); !bytes.Equal(got, want) {
			t.Errorf("invocation %d: %d rounds give %v for %v", inv, rounds, got, want)
		}
	}
}

func TestLoopWithoutEnd(t *testing.T) {
	main, cond, body := &tiny{}, &tiny{}, &tiny{}
	main.s.Inputs = main.tensor("count")
	main.op("WHILE count > n")
	main.s.Ops[0].Callees = []int{1, 2}
	main.s.Outputs = main.tensor("n")
	cond.s.Inputs = cond.tensor("n")
	cond.op("CONV_2D ktrue > more")
	cond.s.Outputs = cond.tensor("more")
	body.s.Inputs = body.tensor("n")
	body.op("CONV_2D n > m")
	body.s.Outputs = body.tensor("m")
	m := machine(t, subgraphs(t, main, cond, body), map[string]kernels.Kernel{"CONV_2D": bump{1}})
	c := m.subs[1].constant[cond.tensor("ktrue")[0]]
	for i := range c {
		c[i] = 0
	}
	_, err := m.Record(context.Background(), 0, RecordOptions{})
	if !errors.Is(err, ErrTooLarge) || !strings.Contains(err.Error(), "operator 0 WHILE") {
		t.Errorf("got %v", err)
	}
}

func TestBranch(t *testing.T) {
	main, then, other := &tiny{}, &tiny{}, &tiny{}
	main.s.Inputs = main.tensor("which", "state")
	main.op("CONV_2D state > first")
	main.op("IF which first > out")
	main.s.Ops[1].Callees = []int{1, 2}
	main.op("ADD out first > last")
	main.s.Outputs = main.tensor("out", "last")
	then.s.Inputs = then.tensor("x")
	then.op("CONV_2D x > y")
	then.s.Outputs = then.tensor("y")
	other.s.Inputs = other.tensor("x")
	other.s.Outputs = other.tensor("x") // nothing to run
	model := subgraphs(t, main, then, other)
	m := machine(t, model, map[string]kernels.Kernel{"CONV_2D": bump{1}})
	main.s.Tensors[0].Type = graph.Bool
	seen := map[bool]bool{}
	rec := everywhere(t, m)
	for inv := range rec.Invocations() {
		yes := rec.Input(inv, 0)[0] != 0
		seen[yes] = true
		add := byte(1)
		if yes {
			add = 2
		}
		if got, was := rec.Value(inv, 0, main.s.Outputs[0])[0], rec.Input(inv, 1)[0]; got != was+add {
			t.Errorf("invocation %d, %v: %d gives %d", inv, yes, was, got)
		}
	}
	if len(seen) != 2 {
		t.Errorf("both branches should have run: %v", seen)
	}
}

// TestHandles: a variable that CALL_ONCE sets is counted up by each invocation.
func TestHandles(t *testing.T) {
	main, once := &tiny{}, &tiny{}
	main.s.Inputs = main.tensor("in")
	main.op("CALL_ONCE >")
	main.s.Ops[0].Callees = []int{1}
	main.op("VAR_HANDLE > h")
	main.op("READ_VARIABLE h > old")
	main.op("CONV_2D old > new")
	main.op("ASSIGN_VARIABLE h new >")
	main.s.Outputs = main.tensor("new")
	once.op("VAR_HANDLE > h")
	once.op("ASSIGN_VARIABLE h kfirst >")
	once.op("VAR_HANDLE > hother")
	once.op("ASSIGN_VARIABLE hother kother >")
	model := subgraphs(t, main, once)
	once.s.Ops[2].Attributes.Lists = map[int][]byte{1: []byte("another name")}
	m := machine(t, model, map[string]kernels.Kernel{"CONV_2D": bump{1}})
	rec := everywhere(t, m)
	first := m.subs[1].constant[once.tensor("kfirst")[0]]
	for inv := range rec.Invocations() {
		if got := rec.Value(inv, 0, main.s.Outputs[0]); got[0] != first[0]+byte(inv)+1 || got[15] != first[15]+byte(inv)+1 {
			t.Errorf("invocation %d: %v after %v", inv, got, first)
		}
	}
	if f := m.Fallbacks(0); len(f) > 0 || m.Operators(0) != 9 {
		t.Errorf("%d operators, without a kernel %v", m.Operators(0), f)
	}
}

// TestNestedLives: a life of a tensor of a called subgraph that the table
// makes too short is found by running the subgraph.
func TestNestedLives(t *testing.T) {
	main, sub := &tiny{}, &tiny{}
	main.s.Inputs = main.tensor("in")
	main.op("STABLEHLO_COMPOSITE in > out")
	main.s.Ops[0].Callees = []int{1}
	main.s.Outputs = main.tensor("out")
	sub.s.Inputs = sub.tensor("x")
	sub.op("CONV_2D x > a")
	sub.op("CONV_2D a > b")
	sub.op("ADD_N a b > c")
	sub.s.Outputs = sub.tensor("c")
	m := machine(t, subgraphs(t, main, sub), map[string]kernels.Kernel{"CONV_2D": bump{1}})
	rec := everywhere(t, m)
	profile, err := graph.LookupProfile("tflm")
	if err != nil {
		t.Fatal(err)
	}
	lt, err := graph.NewLifetimes(m.model, &main.s, graph.Stored(&main.s), profile)
	if err != nil {
		t.Fatal(err)
	}
	for i := range lt.Table.Buffers {
		if b := &lt.Table.Buffers[i]; b.Name == "a" {
			b.Upper -= 2
		}
	}
	a, err := rec.NewArenaRun(graph.Stored(&main.s), lt)
	if err != nil {
		t.Fatal(err)
	}
	_, err = a.Run(context.Background(), sweep(lt.Table), RunOptions{})
	var d *Difference
	if !errors.As(err, &d) || errors.Is(err, ErrKernel) || d.Cause != nil ||
		!strings.HasPrefix(err.Error(), `subgraph 1 operator 1 CONV_2D has written tensor 2 "b"`) &&
			!strings.HasPrefix(err.Error(), `subgraph 1 operator 1 CONV_2D reads tensor 1 "a"`) {
		t.Errorf("got %v", err)
	}
}
