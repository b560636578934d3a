package bound

import (
	"context"

	"github.com/arenalab/arenalab/lifetime"
)

// Raise returns the best bound that Refute leads to from a proven one on, such as
// that of Lower: it refutes the arena that the bound allows, then a larger one,
// in steps that double as long as that succeeds and are halved when it does not.
// It returns the bound itself if it finds no better one. If ctx ends, it returns
// the best bound so far with the error of ctx.
func Raise(ctx context.Context, t *lifetime.Table, b *lifetime.Bound, o Limits) (*lifetime.Bound, error) {
	step, grow := int64(0), true
	for {
		c, err := Refute(ctx, t, b.Value+step, nil, o)
		switch {
		case err != nil:
			return b, err
		case c != nil && grow:
			b, step = c, max(1, 2*step)
		case c != nil:
			b, step = c, step/2
		case step == 0:
			return b, nil
		default:
			step, grow = step/2, false
		}
	}
}
