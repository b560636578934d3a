package exact

import (
	"context"
	"time"

	"github.com/arenalab/arenalab/graph"
	"github.com/arenalab/arenalab/internal/pair"
	"github.com/arenalab/arenalab/reorder/proof"
)

// Options are the limits of Solve and what it starts from.
type Options struct {
	TimeLimit time.Duration // 0 is none
	// Steps limits the work, in operators that searches take or take back, some
	// millions of which take a second. 0 is 200 million, below 0 no limit.
	Steps int64
	// Memory limits the bytes of states that searches remember: 0 is 256 MiB.
	Memory int64
	// Orders are known orders to start from, besides those that Solve finds.
	Orders [][]int
	// Improved, if not nil, is told of each better bracket: peak and lower bound.
	Improved func(peak, lower int64)
}

const (
	defaultSteps  = 200_000_000
	defaultMemory = 256 << 20
)

// Result is an order and what is known about the least peak.
type Result struct {
	Order      []int
	Peak       int64 // of Order: graph.Memory.Peak
	LowerBound int64 // no order has a smaller peak
	// Proof is the witness of LowerBound, which package proof checks; nil if
	// LowerBound is what a search has exhausted.
	Proof *proof.Bound
	// Proven is the best bound with a witness, LowerBound or below; nil if none.
	Proven *proof.Bound
	// Optimal says that Peak is LowerBound and that Proof is there. If only
	// Peak is LowerBound, the order is one of the least peak by search.
	Optimal bool
	Stats   Stats
}

// Stats says what a result took.
type Stats struct {
	Parts  int   // that all orders run one after the other
	Rounds int   // of search and proof side by side
	Steps  int64 // operators taken and taken back
	States int64 // looked at
	Arcs   int64 // that flows of proofs looked at
}

// Solve returns the best order it finds and a bracket of the least peak of all
// orders. It ends when the bracket is closed and proven, or a limit or ctx ends
// it; a result is then valid all the same. It fails only if m is not one that
// graph.NewMemory returns. The result is the same for any GOMAXPROCS unless a
// clock or ctx ends it.
//
// If m is Loose, LowerBound is one of Memory.Peak, of which the memory really
// needed may differ, and nothing is called proven or optimal.
func Solve(ctx context.Context, m *graph.Memory, o Options) (*Result, error) {
	net, err := newNetwork(m)
	if err != nil {
		return nil, err
	}
	ctx, cancel := o.limited(ctx)
	defer cancel()
	s := newSolver(ctx, m, net, o)
	s.begin()
	for quota := int64(firstQuota); !s.done(); quota *= 2 {
		s.round(quota)
	}
	return s.result(), nil
}

// limited returns a context that ends at the time limit too.
func (o Options) limited(ctx context.Context) (context.Context, context.CancelFunc) {
	if o.TimeLimit > 0 {
		return context.WithTimeout(ctx, o.TimeLimit)
	}
	return ctx, func() {}
}

// firstQuota is the work of the first round.
const firstQuota = 100_000

type solver struct {
	ctx    context.Context
	m      *graph.Memory
	net    *network
	o      Options
	parts  []*part
	lower  int64 // no order has a smaller peak
	prover *prover
	memory memory   // of the probes
	probes []*probe // that were begun
	easy   int      // direction in which budgets are easier to refute: 0 or 1, or -1 if that is not known
	stats  Stats
	told   [2]int64
}

func newSolver(ctx context.Context, m *graph.Memory, net *network, o Options) *solver {
	if o.Steps == 0 {
		o.Steps = defaultSteps
	}
	if o.Memory <= 0 {
		o.Memory = defaultMemory
	}
	s := &solver{ctx: ctx, m: m, net: net, o: o, parts: net.parts(), lower: net.floor, easy: -1}
	s.stats.Parts = len(s.parts)
	s.prover = newProver(m)
	s.memory.left = int(o.Memory)
	return s
}

// begin finds the first orders and the first bound.
func (s *solver) begin() {
	for _, order := range s.o.Orders {
		if numbers := s.numbers(order); numbers != nil {
			s.offer(numbers)
		}
	}
	stored := make([]int, s.net.n)
	for i := range stored {
		stored[i] = i
	}
	if numbers := s.numbers(stored); numbers != nil {
		s.offer(numbers)
	}
	s.net.starts(s.over, func(order []int32) { s.offer(order) })
	s.stats.Steps += int64(s.net.n) * 2 * listRules
	s.raise(s.net.simple())
	s.prover.cheap()
	s.raise(s.prover.value())
	s.tell()
}

// numbers returns an order in the numbers of the network, or nil if it is none.
func (s *solver) numbers(ops []int) []int32 {
	if len(ops) != s.net.n {
		return nil
	}
	order, done := make([]int32, len(ops)), make([]bool, len(ops))
	for k, i := range ops {
		if i < 0 || i >= len(ops) || done[s.net.rank[i]] {
			return nil
		}
		order[k] = s.net.rank[i]
		for _, p := range s.net.before.of(order[k]) {
			if !done[p] {
				return nil
			}
		}
		done[order[k]] = true
	}
	return order
}

// ops returns an order in the numbers of the memory.
func (s *solver) ops(order []int32) []int {
	ops := make([]int, len(order))
	for k, i := range order {
		ops[k] = s.net.op[i]
	}
	return ops
}

func (s *solver) over() bool { return s.ctx.Err() != nil }

// bounded reports whether a limit or the context ends the work.
func (s *solver) bounded() bool {
	return s.over() || s.o.Steps > 0 && s.stats.Steps+s.stats.Arcs/arcsPerStep >= s.o.Steps
}

// raise takes a bound; peaks are not between those that are possible.
func (s *solver) raise(lower int64) { s.lower = max(s.lower, s.net.up(lower)) }

// done reports whether there is nothing to do any longer, or no leave to do it.
func (s *solver) done() bool {
	switch {
	case s.bounded():
		return true
	case s.lower < s.upper():
		return false
	}
	return !s.prover.wants(s.upper(), s.stats.Steps)
}

// round lets the search and the prover work side by side, each with what the
// other knew when the round began.
func (s *solver) round(quota int64) {
	if s.o.Steps > 0 {
		quota = min(quota, max(1, s.o.Steps-s.stats.Steps-s.stats.Arcs/arcsPerStep))
	}
	s.stats.Rounds++
	order, lower, upper := s.ops(s.order()), s.lower, s.upper()
	pair.Run(
		func() { s.search(quota) },
		func() { s.prover.run(s.ctx, order, lower, upper, quota*arcsPerStep) },
	)
	s.stats.Arcs = s.prover.work.Done
	s.raise(s.prover.value())
	if numbers := s.numbers(s.prover.order); numbers != nil {
		s.offer(numbers)
	}
	s.tell()
}

func (s *solver) tell() {
	now := [2]int64{s.upper(), s.lower}
	if s.o.Improved != nil && now != s.told {
		s.o.Improved(now[0], now[1])
	}
	s.told = now
}

func (s *solver) result() *Result {
	r := &Result{Order: s.ops(s.order()), LowerBound: s.lower, Stats: s.stats}
	r.Peak = s.m.Peak(r.Order)
	r.LowerBound = min(r.LowerBound, r.Peak)
	if b := s.prover.best; b != nil {
		r.Proven = b
		if b.Value >= r.LowerBound {
			r.Proof = b
		}
	}
	r.Optimal = r.Proof != nil && r.Peak == r.LowerBound
	return r
}
