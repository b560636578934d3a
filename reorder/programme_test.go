package reorder

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/arenalab/arenalab/graph"
)

// need is a random description of what n operators need, made without a model:
// several results and readers, kept values, control edges, working memory,
// results in the place of operands, unread inputs.
type need struct {
	n, reads int   // operators, and the most values each reads
	most     int64 // bytes of a value
	single   bool  // values have one reader at most
	inPlace  bool
}

func (d need) draw(r *rand.Rand) *graph.Memory {
	m := &graph.Memory{Subgraph: &graph.Subgraph{}, Base: r.Int64N(5), First: r.Int64N(2) * r.Int64N(d.most+1)}
	size := func() int64 { return r.Int64N(d.most + 1) }
	value := func(maker int) {
		m.Values = append(m.Values, graph.Value{Size: size(), Maker: maker})
	}
	for range r.IntN(3) {
		value(-1)
	}
	for i := range d.n {
		op := graph.MemoryOp{Replaces: -1, Transient: r.Int64N(2) * size()}
		var before []int
		for range r.IntN(d.reads + 1) {
			if len(m.Values) == 0 {
				continue
			}
			v := r.IntN(len(m.Values))
			x := &m.Values[v]
			if x.Maker == i || slices.Contains(op.Reads, v) || d.single && len(x.Readers) > 0 {
				continue
			}
			op.Reads = append(op.Reads, v)
			x.Readers = append(x.Readers, i)
			if x.Maker >= 0 {
				before = append(before, x.Maker)
			}
		}
		if i > 0 && r.IntN(6) == 0 {
			before = append(before, r.IntN(i))
		}
		for k := range r.IntN(3) {
			value(i)
			v := len(m.Values) - 1
			op.Makes = append(op.Makes, v)
			if d.inPlace && k == 0 && len(op.Reads) > 0 && r.IntN(2) == 0 {
				op.Replaces = op.Reads[r.IntN(len(op.Reads))]
				m.Values[v].Size = m.Values[op.Replaces].Size
			}
		}
		slices.Sort(op.Reads)
		slices.Sort(before)
		m.Ops = append(m.Ops, op)
		m.Before = append(m.Before, slices.Compact(before))
	}
	for v := range m.Values {
		x := &m.Values[v]
		x.Kept = len(x.Readers) == 0 || r.IntN(5) == 0
	}
	for i := range m.Ops {
		if v := m.Ops[i].Replaces; v >= 0 && m.Values[v].Kept {
			m.Ops[i].Replaces = -1
		}
	}
	withSubgraph(m)
	return m
}

// withSubgraph gives the memory a subgraph of as many operators.
func withSubgraph(m *graph.Memory) {
	m.Subgraph = &graph.Subgraph{Ops: make([]graph.Op, len(m.Ops)), Before: m.Before}
	for i := range m.Subgraph.Ops {
		m.Subgraph.Ops[i] = graph.Op{Index: i, Code: int32(i % 3)}
	}
}

// leastPeak tries all orders.
func leastPeak(m *graph.Memory) int64 {
	best := m.Peak(graph.Stored(m.Subgraph).Ops)
	done := make([]bool, len(m.Ops))
	var ops []int
	var try func()
	try = func() {
		if len(ops) == len(m.Ops) {
			best = min(best, m.Peak(ops))
			return
		}
		for i := range m.Ops {
			if done[i] || slices.ContainsFunc(m.Before[i], func(p int) bool { return !done[p] }) {
				continue
			}
			done[i] = true
			ops = append(ops, i)
			try()
			ops = ops[:len(ops)-1]
			done[i] = false
		}
	}
	try()
	return best
}

// isExact fails if an order is not one that can be executed or has not the
// least peak.
func isExact(t *testing.T, m *graph.Memory, ops []int) {
	t.Helper()
	if err := m.Subgraph.CheckOrder(graph.Order{Name: "found", Ops: ops}); err != nil {
		t.Fatalf("%v\n%+v", err, m)
	}
	if got, want := m.Peak(ops), leastPeak(m); got != want {
		t.Fatalf("order %v has peak %d, the least is %d\n%+v\n%+v", ops, got, want, m.Ops, m.Values)
	}
}

// TestExactProgrammes compares the orders of programmes over states with all
// orders of small graphs.
func TestExactProgrammes(t *testing.T) {
	for _, name := range []string{"serenity", "tflite-tools"} {
		t.Run(name, func(t *testing.T) {
			list, err := Lookup(name)
			if err != nil {
				t.Fatal(err)
			}
			r := rand.New(rand.NewPCG(3, 5))
			better := 0
			for range 400 {
				m := need{n: r.IntN(8), reads: 3, most: 9, inPlace: true}.draw(r)
				order, err := list[0].Order(t.Context(), m, Options{})
				if err != nil {
					t.Fatal(err)
				}
				isExact(t, m, order.Ops)
				if m.Peak(order.Ops) < m.Peak(graph.Stored(m.Subgraph).Ops) {
					better++
				}
			}
			if better < 40 {
				t.Errorf("only %d stored orders could be improved: the graphs are too easy", better)
			}
		})
	}
}

// A search that has no budget keeps the stored order or does better, and ends.
func TestSearchesAreNeverWorseThanStored(t *testing.T) {
	for _, name := range searches {
		list, err := Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		r := rand.New(rand.NewPCG(7, 1))
		for range 20 {
			m := need{n: 30, reads: 3, most: 9, inPlace: true}.draw(r)
			for _, o := range []Options{{Steps: 1}, {Steps: 50}, {Steps: 5000}} {
				order, err := list[0].Order(t.Context(), m, o)
				if err != nil {
					t.Fatal(err)
				}
				if err := m.Subgraph.CheckOrder(order); err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				if got, stored := m.Peak(order.Ops), m.Peak(graph.Stored(m.Subgraph).Ops); got > stored {
					t.Fatalf("%s with %d steps: peak %d, stored %d", name, o.Steps, got, stored)
				}
			}
		}
	}
}

// A search that is ended gives the best order it has.
func TestSearchesEnd(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 1))
	m := need{n: 60, reads: 3, most: 9}.draw(r)
	for _, name := range searches {
		list, err := Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, ctx := range []context.Context{&countdown{t.Context(), 1}, t.Context()} {
			order, err := list[0].Order(ctx, m, Options{Steps: -1, TimeLimit: 1})
			if err != nil {
				t.Fatal(err)
			}
			if err := m.Subgraph.CheckOrder(order); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
	}
}
