package bound

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/arenalab/arenalab/lifetime"
)

// Limits bound what Refute tries. The zero value is the default.
type Limits struct {
	// Leaves is the most an order tree may have: 10,000 by default.
	Leaves int
	// Work is how many elementary operations lifetime.CheckBound may need for
	// the certificate: 400 million by default, about half a second. Refute
	// itself may need a few times as many.
	Work int
	// Whole says that no windows are to be looked for: the buffers are already
	// about those that a proof needs.
	Whole bool
}

const (
	defaultLeaves = 10_000
	defaultWork   = 400_000_000
)

// Refute looks for a proof that the given buffers of a valid table, nil for all,
// have no plan within the capacity in bytes. The bound it returns is one that
// lifetime.CheckBound accepts for the table, and its value is the next arena
// above the capacity that they can need. It returns nil if it finds none within
// the limits: then there may be a plan, or not. The error is that of ctx, or of
// positions that are none.
//
// A proof concerns few instants, wherever it is. So with ever more effort Refute
// looks at all steps, and then at windows around the fullest instants, ever wider.
// What refutes a window is, in this order, what a single instant shows, offsets
// by singleton consistency, a small tree of orders, a sweep over all ways to
// place what is live, or a large tree. Then it leaves out steps and buffers that
// the proof can do without. It is deterministic unless ctx ends it.
func Refute(ctx context.Context, t *lifetime.Table, capacity int64, buffers []int, o Limits) (*lifetime.Bound, error) {
	q, err := newQuery(t, capacity, buffers)
	if err != nil || len(q.buffers) == 0 {
		return nil, err
	}
	if b := single(q); b != nil {
		return b, nil
	}
	if q = q.clipped(q.lower, q.upper); len(q.buffers) == 0 {
		return nil, nil
	}
	if o.Leaves <= 0 {
		o.Leaves = defaultLeaves
	}
	if o.Work <= 0 {
		o.Work = defaultWork
	}
	r := &refuter{t: t, ctx: ctx, work: 4 * o.Work}
	for _, step := range steps(o) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		part, c, a := q, (*certificate)(nil), open
		if step.windows {
			part, c = r.search(q, step.effort)
		} else {
			c, a = r.refute(q, step.effort)
		}
		if c != nil {
			return r.finish(r.shrink(part, c)), nil
		}
		if a == planned {
			break
		}
	}
	return nil, ctx.Err()
}

// newQuery checks the arguments of Refute.
func newQuery(t *lifetime.Table, capacity int64, buffers []int) (query, error) {
	lower, upper := t.Span()
	q := query{t: t, capacity: capacity, lower: lower, upper: upper}
	if buffers == nil {
		for i := range t.Buffers {
			q.buffers = append(q.buffers, i)
		}
	} else {
		q.buffers = slices.Clone(buffers)
		slices.Sort(q.buffers)
		q.buffers = slices.Compact(q.buffers)
	}
	for _, i := range q.buffers {
		if i < 0 || i >= len(t.Buffers) {
			return q, fmt.Errorf("refute: the table has no buffer %d", i)
		}
	}
	if capacity < 0 {
		return q, fmt.Errorf("refute: capacity %d is negative", capacity)
	}
	return q, nil
}

// effort is how much one window may cost.
type effort struct {
	buffers int // largest window
	tries   int // elementary operations of singleton consistency
	leaves  int // of a tree
	work    int // of a check; a search for a tree may take four times as much
}

// step is a part of the search: of all that is asked, or of windows of it.
type step struct {
	windows bool
	effort
}

// steps returns the parts of the search, cheap ones first.
func steps(o Limits) []step {
	small := effort{64, min(o.Work, 1_000_000), min(o.Leaves, 32), min(o.Work, 100_000)}
	middle := effort{256, min(o.Work, 20_000_000), min(o.Leaves, 300), min(o.Work, 3_000_000)}
	large := effort{512, min(o.Work, 100_000_000), o.Leaves, min(o.Work, 50_000_000)}
	most := effort{512, min(o.Work, 100_000_000), o.Leaves, o.Work}
	if o.Whole {
		return []step{{false, small}, {false, middle}, {false, most}}
	}
	return []step{{false, small}, {false, middle}, {true, small}, {true, middle}, {false, large}, {false, most}, {true, large}}
}

