package strategies

// Best of skylines plans by fourteen rules, twelve of them lowest skyline first
// with different ranks, and keeps the smallest arena. It stops as soon as one
// meets the lower bound, which on most tables of networks is the first.
//
// Complexity: near O(n log n); up to twelve times that of skyline.
//
// References: those of skyline. XLA's buffer assignment is a best of few orders
// as well: class ChooseBestHeapAlgorithm, xla/service/heap_simulator.
//
// Rule: the ranks are those of skyMembers, from those that most often meet the
// bound on large tables to those that help on few. Ranks by first use and by
// last use see time in its two directions. Two members are first fits, by size
// and by size class and last use; they are left out above 20000 buffers, where
// they may take far longer than all others. Of equal arenas the first is kept.
// A member ends as soon as it is above the best so far.

import (
	"context"
	"math"
	"slices"
	"time"

	"github.com/arenalab/arenalab/lifetime"
	"github.com/arenalab/arenalab/strategies/bound"
)

type skylineBest struct{}

func (skylineBest) Info() Info {
	return Info{
		Name:       "skyline-best",
		Title:      "Best of skylines",
		Summary:    "the best of fourteen ranks and fits; stops at the lower bound",
		Reference:  lowestSkyline{}.Info().Reference,
		Complexity: "near O(n log n)",
		Key:        "as skyline, with twelve ranks; first fit by size and by size class",
	}
}

func (skylineBest) Plan(ctx context.Context, t *lifetime.Table, o Options) (*lifetime.Plan, error) {
	return skylinePortfolio(ctx, t, o)
}

// skyMember is one way to place a table: by the skyline, or by first fit in the
// order of the keys.
type skyMember struct {
	firstFit bool
	keys     []skyKey
}

// skyMembers returns the portfolio.
func skyMembers() []skyMember {
	return []skyMember{
		{keys: []skyKey{skyByLive, skyBySize}},
		{keys: []skyKey{skyByArea, skyBySize}},
		{keys: []skyKey{skyByEnd, skyByLife}},
		{keys: []skyKey{skyByStart, skyByLife}},
		{keys: []skyKey{skyByMost, skyByLife}},
		{keys: []skyKey{skyByEnd, skyBySize}},
		{keys: []skyKey{skyByStart, skyBySize}},
		{keys: []skyKey{skyByStart, skyByArea}},
		{keys: []skyKey{skyByEnd, skyByArea}},
		{keys: []skyKey{skyByLifeFours, skyByStart}},
		{keys: []skyKey{skyByLifeFours, skyByEnd}},
		{keys: []skyKey{skyByLive}},
		{firstFit: true, keys: []skyKey{skyBySize, skyByStart}},
		{firstFit: true, keys: []skyKey{skyByOctave, skyByEnd, skyBySize}},
	}
}

// skyFitsUpTo is the number of buffers up to which first fits are tried.
const skyFitsUpTo = 20000

// skylinePortfolio returns the best plan of the members, with the bound and the
// convergence. There is a plan in any case, unless the context has ended before.
// A capacity ends it as well, once a plan fits.
func skylinePortfolio(ctx context.Context, t *lifetime.Table, o Options) (*lifetime.Plan, error) {
	ctx, cancel := limit(ctx, o)
	defer cancel()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	begun := time.Now()
	s, err := newSkyPlanner(t, o)
	if err != nil {
		return nil, err
	}
	best := newSkyBest(bound.Lower(t, o.Align), o, begun)
	s.portfolio(ctx, best)
	return best.end(), nil
}

// portfolio lets the best take the plans of the members. The first one ends even
// if the context does, which is the only error there is.
func (s *skyPlanner) portfolio(ctx context.Context, best *skyBest) {
	once := context.WithoutCancel(ctx)
	for _, m := range skyMembers() {
		if m.firstFit && len(s.items) > skyFitsUpTo {
			continue
		}
		done, err := s.run(once, &m, s.below(best.plan))
		if err != nil {
			return
		}
		once = ctx
		best.decisions += int64(s.filler.placed)
		if done {
			best.take(lifetime.NewPlan(s.placement.table, s.offsets))
		}
		if best.done() {
			return
		}
	}
}

// below returns the limit on rounded ends for an arena below that of the plan.
func (s *skyPlanner) below(plan *lifetime.Plan) int64 {
	switch {
	case plan == nil:
		return math.MaxInt64
	case s.table.round == 1:
		return plan.Arena - 1
	}
	return lifetime.AlignUp(plan.Arena, s.table.round) // the topmost may have less of a pad
}

// run places the table by the member. It returns false once it sees that the
// arena will be above the limit.
func (s *skyPlanner) run(ctx context.Context, m *skyMember, limit int64) (bool, error) {
	if !m.firstFit {
		return s.place(ctx, limit, m.keys...)
	}
	s.filler.placed = len(s.items)
	return true, s.fit(ctx, s.ranker.order(m.keys...))
}

// skyBest is the best plan so far.
type skyBest struct {
	plan      *lifetime.Plan
	lower     *lifetime.Bound
	enough    int64                // an arena that ends the search
	report    func(*lifetime.Plan) // if not nil, called with each better plan
	begun     time.Time
	decisions int64
	steps     []lifetime.Improvement
}

func newSkyBest(lower *lifetime.Bound, o Options, begun time.Time) *skyBest {
	return &skyBest{lower: lower, enough: max(lower.Value, o.Capacity), begun: begun}
}

// take keeps the plan if it is better, its offsets copied, and reports whether
// it is.
func (b *skyBest) take(p *lifetime.Plan) bool {
	if b.plan != nil && p.Arena >= b.plan.Arena {
		return false
	}
	b.plan = &lifetime.Plan{Offsets: slices.Clone(p.Offsets), Arena: p.Arena, LowerBound: b.lower.Value, Bound: b.lower}
	if p.Arena == b.lower.Value {
		b.plan.Status = lifetime.Optimal
	}
	b.steps = append(b.steps, lifetime.Improvement{
		Decisions: b.decisions, Elapsed: time.Since(b.begun), Arena: p.Arena, LowerBound: b.lower.Value,
	})
	if b.report != nil {
		b.report(b.plan)
	}
	return true
}

// done reports whether the plan is good enough.
func (b *skyBest) done() bool { return b.plan.Arena <= b.enough }

// end returns the best plan with how it was found.
func (b *skyBest) end() *lifetime.Plan {
	out := *b.plan
	out.Stats = lifetime.Stats{Decisions: b.decisions, Elapsed: time.Since(b.begun), Improvements: b.steps}
	return &out
}
