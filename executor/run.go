package executor

import (
	"context"
	"fmt"
	"slices"

	"github.com/arenalab/arenalab/executor/kernels"
	"github.com/arenalab/arenalab/graph"
)

// run executes a subgraph, and those that it calls, in a space.
type execution struct {
	ctx  context.Context
	m    *Machine
	p    *space
	top  int // the subgraph
	log  *Recording
	mode mode
	// arena is told what happens, if tensors lie in one; else nil.
	arena *ArenaRun

	invocation int
	cursor     int // the entry of the log that comes next
	// now holds, by subgraph and tensor, the entry of the log that the tensor
	// has to show; -1 for none.
	now       [][]int32
	variables []variable
	handles   [][]int32 // by subgraph and tensor: variable, or -1
	called    [][]bool  // by subgraph and operator: CALL_ONCE has run
	rounds    int       // of loops in this invocation
	work      int64     // of all operators so far
	most      int64     // that work may be; 0 for no limit
}

// mode says what a run does with the results of operators.
type mode uint8

const (
	recording mode = iota // they are put into the log
	checking              // they are compared with the log
	replaying             // they are taken from the log
	trusting              // nothing
)

// variable is the memory behind a handle.
type variable struct {
	key  uint64 // of the name
	data []byte
	set  bool
}

// maxRounds bounds what loops do in an invocation: with inputs that are drawn
// a loop may never end.
const maxRounds = 1000

func newRun(m *Machine, p *space, top int) *execution {
	r := &execution{m: m, p: p, top: top}
	for _, x := range m.subs {
		r.now = append(r.now, minusOnes(len(x.bytes)))
		r.handles = append(r.handles, minusOnes(len(x.bytes)))
		r.called = append(r.called, make([]bool, len(x.ops)))
	}
	return r
}

// reset forgets the state of earlier invocations and gives the variables of
// the model their first content: zeros, or the zero point of int8.
func (r *execution) reset() error {
	for i, x := range r.m.subs {
		clear(r.called[i])
		for t := range x.s.Tensors {
			r.now[i][t], r.handles[i][t] = -1, -1
		}
	}
	for i := range r.variables {
		r.variables[i].set = false
	}
	for i := range r.m.subs {
		if err := r.resetVariables(i); err != nil {
			return err
		}
	}
	return nil
}

func (r *execution) resetVariables(i int) error {
	x := r.m.subs[i]
	for t := range x.s.Tensors {
		v := &x.s.Tensors[t]
		if !v.Variable || x.bytes[t] == 0 || !r.uses(i) {
			continue
		}
		first := byte(0)
		if v.Type == graph.Int8 && v.Quant != nil {
			first = byte(v.Quant.ZeroPoint(0))
		}
		pattern(r.p.mem[i][t], first)
	}
	for t := range x.s.Tensors {
		if x.s.Tensors[t].Variable && x.bytes[t] > 0 && r.uses(i) {
			if err := r.arrive(i, graph.Entry, t); err != nil {
				return err
			}
		}
	}
	return nil
}

// uses reports whether the run may come to a subgraph.
func (r *execution) uses(i int) bool { return r.log.reached[i] }

// op runs an operator at a time of the table.
func (r *execution) op(i, k, time int) error {
	o := &r.m.subs[i].ops[k]
	if err := r.ctx.Err(); err != nil {
		return err
	}
	if r.work += o.work; r.most > 0 && r.work > r.most {
		return fmt.Errorf("%s: %w: more than %d million multiplications", r.actor(i, k), ErrTooLarge, r.most/1e6)
	}
	for _, t := range o.reads {
		if err := r.read(i, k, t); err != nil {
			return err
		}
	}
	if r.arena != nil {
		r.arena.scratch(r, i, k, time)
	}
	if err := r.compute(i, k, time, o); err != nil {
		return err
	}
	if r.arena != nil {
		r.arena.scratch(r, i, k, time)
	}
	if t := r.p.strayed(i, o.op); t >= 0 {
		return fmt.Errorf("%s writes behind tensor %d %q: %w", r.actor(i, k), t, r.m.subs[i].s.Tensors[t].Name, ErrKernel)
	}
	for _, t := range o.op.Outputs {
		if err := r.arrive(i, k, t); err != nil {
			return err
		}
	}
	for _, t := range o.state {
		if err := r.arrive(i, k, t); err != nil {
			return err
		}
	}
	if r.arena != nil {
		return r.arena.guards(r, i, k, time)
	}
	return nil
}

func (r *execution) actor(i, k int) string {
	s := Site{Subgraph: i, Op: k}
	if k >= 0 {
		s.OpName = r.m.subs[i].ops[k].name
	}
	return s.actor()
}

// compute gives the results of an operator their bytes.
func (r *execution) compute(i, k, time int, o *operation) error {
	if r.mode == replaying && o.how <= byCopy {
		r.replay(i, o)
		return nil
	}
	mem := r.p.mem[i]
	switch o.how {
	case symbolically:
		r.symbolic(i, o)
	case byKernel:
		return r.kernel(i, k, o)
	case byCopy:
		copy(mem[o.op.Outputs[0]], mem[o.op.Inputs[0]])
	case byHandle:
		r.handles[i][o.op.Outputs[0]] = r.variable(mix(tagState, nameKey(o.op)))
	case byRead:
		return r.readVariable(i, k, o)
	case byAssign:
		r.assignVariable(i, o)
	default:
		return r.control(i, k, time, o)
	}
	return nil
}

