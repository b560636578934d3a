package executor

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/arenalab/arenalab/graph"
	"github.com/arenalab/arenalab/lifetime"
)

const (
	codeAdd     = 0
	codeReshape = graph.OpReshape
	codeMul     = 18
)

// randomGraph draws a linked subgraph of small tensors with constants,
// variables, absent inputs, results nobody reads and tensors of zero bytes.
func randomGraph(t *rapid.T) *graph.Model {
	s := &graph.Subgraph{}
	var known []int
	tensor := func(constant, variable bool) int {
		i := len(s.Tensors)
		s.Tensors = append(s.Tensors, graph.Tensor{
			Index: i, Name: fmt.Sprint("t", i), Bytes: rapid.Int64Range(0, 9).Draw(t, "bytes"),
			Constant: constant, Variable: variable,
		})
		known = append(known, i)
		return i
	}
	for range rapid.IntRange(0, 3).Draw(t, "inputs") {
		s.Inputs = append(s.Inputs, tensor(false, false))
	}
	tensor(true, false)
	for range rapid.IntRange(0, 2).Draw(t, "variables") {
		tensor(false, true)
	}
	for range rapid.IntRange(0, 7).Draw(t, "operators") {
		op := graph.Op{Index: len(s.Ops), Code: rapid.SampledFrom([]int32{codeAdd, codeReshape, codeMul}).Draw(t, "code")}
		for range rapid.IntRange(1, 3).Draw(t, "arity") {
			if rapid.IntRange(0, 9).Draw(t, "absent") == 0 {
				op.Inputs = append(op.Inputs, -1)
				continue
			}
			op.Inputs = append(op.Inputs, rapid.SampledFrom(known).Draw(t, "input"))
		}
		for range rapid.IntRange(1, 3).Draw(t, "results") {
			op.Outputs = append(op.Outputs, tensor(false, false))
		}
		s.Ops = append(s.Ops, op)
	}
	for range rapid.IntRange(0, 3).Draw(t, "outputs") {
		s.Outputs = append(s.Outputs, rapid.SampledFrom(known).Draw(t, "output"))
	}
	if err := s.Link(); err != nil {
		t.Fatalf("graph: %v", err)
	}
	return &graph.Model{Name: "random", Subgraphs: []*graph.Subgraph{s}}
}

// randomOrder draws a topological order.
func randomOrder(t *rapid.T, s *graph.Subgraph) graph.Order {
	o := graph.Order{Name: "random"}
	for len(o.Ops) < len(s.Ops) {
		var ready []int
		for i := range s.Ops {
			if !slices.Contains(o.Ops, i) && !slices.ContainsFunc(s.Before[i], func(p int) bool { return !slices.Contains(o.Ops, p) }) {
				ready = append(ready, i)
			}
		}
		o.Ops = append(o.Ops, rapid.SampledFrom(ready).Draw(t, "next"))
	}
	return o
}

// randomLifetimes draws the table of a random graph by a random profile, with
// scratch memory added.
func randomLifetimes(t *rapid.T) (*graph.Subgraph, graph.Order, *graph.Lifetimes) {
	m := randomGraph(t)
	s := m.Subgraphs[0]
	o := randomOrder(t, s)
	profile := rapid.SampledFrom(graph.Profiles()).Draw(t, "profile")
	profile.Align = 1 // of no interest here
	profile.Variables = rapid.Bool().Draw(t, "variables in the arena")
	lt, err := graph.NewLifetimes(m, s, o, profile)
	if err != nil {
		t.Fatalf("lifetimes: %v", err)
	}
	for at, st := range lt.Steps {
		if st.Op >= 0 && rapid.IntRange(0, 3).Draw(t, "scratch") == 0 {
			lt.Table.Buffers = append(lt.Table.Buffers, lifetime.Buffer{
				Name: fmt.Sprint("scratch of ", st.Op), Kind: lifetime.Scratch,
				Size: rapid.Int64Range(0, 6).Draw(t, "scratch bytes"), Lower: int64(at), Upper: int64(at + 1),
			})
			lt.Refs = append(lt.Refs, graph.Ref{})
		}
	}
	return s, o, lt
}

// share puts the first result of some operators into the buffer of one of
// their inputs, whether that is right or not.
func share(t *rapid.T, s *graph.Subgraph, lt *graph.Lifetimes) {
	row := func(tensor int) int {
		return slices.IndexFunc(lt.Refs, func(r graph.Ref) bool {
			return slices.Contains(r.Tensors, graph.TensorRef{Tensor: tensor})
		})
	}
	for i := range s.Ops {
		x, y := rapid.SampledFrom(s.Ops[i].Inputs).Draw(t, "shared input"), s.Ops[i].Outputs[0]
		from, to := row(y), row(x)
		if from < 0 || to < 0 || from == to || rapid.Bool().Draw(t, "apart") {
			continue
		}
		b, c := &lt.Table.Buffers[to], &lt.Table.Buffers[from]
		b.Size, b.Lower, b.Upper = max(b.Size, c.Size), min(b.Lower, c.Lower), max(b.Upper, c.Upper)
		lt.Refs[to].Tensors = append(lt.Refs[to].Tensors, lt.Refs[from].Tensors...)
		lt.Refs = slices.Delete(lt.Refs, from, from+1)
		lt.Table.Buffers = slices.Delete(lt.Table.Buffers, from, from+1)
	}
}

