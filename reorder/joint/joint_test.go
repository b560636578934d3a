package joint

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/arenalab/arenalab/graph"
	"github.com/arenalab/arenalab/lifetime"
	"github.com/arenalab/arenalab/reorder"
	"github.com/arenalab/arenalab/strategies"
)

// planBy returns the strategy of that name as a planner.
func planBy(t testing.TB, name string, decisions int64) PlanFunc {
	list, err := strategies.Lookup(name)
	if err != nil {
		t.Fatal(err)
	}
	return func(ctx context.Context, table *lifetime.Table, enough int64) (*lifetime.Plan, error) {
		return list[0].Plan(ctx, table, strategies.Options{Capacity: enough, Decisions: decisions})
	}
}

// halving finds the least peak by halving what it can be, with an oracle that
// ends.
func halving(ctx context.Context, m *graph.Memory, _ reorder.Options) (*Bracket, error) {
	stored := graph.Stored(m.Subgraph).Ops
	low, high := m.Floor, m.Peak(stored)
	best := stored
	s := newState(m)
	for low < high {
		middle := low + (high-low)/2
		a := &sampler{ctx: ctx, s: s, oracles: map[int64]*oracle{}}
		o := newOracle(ctx, middle)
		a.oracles[middle] = o
		o.work = 1 << 40
		s.reset()
		if !o.feasible(s) {
			low = middle + 1
			continue
		}
		order := a.draw(middle, policy{true, leastAfter, byStored}, 0, nil)
		best, high = ints(order), m.Peak(ints(order))
	}
	return &Bracket{Order: best, Peak: high, Lower: high, Proven: true}, nil
}

func lifetimeCheck(table *lifetime.Table, p *lifetime.Plan) error { return lifetime.Check(table, p) }

func testRandom(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0)) }

// fitting returns our own allocator with so many decisions of a search.
func fitting(decisions int64) PlanFunc {
	return func(ctx context.Context, table *lifetime.Table, enough int64) (*lifetime.Plan, error) {
		return strategies.Fit(ctx, table, enough, decisions)
	}
}

func ownConfig(testing.TB) Config {
	c := Own(fitting(0), fitting(3000))
	c.Bracket = halving
	return c
}

func evaluator(t testing.TB, name string) func() Evaluator {
	return func() Evaluator {
		e, err := strategies.NewEvaluator(name)
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
}

func namedConfig(t testing.TB, name string) Config {
	c := For(name, planBy(t, name, 0), evaluator(t, name), name == "tflm")
	c.Bracket = halving
	return c
}
