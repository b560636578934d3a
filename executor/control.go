package executor

import (
	"fmt"
	"slices"

	"github.com/arenalab/arenalab/executor/kernels"
	"github.com/arenalab/arenalab/graph"
)

// control runs an operator that calls subgraphs.
//
// What goes in and out is copied, as TFLite-Micro does. A runtime that lends
// memory instead shows the callee the same bytes.
func (r *execution) control(i, k, time int, o *operation) error {
	op := o.op
	switch o.how {
	case byIf:
		c := op.Callees[0]
		start := time + 1
		if r.p.mem[i][op.Inputs[0]][0] == 0 {
			start += r.span(c)
			c = op.Callees[1]
		}
		return r.call(i, k, c, start, op.Inputs[1:], op.Outputs)
	case byOnce:
		if r.called[i][k] {
			return nil
		}
		r.called[i][k] = true
		return r.call(i, k, op.Callees[0], time+1, nil, nil)
	case byCall:
		return r.call(i, k, op.Callees[0], time+1, op.Inputs, op.Outputs)
	}
	return r.loop(i, k, time, op)
}

// span returns the steps of a call of subgraph c.
func (r *execution) span(c int) int {
	if c < 0 || c >= len(r.m.subs) {
		return 0
	}
	return r.m.subs[c].span
}

// loop runs a WHILE: the values it carries are in its results.
func (r *execution) loop(i, k, time int, op *graph.Op) error {
	for n, t := range op.Inputs {
		if err := r.pass(i, t, i, op.Outputs[n]); err != nil {
			return fmt.Errorf("%s: %w", r.actor(i, k), err)
		}
	}
	cond, body := op.Callees[0], op.Callees[1]
	for {
		for _, t := range op.Outputs {
			if err := r.arrive(i, k, t); err != nil {
				return err
			}
		}
		more := false
		if err := r.ask(i, k, cond, time+1, op.Outputs, &more); err != nil || !more {
			return err
		}
		if r.rounds++; r.rounds > maxRounds {
			return fmt.Errorf("%s: %w: a loop has not ended after %d rounds", r.actor(i, k), ErrTooLarge, maxRounds)
		}
		for _, t := range op.Outputs {
			if err := r.read(i, k, t); err != nil {
				return err
			}
		}
		if err := r.call(i, k, body, time+1+r.span(cond), op.Outputs, op.Outputs); err != nil {
			return err
		}
	}
}

// ask runs the condition of a loop.
func (r *execution) ask(i, k, c, start int, inputs []int, more *bool) error {
	if err := r.enter(i, k, c, start, inputs); err != nil {
		return err
	}
	out := r.m.subs[c].s.Outputs
	if len(out) != 1 || len(r.p.mem[c][out[0]]) == 0 {
		return fmt.Errorf("%s: %w: the condition has no result", r.actor(i, k), kernels.ErrInvalid)
	}
	if err := r.read(c, graph.Exit, out[0]); err != nil {
		return err
	}
	*more = r.p.mem[c][out[0]][0] != 0
	r.leave(c)
	return nil
}

// call runs subgraph c for operator k of subgraph i; its entry is at the given
// time of the table.
func (r *execution) call(i, k, c, start int, inputs, outputs []int) error {
	if err := r.enter(i, k, c, start, inputs); err != nil {
		return err
	}
	results := r.m.subs[c].s.Outputs
	if len(outputs) > 0 && len(results) != len(outputs) {
		return fmt.Errorf("%s: %w: subgraph %d has %d results for %d", r.actor(i, k), kernels.ErrInvalid, c, len(results), len(outputs))
	}
	for n, t := range outputs {
		if err := r.read(c, graph.Exit, results[n]); err != nil {
			return err
		}
		if err := r.pass(c, results[n], i, t); err != nil {
			return fmt.Errorf("%s: %w", r.actor(i, k), err)
		}
	}
	r.leave(c)
	return nil
}

