package joint

import (
	"cmp"
	"math"
	"slices"
)

// annealing is one run.
type annealing struct {
	heat     float64 // of the bound, to begin with
	patience int     // moves without a better arena
}

// cycle is how many moves it takes to cool down, after which heat is on again.
const cycle = 4000

// anneal runs from members of the elite, the best every other time.
func (n *namedSearch) anneal() {
	n.mover = newMover(n.state, n.elite[0].order)
	a := annealing{patience: 800}
	for k := 0; !n.done(); k++ {
		from := 0
		if k%2 == 1 {
			from = n.random.IntN(len(n.elite))
		}
		a.heat = []float64{0.01, 0.003, 0.02, 0.001}[k%4]
		if got := n.run(a, &n.elite[from]); got.arena <= n.elite[from].arena {
			n.elite[from] = got
		}
		if k%4 == 3 {
			a.patience += a.patience / 4
			slices.SortStableFunc(n.elite, func(a, b variant) int { return cmp.Compare(a.arena, b.arena) })
		}
		if k%6 == 5 && !n.done() {
			n.refresh()
		}
	}
}

// refresh puts a new order in the place of the last of the elite.
func (n *namedSearch) refresh() {
	budget := int64(float64(n.bracket.Peak) * startBudgets[n.random.IntN(len(startBudgets))])
	budget = max(n.bracket.Peak, min(budget, n.best.Arena-1))
	list := policies()
	order := n.sampler.draw(budget, list[n.random.IntN(len(list))], 0.05, n.random)
	if order != nil {
		n.elite = n.elite[:min(len(n.elite), elites-1)]
		n.offer(order)
	}
}

// run anneals from a variant and returns the best that it came to.
func (n *namedSearch) run(a annealing, from *variant) variant {
	v := variant{apart: slices.Clone(from.apart), reversed: from.reversed, arena: from.arena}
	n.mover.restart(from.order)
	v.order = n.mover.order
	n.evaluate(&v, math.MaxInt64)
	n.look()
	best := v
	best.order, best.apart = slices.Clone(v.order), slices.Clone(v.apart)
	unit := float64(max(n.bracket.Lower, 1))
	for k, last := 0, 0; k-last <= a.patience && !n.done(); k++ {
		n.moves++ // or a chain would never end
		what := n.move(&v)
		if what == noMove {
			continue
		}
		heat := a.heat * (1 - float64(k%cycle)/cycle) * unit
		limit := v.arena + int64(heat*n.random.ExpFloat64())
		arena := n.evaluate(&v, limit)
		if n.settle(&v, what, arena <= limit); arena > limit {
			continue
		}
		n.look()
		v.arena = arena
		if arena < best.arena {
			last = k
			best.arena, best.reversed = arena, v.reversed
			copy(best.order, v.order)
			copy(best.apart, v.apart)
		}
		if arena < n.bar {
			n.confirm(&v, arena)
		}
	}
	return best
}

// The chances, of 10, that a move begins near the buffer at the top, and that
// it is one of sharing where that can be chosen.
const (
	atTop   = 8
	sharing = 2
)

// renumbering is how many moves there are to one of all tensor numbers.
const renumbering = 200

// margin is how far around the life of the buffer at the top moves begin.
const margin = 8

// What a move changes: the order, how tensors are numbered, or whether the
// result of an operator, which the number is then, lies in the place of an
// operand.
const (
	noMove = -1 - iota
	orderMove
	numbersMove
)

// move changes the variant and returns what it changed.
func (n *namedSearch) move(v *variant) int {
	low, high := 0, len(v.order)-1
	if n.random.IntN(10) < atTop {
		low, high = max(low, n.top[0]-margin), min(high, n.top[1]+margin)
	}
	position := low + n.random.IntN(high-low+1)
	if n.Renumber && n.random.IntN(renumbering) == 0 {
		v.reversed = !v.reversed
		return numbersMove
	}
	if len(n.shares) > 0 && n.random.IntN(10) < sharing {
		i := v.order[position]
		if n.lives.gives[i] < 0 {
			i = n.shares[n.random.IntN(len(n.shares))]
		}
		v.apart[i] = !v.apart[i]
		return int(i)
	}
	if n.mover.propose(n.random, position) {
		return orderMove
	}
	return noMove
}

// settle keeps what a move changed, or takes it back.
func (n *namedSearch) settle(v *variant, what int, keep bool) {
	switch {
	case what == orderMove && keep:
		n.mover.accept()
	case what == orderMove:
		n.mover.reject()
	case keep:
	case what == numbersMove:
		v.reversed = !v.reversed
	default:
		v.apart[what] = !v.apart[what]
	}
}

// look finds the buffer at the top of the arena last evaluated.
func (n *namedSearch) look() {
	n.top = [2]int{0, len(n.lives.length) - 1}
	if r := n.eval.Top(); r >= 0 {
		n.top = [2]int{int(n.lives.place[n.lives.lower[r]]), int(n.lives.place[n.lives.upper[r]-1])}
	}
}
