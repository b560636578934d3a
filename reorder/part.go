package reorder

import (
	"math/bits"

	"github.com/arenalab/arenalab/graph"
)

// opset is a set of the operators of a part, one bit each.
type opset []uint64

func (s opset) has(i int) bool { return s[i>>6]>>(i&63)&1 != 0 }
func (s opset) add(i int)      { s[i>>6] |= 1 << (i & 63) }
func (s opset) drop(i int)     { s[i>>6] &^= 1 << (i & 63) }

func (s opset) hasAll(list []int32) bool {
	for _, i := range list {
		if !s.has(int(i)) {
			return false
		}
	}
	return true
}

func (s opset) hasNone(list []int32) bool {
	for _, i := range list {
		if s.has(int(i)) {
			return false
		}
	}
	return true
}

// part is a set of operators that run one after the other, with nothing between
// them, after certain others have run. It knows what each adds to the live
// bytes after any set of the others. Operators have the numbers of their places
// in ops.
type part struct {
	m     *graph.Memory
	ops   []int
	words int // of a set
	pred  [][]int32
	succ  [][]int32
	costs []partOp
	start int64 // bytes live before the first
	first int64 // bytes live while the first runs and no longer
}

// partOp is what an operator adds.
type partOp struct {
	makes     int64
	transient int64
	frees     int64 // of what it alone reads
	last      []lastRead
	replaces  lastRead // size 0: nothing
}

// lastRead is a value that is freed if these have run.
type lastRead struct {
	size   int64
	others []int32
}

// newPart returns the part of the operators, ascending in an order that can be
// executed, that run when those for which done holds have run.
func newPart(m *graph.Memory, ops []int, done func(op int) bool) *part {
	p := &part{
		m: m, ops: ops, words: (len(ops) + 63) / 64,
		pred: make([][]int32, len(ops)), succ: make([][]int32, len(ops)),
		costs: make([]partOp, len(ops)),
	}
	local := make(map[int]int32, len(ops))
	for k, i := range ops {
		local[i] = int32(k)
	}
	for k, i := range ops {
		for _, b := range m.Before[i] {
			if l, inside := local[b]; inside {
				p.pred[k] = append(p.pred[k], l)
				p.succ[l] = append(p.succ[l], int32(k))
			}
		}
	}
	for k, i := range ops {
		p.costs[k] = p.cost(i, local, done)
	}
	none := true
	for i := range m.Ops {
		none = none && !done(i)
	}
	if none {
		p.first = m.First
	}
	p.start = liveAfter(m, done)
	return p
}

// wholePart is the part of all operators.
func wholePart(m *graph.Memory) *part {
	return newPart(m, graph.Stored(m.Subgraph).Ops, func(int) bool { return false })
}

func (p *part) cost(i int, local map[int]int32, done func(int) bool) partOp {
	op := &p.m.Ops[i]
	c := partOp{transient: op.Transient}
	for _, v := range op.Makes {
		c.makes += p.m.Values[v].Size
	}
	for _, v := range op.Reads {
		x := &p.m.Values[v]
		others, possible := lastReaders(x, i, local, done)
		if !possible {
			continue
		}
		if v == op.Replaces {
			c.replaces = lastRead{x.Size, others}
		}
		switch {
		case x.Kept:
		case len(others) == 0:
			c.frees += x.Size
		default:
			c.last = append(c.last, lastRead{x.Size, others})
		}
	}
	return c
}

// lastReaders returns those that must have run so that operator i is the last
// to read the value, and false if it cannot be.
func lastReaders(x *graph.Value, i int, local map[int]int32, done func(int) bool) (others []int32, possible bool) {
	for _, r := range x.Readers {
		l, inside := local[r]
		switch {
		case r == i:
		case inside:
			others = append(others, l)
		case !done(r):
			return nil, false
		}
	}
	return others, true
}

// liveAfter returns the bytes that are live when those operators have run.
func liveAfter(m *graph.Memory, done func(op int) bool) int64 {
	live := m.Base
	for v := range m.Values {
		x := &m.Values[v]
		wanted := x.Kept
		for _, r := range x.Readers {
			wanted = wanted || !done(r)
		}
		if wanted && (x.Maker < 0 || done(x.Maker)) {
			live += x.Size
		}
	}
	return live
}

// run returns what operator k adds to the live bytes while it runs after the
// set, and afterwards.
func (p *part) run(set opset, k int) (during, after int64) {
	c := &p.costs[k]
	during, after = c.makes+c.transient, c.makes-c.frees
	for i := range c.last {
		if set.hasAll(c.last[i].others) {
			after -= c.last[i].size
		}
	}
	if c.replaces.size > 0 && set.hasAll(c.replaces.others) {
		during -= c.replaces.size
	}
	if p.first > 0 {
		empty := true
		for _, w := range set {
			empty = empty && w == 0
		}
		if empty {
			during += p.first
		}
	}
	return during, after
}

// lowest returns the number of the lowest bit of word w of a set.
func lowest(w int, word uint64) int { return w<<6 + bits.TrailingZeros64(word) }
