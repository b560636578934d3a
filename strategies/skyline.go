package strategies

// Lowest skyline first fills the arena from below. At each moment the tops of
// the placed buffers form a skyline over time; always its lowest stretch is
// filled, with the best-ranked buffer whose life lies within it, or, if there
// is none, with nothing, up to the lower of its neighbours.
//
// Complexity: near O(n log n), O(n) memory; no list of conflicts is made. With
// gaps or fixed offsets that of greedy-size as well.
//
// References: M. D. Moffitt, "MiniMalloc: A Lightweight Memory Allocator for
// Hardware-Accelerated Machine Learning", ASPLOS 2023,
// doi:10.1145/3623278.3624752 (the canonical order of a search: buffers by
// offset, each as low as those before allow); E. K. Burke, G. Kendall and
// G. Whitwell, "A New Placement Heuristic for the Orthogonal Stock-Cutting
// Problem", Operations Research 52(4), 2004, pages 655-671,
// doi:10.1287/opre.1040.0109 (lowest gap first, with rectangles that may move
// along the stretch, the widest that fits).
//
// Rule: buffers are ranked by the live bytes of the table over their life,
// added up, the most first; then by size, then by first use. The sum takes one
// value for each stretch of steps in which nothing is born after a death.
//
// Departures: neither reference uses the rule as a planner of its own, nor that
// rank. A buffer's offset is the stretch's height rounded up to its alignment.
// With gaps or fixed offsets the rule, which sees neither, gives only an order:
// by the offsets it found buffers are placed anew, each at the lowest offset at
// which it is clear of the fixed ones and of those before it, gaps used.

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/arenalab/arenalab/lifetime"
)

type lowestSkyline struct{}

func (lowestSkyline) Info() Info {
	return Info{
		Name:       "skyline",
		Title:      "Lowest skyline first",
		Summary:    "fills the lowest stretch of the skyline with what lies within it",
		Reference:  "M. D. Moffitt, MiniMalloc: A Lightweight Memory Allocator for Hardware-Accelerated Machine Learning, ASPLOS 2023, doi:10.1145/3623278.3624752 (canonical order); E. K. Burke, G. Kendall and G. Whitwell, A New Placement Heuristic for the Orthogonal Stock-Cutting Problem, Operations Research 52(4), 2004, doi:10.1287/opre.1040.0109 (lowest gap first)",
		Complexity: "near O(n log n)",
		Key:        "lowest stretch; live bytes over its life added up, the larger, first use",
	}
}

func (lowestSkyline) Plan(ctx context.Context, t *lifetime.Table, o Options) (*lifetime.Plan, error) {
	ctx, cancel := limit(ctx, o)
	defer cancel()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	s, err := newSkyPlanner(t, o)
	if err != nil {
		return nil, err
	}
	if _, err := s.place(ctx, math.MaxInt64, skyByLive, skyBySize); err != nil {
		return nil, err
	}
	plan := lifetime.NewPlan(t, s.offsets)
	plan.Stats.Decisions = int64(len(s.items))
	return plan, nil
}

// skyPlanner places one table by one order after another.
type skyPlanner struct {
	*placement
	all    []item // in order of birth, those with fixed offsets too
	table  *skyTable
	filler *skyFill
	ranker *skyRanker
}

// newSkyPlanner applies the options. Its plain means that the skyline's offsets
// are those of the plan.
func newSkyPlanner(t *lifetime.Table, o Options) (*skyPlanner, error) {
	p, err := prepare(&method{rule: lowestGap, order: byBirth()}, t, o)
	if err != nil {
		return nil, err
	}
	s := &skyPlanner{placement: p, all: p.items}
	p.plain = !p.gaps && len(p.pinned) == 0
	if len(p.pinned) > 0 {
		s.all = slices.Clone(p.items)
		for _, i := range p.pinned {
			if it := p.item(i); it.size > 0 {
				s.all = append(s.all, it)
			}
		}
		sortItems(t, s.all, byBirth(), o.Ties)
	}
	s.table = newSkyTable(s.all)
	s.filler = newSkyFill(s.table)
	s.ranker = newSkyRanker(s.table)
	return s, nil
}

// place fills in the offsets by the skyline, with buffers ranked by the keys.
// It returns false once it sees that the arena will be above the limit.
func (s *skyPlanner) place(ctx context.Context, limit int64, keys ...skyKey) (bool, error) {
	if !s.plain {
		limit = math.MaxInt64
	}
	rank := s.ranker.ranks(keys...)
	done, err := s.filler.run(ctx, rank, limit)
	if err != nil || !done {
		return false, err
	}
	if s.plain {
		for k := range s.all {
			s.offsets[s.all[k].index] = s.filler.offsets[k]
		}
		return true, nil
	}
	return true, s.again(ctx, rank)
}

// again places the buffers in the order in which the skyline took them, with
// what it does not see.
func (s *skyPlanner) again(ctx context.Context, rank []int32) error {
	turns := make([]ref, len(s.all))
	for k := range turns {
		turns[k].pos = int32(k)
	}
	offsets := s.filler.offsets
	slices.SortFunc(turns, func(a, b ref) int {
		return cmp.Or(cmp.Compare(offsets[a.pos], offsets[b.pos]), cmp.Compare(rank[a.pos], rank[b.pos]))
	})
	return s.fit(ctx, turns)
}

// fit places the buffers in the given order, each at the lowest offset at which
// it is clear of the fixed ones and of those before it.
func (s *skyPlanner) fit(ctx context.Context, turns []ref) error {
	p := *s.placement
	p.items = make([]item, 0, len(s.items))
	for _, r := range turns {
		if it := s.all[r.pos]; s.placement.table.Buffers[it.index].Fixed == nil {
			p.items = append(p.items, it)
		}
	}
	return p.fill(ctx, tuning{listLimit, perBucket, crowd})
}
