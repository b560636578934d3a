package executor

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/arenalab/arenalab/executor/kernels"
	"github.com/arenalab/arenalab/graph"
)

// ErrKernel is returned for a kernel that does what kernels must not do, such
// as writing outside of its results: a defect of the kernel, not of a plan.
var ErrKernel = errors.New("defective kernel")

// RecordOptions are the knobs of a recording. The zero value is the default.
type RecordOptions struct {
	// Invocations is how often the subgraph runs, one after the other with
	// state kept. 0 means DefaultInvocations.
	Invocations int
	// MaxBytes bounds the results that are kept, in bytes; of what does not fit
	// only a hash is. 0 means DefaultKept, negative keeps none.
	MaxBytes int64
	// MaxWork bounds the multiplications of all invocations, as Machine.Work
	// estimates them, those that loops repeat included. 0 is no limit.
	MaxWork int64
}

// Defaults of RecordOptions.
const (
	DefaultInvocations = 3
	DefaultKept        = 256 << 20
)

// Recording is a run in which every tensor has memory of its own: what every
// operator has to compute, whatever the plan and the order.
type Recording struct {
	m        *Machine
	version  int
	subgraph int
	kept     int64       // bytes that may still be kept
	reached  []bool      // by subgraph: the run may come there
	inputs   [][][]byte  // by invocation and input
	entries  []entry     // values in the sequence of the run
	starts   [][]int32   // by invocation and operator: its first entry; the last is that of the caller
	final    [][][]int32 // by invocation, subgraph and tensor: its entry at the exit, or -1
}

// entry is a value that a tensor had.
type entry struct {
	bytes int
	data  []byte // nil if only the hash was kept
	hash  uint64
}

// Record runs a subgraph in memory apart, its operators in stored order. Its
// inputs are drawn with the seed of the machine in the sequence of the
// subgraph, one invocation after the other.
//
// An operator whose kernel refuses the data it is given runs symbolically from
// then on. Errors wrap kernels.ErrDynamic if a shape turns out to be another
// than that of the file, and ErrTooLarge if a loop does not end, or not within MaxWork.
func (m *Machine) Record(ctx context.Context, subgraph int, o RecordOptions) (*Recording, error) {
	if subgraph < 0 || subgraph >= len(m.subs) {
		return nil, fmt.Errorf("subgraph %d of %d", subgraph, len(m.subs))
	}
	if o.Invocations == 0 {
		o.Invocations = DefaultInvocations
	}
	if o.MaxBytes == 0 {
		o.MaxBytes = DefaultKept
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for {
		rec, err := m.record(ctx, subgraph, o)
		var k *kernelError
		if !errors.As(err, &k) || errors.Is(err, kernels.ErrDynamic) || errors.Is(err, ErrKernel) {
			return rec, err
		}
		op := &m.subs[k.subgraph].ops[k.op]
		op.how, op.reason = symbolically, k.err
		m.version++
	}
}

func (m *Machine) record(ctx context.Context, subgraph int, o RecordOptions) (*Recording, error) {
	rec := &Recording{m: m, version: m.version, subgraph: subgraph, kept: o.MaxBytes}
	rec.reached = m.reach(subgraph, func(int, *operation) {})
	p := newSpace(m, rec.reached, func(int, int) int32 { return -1 })
	p.bind()
	r := newRun(m, p, subgraph)
	r.ctx, r.log, r.most = ctx, rec, o.MaxWork
	x := m.subs[subgraph]
	g := generator(m.o.Seed)
	order := graph.Stored(x.s).Ops
	for n := range o.Invocations {
		rec.inputs = append(rec.inputs, x.draw(&g))
		starts := make([]int32, len(x.ops)+1)
		starts[len(x.ops)] = int32(len(rec.entries))
		rec.starts = append(rec.starts, starts)
		r.invocation = n
		if err := r.invoke(order, nil); err != nil {
			return nil, fmt.Errorf("%s: subgraph %d: %w", m.model.Name, subgraph, err)
		}
		now := make([][]int32, len(r.now))
		for i := range now {
			now[i] = slices.Clone(r.now[i])
		}
		rec.final = append(rec.final, now)
	}
	return rec, nil
}

// draw returns the inputs of an invocation.
func (x *subgraph) draw(g *generator) [][]byte {
	list := make([][]byte, len(x.s.Inputs))
	for n, t := range x.s.Inputs {
		if x.s.Tensors[t].Variable || x.constant[t] != nil {
			continue
		}
		list[n] = aligned(x.bytes[t])
		g.fill(list[n], x.s.Tensors[t].Type)
	}
	return list
}

// begin notes where the entries of an operator begin.
func (rec *Recording) begin(invocation, op int) {
	rec.starts[invocation][op] = int32(len(rec.entries))
}

// at returns where the entries of an operator begin, or of the caller.
func (rec *Recording) at(invocation, op int) int {
	starts := rec.starts[invocation]
	if op == graph.Entry {
		op = len(starts) - 1
	}
	return int(starts[op])
}

// add notes a value.
func (rec *Recording) add(value []byte) int32 {
	e := entry{bytes: len(value)}
	if n := int64(len(value)); n <= rec.kept {
		rec.kept -= n
		e.data = slices.Clone(value)
	} else {
		e.hash = digest(0, value)
	}
	rec.entries = append(rec.entries, e)
	return int32(len(rec.entries) - 1)
}

// differ returns the index of the first byte that is not that of the entry, -1
// if there is none. Of values that were not kept it is 0.
func (rec *Recording) differ(e int, mem []byte) int {
	x := &rec.entries[e]
	switch {
	case x.data != nil:
		return differ(mem, x.data)
	case len(mem) != x.bytes || digest(0, mem) != x.hash:
		return 0
	}
	return -1
}

// complete reports whether all values were kept.
func (rec *Recording) complete() bool {
	for i := range rec.entries {
		if rec.entries[i].data == nil {
			return false
		}
	}
	return true
}

// Invocations returns how often the subgraph ran.
func (rec *Recording) Invocations() int { return len(rec.final) }

// Subgraph returns the index of the subgraph that ran.
func (rec *Recording) Subgraph() int { return rec.subgraph }

// Value returns what a tensor held after an invocation, of a subgraph that was
// called what it held after the last call. It is nil if nothing was written
// there, or if the bytes were not kept. The bytes must not be changed.
func (rec *Recording) Value(invocation, subgraph, tensor int) []byte {
	if c := rec.m.subs[subgraph].constant[tensor]; c != nil {
		return c
	}
	e := rec.final[invocation][subgraph][tensor]
	if e < 0 {
		return nil
	}
	return rec.entries[e].data
}

// Input returns what was given as input n of the subgraph.
func (rec *Recording) Input(invocation, n int) []byte { return rec.inputs[invocation][n] }
