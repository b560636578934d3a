package strategies

// The classical greedy planners take the buffers in a fixed order and place
// each once: at the lowest offset that is free throughout its life (first
// fit), into the smallest hole that holds it (best fit), or into the largest
// (worst fit). One file holds the family because its members differ in nothing
// but the key of the order and the fit.
//
//	greedy-area       size times length of life, descending
//	greedy-conflicts  number of buffers ever live with it, descending
//	greedy-end        last use, descending: first-fit and best-fit with time reversed
//	greedy-lifetime   length of life, descending
//	greedy-size       size, descending; here only with worst fit
//
// Complexity: O(n^2) in the worst case; near O(n log n) on tables of networks.
//
// References: struct PreorderData, src/solver.h, google/minimalloc at commit
// 312673995f98 (these keys, in the order of a search); M. D. Moffitt,
// "MiniMalloc: A Lightweight Memory Allocator for Hardware-Accelerated Machine
// Learning", ASPLOS 2023. By conflicts: the order of D. J. A. Welsh and M. B.
// Powell, "An upper bound for the chromatic number of a graph and its
// application to timetabling problems", The Computer Journal 10(1), 1967,
// pages 85-86. Worst fit: see worst-fit.
//
// Rule: a hole is the bytes between two placed buffers that are ever live with
// the one to be placed, or below the lowest of them; it is measured from its
// first aligned offset. Among holes of one size the lowest is taken, and the
// space above all of them only if no hole will do. Life is Upper - Lower, gaps
// not deducted, in the area as well; what counts as a conflict is said at
// lifetime.Table.ConflictCounts. Equals come in order of first use, then larger
// first, then longer-lived first; with greedy-end, equals come larger first.
//
// Departures: the sources leave ties, alignment and fixed offsets open; fixed
// offsets are obstacles from the start.

import (
	"cmp"
	"context"
	"math/bits"

	"github.com/arenalab/arenalab/lifetime"
)

// classical is a member of the family.
type classical struct {
	by  classicalKey
	fit rule
}

type classicalKey uint8

const (
	byArea classicalKey = iota
	byConflicts
	byEnd
	byLifetime
	bySizeOnly
)

// classicalKeys says how each key is described.
var classicalKeys = [...]struct{ name, title, first, key, reference, guarantee string }{
	byArea: {
		"area", "area", "largest in size times life",
		"size times life descending, first use, the larger, the later last use",
		preorderReference, "",
	},
	byConflicts: {
		"conflicts", "conflicts", "most in conflict",
		"conflicts descending, first use, the larger, the later last use",
		preorderReference + "; D. J. A. Welsh and M. B. Powell, An upper bound for the chromatic number of a graph and its application to timetabling problems, The Computer Journal 10(1), 1967", "",
	},
	byEnd: {
		"end", "last use", "last to die",
		"last use descending, the larger, first use",
		preorderReference, equalSizes,
	},
	byLifetime: {
		"lifetime", "lifetime", "longest-lived",
		"life descending, first use, the larger",
		preorderReference, "",
	},
	bySizeOnly: {
		"size", "size", "largest",
		"size descending, first use, the later last use",
		"Y. Pisarchyk and J. Lee, Efficient Memory Management for Deep Neural Net Inference, 2020, arXiv:2001.03288 (order)", equalSizes,
	},
}

const preorderReference = "struct PreorderData, src/solver.h, google/minimalloc at 312673995f98; M. D. Moffitt, MiniMalloc: A Lightweight Memory Allocator for Hardware-Accelerated Machine Learning, ASPLOS 2023 (key)"

func (c classical) Info() Info {
	k := &classicalKeys[c.by]
	i := Info{
		Name:       "greedy-" + k.name,
		Title:      "Greedy by " + k.title,
		Summary:    k.first + " first, ",
		Reference:  k.reference,
		Complexity: "O(n^2) worst case, near O(n log n) on networks",
		Key:        k.key,
		Guarantee:  k.guarantee,
	}
	switch c.fit {
	case smallestGap:
		i.Name += "-best-fit"
		i.Title += ", best fit"
		i.Summary += "into the smallest hole that holds it"
	case largestGap:
		i.Name += "-worst-fit"
		i.Title += ", worst fit"
		i.Summary += "into the largest hole"
		i.Reference += "; " + survey
	default:
		i.Title += ", first fit"
		i.Summary += "at the lowest offset that is free"
	}
	return i
}

func (c classical) Plan(ctx context.Context, t *lifetime.Table, o Options) (*lifetime.Plan, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	m := method{rule: c.fit, order: c.by.order(t)}
	return m.place(ctx, t, o)
}

// order returns the order of the key on this table.
func (k classicalKey) order(t *lifetime.Table) sorting {
	switch k {
	case byArea:
		high := func(it *item) uint64 { h, _ := area(it); return ^h }
		low := func(it *item) uint64 { _, l := area(it); return ^l }
		return classicalOrder(settle, []column{high, low}, lowerColumn, sizeColumn)
	case byConflicts:
		counts := t.ConflictCounts()
		conflicts := func(it *item) uint64 { return ^uint64(counts[it.index]) }
		return classicalOrder(settle, []column{conflicts}, lowerColumn, sizeColumn)
	case byEnd:
		end := func(it *item) uint64 { return ^(uint64(it.upper) ^ 1<<63) }
		return classicalOrder(settleBack, []column{end}, sizeColumn, lowerColumn)
	case byLifetime:
		life := func(it *item) uint64 { return ^lifeOf(it) }
		return classicalOrder(settle, []column{life}, lowerColumn, sizeColumn)
	}
	return bySize()
}

// classicalOrder orders by the keys, ascending, and then as native says, which
// begins with the columns in ties.
func classicalOrder(native compare, keys []column, ties ...column) sorting {
	key := func(a, b *item) int {
		for _, k := range keys {
			if c := cmp.Compare(k(a), k(b)); c != 0 {
				return c
			}
		}
		return 0
	}
	columns := append(keys, ties...)
	return sorting{
		key:     func(*lifetime.Table) func(a, b *item) int { return key },
		native:  native,
		columns: func(*lifetime.Table) []column { return columns },
	}
}

// settleBack is settle as it looks to time reversed, among items that end
// together.
func settleBack(t *lifetime.Table) func(a, b *item) int {
	last := settle(t)
	return func(a, b *item) int {
		return cmp.Or(cmp.Compare(b.size, a.size), last(a, b))
	}
}

// lifeOf returns the length of the life, which may be above the largest int64.
func lifeOf(it *item) uint64 { return uint64(it.upper) - uint64(it.lower) }

// area returns size times life in 128 bits.
func area(it *item) (high, low uint64) { return bits.Mul64(uint64(it.size), lifeOf(it)) }
