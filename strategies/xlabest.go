package strategies

// XLA's packing search runs its six packings, by size, life and area into the
// smallest and into the lowest hole, and keeps the smallest heap.
//
// Complexity: that of the six; the search ends early at the peak of live bytes,
// which no heap can be smaller than, and a packing ends as soon as it is no
// smaller than the best.
//
// Reference: class ChooseBestHeapAlgorithm and the packing search, xla/service/
// heap_simulator/heap_simulator.cc, openxla/xla at commit 0e06ac8223fe.
//
// Rule, to the byte: in the order best fit by size, by life, by area, then
// lowest offset by size, by life, by area; the first of equals wins.
//
// Departures: those of the packings.

import (
	"context"
	"errors"
	"math"

	"github.com/arenalab/arenalab/lifetime"
)

type xlaBest struct{}

func (xlaBest) Info() Info {
	return Info{
		Name:       "xla-best",
		Title:      "XLA, the best of six",
		Summary:    "the smallest of XLA's six packings",
		Reference:  "class ChooseBestHeapAlgorithm, xla/service/heap_simulator/heap_simulator.cc, openxla/xla at 0e06ac8223fe",
		Complexity: "six times O(n^2) worst case, near O(n log n) on networks",
		Key:        "those of the six; ties by row; of equal arenas the first",
		Guarantee:  "no larger than any of the six",
		RowOrder:   true,
	}
}

func (xlaBest) Plan(ctx context.Context, t *lifetime.Table, o Options) (*lifetime.Plan, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return keepBest(ctx, t, o, xlaPackings(xlaTrace(t)))
}

// xlaPackings returns the packings in the order in which they are tried.
func xlaPackings(c *xlaClock) []method {
	var list []method
	for _, lowest := range []bool{false, true} {
		for _, w := range []xlaWeight{xlaSpatial, xlaTemporal, xlaArea} {
			list = append(list, xla{w, lowest}.method(c))
		}
	}
	return list
}

// keepBest runs the methods one after the other, until one needs no more than
// the peak of live bytes, and returns the first of the smallest plans. Once
// there is a plan, the time limit only ends the search.
func keepBest(ctx context.Context, t *lifetime.Table, o Options, list []method) (*lifetime.Plan, error) {
	ctx, cancel := limit(ctx, o)
	defer cancel()
	load := t.Load()
	var best *lifetime.Plan
	most := int64(math.MaxInt64)
	for i := range list {
		plan, err := list[i].upTo(ctx, t, o, most)
		switch {
		case errors.Is(err, errHigh):
			continue
		case err != nil && best != nil && ctx.Err() != nil:
			return best, nil
		case err != nil:
			return nil, err
		}
		best, most = plan, plan.Arena-1
		if best.Arena <= load {
			break
		}
	}
	return best, nil
}

// upTo runs the method as long as its arena is not above the given bytes; if it
// is, the error is errHigh.
func (m *method) upTo(ctx context.Context, t *lifetime.Table, o Options, most int64) (*lifetime.Plan, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	p, err := prepare(m, t, o)
	if err != nil {
		return nil, err
	}
	if err := p.fillUpTo(ctx, most); err != nil {
		return nil, err
	}
	plan := lifetime.NewPlan(t, p.offsets)
	if plan.Arena > most {
		return nil, errHigh
	}
	return plan, nil
}

// errHigh is the error of a plan that is no better than one that is known.
var errHigh = errors.New("the arena is too large")

// fillUpTo is fill that ends with errHigh soon after an item ends above the
// given byte; not if that is one of the last items.
func (p *placement) fillUpTo(ctx context.Context, most int64) error {
	return p.fill(&ceiling{Context: ctx, p: p, most: most}, tuning{listLimit, perBucket, crowd})
}

// ceiling is the context of one fill that ends when the plan is too high. The
// fill asks it before every checkEvery-th item.
type ceiling struct {
	context.Context
	p            *placement
	most         int64
	seen, placed int // items
}

func (c *ceiling) Err() error {
	for ; c.seen < c.placed; c.seen++ {
		i := c.p.items[c.seen].index
		if c.p.offsets[i]+c.p.table.Buffers[i].Size > c.most {
			return errHigh
		}
	}
	c.placed += checkEvery
	return c.Context.Err()
}
