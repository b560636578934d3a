package bound

import (
	"context"
	"slices"

	"github.com/arenalab/arenalab/reorder/proof"
)

// Cut returns the best bound of a cut at one operator that is above a value, or
// nil. The order is a known one, or nil: operators are looked at by the bytes
// live at them in it, which no cut exceeds, as long as that can help.
func (f *Finder) Cut(ctx context.Context, order []int, above int64, w *Work) *proof.Bound {
	if w == nil {
		w = &Work{}
	}
	var best *proof.Bound
	ops, most := f.falling(order)
	for _, v := range ops {
		if most[v] <= above || w.over(ctx) {
			break
		}
		if bytes := f.cut(v, w); bytes > above {
			best = &proof.Bound{Kind: proof.Cut, Value: bytes, Op: int(v)}
			above = bytes
		}
	}
	return best
}

// falling returns the operators by how much can be live at them, most first,
// and how much that is, by operator: what it is in a known order.
func (f *Finder) falling(order []int) (ops []int32, most []int64) {
	if order == nil {
		order = make([]int, len(f.topo))
		for k, v := range f.topo {
			order[k] = int(v)
		}
	}
	most = f.live(order)
	ops = slices.Clone(f.topo)
	slices.SortStableFunc(ops, func(a, b int32) int {
		switch {
		case most[a] > most[b]:
			return -1
		case most[a] < most[b]:
			return 1
		}
		return int(a - b)
	})
	return ops, most
}

// cut returns the least bytes at an operator, whatever has run before it.
func (f *Finder) cut(v int32, w *Work) int64 {
	if f.cuts[v] < 0 {
		out := append(newSet(0), f.rel.after[v]...)
		out.add(v)
		f.cuts[v] = f.least(v, f.rel.before[v], out, nil, unlimited, w)
	}
	return f.cuts[v]
}

// least returns the least bytes at an operator with the operators of in among
// those that have run and none of those of out, or something above most.
func (f *Finder) least(v int32, in, out set, pairs [][2]int32, most int64, w *Work) int64 {
	f.net.work = 0
	f.net.build(v, in, out, pairs)
	bytes := f.net.settle(most)
	w.Done += f.net.work
	return bytes
}
