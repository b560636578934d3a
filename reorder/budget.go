package reorder

import (
	"context"
	"time"

	"github.com/arenalab/arenalab/graph"
)

// budget counts the work of a search and says when it has to end.
type budget struct {
	ctx   context.Context
	end   time.Time // zero: none
	left  int64     // steps; below 0 from the start: no end
	ended bool
}

// newBudget returns that of the options; own is the number of steps that the
// search takes if they name none.
func newBudget(ctx context.Context, o Options, own int64) *budget {
	b := &budget{ctx: ctx, left: o.Steps}
	if o.Steps == 0 {
		b.left = own
	}
	if o.TimeLimit > 0 {
		b.end = time.Now().Add(o.TimeLimit)
	}
	return b
}

// lookEvery is how many steps are taken between looks at clock and context.
const lookEvery = 256

// step counts one and reports whether the search may go on.
func (b *budget) step() bool {
	if b.ended || b.left == 0 {
		b.ended = true
		return false
	}
	b.left--
	if b.left%lookEvery == 0 {
		b.ended = b.late()
	}
	return !b.ended
}

// late reports whether context or clock end the search.
func (b *budget) late() bool {
	return b.ctx.Err() != nil || !b.end.IsZero() && !time.Now().Before(b.end)
}

// noWorse returns the order under the name, or the stored one if that has the
// smaller peak.
func noWorse(m *graph.Memory, name string, ops []int) graph.Order {
	order := graph.Stored(m.Subgraph)
	order.Name = name
	if len(ops) == len(order.Ops) && m.Peak(ops) <= m.Peak(order.Ops) {
		order.Ops = ops
	}
	return order
}
