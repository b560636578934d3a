package reorder

// Series-parallel orders are built from those of the parts: orders of stretches
// that run one after the other are appended, those of branches that do not wait
// for each other are interleaved by hills and valleys. A value that several
// branches read first is freed by the last of them, so the sequences in which
// the branches begin are gone through, as sets of those that have not begun: of
// the orders that lead on from a set one can take the place of all others.
//
// Complexity: O(n^2) times 2^d d for d branches that share values.
//
// Reference: H. M. Abdel-Wahab, T. Kameda, "Scheduling to minimize maximum
// cumulative cost subject to series-parallel precedence constraints", Operations
// Research 26(1), 1978, pages 141-158, doi:10.1287/opre.26.1.141, for values
// with one last reader. For shared values ours, after the idea of "New Tools for
// Peak Memory Scheduling", 2023, which shows that graphs have an order that can
// take the place of all others and that the fan-out bounds the work.
//
// Departures: that a shared value is read first means that its readers begin
// their branches. What is not built so, or is shared by more branches than are
// gone through, runs in stored order, without any guarantee for the whole.

import (
	"context"
	"math/bits"

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
		Summary:    "branches interleaved by hills and valleys, values that branches share freed by each of them in turn",
		Reference:  "H. M. Abdel-Wahab, T. Kameda, Scheduling to minimize maximum cumulative cost subject to series-parallel precedence constraints, Operations Research 26(1), 1978, doi:10.1287/opre.26.1.141; New Tools for Peak Memory Scheduling, 2023",
		Complexity: "O(n^2 2^d d), d branches that share values",
		Guarantee:  "the least peak of all orders, if operators form series and parallel branches, values with several last readers are read by at most 10 of them and by the first of each, and every graph input is read",
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
	c := composer{modules: newModules(m), budget: b, last: lastStored(m), exact: true}
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
	last  []int   // by value: the operator that frees it, or -1
	ends  [][]int // by value: if several may be the last to read it, those
	exact bool    // nothing was left in stored order yet
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

// branches returns the order of parts that do not wait for each other.
func (c *composer) branches(ops []int, parts [][]int) chain {
	open := c.sharedBy(ops, parts)
	var all, tails []chain
	var heads []int
	var number = make([]int, len(parts)) // by part: that of its head, or -1
	for p, part := range parts {
		number[p] = -1
		if !open.in(p) {
			all = append(all, c.order(part))
			continue
		}
		number[p] = len(heads)
		heads = append(heads, open.head[p])
		if len(part) > 1 {
			tails = append(tails, c.order(part[1:]))
		} else {
			tails = append(tails, nil)
		}
	}
	if len(heads) > 0 {
		for k := range open.values {
			open.values[k].parts = renumber(open.values[k].parts, number)
		}
		all = append(all, c.begin(heads, tails, open.values))
	}
	return merge(all)
}

// branchSharing says what values branches share.
type branchSharing struct {
	head   []int // by part: its reader, or -1
	values []sharedValue
}

type sharedValue struct {
	value int
	parts []int
}

func (s *branchSharing) in(part int) bool { return s.head[part] >= 0 }

func renumber(list, number []int) []int {
	out := make([]int, len(list))
	for k, p := range list {
		out[k] = number[p]
	}
	return out
}

// sharedBy finds the values that may be freed in several of the parts. If it is
// not the first operator of a part that does so, or there are too many parts,
// they are left to be freed by the last reader of the stored order.
func (c *composer) sharedBy(ops []int, parts [][]int) branchSharing {
	s := branchSharing{head: make([]int, len(parts))}
	part := make(map[int]int, len(ops))
	for p, list := range parts {
		s.head[p] = -1
		for _, i := range list {
			part[i] = p
		}
	}
	number, well := 0, true
	for _, i := range ops {
		for _, v := range c.m.Ops[i].Reads {
			ends := c.ends[v]
			if len(ends) == 0 || ends[0] != i {
				continue
			}
			x := sharedValue{value: v}
			split, all := false, true
			for _, e := range ends {
				p, inside := part[e]
				all = all && inside
				split = split || p != part[i]
				x.parts = append(x.parts, p)
			}
			if !all || !split {
				continue
			}
			s.values = append(s.values, x)
			for k, e := range ends {
				p := x.parts[k]
				if s.head[p] < 0 {
					number++
					s.head[p] = e
				}
				well = well && s.head[p] == e && c.leads(e, parts[p])
			}
		}
	}
	if !well || number > sharedBranches {
		c.exact = false
		s.values = nil
		for p := range s.head {
			s.head[p] = -1
		}
	}
	return s
}

// leads reports whether all of a part run after the operator.
func (c *composer) leads(i int, part []int) bool {
	if i != part[0] {
		return false
	}
	for _, k := range part[1:] {
		if !c.of(c.after, i).has(k) {
			return false
		}
	}
	return true
}

// begin returns the order of branches that share values: whatever the set of
// those that have not begun, one begins, and goes on beside the others.
func (c *composer) begin(heads []int, tails []chain, values []sharedValue) chain {
	best := make([]chain, 1<<len(heads))
	var choice []chain
	for set := 1; set < len(best); set++ {
		if !c.step() {
			c.exact = false
		}
		choice = choice[:0]
		for k, head := range heads {
			if set>>k&1 == 0 {
				continue
			}
			for _, x := range values {
				c.last[x.value] = -1
				if lastOf(x.parts, set, k) {
					c.last[x.value] = head
				}
			}
			next := chain{job(c.m, c.last, head)}.then(merge([]chain{tails[k], best[set&^(1<<k)]}))
			choice = append(choice, next)
		}
		best[set] = c.choose(choice)
	}
	return best[len(best)-1]
}

// lastOf reports whether part k, of those in the set, is the last one left.
func lastOf(parts []int, set, k int) bool {
	var of int
	for _, p := range parts {
		of |= 1 << p
	}
	return bits.OnesCount(uint(of&set)) == 1 && of&set == 1<<k
}

// choose returns the order that can take the place of all others, or if there
// is none one of the least peak.
func (c *composer) choose(list []chain) chain {
	best := 0
	for k := range list {
		if !list[best].dominates(list[k]) {
			best = k // no earlier one can take the place of all
		}
	}
	for _, other := range list {
		if list[best].dominates(other) {
			continue
		}
		c.exact = false
		for k := range list {
			if list[k].peak() < list[best].peak() {
				best = k
			}
		}
		break
	}
	return list[best]
}