// program is FromGraph without its refusal of tables whose lives are too
// short, so that the run has to find out.
func program(t interface{ Fatalf(string, ...any) }, s *graph.Subgraph, o graph.Order, lt *graph.Lifetimes) (p *Program, late bool) {
	b, err := newGraphBuilder(s, lt)
	if err == nil {
		err = b.checkSteps(o)
	}
	if err == nil {
		err = b.run()
	}
	if err != nil {
		t.Fatalf("program: %v", err)
	}
	return b.p, len(b.late) > 0
}

// compare runs a plan by brute force and by both memories, and makes sure that
// they agree on verdict and culprit.
func compare(t *rapid.T, p *Program, s *graph.Subgraph, lt *graph.Lifetimes, offsets []int64) (safe bool) {
	want := bruteRun(s, lt, offsets)
	c := verdicts(t, p, lifetime.NewPlan(lt.Table, offsets))
	if want == nil && c == nil {
		return true
	}
	if want == nil || c == nil {
		t.Fatalf("brute force finds %+v, the run %v", want, c)
	}
	got := bruteFault{
		step: int(c.Reader.Step), op: c.Reader.Op, tensor: c.Reader.Tensor, buffer: c.Reader.Buffer,
		offset: c.Offset, writer: cell{c.Writer.Op, c.Writer.Tensor, c.Writer.Buffer, want.writer.version},
	}
	if c.Purpose == Promise {
		got.op = want.op // the caller at exit, or the last operator
	}
	if got != *want {
		t.Fatalf("got %+v, want %+v: %v", got, *want, c)
	}
	return false
}

func TestGraphProgramAgreesWithBruteForce(t *testing.T) {
	safe := 0
	rapid.Check(t, func(t *rapid.T) {
		s, o, lt := randomLifetimes(t)
		p, err := FromGraph(s, o, lt)
		if err != nil {
			t.Fatal(err)
		}
		offsets := place(lt.Table)
		if !compare(t, p, s, lt, offsets) {
			t.Fatalf("a valid plan is refused")
		}
		for i := range offsets {
			if rapid.IntRange(0, 2).Draw(t, "move") == 0 {
				offsets[i] = max(0, offsets[i]-rapid.Int64Range(-2, 8).Draw(t, "by"))
			}
		}
		if compare(t, p, s, lt, offsets) {
			safe++
		}
	})
	if safe == 0 {
		t.Error("no moved plan was safe: the draw is too wild to tell")
	}
}

// TestInPlace shares buffers at random: right where the input is no longer
// needed, wrong elsewhere.
func TestInPlace(t *testing.T) {
	safe, unsafe := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		s, o, lt := randomLifetimes(t)
		n := len(lt.Refs)
		share(t, s, lt)
		p, err := FromGraph(s, o, lt)
		if err != nil {
			t.Fatal(err)
		}
		switch {
		case !compare(t, p, s, lt, place(lt.Table)):
			unsafe++
		case len(lt.Refs) < n:
			safe++
		}
	})
	if safe == 0 || unsafe == 0 {
		t.Errorf("%d plans with shared buffers were safe, %d unsafe: need both", safe, unsafe)
	}
}

// TestMutations breaks valid plans and tables in single places.
func TestMutations(t *testing.T) {
	caught := map[string]int{}
	rapid.Check(t, func(t *rapid.T) {
		s, o, lt := randomLifetimes(t)
		if len(lt.Refs) < 2 {
			return
		}
		i := rapid.IntRange(0, len(lt.Refs)-1).Draw(t, "buffer")
		b := &lt.Table.Buffers[i]
		offsets := place(lt.Table)
		late := false
		p, _ := program(t, s, o, lt)
		mutation := rapid.SampledFrom([]string{"shift", "merge", "shorten", "delay"}).Draw(t, "mutation")
		switch mutation {
		case "shift": // by one byte
			offsets[i] += rapid.SampledFrom([]int64{-1, 1}).Draw(t, "by")
			if offsets[i] < 0 {
				return
			}
		case "merge": // with another buffer
			offsets[i] = offsets[rapid.IntRange(0, len(lt.Refs)-1).Draw(t, "other")]
		case "shorten": // and plan again
			if b.Upper == b.Lower+1 {
				return
			}
			b.Upper = rapid.Int64Range(b.Lower+1, b.Upper-1).Draw(t, "upper")
			offsets = place(lt.Table)
			p, late = program(t, s, o, lt)
		case "delay":
			if b.Upper == b.Lower+1 || len(lt.Refs[i].Tensors) == 0 {
				return
			}
			b.Lower = rapid.Int64Range(b.Lower+1, b.Upper-1).Draw(t, "lower")
			offsets = place(lt.Table)
			p, late = program(t, s, o, lt)
		}
		if !compare(t, p, s, lt, offsets) {
			caught[mutation]++
			if (mutation == "shorten" || mutation == "delay") && !late {
				t.Fatalf("%s: the run fails, but no access was outside of a life", mutation)
			}
		}
		_, err := FromGraph(s, o, lt)
		var le *LifetimeError
		if late != errors.As(err, &le) {
			t.Fatalf("accesses outside of lives: %v, error %v", late, err)
		}
	})
	for _, m := range []string{"shift", "merge", "shorten", "delay"} {
		if caught[m] == 0 && !testing.Short() { // short runs draw too few
			t.Errorf("mutation %s never made a plan unsafe", m)
		}
	}
	t.Logf("unsafe and caught: %v", caught)
}
