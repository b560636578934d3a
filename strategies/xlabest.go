package strategies

// XLA's packing search runs its six packings, by size, life and area into the
// smallest and into the lowest hole, and keeps the smallest heap.
//
// Complexity: that of the six; the search ends early at the peak of live bytes,
// which no heap can be smaller than.
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
	for i := range list {
		plan, err := list[i].place(ctx, t, o)
		if err != nil {
			if best != nil && ctx.Err() != nil {
				break
			}
			return nil, err
		}
		if best == nil || plan.Arena < best.Arena {
			best = plan
		}
		if best.Arena <= load {
			break
		}
	}
	return best, nil
}
