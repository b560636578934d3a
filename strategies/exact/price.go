package exact

import (
	"cmp"
	"context"
	"slices"

	"github.com/arenalab/arenalab/lifetime"
)

// Change is something that could be done to a buffer.
type Change string

// The changes that Prices asks about.
const (
	Gone    Change = "gone"    // not there at all
	Halved  Change = "halved"  // half the size, rounded up
	Later   Change = "later"   // born at the next step
	Earlier Change = "earlier" // dead one step before
)

// Price is what a change of one buffer saves of the smallest arena.
type Price struct {
	Buffer int // position in the table
	Change Change
	// Low and High bound the saving, in bytes; they are equal where the search
	// came to an end.
	Low, High int64
}

// priceDecisions is the budget of each question.
const priceDecisions = 5_000

// Prices returns what changing a single buffer would save of the arena, for
// every buffer and change that may save anything, the largest savings first.
// The plan must be one of the table, and lower a proven bound for it: where the
// two differ, savings are known no better. Buffers with a fixed offset, and
// those with gaps, are only asked to go. It obeys ctx by asking no more.
//
// A change cannot save anything if the load stays at the arena; only the others
// are searched.
func Prices(ctx context.Context, t *lifetime.Table, plan *lifetime.Plan, lower int64, o Options) ([]Price, error) {
	var out []Price
	for i := range t.Buffers {
		for _, change := range [...]Change{Gone, Halved, Later, Earlier} {
			if ctx.Err() != nil {
				return out, nil
			}
			changed, start := apply(t, plan, i, change)
			if changed == nil || changed.Load() >= plan.Arena {
				continue
			}
			got, err := Minimize(ctx, changed, Options{Seed: o.Seed, Decisions: priceDecisions, Start: start})
			if err != nil {
				return out, err
			}
			p := Price{Buffer: i, Change: change, Low: max(0, lower-got.Plan.Arena), High: plan.Arena - got.Plan.LowerBound}
			if p.High > 0 {
				out = append(out, p)
			}
		}
	}
	slices.SortStableFunc(out, func(a, b Price) int {
		return cmp.Or(cmp.Compare(b.Low, a.Low), cmp.Compare(b.High, a.High))
	})
	return out, nil
}

// apply returns the changed table and the plan for it, or nil where the change
// makes no sense.
func apply(t *lifetime.Table, plan *lifetime.Plan, i int, change Change) (*lifetime.Table, *lifetime.Plan) {
	out := &lifetime.Table{Name: t.Name, Buffers: slices.Clone(t.Buffers)}
	offsets := slices.Clone(plan.Offsets)
	b := &out.Buffers[i]
	if change != Gone && (b.Fixed != nil || len(b.Gaps) > 0) {
		return nil, nil
	}
	switch change {
	case Gone:
		out.Buffers = slices.Delete(out.Buffers, i, i+1)
		offsets = slices.Delete(offsets, i, i+1)
	case Halved:
		b.Size = (b.Size + 1) / 2
	case Later:
		b.Lower++
	case Earlier:
		b.Upper--
	}
	if change != Gone && b.Upper <= b.Lower {
		return nil, nil
	}
	return out, lifetime.NewPlan(out, offsets)
}
