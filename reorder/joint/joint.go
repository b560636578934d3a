package joint

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/arenalab/arenalab/graph"
	"github.com/arenalab/arenalab/lifetime"
	"github.com/arenalab/arenalab/reorder"
	"github.com/arenalab/arenalab/reorder/exact"
	"github.com/arenalab/arenalab/reorder/proof"
)

// PlanFunc plans a table. One that can stop early may do so when a plan needs
// no more than enough bytes, and may say Infeasible if there is none. It must
// return the same plan for the same arguments.
type PlanFunc func(ctx context.Context, t *lifetime.Table, enough int64) (*lifetime.Plan, error)

// Evaluator tells the arena that a planner makes of buffers, over and over;
// *strategies.Evaluator is one.
type Evaluator interface {
	// Reset gives the sizes of the buffers in bytes, and the alignment of all
	// offsets.
	Reset(size []int64, align int64)
	// Arena returns the arena for buffers that live in the steps [lower[i],
	// upper[i]), where an empty life is no buffer, or anything above the limit
	// once it is above that. rows lists the buffers in the order of the table.
	Arena(lower, upper, rows []int32, limit int64) int64
	// Top returns a buffer that ends where the last arena does, or the one at
	// which it went beyond the limit; -1 if there is none.
	Top() int
}

// Bracket is what is known of the least peak over all orders.
type Bracket struct {
	Order []int // one of the peak
	Peak  int64 // the least known
	Lower int64 // no order has a smaller one
	// Proven says that Lower has a proof that can be checked apart.
	Proven bool
}

// BracketFunc finds the bracket of the least peak.
type BracketFunc func(ctx context.Context, m *graph.Memory, o reorder.Options) (*Bracket, error)

// The work of Exact: at most, which is some seconds; at least; and for each step
// of the options beyond that, if they limit those.
const (
	exactSteps = 20_000_000
	exactLeast = 3_000_000
	exactShare = 1_000
)

// Exact finds the bracket by exact.Solve, in a third of the time there is.
func Exact(ctx context.Context, m *graph.Memory, o reorder.Options) (*Bracket, error) {
	steps := int64(exactSteps)
	if o.Steps > 0 {
		steps = min(steps, exactLeast+min(o.Steps, exactSteps)*exactShare)
	}
	r, err := exact.Solve(ctx, m, exact.Options{TimeLimit: o.TimeLimit / 3, Steps: steps})
	if err != nil {
		return nil, err
	}
	proven := r.Proof != nil && proof.Check(m, r.Proof) == nil
	return &Bracket{Order: r.Order, Peak: r.Peak, Lower: r.LowerBound, Proven: proven}, nil
}

// Config is what a search for an order and its arena works with.
type Config struct {
	Info reorder.Info
	// Plan is the planner that orders are made for.
	Plan PlanFunc
	// Thorough is a slower planner that is asked where Plan, with offsets of its
	// own, needs more than the peak; nil: none. It ends the search if it meets the
	// bound.
	Thorough PlanFunc
	// Evaluator makes an evaluator of Plan, a greedy planner whose arenas it
	// gives, or almost; nil: Plan places buffers as it likes.
	Evaluator func() Evaluator
	// Renumber says that the planner breaks ties by the numbers of tensors, so
	// that they are worth choosing.
	Renumber bool
	// Bracket finds the least peak; nil: Exact.
	Bracket BracketFunc
}

// Result is an order with its arena.
type Result struct {
	Order     graph.Order
	Lifetimes *graph.Lifetimes // of the order
	Plan      *lifetime.Plan   // by Config.Plan or Thorough, of the lifetimes
	Arena     int64            // bytes, of the plan
	Stored    int64            // arena of the stored order by Config.Plan
	// Peak is the least peak known, LowerBound what no arena can be below: a
	// bound on the peak, and on padding where that is more.
	Peak, LowerBound int64
	// Optimal says that Arena is LowerBound, which has a proof: no order and no
	// offsets, with what the rules of the profile allow to share, need less.
	Optimal bool
	Moves   int64 // orders looked at
	Plans   int64 // tables planned
}

// New returns the search as a reorderer. Steps of its options count orders.
func New(c Config) reorder.Reorderer { return reorderer{c} }

type reorderer struct{ Config }

func (r reorderer) Info() reorder.Info { return r.Config.Info }

func (r reorderer) Order(ctx context.Context, m *graph.Memory, o reorder.Options) (graph.Order, error) {
	result, err := Solve(ctx, m, r.Config, o)
	if err != nil {
		return graph.Order{}, err
	}
	return result.Order, nil
}

// Solve searches for an order of the operators and the arena that the planner
// makes of it. It stops when the arena is the bound, or when Options.Steps
// orders, the time limit or ctx end it, with the best it has. The arena is never
// above that of the stored order. The result is the same for a seed, whatever
// GOMAXPROCS, unless a clock ends the search. Where m is Loose, nothing is called
// optimal.
func Solve(ctx context.Context, m *graph.Memory, c Config, o reorder.Options) (*Result, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if m == nil || m.Subgraph == nil || c.Plan == nil {
		return nil, errors.New("joint search without memory or planner")
	}
	if c.Bracket == nil {
		c.Bracket = Exact
	}
	if o.TimeLimit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, o.TimeLimit)
		defer cancel()
	}
	s, err := newSearch(ctx, m, c, o)
	if err != nil {
		return nil, err
	}
	if !s.done() && len(m.Ops) > 1 {
		if c.Evaluator == nil {
			s.own()
		} else {
			s.named()
		}
	}
	return s.finish()
}