// enter gives a subgraph its inputs and runs its operators.
func (r *execution) enter(i, k, c, start int, inputs []int) error {
	if c < 0 || c >= len(r.m.subs) {
		return fmt.Errorf("%s: %w: there is no subgraph %d", r.actor(i, k), kernels.ErrInvalid, c)
	}
	x := r.m.subs[c]
	if len(inputs) != len(x.s.Inputs) && inputs != nil {
		return fmt.Errorf("%s: %w: subgraph %d has %d inputs for %d", r.actor(i, k), kernels.ErrInvalid, c, len(x.s.Inputs), len(inputs))
	}
	for n, t := range inputs {
		if t < 0 {
			return fmt.Errorf("%s: %w: operand %d is missing", r.actor(i, k), kernels.ErrInvalid, n)
		}
		if err := r.pass(i, t, c, x.s.Inputs[n]); err != nil {
			return fmt.Errorf("%s: %w", r.actor(i, k), err)
		}
	}
	for n, t := range x.s.Inputs {
		if inputs != nil && !slices.Contains(x.s.Inputs[:n], t) {
			if err := r.arrive(c, graph.Entry, t); err != nil {
				return err
			}
		}
	}
	nested := r.arena != nil && r.arena.nested
	if nested && len(x.ops) > 0 {
		r.arena.died(start, start+1)
	}
	for n := range x.ops {
		if err := r.op(c, n, start+x.at[n]); err != nil {
			return err
		}
		if nested && n < len(x.ops)-1 { // what the last one leaves is still to be read
			r.arena.died(start+x.at[n], start+x.at[n+1])
		}
	}
	return nil
}

// leave ends a call of subgraph c, after its results have been read: what lies
// in the arena dies, whatever the table says, which may keep it for another
// call.
func (r *execution) leave(c int) {
	if r.arena != nil && r.arena.nested {
		r.arena.left(c)
	}
}

// pass copies a tensor into another, which may be in another subgraph.
func (r *execution) pass(i, from, c, to int) error {
	a, b := r.m.subs[i], r.m.subs[c]
	if a.handle[from] && b.handle[to] {
		r.handles[c][to] = r.handles[i][from]
		return nil
	}
	src, dst := r.p.mem[i][from], r.p.mem[c][to]
	if len(src) != len(dst) || b.constant[to] != nil {
		return fmt.Errorf("%w: tensor %d %q of %d bytes passed as tensor %d %q of %d bytes",
			kernels.ErrDynamic, from, a.s.Tensors[from].Name, len(src), to, b.s.Tensors[to].Name, len(dst))
	}
	copy(dst, src)
	return nil
}

// variable returns the number of the variable with that key.
func (r *execution) variable(key uint64) int32 {
	for i := range r.variables {
		if r.variables[i].key == key {
			return int32(i)
		}
	}
	r.variables = append(r.variables, variable{key: key})
	return int32(len(r.variables) - 1)
}

// nameKey returns the key of the variable that VAR_HANDLE names.
func nameKey(op *graph.Op) uint64 {
	return digest(digest(0, op.Attributes.Lists[0]), op.Attributes.Lists[1])
}

// readVariable copies a variable, zeros if nothing was ever assigned.
func (r *execution) readVariable(i, k int, o *operation) error {
	dst := r.p.mem[i][o.op.Outputs[0]]
	h := r.handles[i][o.op.Inputs[0]]
	if h < 0 || !r.variables[h].set {
		pattern(dst, 0)
		return nil
	}
	if v := &r.variables[h]; len(v.data) != len(dst) {
		return fmt.Errorf("%s: %w: the variable has %d bytes, the result %d", r.actor(i, k), kernels.ErrDynamic, len(v.data), len(dst))
	}
	copy(dst, r.variables[h].data)
	return nil
}

func (r *execution) assignVariable(i int, o *operation) {
	h := r.handles[i][o.op.Inputs[0]]
	if h < 0 {
		return
	}
	v := &r.variables[h]
	v.data, v.set = append(v.data[:0], r.p.mem[i][o.op.Inputs[1]]...), true
}
