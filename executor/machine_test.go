package executor

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"unsafe"

	"github.com/arenalab/arenalab/executor/kernels"
	"github.com/arenalab/arenalab/graph"
	"github.com/arenalab/arenalab/lifetime"
)

// refusing is a kernel that takes no data after some runs.
type refusing struct {
	bump
	runs int
}

func (k *refusing) Run(c *kernels.Call) error {
	if k.runs--; k.runs < 0 {
		return errors.New("not these numbers")
	}
	return k.bump.Run(c)
}

// TestRefusedData: an operator whose kernel refuses its data runs symbolically,
// for validators too that were there before.
func TestRefusedData(t *testing.T) {
	first, second, shared := &tiny{}, &tiny{}, &tiny{}
	for _, x := range []*tiny{first, second} {
		x.s.Inputs = x.tensor("in")
		x.op("STABLEHLO_COMPOSITE in > a")
		x.s.Ops[0].Callees = []int{2}
		x.op("NEG a > out")
		x.s.Outputs = x.tensor("out")
	}
	shared.s.Inputs = shared.tensor("x")
	shared.op("CONV_2D x > y")
	shared.s.Outputs = shared.tensor("y")
	model := subgraphs(t, first, second, shared)
	ref := NewReference(model, ReferenceOptions{})
	k := &refusing{bump{1}, 1000}
	ref.machine = machine(t, model, map[string]kernels.Kernel{"CONV_2D": k, "NEG": bump{2}})
	profile, err := graph.LookupProfile("litert")
	if err != nil {
		t.Fatal(err)
	}
	var list []*Validator
	var plans []*lifetime.Plan
	for _, s := range model.Subgraphs[:2] {
		lt, err := graph.NewLifetimes(model, s, graph.Stored(s), profile)
		if err != nil {
			t.Fatal(err)
		}
		v, err := NewValidator(model, s, graph.Stored(s), lt, ValidatorOptions{Reference: ref})
		if err != nil {
			t.Fatal(err)
		}
		list, plans = append(list, v), append(plans, sweep(lt.Table))
	}
	for n, want := range []struct {
		which  int
		engine string
	}{{0, EngineKernels}, {1, EngineSymbolic}, {0, EngineSymbolic}} {
		res, err := list[want.which].Validate(context.Background(), plans[want.which], Options{})
		if err != nil || res.Engine != want.engine {
			t.Errorf("%d: %+v, error %v, want %q", n, res, err, want.engine)
		}
		k.runs = 0
	}
	for _, v := range list {
		if notes := v.Notes(); len(notes) != 1 || !strings.HasSuffix(notes[0], "operators without a kernel: CONV_2D") {
			t.Errorf("notes %q", notes)
		}
	}
	if f := ref.machine.Fallbacks(0); len(f) != 1 || f[0].Subgraph != 2 || !strings.Contains(f[0].Reason.Error(), "not these numbers") {
		t.Errorf("fallbacks %v", f)
	}
}

// TestSharedReference validates plans of one model on several goroutines.
func TestSharedReference(t *testing.T) {
	m := &tiny{}
	m.s.Inputs = m.tensor("in")
	m.op("RESHAPE in > a")
	m.op("RESHAPE a > b")
	m.op("RESHAPE b > c")
	m.s.Outputs = m.tensor("c")
	model := subgraphs(t, m)
	ref := NewReference(model, ReferenceOptions{Machine: MachineOptions{Workers: 2}})
	var wg sync.WaitGroup
	for _, p := range graph.Profiles() {
		lt := m.lifetimes(t, p)
		wg.Go(func() {
			v, err := NewValidator(model, &m.s, graph.Stored(&m.s), lt, ValidatorOptions{Reference: ref})
			if err != nil {
				t.Error(err)
				return
			}
			for range 20 {
				res, err := v.Validate(context.Background(), sweep(lt.Table), Options{})
				if err != nil || res.Engine != EngineKernels || res.Kernels != 3 {
					t.Errorf("%s: %+v, error %v", p.Name, res, err)
				}
			}
		})
	}
	wg.Wait()
}

// defect is a kernel that goes wrong as soon as it is told to.
type defect struct {
	bump
	reverse bool // writes the last element first
	beyond  int  // writes this many bytes behind its result
}

func (k *defect) Run(c *kernels.Call) error {
	out := c.Out[0]
	if k.reverse {
		for i := range out {
			out[i] = c.In[0][len(out)-1-i]
		}
		return nil
	}
	if err := k.bump.Run(c); err != nil {
		return err
	}
	if k.beyond > 0 {
		unsafe.Slice(&out[0], len(out)+k.beyond)[len(out)+k.beyond-1] = 7
	}
	return nil
}

// TestDefectiveKernels: what kernels do wrong is found, and not held against
// the plan.
func TestDefectiveKernels(t *testing.T) {
	for _, test := range []struct {
		name     string
		at       map[string]int64
		together bool // results in place
		broken   defect
		want     string
	}{
		{"behind", map[string]int64{"in": 0, "a": 32, "b": 64}, false, defect{beyond: 3},
			"operator 0 ABS: memory was written that is no result in invocation 0, byte 50 of the arena"},
		{"behind, unaligned", map[string]int64{"in": 0, "a": 33, "b": 64}, false, defect{beyond: 3},
			`operator 0 ABS: writes behind tensor 1 "a": defective kernel`},
		{"far behind", map[string]int64{"in": 0, "a": 32, "b": 256}, false, defect{beyond: 100},
			"the caller at exit: memory was written that is no result in invocation 0, byte 147 of the arena"},
		{"in place", map[string]int64{"in": 0, "b": 64}, true, defect{reverse: true},
			`operator 0 ABS has written tensor 1 "a" in invocation 0: element`},
	} {
		m := &tiny{}
		m.s.Inputs = m.tensor("in")
		m.op("ABS in > a")
		m.op("CONV_2D a > b")
		m.s.Outputs = m.tensor("b")
		model := subgraphs(t, m)
		k := &defect{bump: bump{1}, reverse: test.broken.reverse}
		x := machine(t, model, map[string]kernels.Kernel{"ABS": k, "CONV_2D": bump{5}})
		rec, err := x.Record(context.Background(), 0, RecordOptions{})
		if err != nil {
			t.Fatal(err)
		}
		lt := m.lifetimes(t, graph.Profile{Name: "mine", Align: 1, RoundSizes: 1})
		if test.together {
			merge(lt, "in", "a")
		}
		a, err := rec.NewArenaRun(graph.Stored(&m.s), lt)
		if err != nil {
			t.Fatal(err)
		}
		var offsets []int64
		for _, b := range lt.Table.Buffers {
			offsets = append(offsets, test.at[b.Name])
		}
		plan := lifetime.NewPlan(lt.Table, offsets)
		plan.Arena += 100
		if _, err := a.Run(context.Background(), plan, RunOptions{}); err != nil && !test.broken.reverse {
			t.Fatalf("%s: %v before the defect", test.name, err)
		}
		*k = test.broken
		k.by = 1
		_, err = a.Run(context.Background(), plan, RunOptions{})
		if err == nil || !strings.HasPrefix(err.Error(), test.want) || !errors.Is(err, ErrKernel) {
			t.Errorf("%s:\ngot  %v\nwant %s", test.name, err, test.want)
		}
		if _, err = a.Run(context.Background(), plan, RunOptions{Replay: true}); err != nil {
			t.Errorf("%s: a replay runs no kernels: %v", test.name, err)
		}
	}
}
