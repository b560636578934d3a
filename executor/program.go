package executor

import (
	"github.com/arenalab/arenalab/graph"
	"github.com/arenalab/arenalab/lifetime"
)

// Program is a run of a model, or of a lifetime table, as a list of accesses
// to the buffers of the table. It does not depend on a plan, is not modified
// by validation and may be shared between goroutines.
type Program struct {
	table     *lifetime.Table
	graph     *graph.Subgraph // nil if the program is that of a table
	steps     []step
	accesses  []access
	values    []value
	operators int
	bytes     int64
}

// step is what happens at once: accesses[pre:write] are reads, then
// accesses[write:post] are writes, then accesses[post:end] are reads.
type step struct {
	time                  int64
	op                    int // operator index, graph.Entry, graph.Exit or NoOp
	subgraph              int
	pre, write, post, end int
}

// access is a read or a write of the bytes [low, high) of a buffer: the one
// of the value.
type access struct {
	value   int32
	tensor  int32 // as which the value is read, -1 for the buffer itself
	purpose Purpose
	// again says that the same bytes are read again after the writes of the
	// step, so that this read alone cannot find anything in real memory.
	again     bool
	low, high int64
}

// value is the content that one write gives to the bytes [low, high) of a
// buffer. It is fully described by its key.
type value struct {
	key       uint64
	buffer    int32
	tensor    int32 // that was written, -1 for the buffer itself
	step      int32
	low, high int64
}

// Steps returns the number of instants at which the program does something.
func (p *Program) Steps() int { return len(p.steps) }

// Operators returns the number of operators that run; 0 for a table.
func (p *Program) Operators() int { return p.operators }

// Bytes returns the bytes that a single run in real memory writes and reads.
func (p *Program) Bytes() int64 { return p.bytes }

// begin starts a step.
func (p *Program) begin(time int64, subgraph, op int) {
	n := len(p.accesses)
	p.steps = append(p.steps, step{time, op, subgraph, n, n, n, n})
}

// newValue adds a value that is to be written in the current step.
func (p *Program) newValue(v value) int32 {
	v.step = int32(len(p.steps) - 1)
	p.values = append(p.values, v)
	return int32(len(p.values) - 1)
}

// The accesses of a step are added in the order read, write, verify.

func (p *Program) read(a access) {
	s := &p.steps[len(p.steps)-1]
	p.add(a)
	s.write, s.post, s.end = len(p.accesses), len(p.accesses), len(p.accesses)
}

func (p *Program) write(a access) {
	s := &p.steps[len(p.steps)-1]
	p.add(a)
	s.post, s.end = len(p.accesses), len(p.accesses)
}

func (p *Program) verify(a access) {
	s := &p.steps[len(p.steps)-1]
	p.add(a)
	s.end = len(p.accesses)
}

func (p *Program) add(a access) {
	p.accesses = append(p.accesses, a)
	if !a.again {
		p.bytes += a.high - a.low
	}
}

// whole returns the access to all bytes of a value.
func (p *Program) whole(v int32, tensor int, why Purpose) access {
	val := &p.values[v]
	return access{value: v, tensor: int32(tensor), purpose: why, low: val.low, high: val.high}
}
