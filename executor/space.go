package executor

import (
	"bytes"
	"slices"
	"unsafe"

	"github.com/arenalab/arenalab/executor/kernels"
	"github.com/arenalab/arenalab/graph"
)

// space says where the tensors of a run lie.
type space struct {
	m    *Machine
	mem  [][][]byte // by subgraph and tensor; nil for none
	home [][]int32  // by subgraph and tensor: its buffer in the arena, or -1
	ops  [][]bound  // by subgraph and operator

	own    [][][]byte // as mem: memory apart from the arena
	staged []byte     // copies of what is not aligned as kernels want it
}

// bound is an operator with the memory of its operands and results.
type bound struct {
	call  kernels.Call
	moves []move
}

// move is a tensor that a kernel sees in a copy.
type move struct {
	tensor  int
	at      int    // of the copy in staged
	from    []byte // where it lies
	in, out bool   // copied before, after
}

// guard is the number of bytes around tensors of their own, copies and the
// arena that nothing may write.
const guard = 16

// poison is what unused memory holds: a large negative number in all types.
const poison = 0xCB

// The poison of some bytes, to compare memory with.
const (
	poison8     = "\xcb\xcb\xcb\xcb\xcb\xcb\xcb\xcb"
	poison64    = poison8 + poison8 + poison8 + poison8 + poison8 + poison8 + poison8 + poison8
	poisonBlock = poison64 + poison64 + poison64 + poison64 + poison64 + poison64 + poison64 + poison64
)

// newSpace gives every tensor of the subgraphs that a run may reach memory of
// its own, but for those of the arena.
func newSpace(m *Machine, reached []bool, home func(subgraph, tensor int) int32) *space {
	n := len(m.subs)
	p := &space{m: m, mem: make([][][]byte, n), home: make([][]int32, n), ops: make([][]bound, n), own: make([][][]byte, n)}
	for i, x := range m.subs {
		if !reached[i] {
			continue
		}
		p.mem[i], p.own[i] = make([][]byte, len(x.bytes)), make([][]byte, len(x.bytes))
		p.home[i] = make([]int32, len(x.bytes))
		for t, size := range x.bytes {
			p.home[i][t] = -1
			switch {
			case x.constant[t] != nil:
				p.mem[i][t] = x.constant[t]
				continue
			case size == 0:
				if !x.handle[t] {
					p.mem[i][t] = []byte{}
				}
				continue
			}
			if h := home(i, t); h >= 0 {
				p.home[i][t] = h
				continue
			}
			whole := aligned(size + guard)
			pattern(whole, poison)
			p.own[i][t] = whole
			p.mem[i][t] = whole[:size:size]
		}
		p.ops[i] = make([]bound, len(x.ops))
		for k := range x.ops {
			op := x.ops[k].op
			p.ops[i][k].call = kernels.Call{
				In: make([][]byte, len(op.Inputs)), Out: make([][]byte, len(op.Outputs)), Pool: m.pool,
			}
		}
	}
	return p
}

// bind gives all operators their memory, once every tensor has some. What is
// not aligned to eight bytes is copied to and fro, and so are operands that a
// kernel would overwrite before it has read them, although the table lets a
// result lie there.
func (p *space) bind() {
	need := 0
	for i := range p.ops {
		for k := range p.ops[i] {
			need = max(need, p.plan(i, k))
		}
	}
	if cap(p.staged) < need {
		p.staged = aligned(int64(need))
	}
	p.staged = p.staged[:need]
	for i := range p.ops {
		for k := range p.ops[i] {
			p.connect(i, k)
		}
	}
}

// plan lists the copies of an operator and returns the bytes they need.
func (p *space) plan(i, k int) int {
	b, o := &p.ops[i][k], &p.m.subs[i].ops[k]
	b.moves = b.moves[:0]
	if o.how != byKernel {
		return 0
	}
	at := 0
	add := func(t int, in, out bool) {
		b.moves = append(b.moves, move{t, at, p.mem[i][t], in, out})
		at += (len(p.mem[i][t]) + 7) &^ 7
		at += guard
	}
	for _, t := range o.reads {
		switch {
		case p.home[i][t] < 0:
		case misaligned(p.mem[i][t]):
			add(t, true, slices.Contains(o.state, t))
		case p.overwrites(i, o, t):
			add(t, true, false)
		}
	}
	for _, t := range o.op.Outputs {
		if p.home[i][t] < 0 || !misaligned(p.mem[i][t]) {
			continue
		}
		at0 := at
		if in := p.shared(i, o, t); in >= 0 && kernels.InPlace(o.name) {
			for _, m := range b.moves {
				if m.tensor == in {
					at0 = m.at
				}
			}
		}
		if at0 != at {
			b.moves = append(b.moves, move{t, at0, p.mem[i][t], false, true})
			continue
		}
		add(t, false, true)
	}
	return at
}

