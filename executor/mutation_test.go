package executor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/arenalab/arenalab/executor/kernels"
	"github.com/arenalab/arenalab/graph"
	"github.com/arenalab/arenalab/graph/tflite"
	"github.com/arenalab/arenalab/lifetime"
)

// mutant breaks valid plans and tables of a model in single places.
type mutant struct {
	t     *testing.T
	rng   *rand.Rand
	ref   *Reference
	model *graph.Model
	s     *graph.Subgraph
	order graph.Order
	lt    *graph.Lifetimes
	plan  *lifetime.Plan
	valid *Validator
	m     *Memory

	time map[int]int // by operator
	end  map[int]int // by operator, with what it calls
	over int
	tops []int // buffers that hold one tensor of the subgraph each, variables apart
	mutationTally
}

// TestMutatedPlans: every mutation that makes a plan unsafe is found and named,
// and none that does not is.
func TestMutatedPlans(t *testing.T) {
	files, err := filepath.Glob("../datasets/models/*.tflite")
	if err != nil || len(files) == 0 {
		t.Fatal("no models", err)
	}
	trials := 1500
	if os.Getenv("ARENALAB_FULL") != "" {
		trials = 100_000
	}
	if root := os.Getenv("ARENALAB_DATA"); root != "" {
		err := filepath.WalkDir(filepath.Join(root, "models"), func(path string, e fs.DirEntry, err error) error {
			if err == nil && strings.HasSuffix(path, ".tflite") {
				files = append(files, path)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	sum := newTally()
	for round := uint64(0); round < 10 && sum.made() < trials; round++ {
		each := (trials - sum.made() + len(files) - 1) / len(files)
		for k, file := range files {
			sum.model(t, file, each, round<<32+uint64(k))
		}
	}
	t.Logf("%d trials: unsafe and found %d %v, harmless %d %v; found by kernels alone: %v",
		sum.made(), total(sum.unsafe), sum.unsafe, total(sum.safe), sum.safe, sum.kernels)
	for _, name := range []string{"shift", "move", "shorten", "replan", "merge", "in place"} {
		if sum.unsafe[name] == 0 {
			t.Errorf("mutation %q never made a plan unsafe", name)
		}
	}
}

// model mutates plans of the model for the profiles in turn.
func (sum mutationTally) model(t *testing.T, file string, trials int, seed uint64) {
	model, err := tflite.Read(file)
	if err != nil {
		return
	}
	ref := NewReference(model, ReferenceOptions{Machine: MachineOptions{Workers: 1}, MaxWork: 20e6})
	profiles := graph.Profiles()
	part := (trials + len(profiles) - 1) / len(profiles)
	for p := range profiles {
		m := newMutant(t, file, model, ref, profiles[(p+int(seed%4))%len(profiles)], seed)
		if m == nil {
			continue
		}
		m.mutationTally = sum
		for range min(part, trials) {
			m.mutate()
		}
		if trials -= part; trials <= 0 {
			return
		}
	}
}

// newMutant plans the main subgraph. Sizes are not rounded: padding is never
// accessed, so it would hide mutations.
func newMutant(t *testing.T, file string, model *graph.Model, ref *Reference, p graph.Profile, seed uint64) *mutant {
	p.Align, p.RoundSizes, p.Offline = 1, 1, false
	s := model.Subgraphs[0]
	order := graph.Stored(s)
	lt, err := graph.NewLifetimes(model, s, order, p)
	if err != nil {
		t.Fatal(err)
	}
	m := &mutant{
		t: t, rng: rand.New(rand.NewPCG(1, seed)), ref: ref, model: model, s: s, order: order, lt: lt,
		plan: sweep(lt.Table), m: &Memory{}, time: map[int]int{}, end: map[int]int{},
	}
	if m.valid, err = m.validator(lt); err != nil {
		t.Errorf("%s, %s: %v", file, p.Name, err)
		return nil
	}
	_, err = m.valid.Validate(context.Background(), m.plan, Options{Memory: m.m})
	var c *Clobbered
	switch {
	case errors.As(err, &c) && c.InPlace():
		return nil // the sharing rule of the profile
	case err != nil:
		t.Errorf("%s, %s: false alarm: %v", file, p.Name, err)
		return nil
	}
	m.index()
	if len(m.tops) < 2 || len(m.s.Ops) == 0 {
		return nil
	}
	return m
}

func (m *mutant) validator(lt *graph.Lifetimes) (*Validator, error) {
	return NewValidator(m.model, m.s, m.order, lt, ValidatorOptions{Reference: m.ref, MaxWork: -1})
}

func (m *mutant) index() {
	op := -1
	for t, st := range m.lt.Steps {
		if st.Subgraph == m.s.Index {
			if op = st.Op; op >= 0 {
				m.time[op] = t
			}
		}
		if op >= 0 && st.Subgraph != graph.Nowhere {
			m.end[op] = t
		}
		if st.Subgraph != graph.Nowhere {
			m.over = t
		}
	}
	for b, ref := range m.lt.Refs {
		if len(ref.Tensors) != 1 || ref.Tensors[0].Subgraph != m.s.Index || m.lt.Table.Buffers[b].Size == 0 {
			continue
		}
		t := ref.Tensors[0].Tensor
		input := slices.Contains(m.s.Inputs, t)
		if x := &m.s.Tensors[t]; !x.Variable && (input || m.s.Producer[t] >= 0) && m.lt.Table.Buffers[b].Lower <= int64(m.over) {
			m.tops = append(m.tops, b)
		}
	}
}

// needed returns the steps at which the graph accesses a tensor, straight from
// its operators; -1 is that of the caller before the first operator, over+1 that
// of the caller after the last.
func (m *mutant) needed(t int) (first, last int) {
	first = -1
	if p := m.s.Producer[t]; p >= 0 {
		first = m.time[p]
	}
	if last = first; first >= 0 {
		last = m.end[m.s.Producer[t]]
	}
	for k, at := range m.end {
		if slices.Contains(m.s.Ops[k].Inputs, t) {
			last = max(last, at)
		}
	}
	if slices.Contains(m.s.Outputs, t) {
		last = m.over + 1
	}
	return first, last
}

// mutate makes one mutation and validates it.
func (m *mutant) mutate() {
	switch m.rng.IntN(6) {
	case 0:
		m.offset("shift", func(off []int64, i int) { off[i] += int64(m.rng.IntN(2)*2 - 1) })
	case 1:
		m.offset("move", func(off []int64, i int) { off[i] = off[m.rng.IntN(len(off))] })
	case 2:
		m.shorten()
	case 3:
		m.replan()
	case 4:
		m.merge("merge", m.tops[m.rng.IntN(len(m.tops))], m.tops[m.rng.IntN(len(m.tops))])
	case 5:
		m.onTop()
	}
}

// verdict compares what the validator says with what it has to say.
func (m *mutant) verdict(name, what string, unsafe bool, err error) {
	m.t.Helper()
	var c *Clobbered
	var l *LifetimeError
	var p *InPlaceError
	named := errors.As(err, &c) || errors.As(err, &l) || errors.As(err, &p)
	switch {
	case unsafe && err == nil:
		m.t.Fatalf("%s, %s: %s: not found", m.model.Name, name, what)
	case unsafe && !named:
		m.t.Fatalf("%s, %s: %s: not named: %v", m.model.Name, name, what, err)
	case !unsafe && err != nil:
		m.t.Fatalf("%s, %s: %s: false alarm: %v", m.model.Name, name, what, err)
	case unsafe:
		m.mutationTally.unsafe[name]++
	default:
		m.mutationTally.safe[name]++
	}
}

// offset moves one buffer.
func (m *mutant) offset(name string, change func([]int64, int)) {
	offsets := slices.Clone(m.plan.Offsets)
	i := m.rng.IntN(len(offsets))
	if change(offsets, i); offsets[i] < 0 {
		return
	}
	plan := lifetime.NewPlan(m.lt.Table, offsets)
	var overlap *lifetime.OverlapError
	unsafe := errors.As(lifetime.Check(m.lt.Table, plan), &overlap)
	_, err := m.valid.Validate(context.Background(), plan, Options{Memory: m.m})
	m.verdict(name, fmt.Sprintf("buffer %d at %d", i, offsets[i]), unsafe, err)
	m.alone(name, unsafe, plan)
}

// alone lets kernels look for what symbolic execution has found: values may
// agree by chance, so they need not find all.
func (m *mutant) alone(name string, unsafe bool, plan *lifetime.Plan) {
	if !unsafe || m.valid.run == nil || m.rng.IntN(4) > 0 {
		return
	}
	_, err := m.valid.run.Run(context.Background(), plan, RunOptions{Memory: m.m, Replay: m.rng.IntN(2) == 0 && m.valid.run.rec.complete()})
	var d *Difference
	if errors.As(err, &d) {
		m.mutationTally.kernels[name+": found"]++
		if d.Cause == nil {
			m.t.Fatalf("%s: no culprit named: %v", m.model.Name, err)
		}
	} else {
		m.mutationTally.kernels[name+": not"]++
	}
}

// with returns the lifetimes with another table and other references.
func (m *mutant) with(buffers []lifetime.Buffer, refs []graph.Ref) *graph.Lifetimes {
	out := *m.lt
	out.Table = &lifetime.Table{Name: m.lt.Table.Name, Buffers: buffers}
	out.Refs = refs
	return &out
}

// cut takes a step off the life of a buffer. It returns nil if there is but
// one.
func (m *mutant) cut(b int) *graph.Lifetimes {
	buffers := slices.Clone(m.lt.Table.Buffers)
	x := &buffers[b]
	if x.Upper-x.Lower < 2 {
		return nil
	}
	by := 1 + m.rng.Int64N(x.Upper-x.Lower-1)
	if m.rng.IntN(2) == 0 {
		by = 1
	}
	if m.rng.IntN(3) == 0 {
		x.Lower += by
	} else {
		x.Upper -= by
	}
	return m.with(buffers, m.lt.Refs)
}

// shorten tells the validator of a shorter life than the graph needs.
func (m *mutant) shorten() {
	b := m.tops[m.rng.IntN(len(m.tops))]
	lt := m.cut(b)
	if lt == nil {
		return
	}
	x := &lt.Table.Buffers[b]
	first, last := m.needed(m.lt.Refs[b].Tensors[0].Tensor)
	unsafe := x.Lower > int64(max(first, 0)) || x.Upper <= int64(min(max(last, 0), m.over))
	v, err := m.validator(lt)
	if err == nil {
		_, err = v.Validate(context.Background(), sweep(lt.Table), Options{Memory: m.m})
	}
	m.verdict("shorten", fmt.Sprintf("buffer %d %q lives in [%d, %d), needed in [%d, %d]", b, x.Name, x.Lower, x.Upper, first, last), unsafe, err)
}

// replan makes a plan for a table in which a buffer lives too short.
func (m *mutant) replan() {
	b := m.rng.IntN(len(m.lt.Refs))
	lt := m.cut(b)
	if lt == nil {
		return
	}
	plan := sweep(lt.Table)
	var overlap *lifetime.OverlapError
	unsafe := errors.As(lifetime.Check(m.lt.Table, plan), &overlap)
	_, err := m.valid.Validate(context.Background(), plan, Options{Memory: m.m})
	m.verdict("replan", fmt.Sprintf("buffer %d lives shorter", b), unsafe, err)
	m.alone("replan", unsafe, plan)
}

// onTop puts a result of an operator on top of an operand.
func (m *mutant) onTop() {
	home := map[int]int{}
	for _, b := range m.tops {
		home[m.lt.Refs[b].Tensors[0].Tensor] = b
	}
	for range 20 {
		op := &m.s.Ops[m.rng.IntN(len(m.s.Ops))]
		if len(op.Inputs) == 0 || len(op.Outputs) == 0 {
			continue
		}
		x, okX := home[op.Inputs[m.rng.IntN(len(op.Inputs))]]
		y, okY := home[op.Outputs[m.rng.IntN(len(op.Outputs))]]
		if okX && okY {
			m.merge("in place", x, y)
			return
		}
	}
}

// merge puts two tensors into one buffer.
func (m *mutant) merge(name string, a, b int) {
	if a == b {
		return
	}
	x, y := m.lt.Refs[a].Tensors[0].Tensor, m.lt.Refs[b].Tensors[0].Tensor
	fx, lx := m.needed(x)
	fy, ly := m.needed(y)
	if cmp.Or(cmp.Compare(fx, fy), cmp.Compare(lx, ly)) > 0 {
		a, b, x, y, fx, lx, fy, ly = b, a, y, x, fy, ly, fx, lx
	}
	buffers, refs := slices.Clone(m.lt.Table.Buffers), slices.Clone(m.lt.Refs)
	p, q := &buffers[a], buffers[b]
	p.Size, p.Lower, p.Upper = max(p.Size, q.Size), min(p.Lower, q.Lower), max(p.Upper, q.Upper)
	refs[a].Tensors = []graph.TensorRef{{Subgraph: m.s.Index, Tensor: x}, {Subgraph: m.s.Index, Tensor: y}}
	lt := m.with(slices.Delete(buffers, b, b+1), slices.Delete(refs, b, b+1))
	unsafe := lx >= fy && !m.legal(x, y, fx, lx, fy)
	v, err := m.validator(lt)
	if err == nil {
		_, err = v.Validate(context.Background(), sweep(lt.Table), Options{Memory: m.m})
	}
	what := fmt.Sprintf("tensors %d [%d, %d] and %d [%d, %d] in one buffer", x, fx, lx, y, fy, ly)
	m.verdict(name, what, unsafe, err)
}

// legal reports whether tensor y, which is first accessed at step fy, may lie
// on top of x although that is still needed then.
func (m *mutant) legal(x, y, fx, lx, fy int) bool {
	k := m.s.Producer[y]
	if k < 0 || fx == fy {
		return false
	}
	op := &m.s.Ops[k]
	if op.Outputs[0] != y || !slices.Contains(op.Inputs, x) || m.s.Tensors[x].Bytes != m.s.Tensors[y].Bytes {
		return false
	}
	switch graph.OpName(op.Code) {
	case "RESHAPE", "SQUEEZE", "EXPAND_DIMS", "BITCAST":
		return op.Inputs[0] == x // the bytes stay as they are
	case "DYNAMIC_UPDATE_SLICE":
		return lx == fy && op.Inputs[0] == x
	}
	return lx == fy && (inPlaceName(op) || kernels.InPlace(op.Name()))
}
