package reorder

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/arenalab/arenalab/graph"
)

// cells returns a chain of cells: branches of a few operators that read the
// results of the cell before, and end in a concatenation.
func cells(r *rand.Rand, count int) *graph.Memory {
	var bytes []int64
	var ops [][2][]int
	var last []int
	tensor := func() int {
		bytes = append(bytes, 1+r.Int64N(40))
		return len(bytes) - 1
	}
	in := tensor()
	for range count {
		var ends []int
		for range 2 + r.IntN(3) {
			at := in
			for range 1 + r.IntN(3) {
				t := tensor()
				ops = append(ops, [2][]int{{at}, {t}})
				at = t
			}
			ends = append(ends, at)
		}
		in = tensor()
		last = append(last, len(ops))
		ops = append(ops, [2][]int{ends, {in}})
	}
	s := chainSubgraph(bytes, ops, in)
	for _, i := range last {
		s.Ops[i].Code, s.Ops[i].Custom = graph.OpCustom, "Concat"
	}
	if err := s.Link(); err != nil {
		return nil
	}
	m, err := graph.NewMemory(&graph.Model{Subgraphs: []*graph.Subgraph{s}}, s, graph.Profile{Name: "test"})
	if err != nil {
		return nil
	}
	return m
}

// Groups end in a concatenation, are convex, and with the sequences hold every
// operator once.
func TestHierarchy(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	groups := 0
	for range 200 {
		m := cells(r, 1+r.IntN(4))
		if m == nil {
			t.Fatal("no memory")
		}
		h := newHierarchy(wholePart(m), newBudget(t.Context(), Options{}, -1))
		groups += len(h.groups)
		var all []int
		set := make(opset, h.words)
		for nodes := h.nodes(); len(nodes) > 0; {
			// The nodes can be run one after the other, so none waits for itself
			// through another.
			k := slices.IndexFunc(nodes, func(n node) bool { return set.hasAll(n.needs) })
			if k < 0 {
				t.Fatal("nodes wait for each other")
			}
			for _, i := range nodes[k].ops {
				if !set.hasAll(h.pred[i]) {
					t.Fatalf("operator %d runs too early", i)
				}
				set.add(i)
				all = append(all, i)
			}
			if g := nodes[k].group; g >= 0 && !h.concatenates(h.in[nodes[k].ops[len(nodes[k].ops)-1]]) {
				t.Fatalf("group %d ends in no concatenation", g)
			}
			nodes = slices.Delete(nodes, k, k+1)
		}
		slices.Sort(all)
		if !slices.Equal(all, graph.Stored(m.Subgraph).Ops) {
			t.Fatalf("nodes hold %v", all)
		}
	}
	if groups < 200 {
		t.Errorf("only %d groups", groups)
	}
}

// The hierarchy finds the least peak of most small graphs, and says of none
// that it did.
func TestHMCOS(t *testing.T) {
	if g := (hmcos{}).Info().Guarantee; g != "" {
		t.Errorf("guarantees %q", g)
	}
	r := rand.New(rand.NewPCG(4, 9))
	draws := map[string]func() *graph.Memory{
		"any":   func() *graph.Memory { return need{n: r.IntN(8), reads: 3, most: 9, inPlace: true}.draw(r) },
		"cells": func() *graph.Memory { return cells(r, 1) },
	}
	for name, draw := range draws {
		tries, least, better := 0, 0, 0
		for range 400 {
			m := draw()
			if len(m.Ops) > 9 {
				continue // too many orders to try
			}
			tries++
			order, err := hmcos{}.Order(t.Context(), m, Options{})
			if err != nil {
				t.Fatal(err)
			}
			if err := m.Subgraph.CheckOrder(order); err != nil {
				t.Fatal(err)
			}
			stored := m.Peak(graph.Stored(m.Subgraph).Ops)
			switch got, want := m.Peak(order.Ops), leastPeak(m); {
			case got < want || got > stored:
				t.Fatalf("peak %d, least %d, stored %d", got, want, stored)
			case got == want:
				least++
				if want < stored {
					better++
				}
			}
		}
		t.Logf("%s: %d of %d least, %d better than stored", name, least, tries, better)
		if tries < 200 || least < tries*95/100 || better < tries/10 {
			t.Errorf("%s: %d of %d least, %d better than stored", name, least, tries, better)
		}
	}
}

// Groups that are at the peak come apart until none is.
func TestDissolve(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 5))
	m := cells(r, 6)
	h := newHierarchy(wholePart(m), newBudget(t.Context(), Options{}, -1))
	before := len(h.nodes())
	order := graph.Stored(m.Subgraph).Ops
	if !h.dissolve(order) {
		t.Fatal("nothing dissolves")
	}
	if after := len(h.nodes()); after <= before {
		t.Errorf("%d nodes, then %d", before, after)
	}
	if h.dissolve(order) {
		t.Error("the same peak dissolves groups again")
	}
}
