package reorder

// Annealing moves an operator towards the start with those it needs, or towards
// the end with those that need it, across a few others or many, and takes the
// move if the peak rises by no more than a threshold that shrinks. Most moves are
// made near the peak. Only what lies between is worked out again.
//
// Complexity: O(steps), each a move with what it crosses.
//
// Reference: S. Kirkpatrick, C. D. Gelatt, M. P. Vecchi, "Optimization by
// simulated annealing", Science 220, 1983, pages 671-680,
// doi:10.1126/science.220.4598.671. The moves are ours.
//
// Departures: none from the method, which leaves moves, start and temperatures
// open. It starts from the stored order; the temperature falls from 1 % to
// 0.01 % of its peak, and again from the best order if steps are not limited.

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/arenalab/arenalab/graph"
)

type annealing struct{}

const (
	annealingSteps  = 400_000
	annealingNear   = 0.9  // share of the moves that are made near the peak
	annealingWindow = 60   // most operators crossed
	annealingFar    = 0.3  // share of the moves that may cross more
	annealingHot    = 0.01 // temperatures, by the peak of the stored order
	annealingCold   = 0.0001
)

func (annealing) Info() Info {
	return Info{
		Name:       "annealing",
		Title:      "Simulated annealing",
		Summary:    "moves operators with all they need, or all that needs them, at a falling temperature",
		Reference:  "S. Kirkpatrick, C. D. Gelatt, M. P. Vecchi, Optimization by simulated annealing, Science 220, 1983, doi:10.1126/science.220.4598.671",
		Complexity: "O(steps)",
	}
}

func (annealing) Order(ctx context.Context, m *graph.Memory, o Options) (graph.Order, error) {
	if err := begin(ctx, m); err != nil {
		return graph.Order{}, err
	}
	order := graph.Stored(m.Subgraph)
	order.Name = "annealing"
	if len(order.Ops) < 2 {
		return order, nil
	}
	b := newBudget(ctx, o, annealingSteps)
	round := b.left
	if round < 0 {
		round = annealingSteps
	}
	a := newAnnealer(m, order.Ops, rand.New(rand.NewPCG(o.Seed, 0)))
	hot := annealingHot * float64(a.peak())
	least := leastNeed(m)
	best := a.peak()
	for moves := int64(0); best > least && b.step(); moves++ {
		if moves == round {
			moves = 0
			a = newAnnealer(m, order.Ops, a.random)
		}
		heat := hot * math.Pow(annealingCold/annealingHot, float64(moves)/float64(round))
		if a.move(a.peak()+int64(heat*a.random.ExpFloat64())) && a.peak() < best {
			best = a.peak()
			order.Ops = slices.Clone(a.order)
		}
	}
	return order, nil
}

// leastNeed is a bound that no order can be below: what one operator needs.
func leastNeed(m *graph.Memory) int64 {
	most := m.Floor
	for i := range m.Ops {
		op := &m.Ops[i]
		need := m.Base + op.Transient
		for _, list := range [2][]int{op.Reads, op.Makes} {
			for _, v := range list {
				if v != op.Replaces {
					need += m.Values[v].Size
				}
			}
		}
		most = max(most, need)
	}
	return most
}

// annealer holds an order with what is live in it.
type annealer struct {
	m      *graph.Memory
	random *rand.Rand
	order  []int
	place  []int   // by operator
	during []int64 // by place: bytes live while the operator runs
	before []int64 // by place: bytes live before it
	tops   []int64 // a heap of maxima over during: its places are the leaves
	leaves int

	with  []bool  // scratch, by operator: moves along
	trial []int   // scratch: the window in the order tried
	need  []int64 // scratch: during, for the window
	left  []int64 // scratch: before, for the window
}

func newAnnealer(m *graph.Memory, order []int, r *rand.Rand) *annealer {
	n := len(order)
	a := &annealer{
		m: m, random: r, order: slices.Clone(order), place: make([]int, n),
		during: make([]int64, n), before: make([]int64, n), leaves: 1,
		with: make([]bool, n), trial: make([]int, 0, n),
		need: make([]int64, n), left: make([]int64, n),
	}
	for a.leaves < n {
		a.leaves *= 2
	}
	a.tops = make([]int64, 2*a.leaves)
	for k, i := range order {
		a.place[i] = k
	}
	a.before[0] = liveAfter(m, func(int) bool { return false })
	a.trial = append(a.trial, order...)
	a.weigh(0, math.MaxInt64)
	a.take(0)
	return a
}

// peak returns the most bytes live at an operator.
func (a *annealer) peak() int64 { return max(a.tops[1], a.m.Floor) }

