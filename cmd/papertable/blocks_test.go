package main

import (
	"slices"
	"testing"

	"github.com/arenalab/arenalab/datasets"
	"github.com/arenalab/arenalab/graph"
	"github.com/arenalab/arenalab/lifetime"
)

// The quoted bound of objects of DeepLab v3, 6.437 MiB, is the least that
// blocks for the graph can have together, and so the figure of a plan.
func TestLeastBlocksOfDeepLab(t *testing.T) {
	b, _ := datasets.Lookup("deeplab-v3")
	m, err := b.Sketch(datasets.Params{})
	if err != nil {
		t.Fatal(err)
	}
	table, err := intermediates(m, graph.Stored(m.Subgraphs[0]), false)
	if err != nil {
		t.Fatal(err)
	}
	const pixel = 33 * 33 * 4 // bytes of a channel at 1/8 of the size
	least := blocks{129 * 129 * 48 * 4, 480 * pixel, 256 * pixel, 80 * pixel}
	if !fits(table, least) || !same(least.sum(), figure{mib: 6.437}) {
		t.Errorf("blocks %v, %d bytes together: %v", least, least.sum(), fits(table, least))
	}

	// By the bound of objects no plan has less than the first three, so one of
	// fewer bytes has no block besides that holds as much as the fourth. Leave
	// out what smaller ones could hold: three do not do for the rest.
	rest := &lifetime.Table{}
	var sizes []int64
	for _, b := range table.Buffers {
		if b.Size >= least[3] {
			rest.Buffers = append(rest.Buffers, b)
			sizes = append(sizes, b.Size)
		}
	}
	slices.Sort(sizes)
	sizes = slices.Compact(sizes)
	tried := 0
	for i, third := range sizes {
		for j, second := range sizes[i:] {
			for _, first := range sizes[i+j:] {
				three := blocks{first, second, third}
				if three.sum() >= least.sum() || first < least[0] {
					continue
				}
				if tried++; fits(rest, three) {
					t.Errorf("blocks %v fit", three)
				}
			}
		}
	}
	if tried == 0 {
		t.Error("no blocks tried")
	}
}

// blocks are the sizes of four blocks; a size of zero holds nothing.
type blocks [4]int64

func (b blocks) sum() int64 { return b[0] + b[1] + b[2] + b[3] }

// fits reports whether every buffer can have a block to itself for its life, by
// following all assignments that can be told apart. Rows are in order of birth.
func fits(t *lifetime.Table, size blocks) bool {
	states := map[[4]int64]bool{{}: true} // by block: the step at which it is free
	for _, b := range t.Buffers {
		next := map[[4]int64]bool{}
		for state := range states {
			for i, free := range state {
				if free <= b.Lower && b.Size <= size[i] {
					after := state
					after[i] = b.Upper
					next[after] = true
				}
			}
		}
		states = map[[4]int64]bool{}
		for state := range next {
			for i := range state {
				state[i] = max(state[i], b.Lower) // free is free
			}
			states[state] = true
		}
	}
	return len(states) > 0
}

func TestFits(t *testing.T) {
	table := &lifetime.Table{Buffers: []lifetime.Buffer{
		{Size: 2, Lower: 0, Upper: 2}, {Size: 1, Lower: 1, Upper: 3}, {Size: 3, Lower: 2, Upper: 4}, {Size: 1, Lower: 3, Upper: 4}}}
	for size, want := range map[blocks]bool{{3, 1}: true, {2, 2}: false, {3}: false, {1, 1, 3}: true, {2, 1, 3}: true, {2, 1, 2}: false} {
		if got := fits(table, size); got != want {
			t.Errorf("%v: %v", size, got)
		}
	}
}
