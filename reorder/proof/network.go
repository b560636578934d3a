package proof

import (
	"math/bits"

	"github.com/arenalab/arenalab/graph"
)

// network is what minimum cuts are computed in. A set S of operators stands
// for the cut that has S on the side of the source. Its nodes are the
// operators, the values, the source and the sink.
//
//	maker → value, size: the value is live if its maker is in S ...
//	value → reader, without limit: ... and a reader is not
//	value → sink, without limit: ... or it is kept
//	operator → predecessor, without limit: S holds what must run before its members
//	source → operator, operator → sink: closed, or without limit if S must hold
//	the operator, or must not
//
// Without limit is more than all sizes together.
type network struct {
	m            *graph.Memory
	source, sink int
	first        []int   // by node: its last arc, or -1
	next, to     []int   // by arc; arcs 2k and 2k+1 are opposite
	capacity     []int64 // by arc
	free         []int64 // by arc: what the flow leaves
	in, out      []int   // by operator: arcs from the source and to the sink
	before       [][]int // by operator: those known to run before it
	pairs        [][2]int
	unlimited    int64
	seen         []int // by node: the last search that saw it
	search       int
	path         []int // arcs
}

func newNetwork(m *graph.Memory) *network {
	ops, values := len(m.Ops), len(m.Values)
	g := &network{m: m, source: ops + values, sink: ops + values + 1}
	g.first = make([]int, ops+values+2)
	for i := range g.first {
		g.first[i] = -1
	}
	g.seen = make([]int, len(g.first))
	g.unlimited = 1
	for x := range m.Values {
		g.unlimited += m.Values[x].Size
	}
	for x := range m.Values {
		val := &m.Values[x]
		if val.Maker < 0 {
			g.arc(g.source, ops+x, val.Size)
		} else {
			g.arc(val.Maker, ops+x, val.Size)
		}
		for _, r := range val.Readers {
			g.arc(ops+x, r, g.unlimited)
		}
		if val.Kept {
			g.arc(ops+x, g.sink, g.unlimited)
		}
	}
	g.in, g.out = make([]int, ops), make([]int, ops)
	g.before = make([][]int, ops)
	for v := range m.Ops {
		g.in[v] = g.arc(g.source, v, 0)
		g.out[v] = g.arc(v, g.sink, 0)
	}
	for v, list := range m.Before {
		for _, u := range list {
			g.precede(u, v)
		}
	}
	return g
}

func (g *network) arc(from, to int, capacity int64) int {
	k := len(g.to)
	g.to = append(g.to, to, from)
	g.capacity = append(g.capacity, capacity, 0)
	g.next = append(g.next, g.first[from], g.first[to])
	g.first[from] = k
	g.first[to] = k + 1
	return k
}

// precede adds that operator u runs before v.
func (g *network) precede(u, v int) {
	g.arc(v, u, g.unlimited)
	g.before[v] = append(g.before[v], u)
	g.pairs = append(g.pairs, [2]int{u, v})
}

// mark returns a point to which undo returns.
func (g *network) mark() int { return len(g.pairs) }

func (g *network) undo(mark int) {
	for len(g.pairs) > mark {
		u, v := g.pairs[len(g.pairs)-1][0], g.pairs[len(g.pairs)-1][1]
		k := len(g.to) - 2 // the arc v → u, the last of both
		g.first[v], g.first[u] = g.next[k], g.next[k+1]
		g.to, g.capacity, g.next = g.to[:k], g.capacity[:k], g.next[:k]
		g.before[v] = g.before[v][:len(g.before[v])-1]
		g.pairs = g.pairs[:len(g.pairs)-1]
	}
}

// least returns the least bytes that can be live while operator v runs, with
// the operators of in among those that have run, and none of those of out. It
// is infinite if there is no such set. From enough on, any value will do.
func (c *checker) least(v int, in, out []int, enough int64) int64 {
	g := c.net
	g.free = append(g.free[:0], g.capacity...)
	for _, list := range [][]int{in, g.before[v]} {
		for _, u := range list {
			g.free[g.in[u]] = g.unlimited
		}
	}
	g.free[g.out[v]] = g.unlimited
	for _, u := range out {
		g.free[g.out[u]] = g.unlimited
	}
	if x := c.m.Ops[v].Replaces; x >= 0 { // live only if there is another reader
		node := len(c.m.Ops) + x
		for k := g.first[node]; k >= 0; k = g.next[k] {
			if g.to[k] == v || g.to[k] == g.sink {
				g.free[k] = 0
			}
		}
	}
	own := c.own(v)
	flow := g.maximum(enough - own)
	if flow >= g.unlimited {
		return infinite
	}
	return own + flow
}

// maximum sends as much as it can from source to sink, or enough, along paths
// that carry much before those that carry less.
func (g *network) maximum(enough int64) int64 {
	var flow int64
	for step := int64(1) << bits.Len64(uint64(g.unlimited)); step > 0; step >>= 1 {
		for flow < enough && flow < g.unlimited {
			g.search++
			g.path = g.path[:0]
			if !g.reach(g.source, step) {
				break
			}
			sent := int64(infinite)
			for _, k := range g.path {
				sent = min(sent, g.free[k])
			}
			for _, k := range g.path {
				g.free[k] -= sent
				g.free[k^1] += sent
			}
			flow += sent
		}
	}
	return flow
}

// reach looks for a path to the sink along arcs that leave at least step.
func (g *network) reach(node int, step int64) bool {
	if node == g.sink {
		return true
	}
	g.seen[node] = g.search
	for k := g.first[node]; k >= 0; k = g.next[k] {
		if g.free[k] >= step && g.seen[g.to[k]] != g.search {
			g.path = append(g.path, k)
			if g.reach(g.to[k], step) {
				return true
			}
			g.path = g.path[:len(g.path)-1]
		}
	}
	return false
}
