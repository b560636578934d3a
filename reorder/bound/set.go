package bound

import (
	"context"
	"math"
	"slices"

	"github.com/arenalab/arenalab/reorder/proof"
)

// setOps is how many operators sets are chosen from.
const setOps = 128

// Set returns the best bound of a set of operators that is above a value, or
// nil: one of them is the first of them to run, with no other done, and one is
// the last, with all others done. The sets are of operators of great cuts that
// are pairwise free to run in either sequence, of sizes that grow by half.
func (f *Finder) Set(ctx context.Context, order []int, above int64, w *Work) *proof.Bound {
	if w == nil {
		w = &Work{}
	}
	chain := f.antichain(ctx, order, w)
	var best *proof.Bound
	for k := 2; len(chain) > 1; k = min(k*3/2+1, len(chain)) {
		k = min(k, len(chain))
		for _, last := range []bool{false, true} {
			if w.over(ctx) {
				return best
			}
			if bytes := f.ofSet(ctx, chain[:k], last, above, w); bytes > above {
				best = &proof.Bound{Kind: proof.Set, Value: bytes, Last: last}
				for _, v := range chain[:k] {
					best.Ops = append(best.Ops, int(v))
				}
				slices.Sort(best.Ops)
				above = bytes
			}
		}
		if k == len(chain) {
			break
		}
	}
	return best
}

// antichain returns operators that are pairwise free, those of great cuts first.
func (f *Finder) antichain(ctx context.Context, order []int, w *Work) []int32 {
	ops, _ := f.falling(order)
	ops = ops[:min(setOps, len(ops))]
	for k, v := range ops {
		if w.over(ctx) {
			ops = ops[:k]
			break
		}
		f.cut(v, w)
	}
	slices.SortStableFunc(ops, func(a, b int32) int {
		switch {
		case f.cuts[a] > f.cuts[b]:
			return -1
		case f.cuts[a] < f.cuts[b]:
			return 1
		}
		return 0
	})
	var chain []int32
	for _, v := range ops {
		free := true
		for _, u := range chain {
			free = free && f.rel.apart(u, v)
		}
		if free {
			chain = append(chain, v)
		}
	}
	return chain
}

// ofSet returns the least bytes at the operator of a set that runs last of
// them, or first, whichever that is; or a value that is not above the given one.
func (f *Finder) ofSet(ctx context.Context, ops []int32, last bool, above int64, w *Work) int64 {
	least := int64(math.MaxInt64)
	n := len(f.m.Ops)
	in, out := newSet(n), newSet(n)
	for _, v := range ops {
		if w.over(ctx) {
			return 0
		}
		copy(in, f.rel.before[v])
		copy(out, f.rel.after[v])
		out.add(v)
		for _, u := range ops {
			switch {
			case u == v:
			case last:
				in.unite(f.rel.before[u])
				in.add(u)
			default:
				out.unite(f.rel.after[u])
				out.add(u)
			}
		}
		if in.meets(out) {
			continue // it cannot be
		}
		least = min(least, f.least(v, in, out, nil, least, w))
		if least <= above {
			return least
		}
	}
	return least
}
