package reorder

// Beam goes from state to state, a state being the set of operators that have
// run, and keeps of those with as many operators a number that have the least
// live bytes. It goes forward and back in time, within a budget of bytes that a
// better order has to meet, and gets wider as long as it may.
//
// Complexity: O(n w (k + n/64)) for a width of w states with k ready operators
// each.
//
// Reference: B. T. Lowerre, "The Harpy speech recognition system", PhD thesis,
// Carnegie Mellon University, 1976, for beams; the budget and the operators that
// are run at once because they add nothing are own.
//
// Departures: none.

import (
	"context"

	"github.com/arenalab/arenalab/graph"
	"github.com/arenalab/arenalab/reorder/exact"
)

type beam struct{}

func (beam) Info() Info {
	return Info{
		Name:       "beam",
		Title:      "Beam search",
		Summary:    "the states with the least live bytes of each number of operators, forward and back in time, within falling budgets of bytes",
		Reference:  "B. T. Lowerre, The Harpy speech recognition system, PhD thesis, Carnegie Mellon University, 1976; budgets are own",
		Complexity: "O(n w (k + n/64)), width w, k ready operators",
	}
}

func (beam) Order(ctx context.Context, m *graph.Memory, o Options) (graph.Order, error) {
	if err := begin(ctx, m); err != nil {
		return graph.Order{}, err
	}
	r, err := exact.Beam(ctx, m, exact.Options{TimeLimit: o.TimeLimit, Steps: o.Steps})
	if err != nil {
		return graph.Order{}, err
	}
	return noWorse(m, "beam", r.Order), nil
}
