package strategies

// Vela's greedy allocator takes the live ranges as they begin and puts each into
// the smallest hole between those still live, or on top of them.
//
// Complexity: O(n log n); O(n^2) in the worst case on tables with fixed offsets
// or several alignments. The original sorts what is live at every step.
//
// Reference: class GreedyAllocator, ethosu/vela/greedy_allocation.py, the
// package ethos-u-vela 5.2.0.
//
// Rule, to the byte: begin ascending, end descending, size ascending, name
// ascending. A hole must hold the size rounded up to the alignment above its
// aligned start, and is measured from there; the lowest of the smallest wins.
// The top of what is live is not rounded, but the offset above it is.
//
// Departures: fixed offsets, which the original does not know, are obstacles
// from the start. What is equal in name too comes by row.

import (
	"cmp"
	"context"
	"strings"

	"github.com/arenalab/arenalab/lifetime"
)

type velaGreedy struct{}

func (velaGreedy) Info() Info {
	return Info{
		Name:       "vela-greedy",
		Title:      "Vela, Greedy",
		Summary:    "in order of first use, the longest life first, into the smallest hole",
		Reference:  "class GreedyAllocator, ethosu/vela/greedy_allocation.py, ethos-u-vela 5.2.0",
		Complexity: "O(n log n); O(n^2) with fixed offsets or mixed alignments",
		Key:        "first use, last use descending, the smaller, the name",
	}
}

func (velaGreedy) Plan(ctx context.Context, t *lifetime.Table, o Options) (*lifetime.Plan, error) {
	m := velaGreedy{}.method()
	return m.place(ctx, t, o)
}

func (velaGreedy) method() method {
	order := sorting{key: velaRange, native: velaName, columns: func(*lifetime.Table) []column {
		end := func(it *item) uint64 { return ^uint64(it.upper) ^ 1<<63 }
		return []column{lowerColumn, end, func(it *item) uint64 { return uint64(it.size) }}
	}}
	return method{rule: smallestGap, order: order, births: true, whole: true, fitted: true}
}

func velaRange(*lifetime.Table) func(a, b *item) int {
	return func(a, b *item) int {
		return cmp.Or(cmp.Compare(a.lower, b.lower), cmp.Compare(b.upper, a.upper), cmp.Compare(a.size, b.size))
	}
}

func velaName(t *lifetime.Table) func(a, b *item) int {
	return func(a, b *item) int {
		return cmp.Or(strings.Compare(t.Buffers[a.index].Name, t.Buffers[b.index].Name), cmp.Compare(b.align, a.align))
	}
}