// move tries one and reports whether it was made: whether the peak stays
// within the limit.
func (a *annealer) move(limit int64) bool {
	n := len(a.order)
	at := a.random.IntN(n)
	length := 1 + a.random.IntN(min(annealingWindow, n-1))
	if a.random.Float64() < annealingFar {
		length = int(math.Exp(a.random.Float64() * math.Log(float64(n)))) // every power of two as often
	}
	pull := a.random.Uint64()&1 == 0
	if a.random.Float64() < annealingNear {
		at = a.topPlace() + a.random.IntN(2*length+1) - length
		at = min(max(at, 0), n-1)
	}
	low, high := max(0, at-length), at
	if !pull {
		low, high = at, min(n-1, at+length)
	}
	if low == high || !a.arrange(low, high, pull) {
		return false
	}
	if a.most(0, low) > limit || a.most(high+1, n) > limit || !a.weigh(low, limit) {
		for k := low; k <= high; k++ { // back
			a.place[a.order[k]] = k
		}
		return false
	}
	a.take(low)
	return true
}

// arrange puts the window into another order: first the last operator with
// those it needs, or last the first with those that need it. It reports whether
// that is another order.
func (a *annealer) arrange(low, high int, pull bool) bool {
	window := a.order[low : high+1]
	if pull {
		a.with[window[len(window)-1]] = true
		for _, i := range slices.Backward(window) {
			if a.with[i] {
				for _, p := range a.m.Before[i] {
					a.with[p] = true
				}
			}
		}
	} else {
		a.with[window[0]] = true
		for _, i := range window[1:] {
			for _, p := range a.m.Before[i] {
				a.with[i] = a.with[i] || a.with[p] && a.place[p] >= low
			}
		}
	}
	a.trial = a.trial[:0]
	for _, first := range [2]bool{pull, !pull} {
		for _, i := range window {
			if a.with[i] == first {
				a.trial = append(a.trial, i)
			}
		}
	}
	for _, i := range window {
		a.with[i] = false
		if pull {
			for _, p := range a.m.Before[i] {
				a.with[p] = false
			}
		}
	}
	if slices.Equal(a.trial, window) {
		return false
	}
	for k, i := range a.trial {
		a.place[i] = low + k
	}
	return true
}

// weigh works out what is live in the window as tried, and reports whether it
// stays within the limit.
func (a *annealer) weigh(low int, limit int64) bool {
	now := a.before[low]
	for k, i := range a.trial {
		op := &a.m.Ops[i]
		a.left[k] = now
		for _, v := range op.Makes {
			now += a.m.Values[v].Size
		}
		need := now + op.Transient
		if low+k == 0 {
			need += a.m.First
		}
		for _, v := range op.Reads {
			x := &a.m.Values[v]
			if v != op.Replaces && x.Kept || !a.lastReads(x, low+k) {
				continue
			}
			if v == op.Replaces {
				need -= x.Size
			}
			if !x.Kept {
				now -= x.Size
			}
		}
		if need > limit {
			return false
		}
		a.need[k] = need
	}
	return true
}

func (a *annealer) lastReads(x *graph.Value, place int) bool {
	for _, r := range x.Readers {
		if a.place[r] > place {
			return false
		}
	}
	return true
}

// take makes the window as tried that of the order.
func (a *annealer) take(low int) {
	n := len(a.trial)
	copy(a.order[low:], a.trial)
	copy(a.before[low:], a.left[:n])
	copy(a.during[low:], a.need[:n])
	copy(a.tops[a.leaves+low:], a.need[:n])
	for from, to := a.leaves+low, a.leaves+low+n-1; from > 1; {
		from, to = from/2, to/2
		for k := from; k <= to; k++ {
			a.tops[k] = max(a.tops[2*k], a.tops[2*k+1])
		}
	}
}

// most returns the most bytes live at the places from low up to high.
func (a *annealer) most(low, high int) (most int64) {
	for low, high = low+a.leaves, high+a.leaves; low < high; low, high = low/2, high/2 {
		if low&1 == 1 {
			most = max(most, a.tops[low])
			low++
		}
		if high&1 == 1 {
			high--
			most = max(most, a.tops[high])
		}
	}
	return most
}

// topPlace returns the first place, or the last, with the most bytes live.
func (a *annealer) topPlace() int {
	k, last := 1, int(a.random.Uint64()&1)
	for k < a.leaves {
		k = 2*k + last
		if a.tops[k] < a.tops[k/2] {
			k ^= 1
		}
	}
	return k - a.leaves
}