// search is a run of Solve.
type search struct {
	Config
	ctx     context.Context
	m       *graph.Memory
	opts    reorder.Options
	bracket Bracket
	best    *Result
	starts  [][]int // orders of the least peak, of sizes as they are and rounded
	first   []int64 // their arenas
	err     error

	lives   *lives
	exact   bool // lives are those of the tables
	state   *state
	sampler *sampler
	random  *rand.Rand
	budget  int64 // of moves
	moves   int64
	plans   int64
}

// newSearch plans the stored order and finds the bracket.
func newSearch(ctx context.Context, m *graph.Memory, c Config, o reorder.Options) (*search, error) {
	s := &search{Config: c, ctx: ctx, m: m, opts: o, budget: -1, random: rand.New(rand.NewPCG(o.Seed, 0))}
	stored := graph.Stored(m.Subgraph)
	lt, err := graph.NewLifetimes(m.Model, m.Subgraph, stored, m.Profile)
	if err != nil {
		return nil, err
	}
	plan, err := c.Plan(context.WithoutCancel(ctx), lt.Table, 0)
	if err != nil {
		return nil, fmt.Errorf("stored order: %w", err)
	}
	s.plans++
	s.best = &Result{Order: stored, Lifetimes: lt, Plan: plan, Arena: plan.Arena, Stored: plan.Arena}
	bracket, err := c.Bracket(ctx, m, o)
	switch {
	case err == nil:
		s.bracket = *bracket
	case ctx.Err() != nil:
		s.bracket = Bracket{Order: stored.Ops, Peak: m.Peak(stored.Ops)} // with what there is
	default:
		return nil, err
	}
	if s.lives, err = newLives(m); err != nil {
		return nil, err
	}
	s.state = newState(m)
	s.sampler = newSampler(ctx, s.state, s.lives)
	s.lives.find(indices(stored.Ops), s.sampler.nowhere)
	s.exact = s.lives.agrees(lt)
	s.starts = [][]int{s.bracket.Order}
	switch b, err := padded(ctx, m, s.lives, c.Bracket, o); {
	case err != nil && ctx.Err() == nil:
		return nil, err
	case err == nil && b != nil:
		s.starts = append(s.starts, b.Order)
		if b.Lower > s.bracket.Lower {
			s.bracket.Lower, s.bracket.Proven = b.Lower, b.Proven
		}
	}
	s.ctx = context.WithoutCancel(ctx) // time may be up, but these deserve a look
	for _, order := range s.starts {
		if !s.met() {
			s.first = append(s.first, s.measure(graph.Order{Ops: order}, c.Plan, s.bracket.Lower))
		}
	}
	s.ctx = ctx
	return s, s.err
}

// met reports whether the best arena is the bound.
func (s *search) met() bool { return s.best.Arena <= s.bracket.Lower }

// done reports whether nothing can be gained any more or the search is over.
func (s *search) done() bool {
	return s.err != nil || s.met() || s.budget >= 0 && s.moves >= s.budget || s.ctx.Err() != nil
}

// limit sets the budget of moves.
func (s *search) limit(own int64) {
	s.budget = s.opts.Steps
	if s.opts.Steps == 0 {
		s.budget = own
	}
}

// measure plans an order and keeps it if it is better than the best. It returns
// its arena, or the largest number there is if there is no plan.
func (s *search) measure(o graph.Order, plan PlanFunc, enough int64) int64 {
	o.Name = s.Config.Info.Name
	lt, err := graph.NewLifetimes(s.m.Model, s.m.Subgraph, o, s.m.Profile)
	if err != nil {
		s.err = err
		return most
	}
	s.plans++
	p, err := plan(s.ctx, lt.Table, enough)
	if err != nil {
		if s.ctx.Err() == nil {
			s.err = err
		}
		return most
	}
	if len(p.Offsets) != len(lt.Table.Buffers) {
		return most // nothing fits into what is enough
	}
	if load := lt.Table.Load(); load < s.bracket.Peak {
		s.bracket.Order, s.bracket.Peak = o.Ops, load
	}
	if p.Arena < s.best.Arena {
		s.best = &Result{Order: o, Lifetimes: lt, Plan: p, Arena: p.Arena, Stored: s.best.Stored}
	}
	return p.Arena
}

// most is the arena of what has no plan.
const most = math.MaxInt64

// finish returns the best with what is known of it.
func (s *search) finish() (*Result, error) {
	if s.err != nil {
		return nil, s.err
	}
	r := s.best
	r.Order.Name = s.Config.Info.Name
	r.Order.Ops = slices.Clone(r.Order.Ops)
	r.Peak, r.LowerBound = s.bracket.Peak, s.bracket.Lower
	r.Moves, r.Plans = s.moves, s.plans
	r.Optimal = s.m.Loose == "" && s.bracket.Proven && r.Arena == r.LowerBound
	return r, nil
}

// indices returns the order in the form that searches use.
func indices(ops []int) []int32 {
	out := make([]int32, len(ops))
	for k, i := range ops {
		out[k] = int32(i)
	}
	return out
}

// ints is the inverse of indices.
func ints(ops []int32) []int {
	out := make([]int, len(ops))
	for k, i := range ops {
		out[k] = int(i)
	}
	return out
}
