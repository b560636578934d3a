package reorder

// Random draws topological orders, at every step one of the operators that are
// ready, all alike, and keeps the one of the least peak. It shows what an order
// gains without any rule: a rule that loses to it is not worth much.
//
// Complexity: O(k (n + m)) for k orders.
//
// Reference: none; the plain Monte Carlo method. HMCOS (wzh99/HMCOS at commit
// cf547ee) takes the best of 100 as its first budget.
//
// Departures: none. The draw is not uniform over all orders, only over what is
// ready at each step; an order is given up when it needs as much as the best.

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/arenalab/arenalab/graph"
)

// randomOrders is how many orders are drawn unless Options.Steps says else.
const randomOrders = 100

type random struct{}

func (random) Info() Info {
	return Info{
		Name:       "random",
		Title:      fmt.Sprintf("Best of %d random", randomOrders),
		Summary:    fmt.Sprintf("of %d random topological orders the one of the least peak", randomOrders),
		Reference:  "none; the Monte Carlo method",
		Complexity: "O(k (n + m)) for k orders",
	}
}

func (random) Order(ctx context.Context, m *graph.Memory, o Options) (graph.Order, error) {
	if err := begin(ctx, m); err != nil {
		return graph.Order{}, err
	}
	orders := o.Steps
	if orders == 0 {
		orders = randomOrders
	}
	var deadline time.Time
	if o.TimeLimit > 0 {
		deadline = time.Now().Add(o.TimeLimit)
	}
	d := newDraw(m, o.Seed)
	var best []int
	var peak int64
	for k := int64(0); k != orders; k++ {
		if k > 0 && (ctx.Err() != nil || !deadline.IsZero() && !time.Now().Before(deadline)) {
			break
		}
		p, err := d.order(ctx, best != nil, peak)
		if err != nil {
			if best == nil {
				return graph.Order{}, err
			}
			break
		}
		if best == nil || p < peak {
			best, peak = append(best[:0], d.ops...), p
			if best == nil {
				best = []int{} // there are no operators
			}
		}
	}
	return graph.Order{Name: "random", Ops: best}, nil
}

// draw draws orders.
type draw struct {
	m     *graph.Memory
	next  successors
	rnd   *rand.Rand
	live  *liveCount
	ops   []int // of the last order, as far as it went
	ready []int
	first []int // operators that wait for nothing
	waits []int // by operator: how many it waits for
	left  []int // by operator: those of them that have not run
}

func newDraw(m *graph.Memory, seed uint64) *draw {
	d := &draw{
		m:     m,
		next:  newSuccessors(m),
		rnd:   rand.New(rand.NewPCG(seed, 0)),
		live:  newLiveCount(m),
		ops:   make([]int, 0, len(m.Ops)),
		waits: waiting(m),
		left:  make([]int, len(m.Ops)),
	}
	for i, n := range d.waits {
		if n == 0 {
			d.first = append(d.first, i)
		}
	}
	return d
}

// order draws an order and returns its peak. If below is set, it gives up an
// order as soon as it needs at least limit bytes, and returns what it needs by
// then.
func (d *draw) order(ctx context.Context, below bool, limit int64) (peak int64, err error) {
	copy(d.left, d.waits)
	d.ops, d.ready = d.ops[:0], append(d.ready[:0], d.first...)
	d.live.reset()
	peak = d.m.Floor
	for len(d.ready) > 0 && !(below && peak >= limit) {
		k := d.rnd.IntN(len(d.ready))
		i, last := d.ready[k], len(d.ready)-1
		d.ready[k] = d.ready[last]
		d.ready = d.ready[:last]
		d.ops = append(d.ops, i)
		if len(d.ops)%checkEvery == 0 && ctx.Err() != nil {
			return 0, ctx.Err()
		}
		peak = max(peak, d.live.run(i))
		for _, s := range d.next.of(i) {
			if d.left[s]--; d.left[s] == 0 {
				d.ready = append(d.ready, s)
			}
		}
	}
	return peak, nil
}
