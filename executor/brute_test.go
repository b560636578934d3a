package executor

import (
	"cmp"
	"slices"

	"github.com/arenalab/arenalab/graph"
)

// brute runs a subgraph byte by byte in the most literal way, sharing nothing
// with programs but the meaning: every byte of memory knows who wrote it.
type brute struct {
	s       *graph.Subgraph
	lt      *graph.Lifetimes
	offsets []int64
	mem     map[int64]cell
	version map[int]int  // by tensor: of its present content
	content map[int]cell // by tensor: what its bytes have to say
	holds   map[int]cell // by buffer: what was written last
	extent  map[int]int64
	bad     *bruteFault
}

type cell struct {
	op, tensor, buffer, version int
}

type bruteFault struct {
	step, op, tensor, buffer int
	offset                   int64
	writer                   cell
}

func bruteRun(s *graph.Subgraph, lt *graph.Lifetimes, offsets []int64) *bruteFault {
	b := &brute{
		s: s, lt: lt, offsets: offsets, mem: map[int64]cell{}, version: map[int]int{},
		content: map[int]cell{}, holds: map[int]cell{}, extent: map[int]int64{},
	}
	b.run()
	return b.bad
}

func (b *brute) buffer(tensor int) int {
	for i, r := range b.lt.Refs {
		for _, t := range r.Tensors {
			if t.Tensor == tensor && b.s.Tensors[tensor].Bytes > 0 {
				return i
			}
		}
	}
	return -1
}

func (b *brute) write(step, op, tensor, buffer int, size int64) {
	b.version[buffer]++
	c := cell{op, tensor, buffer, b.version[buffer]}
	for x := range size {
		b.mem[b.offsets[buffer]+x] = c
	}
	b.holds[buffer], b.extent[buffer] = c, size
	if tensor >= 0 {
		b.content[tensor] = c
	}
}

func (b *brute) expect(step, op, tensor, buffer int, want cell, size int64) {
	for x := range size {
		at := b.offsets[buffer] + x
		if got := b.mem[at]; b.bad == nil && got != want {
			b.bad = &bruteFault{step, op, tensor, buffer, at, got}
		}
	}
}

func (b *brute) tensor(step, op, tensor int) {
	if buf := b.buffer(tensor); buf >= 0 {
		b.expect(step, op, tensor, buf, b.content[tensor], b.s.Tensors[tensor].Bytes)
	}
}

func (b *brute) give(step, op, tensor int) {
	if buf := b.buffer(tensor); buf >= 0 {
		b.write(step, op, tensor, buf, b.s.Tensors[tensor].Bytes)
	}
}

// scratch returns the buffers that no operator of the graph writes and that
// are born at the step.
func (b *brute) scratch(step int) []int {
	var list []int
	for i, r := range b.lt.Refs {
		if len(r.Tensors) == 0 && b.lt.Table.Buffers[i].Lower == int64(step) && b.lt.Table.Buffers[i].Size > 0 {
			list = append(list, i)
		}
	}
	return list
}

func (b *brute) run() {
	last := max(len(b.lt.Steps)-1, 0)
	if len(b.lt.Steps) == 0 || b.lt.Steps[0].Op != graph.Entry {
		b.caller(0, graph.Entry)
	}
	for t, st := range b.lt.Steps {
		switch st.Op {
		case graph.Entry, graph.Exit:
			b.caller(t, st.Op)
		default:
			b.operator(t, &b.s.Ops[st.Op])
		}
		if t < last {
			b.promises(t)
		}
	}
	if len(b.lt.Steps) == 0 || b.lt.Steps[last].Op != graph.Exit {
		b.caller(last, graph.Exit)
	}
	b.promises(last)
}

func (b *brute) variables() []int {
	var list []int
	for i, t := range b.s.Tensors {
		if t.Variable {
			list = append(list, i)
		}
	}
	return list
}

func (b *brute) caller(step, op int) {
	if op == graph.Exit {
		for _, t := range append(slices.Clone(b.s.Outputs), b.variables()...) {
			b.tensor(step, op, t)
		}
		for _, t := range b.s.Inputs {
			buf := b.buffer(t)
			if buf >= 0 && b.lt.Table.Buffers[buf].Upper >= int64(len(b.lt.Steps)) && len(b.lt.Refs[buf].Tensors) == 1 {
				b.tensor(step, op, t)
			}
		}
		return
	}
	given := append(slices.Clone(b.s.Inputs), b.variables()...)
	var once []int
	for _, t := range given {
		if !slices.Contains(once, t) {
			once = append(once, t)
			b.give(step, op, t)
		}
	}
	for _, t := range once {
		b.tensor(step, op, t)
	}
}

func (b *brute) operator(step int, op *graph.Op) {
	var inputs, vars []int
	for _, t := range op.Inputs {
		if t >= 0 && !slices.Contains(inputs, t) {
			inputs = append(inputs, t)
			if b.s.Tensors[t].Variable {
				vars = append(vars, t)
			}
		}
	}
	for _, t := range inputs {
		b.tensor(step, op.Index, t)
	}
	scratch := b.scratch(step)
	for _, i := range scratch {
		b.write(step, op.Index, -1, i, b.lt.Table.Buffers[i].Size)
	}
	written := append(slices.Clone(op.Outputs), vars...)
	for i, t := range written {
		if i == 0 && op.Name() == "RESHAPE" && b.sameMemory(t, op.Inputs[0]) {
			b.content[t] = b.content[op.Inputs[0]]
			written = written[1:]
			continue
		}
		b.give(step, op.Index, t)
	}
	for _, t := range inputs {
		if !slices.ContainsFunc(written, func(u int) bool { return b.buffer(t) >= 0 && b.buffer(t) == b.buffer(u) }) {
			b.tensor(step, op.Index, t)
		}
	}
	for _, i := range scratch {
		b.expect(step, op.Index, -1, i, b.holds[i], b.lt.Table.Buffers[i].Size)
	}
	for _, t := range written {
		b.tensor(step, op.Index, t)
	}
}

func (b *brute) sameMemory(t, u int) bool {
	return u >= 0 && b.buffer(t) >= 0 && b.buffer(t) == b.buffer(u) && b.s.Tensors[t].Bytes == b.s.Tensors[u].Bytes
}

// promises checks the buffers that die with the step.
func (b *brute) promises(step int) {
	var dying []int
	for i := range b.lt.Refs {
		if _, ok := b.holds[i]; ok && min(b.lt.Table.Buffers[i].Upper, max(1, int64(len(b.lt.Steps))))-1 == int64(step) {
			dying = append(dying, i)
		}
	}
	slices.SortFunc(dying, func(i, j int) int { return cmp.Compare(i, j) })
	for _, i := range dying {
		op := graph.Entry
		if len(b.lt.Steps) > 0 {
			op = b.lt.Steps[step].Op
		}
		b.expect(step, op, b.holds[i].tensor, i, b.holds[i], b.extent[i])
	}
}