// overwrites reports whether a result lies on top of an operand although the
// kernel cannot work in place.
func (p *space) overwrites(i int, o *operation, in int) bool {
	if kernels.InPlace(o.name) {
		return false
	}
	for _, t := range o.op.Outputs {
		if p.home[i][t] >= 0 && p.home[i][t] == p.home[i][in] {
			return true
		}
	}
	return false
}

// shared returns the operand that a result lies on top of, or -1.
func (p *space) shared(i int, o *operation, out int) int {
	for _, t := range o.reads {
		if p.home[i][t] == p.home[i][out] && p.m.subs[i].bytes[t] == p.m.subs[i].bytes[out] {
			return t
		}
	}
	return -1
}

func (p *space) connect(i, k int) {
	b, op := &p.ops[i][k], p.m.subs[i].ops[k].op
	for n, t := range op.Inputs {
		if t >= 0 {
			b.call.In[n] = p.seen(i, b, t, true)
		}
	}
	for n, t := range op.Outputs {
		b.call.Out[n] = p.seen(i, b, t, false)
	}
}

// seen returns the memory of a tensor as the kernel sees it.
func (p *space) seen(i int, b *bound, t int, operand bool) []byte {
	for k := range b.moves {
		if m := &b.moves[k]; m.tensor == t && (m.in && operand || m.out && !operand) {
			return p.staged[m.at : m.at+len(m.from) : m.at+len(m.from)]
		}
	}
	return p.mem[i][t]
}

func misaligned(b []byte) bool {
	return len(b) > 0 && uintptr(unsafe.Pointer(unsafe.SliceData(b)))&7 != 0
}

// load copies operands to where the kernel reads them.
func (p *space) load(b *bound) {
	for k := range b.moves {
		m := &b.moves[k]
		if m.in {
			copy(p.staged[m.at:], m.from)
		}
		pattern(p.staged[m.at+len(m.from):m.end()], poison)
	}
}

// end returns the end of a copy and of the bytes behind it that nothing may
// write.
func (m *move) end() int { return m.at + (len(m.from)+7)&^7 + guard }

// store copies results to where they belong. It returns a tensor whose copy
// the kernel has left, or -1.
func (p *space) store(b *bound) int {
	for k := range b.moves {
		m := &b.moves[k]
		if m.out {
			copy(m.from, p.staged[m.at:])
		}
		if poisoned(p.staged[m.at+len(m.from):m.end()]) >= 0 {
			return m.tensor
		}
	}
	return -1
}

// strayed returns a result of an operator behind which something was written,
// or -1, among those with memory of their own.
func (p *space) strayed(i int, op *graph.Op) int {
	for _, t := range op.Outputs {
		if own := p.own[i][t]; own != nil && poisoned(own[len(own)-guard:]) >= 0 {
			return t
		}
	}
	return -1
}

// repair makes good what a defective kernel has written behind its results.
func (p *space) repair() {
	for _, list := range p.own {
		for _, own := range list {
			if own != nil {
				pattern(own[len(own)-guard:], poison)
			}
		}
	}
}

// poisoned returns the index of the first byte that is not poison, or -1.
func poisoned(mem []byte) int {
	for at := 0; at < len(mem); at += len(poisonBlock) {
		part := mem[at:min(at+len(poisonBlock), len(mem))]
		if string(part) == poisonBlock[:len(part)] {
			continue
		}
		for k, b := range part {
			if b != poison {
				return at + k
			}
		}
	}
	return -1
}

// differ returns the index of the first byte that differs, or -1.
func differ(a, b []byte) int {
	if bytes.Equal(a, b) {
		return -1
	}
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return i
		}
	}
	return min(len(a), len(b))
}
