package reorder

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/arenalab/arenalab/graph"
)

// link adds an edge from operator p to i that carries some values, or none.
func link(r *rand.Rand, m *graph.Memory, p, i int, most int64) {
	for range r.IntN(3) {
		v := len(m.Values)
		m.Values = append(m.Values, graph.Value{Size: r.Int64N(most + 1), Maker: p, Readers: []int{i}, Kept: r.IntN(8) == 0})
		if p >= 0 {
			m.Ops[p].Makes = append(m.Ops[p].Makes, v)
		}
		m.Ops[i].Reads = append(m.Ops[i].Reads, v)
	}
	if p >= 0 && !slices.Contains(m.Before[i], p) {
		m.Before[i] = append(m.Before[i], p)
		slices.Sort(m.Before[i])
	}
}

// emptyMemory describes operators that need nothing but working memory.
func emptyMemory(r *rand.Rand, n int, most int64) *graph.Memory {
	m := &graph.Memory{Base: r.Int64N(4), Ops: make([]graph.MemoryOp, n), Before: make([][]int, n)}
	for i := range m.Ops {
		m.Ops[i].Replaces = -1
		m.Ops[i].Transient = r.Int64N(2) * r.Int64N(most+1)
	}
	return m
}

// finish adds what is there from the start and what is kept, and lets results
// take the place of operands of their size.
func finish(r *rand.Rand, m *graph.Memory, most int64) {
	for i := range m.Ops {
		if r.IntN(3) == 0 {
			link(r, m, -1, i, most)
		}
		if r.IntN(4) == 0 {
			m.Ops[i].Makes = append(m.Ops[i].Makes, len(m.Values))
			m.Values = append(m.Values, graph.Value{Size: r.Int64N(most + 1), Maker: i, Kept: true})
		}
	}
	for i := range m.Ops {
		op := &m.Ops[i]
		if len(op.Makes) == 0 || r.IntN(2) == 0 {
			continue
		}
		for _, v := range op.Reads {
			if x := &m.Values[v]; !x.Kept && x.Size == m.Values[op.Makes[0]].Size {
				op.Replaces = v
			}
		}
	}
	withSubgraph(m)
}

// drawForest draws trees of n operators that branch towards the start or the
// end.
func drawForest(r *rand.Rand, n int, out bool) *graph.Memory {
	const most = 12
	m := emptyMemory(r, n, most)
	for i := range n {
		switch {
		case out && i > 0 && r.IntN(8) > 0:
			link(r, m, r.IntN(i), i, most)
		case !out && i < n-1 && r.IntN(8) > 0:
			link(r, m, i, i+1+r.IntN(n-1-i), most)
		}
	}
	finish(r, m, most)
	return m
}

func TestLiuTreeIsExactOnTrees(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	better := 0
	for k := range 3000 {
		m := drawForest(r, r.IntN(8), k%2 == 0)
		if _, ok := forestOf(m); !ok {
			t.Fatalf("no forest: %v", m.Before)
		}
		order, err := liuTree{}.Order(t.Context(), m, Options{})
		if err != nil {
			t.Fatal(err)
		}
		isExact(t, m, order.Ops)
		if m.Peak(order.Ops) < m.Peak(graph.Stored(m.Subgraph).Ops) {
			better++
		}
	}
	if better < 300 {
		t.Errorf("only %d stored orders could be improved", better)
	}
}

// The best order of a tree may leave a subtree and come back to it, which no
// post-order does.
func TestLiuTreeLeavesSubtrees(t *testing.T) {
	// Two chains of two operators each, joined: over a hill of 9 and 8 down to 1,
	// then over a hill of 7 up to 6.
	m := &graph.Memory{Before: [][]int{{}, {0}, {}, {2}, {1, 3}}, Ops: make([]graph.MemoryOp, 5)}
	for i, v := range []struct {
		size      int64
		transient int64
	}{{1, 8}, {6, 0}, {1, 7}, {6, 0}, {0, 0}} {
		m.Ops[i] = graph.MemoryOp{Replaces: -1, Transient: v.transient}
		if i < 4 {
			m.Values = append(m.Values, graph.Value{Size: v.size, Maker: i, Readers: []int{[]int{1, 4, 3, 4}[i]}})
			m.Ops[i].Makes = []int{i}
		}
	}
	m.Ops[1].Reads, m.Ops[3].Reads, m.Ops[4].Reads = []int{0}, []int{2}, []int{1, 3}
	withSubgraph(m)
	order, err := liuTree{}.Order(t.Context(), m, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if want := []int{0, 2, 1, 3, 4}; !slices.Equal(order.Ops, want) || m.Peak(order.Ops) != m.Base+13 {
		t.Errorf("order %v with peak %d, want %v with %d", order.Ops, m.Peak(order.Ops), want, 13)
	}
}

func TestChainDominates(t *testing.T) {
	step := func(hill, net int64) segment { return segment{hill: hill, net: net} }
	tests := []struct {
		a, b chain
		want bool
	}{
		{chain{step(3, 1)}, chain{step(3, 1)}, true},
		{chain{step(2, 1)}, chain{step(3, 1)}, true},
		{chain{step(3, 1)}, chain{step(2, 1)}, false},
		{chain{step(5, 1), step(3, 2)}, chain{step(5, 3)}, true},
		{chain{step(5, 3)}, chain{step(5, 1), step(3, 2)}, false},
		{chain{step(2, -3), step(9, 3)}, chain{step(7, 0)}, true},
		{chain{step(8, 2), step(2, 1)}, chain{step(6, 3)}, false},
	}
	for k, test := range tests {
		t.Run(fmt.Sprint(k), func(t *testing.T) {
			if got := test.a.dominates(test.b); got != test.want {
				t.Errorf("%v dominates %v: %v", test.a, test.b, got)
			}
		})
	}
}
