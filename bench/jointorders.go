package bench

import (
	"context"
	"slices"

	"github.com/arenalab/arenalab/graph"
	"github.com/arenalab/arenalab/internal/names"
	"github.com/arenalab/arenalab/lifetime"
	"github.com/arenalab/arenalab/reorder"
	"github.com/arenalab/arenalab/reorder/exact"
	"github.com/arenalab/arenalab/reorder/joint"
	"github.com/arenalab/arenalab/strategies"
)

// Orders returns every reorderer: those of package reorder, and those that
// choose an order for what a planner makes of it, which only this package can
// put together.
func Orders() []reorder.Reorderer {
	list := reorder.All()
	for _, j := range jointOrders() {
		list = append(list, j)
	}
	slices.SortFunc(list, func(a, b reorder.Reorderer) int {
		switch x, y := a.Info().Name, b.Info().Name; {
		case x < y:
			return -1
		case x > y:
			return 1
		}
		return 0
	})
	return list
}

// LookupOrders returns the reorderers that the pattern selects: a
// comma-separated list of names, of globs, and of the word "all".
func LookupOrders(pattern string) ([]reorder.Reorderer, error) {
	list := Orders()
	known := make([]string, len(list))
	for i, r := range list {
		known[i] = r.Info().Name
	}
	picked, err := names.Select("order", known, pattern)
	if err != nil {
		return nil, err
	}
	out := make([]reorder.Reorderer, len(picked))
	for i, p := range picked {
		out[i] = list[p]
	}
	return out, nil
}

// jointOrder chooses an order together with the arena.
type jointOrder struct{ joint.Config }

func (j jointOrder) Info() reorder.Info { return j.Config.Info }

func (j jointOrder) Order(ctx context.Context, m *graph.Memory, o reorder.Options) (graph.Order, error) {
	return joint.New(j.Config).Order(ctx, m, o)
}

// knowing returns the search for one subgraph of which the least peak is known.
func (j jointOrder) knowing(r *exact.Result) jointOrder {
	j.Bracket = func(context.Context, *graph.Memory, reorder.Options) (*joint.Bracket, error) {
		return &joint.Bracket{Order: r.Order, Peak: r.Peak, Lower: r.LowerBound, Proven: r.Proof != nil}, nil
	}
	return j
}

// packDecisions is what the exact planner may spend on one order.
const packDecisions = 3_000

func jointOrders() []jointOrder {
	return []jointOrder{{ownOffsets()}, {forPlanner("litert")}, {forPlanner("tflm")}}
}

// ownOffsets is the search for an order with whatever offsets suit it.
func ownOffsets() joint.Config {
	return joint.Own(fitFunc(0), fitFunc(packDecisions))
}

// fitFunc plans by skylines, and then by so many decisions of an exact search.
func fitFunc(decisions int64) joint.PlanFunc {
	return func(ctx context.Context, t *lifetime.Table, enough int64) (*lifetime.Plan, error) {
		return strategies.Fit(ctx, t, enough, decisions)
	}
}

// forPlanner is the search for an order that a strategy makes a small arena of.
// One without an evaluator is asked for whole plans.
func forPlanner(name string) joint.Config {
	var evaluator func() joint.Evaluator
	if _, err := strategies.NewEvaluator(name); err == nil {
		evaluator = func() joint.Evaluator {
			e, _ := strategies.NewEvaluator(name)
			return e
		}
	}
	plan := func(ctx context.Context, t *lifetime.Table, _ int64) (*lifetime.Plan, error) {
		list, err := strategies.Lookup(name)
		if err != nil {
			return nil, err
		}
		return list[0].Plan(ctx, t, strategies.Options{Seed: 1})
	}
	return joint.For(name, plan, evaluator, name == "tflm") // which breaks ties by numbers
}

// Attribution is where the bytes of an arena go.
type Attribution = joint.Attribution

// Attribute says where the bytes go between the arena that a strategy makes of
// the stored order of a subgraph and the least that any order, planner and
// rules of memory could do with.
func Attribute(ctx context.Context, m *graph.Model, s *graph.Subgraph, p graph.Profile, strategy string, o reorder.Options) (*Attribution, error) {
	memory, err := graph.NewMemory(m, s, p)
	if err != nil {
		return nil, err
	}
	return joint.Attribute(ctx, memory, forPlanner(strategy), ownOffsets(), o)
}