// replay copies the results of an operator from the log.
func (r *execution) replay(i int, o *operation) {
	at := r.cursor
	for _, list := range [2][]int{o.op.Outputs, o.state} {
		for _, t := range list {
			if r.m.subs[i].bytes[t] > 0 {
				copy(r.p.mem[i][t], r.log.entries[at].data)
				at++
			}
		}
	}
	for n, t := range o.op.Outputs {
		if r.m.subs[i].handle[t] {
			r.handles[i][t] = r.variable(mix(o.key, uint64(n)))
		}
	}
}

// kernel runs a kernel.
func (r *execution) kernel(i, k int, o *operation) error {
	b := &r.p.ops[i][k]
	r.p.load(b)
	err := protect(o.kernel, &b.call)
	if t := r.p.store(b); t >= 0 && err == nil {
		err = fmt.Errorf("writes behind tensor %d %q: %w", t, r.m.subs[i].s.Tensors[t].Name, ErrKernel)
	}
	if err != nil {
		return &kernelError{i, k, fmt.Errorf("%s: %w", r.actor(i, k), err)}
	}
	return nil
}

// kernelError is what the kernel of an operator says.
type kernelError struct {
	subgraph, op int
	err          error
}

func (e *kernelError) Error() string { return e.err.Error() }

func (e *kernelError) Unwrap() error { return e.err }

// protect turns a panic of a kernel into an error.
func protect(k kernels.Kernel, c *kernels.Call) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("%w: %v", ErrKernel, v)
		}
	}()
	return k.Run(c)
}

// symbolic makes the results of an operator a function of what it reads.
func (r *execution) symbolic(i int, o *operation) {
	key := o.key
	for n, t := range o.op.Inputs {
		switch {
		case t < 0:
			key = mix(key, uint64(n))
		case r.m.subs[i].handle[t] && r.handles[i][t] >= 0:
			key = mix(key, r.variables[r.handles[i][t]].key)
		default:
			key = digest(key, r.p.mem[i][t])
		}
	}
	tensors := r.m.subs[i].s.Tensors
	for n, t := range o.op.Outputs {
		if r.m.subs[i].handle[t] {
			r.handles[i][t] = r.variable(mix(o.key, uint64(n)))
			continue
		}
		g := generator(mix(key, uint64(n)) | 1)
		g.fill(r.p.mem[i][t], tensors[t].Type)
	}
	for n, t := range o.state {
		g := generator(mix(mix(key, tagState), uint64(n)) | 1)
		g.fill(r.p.mem[i][t], tensors[t].Type)
	}
}

// read makes sure that an operand is what it has to be.
func (r *execution) read(i, k, t int) error {
	e := r.now[i][t]
	if e < 0 || r.mode != checking && r.mode != replaying || r.p.home[i][t] < 0 {
		return nil
	}
	if at := r.log.differ(int(e), r.p.mem[i][t]); at >= 0 {
		return r.arena.difference(r, i, k, t, Input, at)
	}
	return nil
}

// arrive notes that a tensor has a new value, and makes sure that it is right.
func (r *execution) arrive(i, k, t int) error {
	if r.m.subs[i].bytes[t] == 0 || r.m.subs[i].constant[t] != nil {
		return nil
	}
	switch r.mode {
	case trusting:
		return nil
	case recording:
		r.now[i][t] = r.log.add(r.p.mem[i][t])
		return nil
	}
	e := r.cursor
	r.cursor++
	r.now[i][t] = int32(e)
	if at := r.log.differ(e, r.p.mem[i][t]); at >= 0 {
		return r.arena.difference(r, i, k, t, Own, at)
	}
	return nil
}

// invoke runs the subgraph once: its inputs are taken from the log, its
// operators run in the given order at the given times of a table.
func (r *execution) invoke(order, times []int) error {
	x := r.m.subs[r.top]
	r.rounds = 0
	r.cursor = r.log.at(r.invocation, graph.Entry)
	if r.invocation == 0 {
		if err := r.reset(); err != nil {
			return err
		}
	}
	for n, t := range x.s.Inputs {
		copy(r.p.mem[r.top][t], r.log.inputs[r.invocation][n])
		if x.handle[t] {
			r.handles[r.top][t] = r.variable(mix(tagEntry, uint64(n)))
		}
	}
	for n, t := range x.s.Inputs {
		if slices.Contains(x.s.Inputs[:n], t) || x.s.Tensors[t].Variable {
			continue
		}
		if err := r.arrive(r.top, graph.Entry, t); err != nil {
			return err
		}
	}
	if r.arena != nil {
		r.arena.entered()
	}
	for _, k := range order {
		if r.mode == recording {
			r.log.begin(r.invocation, k)
		} else if r.mode != trusting {
			r.cursor = r.log.at(r.invocation, k)
		}
		time := 0
		if times != nil {
			time = times[k]
		}
		if err := r.op(r.top, k, time); err != nil {
			return err
		}
		if r.arena != nil {
			r.arena.died(time, time+r.spans(r.top, k))
		}
	}
	return nil
}

// spans returns the steps of an operator, those of what it calls included if
// they are in the table.
func (r *execution) spans(i, k int) int {
	n := 1
	if r.arena == nil || !r.arena.nested {
		return n
	}
	for _, c := range r.m.subs[i].ops[k].op.Callees {
		if c >= 0 && c < len(r.m.subs) {
			n += r.m.subs[c].span
		}
	}
	return n
}
