package reorder

// Kayaaslan's programme takes a series-parallel graph apart and puts the orders
// of its parts together. Parallel branches are cut where the fewest bytes pass:
// what lies before the cut is a tree that branches out and what lies after it
// one that joins, so that Liu's traversal orders each.
//
// Complexity: O(n^2).
//
// Reference: E. Kayaaslan, T. Lambert, L. Marchal, B. Uçar, "Scheduling
// series-parallel task graphs to minimize peak memory", Theoretical Computer
// Science 707, 2018, pages 1-23; Inria research report RR-8975, 2016.
//
// Departures: the cut is not computed for itself, it falls where the segments
// of the branches that lower the live bytes meet those that raise them. The
// paper puts data on edges, each with one reader. A value with several readers
// is taken to be freed by the last of them in stored order, and parts that are
// not series-parallel run in stored order, both without any guarantee;
// series-parallel does better by shared values.

import (
	"context"

	"github.com/arenalab/arenalab/graph"
)

type kayaaslan struct{}

func (kayaaslan) Info() Info {
	return Info{
		Name:       "kayaaslan",
		Title:      "Kayaaslan et al.",
		Summary:    "series-parallel branches by hills and valleys, every value taken to have one reader",
		Reference:  "E. Kayaaslan, T. Lambert, L. Marchal, B. Uçar, Scheduling series-parallel task graphs to minimize peak memory, Theoretical Computer Science 707, 2018; Inria research report RR-8975, 2016",
		Complexity: "O(n^2)",
		Guarantee:  "the least peak of all orders, if operators form series and parallel branches, every value has one last reader whatever the order, and every graph input is read",
	}
}

func (kayaaslan) Order(ctx context.Context, m *graph.Memory, o Options) (graph.Order, error) {
	if err := begin(ctx, m); err != nil {
		return graph.Order{}, err
	}
	ops, _ := compose(m, newBudget(ctx, o, splitSteps), false)
	return noWorse(m, "kayaaslan", ops), nil
}
