// Package prooftest helps to test bounds on orders: it draws small memories of
// all sorts, and finds the least peak of any order by trying all sets.
package prooftest

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/arenalab/arenalab/graph"
)

// Draw returns a memory of n operators without a model: with operators that make
// no or several values, values that are there from the start, are kept, or have
// several readers, working memory, control edges, replaced operands, and bytes
// at the ends.
func Draw(r *rand.Rand, n int) *graph.Memory {
	m := &graph.Memory{Ops: make([]graph.MemoryOp, n), Before: make([][]int, n)}
	unit := int64(1) + 3*r.Int64N(2)
	size := func() int64 { return unit * r.Int64N(21) }
	if r.IntN(4) == 0 {
		m.Base, m.First = size(), size()
	}
	for range r.IntN(3) {
		m.Values = append(m.Values, graph.Value{Size: size(), Maker: -1, Kept: r.IntN(3) == 0})
	}
	inPlace, dense := r.IntN(2) == 0, 1+r.IntN(3)
	for v := range n {
		op := &m.Ops[v]
		op.Replaces = -1
		if r.IntN(4) == 0 {
			op.Transient = size()
		}
		for range r.IntN(dense + 1) {
			if len(m.Values) > 0 {
				op.Reads = append(op.Reads, r.IntN(len(m.Values)))
			}
		}
		slices.Sort(op.Reads)
		op.Reads = slices.Compact(op.Reads)
		for range []int{0, 1, 1, 1, 1, 2}[r.IntN(6)] {
			op.Makes = append(op.Makes, len(m.Values))
			m.Values = append(m.Values, graph.Value{Size: size(), Maker: v, Kept: r.IntN(8) == 0})
		}
		if inPlace && len(op.Makes) > 0 && len(op.Reads) > 0 && r.IntN(2) == 0 {
			replace(m, v, r)
		}
		for u := range v {
			if r.IntN(12) == 0 {
				m.Before[v] = append(m.Before[v], u)
			}
		}
	}
	finish(m, r)
	return m
}

// replace lets an operator take the place of an operand, if that is not kept.
func replace(m *graph.Memory, v int, r *rand.Rand) {
	op := &m.Ops[v]
	if x := op.Reads[r.IntN(len(op.Reads))]; !m.Values[x].Kept {
		op.Replaces = x
		m.Values[op.Makes[0]].Size = m.Values[x].Size
	}
}

// finish links readers and predecessors, and sees to values that nothing reads.
func finish(m *graph.Memory, r *rand.Rand) {
	for v := range m.Ops {
		for _, x := range m.Ops[v].Reads {
			m.Values[x].Readers = append(m.Values[x].Readers, v)
			if u := m.Values[x].Maker; u >= 0 {
				m.Before[v] = append(m.Before[v], u)
			}
		}
		slices.Sort(m.Before[v])
		m.Before[v] = slices.Compact(m.Before[v])
	}
	var exit int64
	for x := range m.Values {
		val := &m.Values[x]
		val.Kept = val.Kept || len(val.Readers) == 0
		if val.Kept {
			exit += val.Size
		}
	}
	m.Floor = m.Base + exit
}

// Optimum returns the least peak of any order, and an order that has it, by
// trying all sets of operators that can have run. For up to some 16 operators.
func Optimum(m *graph.Memory) (peak int64, order []int) {
	n := len(m.Ops)
	best := slices.Repeat([]int64{math.MaxInt64}, 1<<n) // by set: least peak up to there
	last := make([]int, 1<<n)
	best[0] = m.Floor
	for s := range uint(1) << n {
		if best[s] == math.MaxInt64 {
			continue
		}
		for v := range n {
			if s>>v&1 != 0 || !ready(m, s, v) {
				continue
			}
			t := s | 1<<v
			if p := max(best[s], Live(m, s, v)); p < best[t] {
				best[t], last[t] = p, v
			}
		}
	}
	for s := uint(1)<<n - 1; s != 0; s &^= 1 << last[s] {
		order = append(order, last[s])
	}
	slices.Reverse(order)
	return best[1<<n-1], order
}

func ready(m *graph.Memory, s uint, v int) bool {
	for _, u := range m.Before[v] {
		if s>>u&1 == 0 {
			return false
		}
	}
	return true
}

// Live returns the bytes that are live while an operator runs after those of a
// set, of which bit i is operator i.
func Live(m *graph.Memory, s uint, v int) int64 {
	bytes := m.Base + m.Ops[v].Transient
	if s == 0 {
		bytes += m.First
	}
	for x := range m.Values {
		val := &m.Values[x]
		if val.Maker == v {
			bytes += val.Size
			continue
		}
		if val.Maker >= 0 && s>>val.Maker&1 == 0 {
			continue
		}
		mine, others := false, false
		for _, r := range val.Readers {
			mine = mine || r == v
			others = others || r != v && s>>r&1 == 0
		}
		switch {
		case m.Ops[v].Replaces == x && !others:
		case val.Kept || mine || others:
			bytes += val.Size
		}
	}
	return bytes
}
