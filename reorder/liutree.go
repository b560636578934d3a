package reorder

// Liu's traversal orders a rooted tree from its leaves: the orders of the
// subtrees of an operator, cut into segments from valley over hill to valley,
// are interleaved segment by segment, and the operator itself follows. Trees
// that branch the other way are ordered from their leaves as well, which comes
// last there.
//
// Complexity: O(n^2); O(n log n) on trees that are not mostly long chains.
//
// Reference: J. W. H. Liu, "An application of generalized tree pebbling to
// sparse matrix factorization", SIAM Journal on Algebraic and Discrete Methods
// 8(3), 1987, pages 375-395, doi:10.1137/0608031.
//
// Departures: operators have sizes of several results, working memory and
// results in the place of operands, none of which depends on the order in a
// tree; trees side by side are merged as subtrees are. Where the graph is no
// tree, or a value has several readers, two trees are taken that span it, with
// each operator below the first or the last that needs it; their orders, with
// what is needed run before, are tried without any guarantee.

import (
	"context"
	"slices"

	"github.com/arenalab/arenalab/graph"
)

type liuTree struct{}

func (liuTree) Info() Info {
	return Info{
		Name:       "liu-tree",
		Title:      "Liu's tree traversal",
		Summary:    "subtrees interleaved by hills and valleys; spanning trees where the graph is none",
		Reference:  "J. W. H. Liu, An application of generalized tree pebbling to sparse matrix factorization, SIAM Journal on Algebraic and Discrete Methods 8(3), 1987, doi:10.1137/0608031",
		Complexity: "O(n^2)",
		Guarantee:  "the least peak of all orders, if every operator waits for at most one or is waited for by at most one, every value has one reader, and every graph input is read",
	}
}

func (liuTree) Order(ctx context.Context, m *graph.Memory, _ Options) (graph.Order, error) {
	if err := begin(ctx, m); err != nil {
		return graph.Order{}, err
	}
	trees := spanningTrees(m)
	if f, ok := forestOf(m); ok {
		trees = []forest{f}
	}
	best := graph.Stored(m.Subgraph).Ops
	peak := m.Peak(best)
	for _, f := range trees {
		c, err := f.order(ctx, m)
		if err != nil {
			return graph.Order{}, err
		}
		ops := repair(m, c.ops(len(m.Ops)))
		if p := m.Peak(ops); p < peak {
			best, peak = ops, p
		}
	}
	return graph.Order{Name: "liu-tree", Ops: best}, nil
}

// forest has for every operator at most one other that it hangs from.
type forest struct {
	parent []int // -1: none
	out    bool  // children run after their parents, not before
	last   []int // by value: the operator that frees it, or -1
}

// forestOf returns the graph as a forest, and whether it is one and what each
// operator adds does not depend on the order.
func forestOf(m *graph.Memory) (forest, bool) {
	for v := range m.Values {
		if len(m.Values[v].Readers) > 1 {
			return forest{}, false
		}
	}
	in := forest{parent: slices.Repeat([]int{-1}, len(m.Ops)), last: lastStored(m)}
	isIn := true
	for i, before := range m.Before {
		for _, p := range before {
			isIn = isIn && in.parent[p] < 0
			in.parent[p] = i
		}
	}
	if isIn {
		return in, true
	}
	out := forest{parent: slices.Repeat([]int{-1}, len(m.Ops)), last: in.last, out: true}
	for i, before := range m.Before {
		switch len(before) {
		case 0:
		case 1:
			out.parent[i] = before[0]
		default:
			return forest{}, false
		}
	}
	return out, true
}

// lastStored returns by value the operator that frees it in the stored order.
func lastStored(m *graph.Memory) []int {
	last := slices.Repeat([]int{-1}, len(m.Values))
	for v := range m.Values {
		if x := &m.Values[v]; !x.Kept && len(x.Readers) > 0 {
			last[v] = x.Readers[len(x.Readers)-1]
		}
	}
	return last
}

// spanningTrees returns the forests with every operator below the first, and
// below the last, that needs it.
func spanningTrees(m *graph.Memory) []forest {
	first := forest{parent: slices.Repeat([]int{-1}, len(m.Ops)), last: lastStored(m)}
	last := forest{parent: slices.Clone(first.parent), last: first.last}
	for i, before := range m.Before {
		for _, p := range before {
			if first.parent[p] < 0 {
				first.parent[p] = i
			}
			last.parent[p] = i
		}
	}
	return []forest{first, last}
}

// job returns operator i as a segment, given which operator frees each value.
func job(m *graph.Memory, last []int, i int) segment {
	op := &m.Ops[i]
	during := op.Transient
	var after int64
	for _, v := range op.Makes {
		during += m.Values[v].Size
		after += m.Values[v].Size
	}
	for _, v := range op.Reads {
		if last[v] == i {
			after -= m.Values[v].Size
		}
	}
	if v := op.Replaces; v >= 0 && last[v] == i {
		during -= m.Values[v].Size
	}
	return jobSegment(i, during, after)
}

// order returns the best order of the forest.
func (f forest) order(ctx context.Context, m *graph.Memory) (chain, error) {
	below := make([][]chain, len(m.Ops)) // by operator: the orders of its subtrees
	var roots []chain
	for k := range m.Ops {
		i := k
		if f.out {
			i = len(m.Ops) - 1 - k
		}
		if k%lookEvery == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		var c chain
		switch {
		case f.out:
			c = chain{job(m, f.last, i)}.then(merge(below[i]))
		case len(below[i]) > 0:
			c = merge(below[i]).push(job(m, f.last, i))
		default:
			c = chain{job(m, f.last, i)}
		}
		below[i] = nil
		if p := f.parent[i]; p >= 0 {
			below[p] = append(below[p], c)
		} else {
			roots = append(roots, c)
		}
	}
	return merge(roots), nil
}

// repair returns the operators in the sequence, each after those it needs,
// those in the sequence as well.
func repair(m *graph.Memory, sequence []int) []int {
	ops := make([]int, 0, len(sequence))
	place := make([]int, len(sequence))
	for k, i := range sequence {
		place[i] = k
	}
	done := make([]bool, len(sequence))
	var stack []int
	for _, i := range sequence {
		stack = append(stack[:0], i)
		for len(stack) > 0 {
			top := stack[len(stack)-1]
			if done[top] {
				stack = stack[:len(stack)-1]
				continue
			}
			at := len(stack)
			for _, p := range m.Before[top] {
				if !done[p] {
					stack = append(stack, p)
				}
			}
			if len(stack) == at {
				done[top] = true
				ops = append(ops, top)
				stack = stack[:at-1]
				continue
			}
			slices.SortFunc(stack[at:], func(a, b int) int { return place[b] - place[a] })
		}
	}
	return ops
}
