package executor

import (
	"context"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/arenalab/arenalab/executor/kernels"
	"github.com/arenalab/arenalab/graph"
	"github.com/arenalab/arenalab/graph/tflite"
)

// goldenModel reads a model of the golden folder.
func goldenModel(t *testing.T, name string) *graph.Model {
	t.Helper()
	for _, file := range dataFiles(t, "golden", "*.tflite") {
		if filepath.Base(file) == name {
			m, err := tflite.Read(file)
			if err != nil {
				t.Fatal(err)
			}
			return m
		}
	}
	t.Skipf("there is no %s", name)
	return nil
}

// arenaRun records subgraph 0 and prepares a run of it, in stored order.
func arenaRun(t testing.TB, model *graph.Model, profile string, o MachineOptions) (*ArenaRun, *graph.Lifetimes) {
	t.Helper()
	p, err := graph.LookupProfile(profile)
	if err != nil {
		t.Fatal(err)
	}
	m, err := NewMachine(model, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.Close)
	rec, err := m.Record(context.Background(), 0, RecordOptions{})
	if err != nil {
		t.Fatal(err)
	}
	order := graph.Stored(model.Subgraphs[0])
	lt, err := graph.NewLifetimes(model, model.Subgraphs[0], order, p)
	if err != nil {
		t.Fatal(err)
	}
	a, err := rec.NewArenaRun(order, lt)
	if err != nil {
		t.Fatal(err)
	}
	return a, lt
}

// TestArenaAliasChain: TFLite's sharing rule, as it is, lets an operator write over
// an alias that is still to be read. A run that trusts it gives the answer that
// the real runtime gives, and the validator says who is to blame.
func TestArenaAliasChain(t *testing.T) {
	o := MachineOptions{Seed: 7, Arithmetic: kernels.Single, Workers: 1}
	a, lt := arenaRun(t, goldenModel(t, "alias_chain.tflite"), "litert", o)
	if f := a.m.Fallbacks(0); len(f) > 0 {
		t.Skipf("no kernel yet: %v", f)
	}
	var first []int32
	if _, err := a.Run(context.Background(), sweep(lt.Table), RunOptions{Trust: true, Output: func(inv, n int, data []byte) {
		if inv == 0 && n == 0 {
			first = append(first, int32(binary.LittleEndian.Uint32(data)), int32(binary.LittleEndian.Uint32(data[4:])))
		}
	}}); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(first, []int32{2006, 2008}) {
		t.Errorf("the real runtime returns 2006, 2008; got %v", first)
	}
	_, err := a.Run(context.Background(), sweep(lt.Table), RunOptions{})
	var d *Difference
	if !errors.As(err, &d) {
		t.Fatalf("got %v", err)
	}
	t.Log(err)
	for _, part := range []string{"operator 4 MUL reads tensor 4 \"r1\"", "element 0 is 1003, not 3", "operator 3 ADD", "in place"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%q does not say %q", err, part)
		}
	}
	if d.Cause == nil || !d.Cause.InPlace() {
		t.Errorf("no cause: %v", err)
	}
	b, lt := arenaRun(t, goldenModel(t, "alias_siblings.tflite"), "litert", o)
	if _, err := b.Run(context.Background(), sweep(lt.Table), RunOptions{}); err != nil {
		t.Error(err)
	}
}

// TestArenaModels runs every model of the data folder in a valid plan of every
// profile.
func TestArenaModels(t *testing.T) {
	limit := int64(20e6)
	if os.Getenv("ARENALAB_FULL") != "" {
		limit = 1e10
	}
	var sum RunResult
	runs := 0
	for _, file := range dataFiles(t, "models", "*.tflite") {
		model, err := tflite.Read(file)
		if err != nil {
			continue
		}
		m, err := NewMachine(model, MachineOptions{Workers: 1})
		if err != nil {
			t.Logf("%s: %v", model.Name, err)
			continue
		}
		for i := range model.Subgraphs {
			if m.Work(i) > limit {
				continue
			}
			rec, err := m.Record(context.Background(), i, RecordOptions{Invocations: 2})
			if err != nil {
				t.Log(err)
				continue
			}
			for _, p := range graph.Profiles() {
				if p.Nested && i > 0 {
					continue
				}
				for _, res := range validRuns(t, rec, p) {
					runs++
					sum.Operators += res.Operators
					sum.Symbolic += res.Symbolic
					sum.Copied += res.Copied
				}
			}
		}
		m.Close()
	}
	t.Logf("%d runs: %d operators, %d symbolically, %d on copies", runs, sum.Operators, sum.Symbolic, sum.Copied)
}

// validRuns runs a recorded subgraph in a valid plan, computed and replayed.
func validRuns(t *testing.T, rec *Recording, p graph.Profile) (list []RunResult) {
	t.Helper()
	model, i := rec.m.model, rec.Subgraph()
	s := model.Subgraphs[i]
	lt, err := graph.NewLifetimes(model, s, graph.Stored(s), p)
	if err != nil {
		t.Fatal(err)
	}
	a, err := rec.NewArenaRun(graph.Stored(s), lt)
	if errors.Is(err, errSizes) {
		t.Logf("%s, %s: %v", model.Name, p.Name, err)
		return nil
	}
	if err != nil {
		t.Errorf("%s, %s: %v", model.Name, p.Name, err)
		return nil
	}
	for _, replay := range []bool{false, true} {
		res, err := a.Run(context.Background(), sweep(lt.Table), RunOptions{Replay: replay})
		var c *Clobbered
		if errors.As(err, &c) && c.InPlace() && p.InPlace != "" {
			t.Logf("%s, %s: %v", model.Name, p.Name, err) // the rule of the runtime
			break
		}
		if err != nil {
			t.Errorf("%s#%d, %s, replay %v: %v", model.Name, i, p.Name, replay, err)
			break
		}
		list = append(list, res)
	}
	return list
}

// TestArenaAllocations: nothing is allocated after the first run.
func TestArenaAllocations(t *testing.T) {
	for _, file := range dataFiles(t, "models", "*.tflite") {
		model, err := tflite.Read(file)
		if err != nil || len(model.Subgraphs) == 0 || model.FileBytes > 100_000 {
			continue
		}
		m, err := NewMachine(model, MachineOptions{Workers: 1})
		if err != nil || m.Work(0) > 1e6 {
			continue
		}
		rec, err := m.Record(context.Background(), 0, RecordOptions{})
		if err != nil {
			continue
		}
		for _, p := range graph.Profiles() {
			order := graph.Stored(model.Subgraphs[0])
			lt, err := graph.NewLifetimes(model, model.Subgraphs[0], order, p)
			if err != nil {
				t.Fatal(err)
			}
			a, err := rec.NewArenaRun(order, lt)
			if err != nil {
				continue
			}
			plan := sweep(lt.Table)
			ctx := context.Background()
			if n := testing.AllocsPerRun(1, func() { _, err = a.Run(ctx, plan, RunOptions{}) }); n > 0 && err == nil {
				t.Errorf("%s, %s: %v allocations", filepath.Base(file), p.Name, n)
			}
		}
		m.Close()
	}
}
