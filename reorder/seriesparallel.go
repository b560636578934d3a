package reorder

// Series-parallel orders are built from those of the parts: orders of stretches
// that run one after the other are appended, those of branches that do not wait
// for each other are interleaved by hills and valleys. Of the orders of a part
// one can take the place of all others, whatever runs between its segments, and
// that one is built.
//
// A value that several branches read first is freed by the last of them. The
// sequences in which the branches begin are gone through, as sets of those that
// have not begun. Where readers of shared values do not begin their branches,
// and where a part can neither be split into stretches nor into branches, all
// states of that part are gone through, see prime, after what shares no value in
// question was put together, see reduction.
//
// Complexity: O(n^2), times 2^d d for d branches that share values; at most
// 32768 states of a part that is not taken apart.
//
// Reference: H. M. Abdel-Wahab, T. Kameda, "Scheduling to minimize maximum
// cumulative cost subject to series-parallel precedence constraints", Operations
// Research 26(1), 1978, pages 141-158, doi:10.1287/opre.26.1.141, for values
// with one last reader. For shared values ours, after the idea of C. Jin,
// M. Purohit, Z. Svitkina, E. Vee, J. R. Wang, "New tools for peak memory
// scheduling", 2023, arXiv:2312.13526, which shows that every graph has an order
// that can take the place of all others, and that the fan-out bounds the work on
// series-parallel graphs.
//
// Departures: parts with more states than are gone through run in stored order,
// without any guarantee for the whole.

import (
	"context"

	"github.com/arenalab/arenalab/graph"
)

type seriesParallel struct{}

const (
	sharedBranches = 10        // that are gone through in all sequences
	splitSteps     = 4_000_000 // operators looked at
	splitOperators = 16_384    // of larger graphs the sets take over 64 MB
)

func (seriesParallel) Info() Info {
	return Info{
		Name:       "series-parallel",
		Title:      "Series-parallel",
		Summary:    "branches interleaved by hills and valleys, values that branches share freed by each of them in turn; all states of what is no branching",
		Reference:  "H. M. Abdel-Wahab, T. Kameda, Scheduling to minimize maximum cumulative cost subject to series-parallel precedence constraints, Operations Research 26(1), 1978, doi:10.1287/opre.26.1.141; C. Jin et al., New tools for peak memory scheduling, 2023, arXiv:2312.13526",
		Complexity: "O(n^2 2^d d), d branches that share values; up to 32768 states of a part that is not taken apart",
		Guarantee:  "the least peak of all orders, if no part that cannot be split into stretches or branches has more than 32768 states, at most 10 branches share values, and every graph input is read; within its steps",
	}
}

func (seriesParallel) Order(ctx context.Context, m *graph.Memory, o Options) (graph.Order, error) {
	if err := begin(ctx, m); err != nil {
		return graph.Order{}, err
	}
	ops, _ := compose(m, newBudget(ctx, o, splitSteps), true)
	return noWorse(m, "series-parallel", ops), nil
}

// compose returns an order and whether it has the least peak; with shared false
// it takes every value to be freed by its last reader of the stored order.
func compose(m *graph.Memory, b *budget, shared bool) (ops []int, exact bool) {
	stored := graph.Stored(m.Subgraph).Ops
	if len(stored) == 0 || len(stored) > splitOperators {
		return stored, len(stored) == 0
	}
	c := composer{modules: newModules(m), budget: b, last: lastStored(m), shared: shared, exact: true}
	c.ends = make([][]int, len(m.Values))
	for v, last := range c.last {
		if last < 0 {
			continue
		}
		if c.ends[v] = c.lastReaders(v); len(c.ends[v]) == 1 {
			c.ends[v] = nil
		} else if !shared {
			c.ends[v], c.exact = nil, false
		}
	}
	best := c.order(stored)
	ops = best.ops(len(stored))
	before := liveAfter(m, func(int) bool { return false })
	return ops, c.exact && m.Peak(ops) == max(m.Floor, before+best.peak())
}

// composer builds orders from those of parts.
type composer struct {
	*modules
	*budget
	last   []int   // by value: the operator that frees it, or -1
	ends   [][]int // by value: if several may be the last to read it, those
	shared bool    // whether that is gone into
	exact  bool    // nothing was left in stored order yet
}

// lastReaders returns those after which no other reader has to run.
func (c *composer) lastReaders(v int) (ends []int) {
	readers := c.m.Values[v].Readers
	for k, i := range readers {
		last := true
		for _, other := range readers[k+1:] {
			last = last && !c.of(c.after, i).has(other)
		}
		if last {
			ends = append(ends, i)
		}
	}
	return ends
}

// order returns that of some operators, ascending.
func (c *composer) order(ops []int) chain {
	if len(ops) == 1 {
		return chain{job(c.m, c.last, ops[0])}
	}
	for range ops {
		if !c.step() {
			return c.asStored(ops)
		}
	}
	if parts := c.series(ops); len(parts) > 1 {
		var all chain
		for _, part := range parts {
			all = all.then(c.order(part))
		}
		return all
	}
	if parts := c.parallel(ops); len(parts) > 1 {
		return c.branches(ops, parts)
	}
	if best, ok := c.whole(ops, nil); ok {
		return best
	}
	return c.asStored(ops)
}

// asStored keeps operators in stored order.
func (c *composer) asStored(ops []int) chain {
	c.exact = false
	var all chain
	for _, i := range ops {
		all = all.push(job(c.m, c.last, i))
	}
	return all
}
