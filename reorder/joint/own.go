package joint

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/arenalab/arenalab/graph"
)

// Own offsets: a planner that places buffers as it likes packs almost every
// order of the least peak into just that, and the first if it is chosen well.
// Where it does not, the search looks at more of these orders, at fewer results
// in the place of operands, and at orders that need a little more.

// ownMoves is the default number of orders.
const ownMoves = 400

// ownBudgets are what orders may need, against the least peak, in turn; the
// last is anything below the best arena, where padding counts for more than
// peaks.
var ownBudgets = []float64{1, 1, 1, 1.01, 1, 1.02, math.Inf(1)}

// candidate is an order that was planned.
type candidate struct {
	order  []int32
	apart  []int
	arena  int64
	pushed bool // planned thoroughly
}

// ownSearch is the part of a search that is for own offsets only.
type ownSearch struct {
	*search
	list []candidate // the best of them first
}

// own searches with a planner of its own offsets.
func (s *search) own() {
	s.limit(ownMoves)
	o := &ownSearch{search: s}
	for k, arena := range s.first {
		o.keep(candidate{order: indices(s.starts[k]), arena: arena})
	}
	for k := 0; !s.done(); k++ {
		o.round(k)
		if k%ownPush == ownPush-1 {
			o.push()
		}
	}
}

// ownPush is how many rounds there are for each thorough plan.
const ownPush = 4

// round draws orders, with noise once all policies had their turn.
func (o *ownSearch) round(k int) {
	list := policies()
	noise := 0.0
	if k >= len(list) {
		noise = []float64{0.03, 0.1, 0.3}[o.random.IntN(3)]
	}
	budget := o.bracket.Peak
	if k >= len(list) {
		budget = int64(min(float64(budget)*ownBudgets[k%len(ownBudgets)], float64(o.best.Arena-1)))
	}
	var order []int32
	if k < len(list) || k%2 == 0 {
		order = o.sampler.draw(budget, list[k%len(list)], noise, o.random)
	}
	if order == nil && len(o.list) > 0 {
		order = shake(o.sampler, o.list[o.random.IntN(len(o.list))].order, budget, o.random)
	}
	if order == nil {
		o.moves++
		return
	}
	if late := o.sampler.late(order, budget); !slices.Equal(late, order) {
		o.try(late, nil)
	}
	if !o.done() {
		o.try(order, nil)
	}
	if k >= len(list) && k%2 == 0 && !o.done() && len(o.list) > 0 {
		o.part(budget)
	}
}

// try plans an order and keeps it among the best.
func (o *ownSearch) try(order []int32, apart []int) {
	o.moves++
	arena := o.measure(graph.Order{Ops: ints(order), Apart: apart}, o.Plan, o.bracket.Lower)
	if arena < most {
		o.keep(candidate{order: slices.Clone(order), apart: apart, arena: arena})
	}
}

// ownKept is how many orders are kept.
const ownKept = 8

func (o *ownSearch) keep(c candidate) {
	k := 0
	for k < len(o.list) && o.list[k].arena < c.arena {
		k++
	}
	o.list = slices.Insert(o.list, k, c)
	o.list = o.list[:min(len(o.list), ownKept)]
}

// push plans the best order that was not yet planned thoroughly.
func (o *ownSearch) push() {
	if o.Thorough == nil {
		return
	}
	for k := range o.list {
		c := &o.list[k]
		if c.pushed {
			continue
		}
		c.pushed = true
		o.moves++
		order := graph.Order{Ops: ints(c.order), Apart: c.apart}
		c.arena = min(c.arena, o.measure(order, o.Thorough, o.bracket.Lower))
		if below := o.best.Arena - 1; !o.done() && below > o.bracket.Lower {
			c.arena = min(c.arena, o.measure(order, o.Thorough, below))
		}
		return
	}
}

// part plans a good order with some results apart that lay in the place of
// operands, such that it still needs no more than the budget. A chain of such
// results is one long buffer that must keep its place; what is apart may move.
func (o *ownSearch) part(budget int64) {
	c := o.list[o.random.IntN(min(2, len(o.list)))]
	apart := make([]bool, len(c.order))
	for _, i := range c.apart {
		apart[i] = true
	}
	o.lives.find(c.order, apart)
	var shared []int
	for i, out := range o.lives.gives {
		if out >= 0 && (apart[i] || o.lives.root[out] != out) {
			shared = append(shared, i)
		}
	}
	if len(shared) == 0 {
		return
	}
	for range 1 + o.random.IntN(3) {
		i := shared[o.random.IntN(len(shared))]
		apart[i] = !apart[i]
		if o.lives.find(c.order, apart) > budget {
			apart[i] = !apart[i]
		}
	}
	o.try(c.order, list(apart))
}

// list returns the indices that are set.
func list(set []bool) []int {
	var out []int
	for i, in := range set {
		if in {
			out = append(out, i)
		}
	}
	return out
}

// shake moves some operators within the budget.
func shake(a *sampler, order []int32, budget int64, random *rand.Rand) []int32 {
	mv := newMover(a.s, order)
	for range 20 {
		if !mv.propose(random, random.IntN(len(order))) {
			continue
		}
		if a.lives.find(mv.order, a.nowhere) > budget {
			mv.reject()
		} else {
			mv.accept()
		}
	}
	return slices.Clone(mv.order)
}
