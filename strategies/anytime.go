package strategies

// Anytime is what to use where nothing else is asked for: the best plan that
// the strategies of this package find together, with a proven bracket around
// the smallest arena, at whatever moment it is stopped.
//
// Complexity: near O(n log n) for the first plan; then as long as it may.
//
// References: those of skyline-best, ejection and exact.
//
// Rule: skyline-best first; on most tables of networks that meets the bound.
// Then an exact search, which closes most others within a few decisions a
// buffer. What is still open is worked at in rounds of growing length, in which
// the exact search goes on beside an ejection search from the best plan; they
// exchange plans and bounds after each round, so that what is found depends on
// no clock unless one ends it. Tables too large for an exact search are left to
// ejection.

import (
	"context"
	"errors"
	"time"

	"github.com/arenalab/arenalab/internal/pair"
	"github.com/arenalab/arenalab/lifetime"
	"github.com/arenalab/arenalab/strategies/exact"
)

// The default budget of anytime, in decisions of its exact search, and that of
// its first round. An ejection takes so much less time than such a decision
// that it gets some for each.
const (
	anytimeDecisions = 300_000
	anytimeRound     = 10_000
	ejectionsFor     = 8 // each decision
)

type anytime struct{}

func (anytime) Info() Info {
	return Info{
		Name:       "anytime",
		Title:      "Anytime",
		Summary:    "skylines, then exact search and ejection side by side, until stopped",
		Reference:  "github.com/arenalab/arenalab/strategies/exact; strategies skyline-best, ejection",
		Complexity: "near O(n log n) for the first plan, then as the budget allows",
		Key:        "those of skyline-best, ejection and exact",
		Guarantee:  "optimal, if the search closes the bracket",
	}
}

func (anytime) Plan(ctx context.Context, t *lifetime.Table, o Options) (*lifetime.Plan, error) {
	ctx, cancel := limit(ctx, o)
	defer cancel()
	start, err := firstPlan(ctx, t, o)
	if err != nil || start.Status == lifetime.Optimal || o.Capacity > 0 && start.Arena <= o.Capacity {
		return start, err
	}
	t = lifetime.WithAlign(t, o.Align)
	budget := decisions(o, anytimeDecisions)
	if o.Capacity > 0 {
		return search(ctx, t, start, o, budget)
	}
	a := bracket{t: t, seed: o.Seed, best: start, began: time.Now()}
	a.search, err = exact.NewSearch(t, exact.Options{Seed: o.Seed, Start: start, LowerBound: start.LowerBound})
	if err != nil && !errors.Is(err, exact.ErrTooLarge) {
		return nil, err
	}
	a.rounds(ctx, budget)
	return a.end(ctx), nil
}

// bracket is a run of anytime after the first plan.
type bracket struct {
	t      *lifetime.Table
	seed   uint64
	best   *lifetime.Plan
	search *exact.Search // nil if the table is too large
	found  exact.Result
	stats  lifetime.Stats // of all but the first plan
	began  time.Time
}

// rounds works until the bracket is closed or the budget, if it is not 0, is
// used up.
func (a *bracket) rounds(ctx context.Context, budget int64) {
	round := int64(anytimeRound)
	if a.search == nil {
		round = anytimeDecisions
	}
	for ; ctx.Err() == nil; round *= 2 {
		if budget > 0 {
			if round = min(round, budget-a.stats.Decisions); round <= 0 {
				return
			}
		}
		if a.round(ctx, round) {
			return
		}
	}
}

// round runs the lines of search side by side, and reports whether nothing is
// left to be done.
func (a *bracket) round(ctx context.Context, decisions int64) bool {
	start, lower := a.best, a.best.LowerBound
	since := lifetime.Improvement{Decisions: a.stats.Decisions, Elapsed: time.Since(a.began)}
	before := a.found.Stats
	var ejected *lifetime.Plan
	pair.Run(func() {
		if a.search != nil {
			a.found = a.search.Run(ctx, decisions)
		}
	}, func() {
		if a.stats.Decisions > 0 || a.search == nil { // the exact search alone closes most brackets
			ejected = eject(ctx, a.t, start, lower, a.seed+uint64(a.stats.Decisions), ejectionsFor*decisions, nil)
		}
	})
	a.stats.Decisions += decisions
	if p := a.found.Plan; p != nil {
		a.note(a.found.Stats.Improvements[len(before.Improvements):], since, before)
		a.adopt(p)
	}
	if ejected != nil {
		a.note(ejected.Stats.Improvements, since, lifetime.Stats{})
		a.adopt(ejected)
	}
	if a.search == nil {
		return a.best.Arena <= lower
	}
	a.search.Offer(a.best)
	return a.search.Closed()
}

// adopt keeps what the plan, and the bound of the search, add to the best.
func (a *bracket) adopt(p *lifetime.Plan) {
	if p.Arena < a.best.Arena {
		next := *a.best
		next.Offsets, next.Arena, next.Objects = p.Offsets, p.Arena, nil
		a.best = &next
	}
}

// note adds the steps of one line of search to the convergence, as counted from
// the beginning of the round; those that were counted from the beginning of the
// line have what was there before taken off.
func (a *bracket) note(steps []lifetime.Improvement, since lifetime.Improvement, before lifetime.Stats) {
	for _, s := range steps {
		s.Decisions += since.Decisions - before.Decisions
		s.Elapsed += since.Elapsed - before.Elapsed
		s.LowerBound = max(s.LowerBound, a.best.LowerBound)
		a.stats.Improvements = improve(a.stats.Improvements, s)
	}
}

// end returns the best plan with the best bound.
func (a *bracket) end(ctx context.Context) *lifetime.Plan {
	a.stats.Elapsed = time.Since(a.began)
	plan := adopt(a.best, a.best, a.stats)
	prove(ctx, a.t, plan, &a.found)
	return plan
}
