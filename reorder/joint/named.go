package joint

import (
	"cmp"
	"math"
	"slices"

	"github.com/arenalab/arenalab/graph"
)

// A named planner: orders are annealed with the planner in the loop, from the
// best of some that policies choose within a few budgets.

// namedMoves is the default number of orders.
const namedMoves = 25_000

// elites is how many orders annealing starts from.
const elites = 8

// startBudgets are those of the first orders, against the least peak.
var startBudgets = []float64{1, 1.01, 1.03, 1.06, 1.1}

// variant is an order with what else is chosen.
type variant struct {
	order    []int32
	apart    []bool
	reversed bool // tensors are numbered against the order of execution
	arena    int64
}

// namedSearch is the part of a search that is for a named planner only.
type namedSearch struct {
	*search
	eval   Evaluator
	elite  []variant
	bar    int64 // arenas below it, as evaluated, are measured
	shares []int32
	mover  *mover
	top    [2]int // positions in the order between which the buffer at the top lives
}

// named searches for a named planner.
func (s *search) named() {
	s.limit(namedMoves)
	n := &namedSearch{search: s, eval: s.Evaluator(), bar: s.best.Arena}
	n.eval.Reset(s.lives.size, max(s.m.Profile.Align, 1))
	if s.m.Profile.InPlace == graph.InPlaceLastUse {
		for i, out := range s.lives.gives {
			if out >= 0 {
				n.shares = append(n.shares, int32(i))
			}
		}
	}
	n.begin()
	if !s.exact || s.done() {
		return // orders can be measured, but not thousands of them
	}
	n.anneal()
}

// begin evaluates the stored order and those of the policies.
func (n *namedSearch) begin() {
	n.offer(indices(graph.Stored(n.m.Subgraph).Ops))
	if n.done() {
		return
	}
	for _, order := range n.starts {
		n.offer(indices(order))
	}
	for _, share := range startBudgets {
		budget := int64(float64(n.bracket.Peak) * share)
		for _, p := range policies() {
			if n.done() {
				return
			}
			if budget >= n.best.Arena {
				break
			}
			order := n.sampler.draw(budget, p, 0, n.random)
			if order == nil {
				break // nor will there be one for another policy
			}
			n.offer(order)
			if late := n.sampler.late(order, budget); !slices.Equal(late, order) {
				n.offer(late)
			}
		}
	}
}

// offer evaluates an order, with either numbering if that matters, and adds it
// to the elite; with all results apart as well if some could lie in the place of
// operands.
func (n *namedSearch) offer(order []int32) {
	order = slices.Clone(order)
	n.enter(n.numbered(order, make([]bool, len(order))))
	if len(n.shares) == 0 || n.done() {
		return
	}
	apart := make([]bool, len(order))
	for _, i := range n.shares {
		apart[i] = true
	}
	n.enter(n.numbered(order, apart))
}

// numbered evaluates a variant with the numbering that suits it better.
func (n *namedSearch) numbered(order []int32, apart []bool) variant {
	v := variant{order: order, apart: apart}
	v.arena = n.weigh(&v)
	if n.Renumber && !n.done() {
		other := v
		other.reversed = true
		if other.arena = n.weigh(&other); other.arena <= v.arena {
			return other
		}
	}
	return v
}

// weigh returns the arena of a variant: as measured if it may be the best or
// cannot be evaluated.
func (n *namedSearch) weigh(v *variant) int64 {
	n.moves++
	if !n.exact {
		return n.measure(n.orderOf(v), n.Plan, n.bracket.Lower)
	}
	arena := n.evaluate(v, math.MaxInt64)
	if arena < n.bar {
		n.confirm(v, arena)
	}
	return arena
}

// evaluate returns the arena of the variant, or anything above the limit if it
// is above that.
func (n *namedSearch) evaluate(v *variant, limit int64) int64 {
	l := n.lives
	if load := l.find(v.order, v.apart); load > limit {
		return load
	}
	rows := l.rows
	if v.reversed {
		rows = l.reversed(v.order)
	}
	return n.eval.Arena(l.lower, l.upper, rows, limit)
}

// confirm measures a variant that is evaluated as better than the best.
func (n *namedSearch) confirm(v *variant, arena int64) {
	n.bar = min(arena, n.measure(n.orderOf(v), n.Plan, n.bracket.Lower))
}

func (n *namedSearch) orderOf(v *variant) graph.Order {
	o := graph.Order{Ops: ints(v.order), Apart: list(v.apart)}
	if v.reversed {
		o.Numbers = numbers(n.m.Subgraph, v.order)
	}
	return o
}

// enter adds a variant to the elite if it is good enough.
func (n *namedSearch) enter(v variant) {
	n.elite = append(n.elite, v)
	slices.SortStableFunc(n.elite, func(a, b variant) int { return cmp.Compare(a.arena, b.arena) })
	n.elite = n.elite[:min(len(n.elite), elites)]
}
