package bound

import (
	"context"

	"github.com/arenalab/arenalab/lifetime"
)

// Certificates returns a proof of each kind that there is, without its value,
// that the table does not fit into the capacity.
func Certificates(ctx context.Context, t *lifetime.Table, capacity int64) []*lifetime.Bound {
	q, err := newQuery(t, capacity, nil)
	if q = q.clipped(q.lower, q.upper); err != nil || len(q.buffers) == 0 {
		return nil
	}
	var out []*lifetime.Bound
	m := newModel(q)
	if removals, ok := singleton(m, 1_000_000); ok {
		b := q.bound(lifetime.BoundSingleton)
		b.Removals = removals
		out = append(out, b)
	}
	if nodes, a, _ := orderTree(ctx, m, 1000, 100_000_000); a == refuted {
		b := q.bound(lifetime.BoundOrderTree)
		b.Tree = nodes
		out = append(out, b)
	}
	r := &refuter{t: t, ctx: ctx, work: 10_000_000}
	if c, a := r.sweep(q, 10_000_000); a == refuted {
		out = append(out, c.bound)
	}
	for _, b := range out {
		b.Value = q.next()
	}
	return out
}