// certificate is a bound with the work of checking it.
type certificate struct {
	bound *lifetime.Bound
	work  int
}

// refuter finds and shrinks proofs.
type refuter struct {
	t    *lifetime.Table
	ctx  context.Context
	work int // left for checks
}

// single returns what a single instant proves, if it is enough.
func single(q query) *lifetime.Bound {
	part := &lifetime.Table{}
	for _, i := range q.buffers {
		part.Buffers = append(part.Buffers, q.t.Buffers[i])
	}
	b := Lower(part, 0)
	if b.Value <= q.capacity {
		return nil
	}
	for k, i := range b.Buffers {
		b.Buffers[k] = q.buffers[i]
	}
	return b
}

// check asks the checker about a proof.
func (r *refuter) check(b *lifetime.Bound, work int) (*certificate, error) {
	b.Value = b.Capacity + 1
	used, err := lifetime.CheckBoundWithin(r.t, b, min(work, r.work))
	r.work -= used
	if err != nil {
		return nil, err
	}
	return &certificate{b, used}, nil
}

// finish raises the value to the next arena there can be.
func (r *refuter) finish(c *certificate) *lifetime.Bound {
	q := query{t: r.t, capacity: c.bound.Capacity, buffers: c.bound.Buffers}
	b := *c.bound
	b.Value = q.next()
	if lifetime.CheckBound(r.t, &b) != nil {
		return c.bound // which was checked
	}
	return &b
}

// refute tries to refute one window.
func (r *refuter) refute(q query, e effort) (*certificate, answer) {
	if len(q.buffers) > e.buffers {
		return nil, open
	}
	m := newModel(q)
	if removals, ok := singleton(m, e.tries); ok {
		b := q.bound(lifetime.BoundSingleton)
		b.Removals = removals
		if c, err := r.check(b, e.work); err == nil {
			return c, refuted
		}
	}
	small := min(e.leaves, smallTree)
	c, a := r.tree(q, m, small, e.work)
	if a != open {
		return c, a
	}
	if c, a = r.sweep(q, e.work); a != open {
		return c, a
	}
	if e.leaves > small {
		return r.tree(q, m, e.leaves, e.work)
	}
	return nil, open
}

// mostTree is the most work of the search for a tree.
const mostTree = 100_000_000

// smallTree is the number of leaves of a tree that is preferred to a sweep: it
// may be read.
const smallTree = 32

func (r *refuter) tree(q query, m *model, leaves, work int) (*certificate, answer) {
	nodes, a, used := orderTree(r.ctx, m, leaves, min(4*work, mostTree))
	r.work -= used / 4
	if a != refuted {
		return nil, a
	}
	b := q.bound(lifetime.BoundOrderTree)
	b.Tree = nodes
	if c, err := r.check(b, work); err == nil {
		return c, refuted
	}
	return nil, open
}

// sweep leaves the whole matter to the checker. Which end to start from may make
// all the difference, so both have turns of growing length.
func (r *refuter) sweep(q query, work int) (*certificate, answer) {
	for turn := max(min(work, firstTurn), work>>8); ; turn = min(work, 4*turn) {
		var best *certificate
		limit := turn
		for _, backward := range []bool{false, true} {
			b := q.bound(lifetime.BoundSweep)
			b.Backward = backward
			c, err := r.check(b, limit)
			switch {
			case err == nil:
				best, limit = c, c.work
			case best == nil && !errors.Is(err, lifetime.ErrCheckWork):
				return nil, planned
			}
		}
		switch {
		case best != nil:
			return best, refuted
		case turn == work || r.work <= 0 || r.ctx.Err() != nil:
			return nil, open
		}
	}
}

// firstTurn is the work of the first turns of a sweep.
const firstTurn = 100_000
