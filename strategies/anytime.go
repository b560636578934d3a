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
// the exact search goes on beside a search from the best plan: by ejection and,
// if the table is not large, by a beam over skylines in turns. They exchange
// plans after each round, so that what is found depends on no clock unless one
// ends it. Tables that are too large for an exact search are left to the others.

import (
	"context"
	"errors"
	"time"

	"github.com/arenalab/arenalab/internal/pair"
	"github.com/arenalab/arenalab/lifetime"
	"github.com/arenalab/arenalab/strategies/exact"
)

// The default budget of anytime, in decisions of its exact search, and that of
// its first round. The moves of the other searches take so much less time than
// such a decision that they get some for each.
const (
	anytimeDecisions = 300_000
	anytimeRound     = 10_000
	movesFor         = 8 // each decision
	// Up to so many buffers the first round is left to the exact search, which
	// mostly closes the bracket, and beams have their turns.
	anytimeSmall = 1500
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
	budget := decisions(o, usual(t, anytimeDecisions))
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
	search *exact.Search // nil if the table is not for it
	turn   int           // rounds done
	spent  int64         // of the budget
	moves  int64         // of the other searches
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
			if round = min(round, budget-a.spent); round <= 0 {
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
	since := lifetime.Improvement{Decisions: a.decisions(), Elapsed: time.Since(a.began)}
	before := a.found.Stats
	var other *lifetime.Plan
	pair.Run(func() {
		if a.search != nil {
			a.found = a.search.Run(ctx, decisions)
		}
	}, func() { other = a.improved(ctx, movesFor*decisions) })
	a.spent += decisions
	a.turn++
	if p := a.found.Plan; p != nil {
		a.note(a.found.Stats.Improvements[len(before.Improvements):], since, before)
		a.adopt(p)
	}
	if other != nil {
		a.moves += other.Stats.Decisions
		a.note(other.Stats.Improvements, since, lifetime.Stats{})
		a.adopt(other)
	}
	if a.search == nil {
		return a.best.Arena <= a.best.LowerBound
	}
	a.search.Offer(a.best)
	return a.search.Closed()
}

// improved searches from the best plan with the given number of moves. It
// returns nil if it is not its turn, or if ctx ends it before it starts.
func (a *bracket) improved(ctx context.Context, moves int64) *lifetime.Plan {
	small := len(a.t.Buffers) <= anytimeSmall
	seed := a.seed + uint64(a.spent)
	switch {
	case a.turn == 0 && small && a.search != nil:
		return nil
	case a.turn%2 == 0 && small:
		plan, err := beamSkylines(ctx, a.t, Options{Seed: seed}, beamRequest{decisions: moves, start: a.best, lower: a.best.Bound})
		if err != nil {
			return nil
		}
		return plan
	}
	return eject(ctx, a.t, a.best, a.best.LowerBound, seed, moves, nil)
}

// decisions returns those of all searches so far.
func (a *bracket) decisions() int64 { return a.found.Stats.Decisions + a.moves }

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
	a.stats.Decisions, a.stats.Elapsed = a.decisions(), time.Since(a.began)
	plan := adopt(a.best, a.best, a.stats)
	prove(ctx, a.t, plan, &a.found)
	return plan
}
