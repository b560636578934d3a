package joint

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"
)

// policy says what runs next of what the budget allows.
type policy struct {
	eager bool // first of all what leaves no more bytes live than before
	grow  growth
	tie   tie
}

// growth ranks the operators after which more bytes are live.
type growth uint8

const (
	anyGrowth     growth = iota
	leastAfter           // least bytes after it
	leastClosed          // least bytes after it and all that can then run without harm
	slowestClosed        // least growth an operator, up to there
)

// tie ranks what is alike.
type tie uint8

const (
	byStored tie = iota
	byLatest     // what reads the value made last
	byOldest     // what reads the value made first
)

// policies are ways to choose an order within a budget. Orders of the first
// pack best: they finish a branch before the next begins, and keep what the
// stored order has together.
func policies() []policy {
	return []policy{
		{true, leastClosed, byStored},
		{true, anyGrowth, byStored},
		{true, leastClosed, byLatest},
		{true, slowestClosed, byLatest},
		{true, leastAfter, byStored},
		{true, leastAfter, byLatest},
		{true, anyGrowth, byLatest},
		{true, anyGrowth, byOldest},
		{false, anyGrowth, byLatest},
	}
}

// sampler draws orders within budgets.
type sampler struct {
	ctx     context.Context
	s       *state
	lives   *lives
	oracles map[int64]*oracle
	list    []choice
	ready   []int32
	nowhere []bool // apart: none
}

func newSampler(ctx context.Context, s *state, l *lives) *sampler {
	return &sampler{ctx: ctx, s: s, lives: l, oracles: map[int64]*oracle{}, nowhere: make([]bool, len(s.waits))}
}

// sampleWork bounds the work of one order, in operators looked at or taken.
const sampleWork = 5_000_000

// patient is how many orders may fail at a budget before no more are tried.
const patient = 4

// draw returns an order within the budget, or nil if none was found. At each
// step the policy is ignored with the probability noise.
func (a *sampler) draw(budget int64, p policy, noise float64, random *rand.Rand) []int32 {
	o := a.oracles[budget]
	if o == nil {
		o = newOracle(a.ctx, budget)
		a.oracles[budget] = o
	}
	if o.failed > patient+2*o.found {
		return nil
	}
	a.s.reset()
	o.allow(a.s, sampleWork)
	for !a.s.done() {
		if o.over(a.s) || !a.step(o, p, noise, random) {
			o.failed++
			return nil
		}
	}
	o.found++
	return slices.Clone(a.s.trail)
}

// step runs one operator more and reports whether there was one.
func (a *sampler) step(o *oracle, p policy, noise float64, random *rand.Rand) bool {
	s := a.s
	whim := noise > 0 && random.Float64() < noise
	a.ready, a.list = s.list(a.ready[:0]), a.list[:0]
	for _, i := range a.ready {
		during, after := s.cost(i)
		if during > o.budget {
			continue
		}
		c := choice{op: i, after: after, free: after <= s.live}
		if whim {
			c.rank[0] = random.Int64()
		} else {
			a.rank(&c, p, o.budget)
		}
		a.list = append(a.list, c)
	}
	slices.SortFunc(a.list, func(x, y choice) int {
		if p.eager && !whim && x.free != y.free {
			if x.free {
				return -1
			}
			return 1
		}
		return cmp.Or(cmp.Compare(x.rank[0], y.rank[0]), cmp.Compare(x.rank[1], y.rank[1]), cmp.Compare(x.op, y.op))
	})
	for _, c := range a.list {
		mark := len(s.trail)
		s.take(c.op, c.after)
		if c.free || o.feasible(s) {
			return true
		}
		s.back(mark)
	}
	return false
}

// rank says where the policy puts a choice.
func (a *sampler) rank(c *choice, p policy, budget int64) {
	s := a.s
	switch p.tie {
	case byLatest:
		for _, v := range s.m.Ops[c.op].Reads {
			c.rank[1] = min(c.rank[1], -int64(s.born[v]))
		}
	case byOldest:
		c.rank[1] = int64(len(s.trail))
		for _, v := range s.m.Ops[c.op].Reads {
			c.rank[1] = min(c.rank[1], int64(s.born[v]))
		}
	}
	if c.free {
		return
	}
	switch p.grow {
	case leastAfter:
		c.rank[0] = c.after
	case leastClosed, slowestClosed:
		mark, live := len(s.trail), s.live
		s.take(c.op, c.after)
		s.close(budget)
		c.rank[0] = s.live
		if p.grow == slowestClosed {
			c.rank[0] = (s.live - live) / int64(len(s.trail)-mark)
		}
		s.back(mark)
	}
}

// late delays operators that make more than they free to just before what
// first needs them, from the last one back, while the order stays within the
// budget.
func (a *sampler) late(order []int32, budget int64) []int32 {
	s, n := a.s, len(order)
	out, at := slices.Clone(order), make([]int, n)
	s.reset()
	for k, i := range out {
		at[i] = k
		_, after := s.cost(i)
		s.take(i, after)
	}
	end := s.work + sampleWork
	for p := n - 1; p >= 0 && s.work < end; p-- {
		s.back(p) // what runs before p is as it was
		i := out[p]
		q := n - 1
		for _, j := range s.after.of(i) {
			q = min(q, at[j]-1)
		}
		if _, after := s.cost(i); q <= p || after <= s.live {
			continue
		}
		copy(out[p:q], out[p+1:q+1])
		out[q] = i
		if !s.fits(out[p:q+1], budget) {
			copy(out[p+1:q+1], out[p:q])
			out[p] = i
			continue
		}
		for k := p; k <= q; k++ {
			at[out[k]] = k
		}
	}
	return out
}

// fits reports whether the operators can run next, one after the other, within
// the budget.
func (s *state) fits(ops []int32, budget int64) bool {
	mark := len(s.trail)
	ok := true
	for _, i := range ops {
		during, after := s.cost(i)
		if ok = during <= budget; !ok {
			break
		}
		s.take(i, after)
	}
	s.back(mark)
	return ok
}
