package strategies

// Vela's hill climb places live ranges one by one at the lowest address, the
// most urgent first, then swaps two of those that stand below the highest one
// in that order, and again, as long as that keeps helping.
//
// Complexity: O(k e) for k tries, e the pairs that conflict; O(e) memory. The
// first placement is near O(n log n). Of the original too.
//
// Reference: class HillClimbAllocator, ethosu/vela/hillclimb_allocation.py, the
// package ethos-u-vela 5.2.0. Vela's own default.
//
// Rule, to the byte: first by the most bytes live in its life descending, life
// descending, begin ascending, size descending, row. A try swaps two turns, drawn
// with Python's generator from the seed 1, among those of the range with the
// highest end, of its neighbours, and of what each rests on; 50 tries after the
// last gain a second swap is drawn from a wider set. A result that is no larger
// is kept. The search ends at the peak of live bytes, or 500 tries after the last
// gain, but, with a capacity that is not met, not before 99999 tries. A try that
// grows beyond the best is broken off and leaves the rest of the ranges where
// they were, as the original does: the next try starts from that.
//
// Departures: a seed of 0 stands for Vela's 1. The search gives up after 2^30
// looks at a neighbour, and is not begun where more than 2^22 pairs conflict. It ends
// if there is nothing to swap, where the original fails. Fixed offsets, which
// the original does not know, are neighbours that do not move.

import (
	"cmp"
	"context"
	"slices"

	"github.com/arenalab/arenalab/lifetime"
)

type velaHillClimb struct{}

func (velaHillClimb) Info() Info {
	return Info{
		Name:       "vela-hill-climb",
		Title:      "Vela, HillClimb",
		Summary:    "most urgent first at the lowest offset, then swaps below the top",
		Reference:  "class HillClimbAllocator, ethosu/vela/hillclimb_allocation.py, ethos-u-vela 5.2.0",
		Complexity: "near O(n log n), and O(e) for each try, e the pairs that conflict",
		Key:        "peak of live bytes in its life, life descending, first use, the larger; ties by row",
		Guarantee:  equalSizes,
		RowOrder:   true,
	}
}

const (
	velaPairs = 1 << 22 // that may conflict for the search to be begun
	velaLooks = 1 << 30 // at a neighbour in all tries
)

func (velaHillClimb) Plan(ctx context.Context, t *lifetime.Table, o Options) (*lifetime.Plan, error) {
	ctx, cancel := limit(ctx, o)
	defer cancel()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	load := loadOf(t)
	p, err := prepare(&method{rule: lowestGap, order: sorting{key: load.urgency}, whole: true}, t, o)
	if err != nil {
		return nil, err
	}
	if err := p.fill(ctx, tuning{listLimit, perBucket, crowd}); err != nil {
		return nil, err
	}
	plan := lifetime.NewPlan(t, p.offsets)
	_, least := load.curve.Peak()
	if plan.Arena <= least || countPairs(t) > velaPairs {
		return plan, nil
	}
	c := newClimb(p, least, max(o.Seed, 1))
	c.limit = plan.Arena
	if o.Capacity > 0 {
		c.limit = o.Capacity
	}
	c.search(ctx)
	for k := range c.ranges {
		if r := &c.ranges[k]; !r.fixed {
			p.offsets[r.index] = c.best[k]
		}
	}
	plan = lifetime.NewPlan(t, p.offsets)
	plan.Stats.Decisions = c.tries
	return plan, nil
}

// loads answers what is live in a life, gaps ignored.
type loads struct {
	curve lifetime.Curve
	most  [][]int64 // most[k][i]: the largest of 2^k entries of the curve from i on
}

func loadOf(t *lifetime.Table) *loads {
	solid := &lifetime.Table{Buffers: slices.Clone(t.Buffers)}
	for i := range solid.Buffers {
		solid.Buffers[i].Gaps = nil
		if b := &solid.Buffers[i]; b.Size < 0 || b.Lower >= b.Upper {
			b.Size, b.Upper = 0, b.Lower+1 // not valid: prepare refuses the table
		}
	}
	l := &loads{curve: solid.LiveBytes()}
	l.most = [][]int64{l.curve.Live}
	for w := 1; 2*w <= len(l.curve.Live); w *= 2 {
		last := l.most[len(l.most)-1]
		row := make([]int64, len(last)-w)
		for i := range row {
			row[i] = max(last[i], last[i+w])
		}
		l.most = append(l.most, row)
	}
	return l
}

// peak returns the most bytes live at once in the steps [lower, upper), both of
// which are times of the curve.
func (l *loads) peak(lower, upper int64) int64 {
	from, _ := slices.BinarySearch(l.curve.Times, lower)
	to, _ := slices.BinarySearch(l.curve.Times, upper)
	k := 0
	for 2<<k <= to-from {
		k++
	}
	return max(l.most[k][from], l.most[k][to-1<<k])
}

func (l *loads) urgency(t *lifetime.Table) func(a, b *item) int {
	urgency := make([]int64, len(t.Buffers))
	for i := range t.Buffers {
		if b := &t.Buffers[i]; b.Size > 0 {
			urgency[i] = l.peak(b.Lower, b.Upper)
		}
	}
	return func(a, b *item) int {
		return cmp.Or(
			cmp.Compare(urgency[b.index], urgency[a.index]),
			cmp.Compare(b.upper-b.lower, a.upper-a.lower),
			cmp.Compare(a.lower, b.lower),
			cmp.Compare(b.size, a.size),
		)
	}
}

// countPairs returns how many pairs of buffers conflict, gaps ignored.
func countPairs(t *lifetime.Table) int64 {
	var births, deaths []int64
	for i := range t.Buffers {
		if b := &t.Buffers[i]; b.Size > 0 {
			births = append(births, b.Lower)
			deaths = append(deaths, b.Upper)
		}
	}
	slices.Sort(births)
	slices.Sort(deaths)
	pairs, d := int64(0), 0
	for i, b := range births {
		for deaths[d] <= b {
			d++
		}
		pairs += int64(i - d)
	}
	return pairs
}
