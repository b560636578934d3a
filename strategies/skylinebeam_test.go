package strategies

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/arenalab/arenalab/lifetime"
	"github.com/arenalab/arenalab/strategies/bound"
)

// The plans of the beam are safe, no worse than those of the portfolio, and the
// same on every run.
func TestSkylineBeam(t *testing.T) {
	better := 0
	rapid.Check(t, func(t *rapid.T) {
		table := plainTable(t, 25)
		if rapid.IntRange(0, 3).Draw(t, "disturbed") == 0 {
			disturb(t, table)
		}
		o := Options{Seed: rapid.Uint64().Draw(t, "seed")}
		from, err := skylineBest{}.Plan(t.Context(), table, o)
		if err != nil {
			t.Fatal(err)
		}
		plan, err := beamSkylines(t.Context(), table, o, beamRequest{decisions: 5000})
		if err != nil {
			t.Fatal(err)
		}
		if err := lifetime.Check(table, plan); err != nil {
			t.Fatal(err)
		}
		again, err := beamSkylines(t.Context(), table, o, beamRequest{decisions: 5000})
		if err != nil || !slices.Equal(plan.Offsets, again.Offsets) || plan.Stats.Decisions != again.Stats.Decisions {
			t.Fatalf("offsets %v, then %v (%v)", plan.Offsets, again.Offsets, err)
		}
		if plan.Arena > from.Arena || plan.Arena < plan.LowerBound {
			t.Fatalf("arena %d, without the beam %d, bound %d", plan.Arena, from.Arena, plan.LowerBound)
		}
		if plan.Arena < from.Arena {
			better++
		}
		checkConvergence(t, plan)
	})
	if better == 0 {
		t.Error("the beam improved nothing")
	}
}

// beamSound checks a state against its meaning.
func beamSound(b *beam, s *beamState) error {
	live := make([]int64, b.table.sections)
	for i := range b.table.items {
		if !s.has(int32(i)) {
			for t := b.table.items[i].lo; t < b.table.items[i].hi; t++ {
				live[t] += b.table.items[i].size
			}
		}
	}
	height := make([]int64, b.table.sections)
	count, hash := 0, uint64(0)
	for last := s.last; last >= 0; last = b.history[last].before {
		h := b.history[last]
		it := &b.table.items[h.item]
		count++
		hash ^= b.hash[h.item]
		if !s.has(h.item) || h.offset%it.align != 0 {
			return fmt.Errorf("item %d at %d", h.item, h.offset)
		}
		for t := it.lo; t < it.hi; t++ {
			height[t] = max(height[t], h.offset+it.size)
		}
	}
	score := int64(0)
	for t, final := range s.final {
		score += b.cost.of(final)
		at := s.height[t]
		if live[t] == 0 {
			if at != full {
				return fmt.Errorf("section %d: height %d although nothing is left", t, at)
			}
			at = final
		}
		if final != at+live[t] || at < height[t] || final > b.limit {
			return fmt.Errorf("section %d: least end %d, height %d, placed up to %d, to be placed %d, limit %d", t, final, at, height[t], live[t], b.limit)
		}
	}
	if score != s.score || hash != s.hash {
		return fmt.Errorf("score %d, want %d; hash %x, want %x", s.score, score, s.hash, hash)
	}
	return nil
}

// wasted returns what it costs to raise the sections to the lower of their
// neighbours, if nothing that is left lies within them.
func wasted(b *beam, s *beamState, start, end int32) int64 {
	for i := range b.table.items {
		if it := &b.table.items[i]; !s.has(int32(i)) && it.lo >= start && it.hi <= end {
			return 0
		}
	}
	to := int64(full)
	if start > 0 {
		to = s.height[start-1]
	}
	if int(end) < len(s.height) {
		to = min(to, s.height[end])
	}
	cost := int64(0)
	for t := start; t < end && to < full; t++ {
		cost += b.cost.of(s.final[t]+to-s.height[t]) - b.cost.of(s.final[t])
	}
	return cost
}

// Heights, least ends, scores and hashes are what they are meant to be after
// every placement, and moves are weighed with what is wasted beside them.
func TestBeamStates(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		table := plainTable(t, 30)
		s, err := newSkyPlanner(table, Options{})
		if err != nil {
			t.Fatal(err)
		}
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		best := newSkyBest(bound.Lower(table, 0), Options{}, time.Now())
		g := newBeamSearch(s, best, r.Uint64())
		g.most = 20
		recipe := g.draw()
		b := g.beam
		b.set(&recipe, 2*s.table.peak+rapid.Int64Range(0, 100).Draw(t, "above"))
		b.states = append(b.states, b.root())
		for range s.all {
			b.moves = b.moves[:0]
			b.seen.reset(2 * len(b.states) * len(b.ranks))
			for k := range b.states {
				b.expand(int32(k))
			}
			for k := range b.moves {
				m := &b.moves[k]
				c := b.child(m)
				if err := beamSound(b, &c); err != nil {
					t.Fatal(err)
				}
				if start, end := c.start, c.end; end > 0 {
					c.descend()
					if c.height[c.start] != c.height[start] || end <= start {
						t.Fatalf("lowest stretch [%d, %d), said to be [%d, %d)", c.start, c.end, start, end)
					}
					for _, h := range c.height[start:end] {
						if h != c.height[c.start] {
							t.Fatalf("heights %v, lowest stretch said to be [%d, %d)", c.height, start, end)
						}
					}
				}
				before := b.fresh()
				before.copy(&b.states[m.state])
				if m.raised && !b.skip(&before) {
					t.Fatal("a move in a state that cannot be")
				}
				it := &b.table.items[m.item]
				want := c.score + wasted(b, &c, before.start, it.lo) + wasted(b, &c, it.hi, before.end)
				if m.score != want {
					t.Fatalf("move of score %d, want %d", m.score, want)
				}
			}
			if len(b.moves) == 0 {
				return
			}
			b.choose()
			if len(b.states) > b.width {
				t.Fatalf("%d states, width %d", len(b.states), b.width)
			}
		}
	})
}

func TestPartBest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 50).Draw(t, "n")
		moves := make([]beamMove, n)
		for k := range moves {
			moves[k] = beamMove{score: rapid.Int64Range(0, 9).Draw(t, "score"), turn: int32(k)}
		}
		want := slices.Clone(moves)
		slices.SortStableFunc(want, func(x, y beamMove) int { return int(x.score - y.score) })
		k := rapid.IntRange(1, n).Draw(t, "k")
		partBest(moves, k)
		got := moves[:k]
		slices.SortFunc(got, func(x, y beamMove) int { return int(2*(x.score-y.score))*n + int(x.turn-y.turn) })
		if !slices.Equal(got, want[:k]) {
			t.Fatalf("best %d: %v, want %v", k, got, want[:k])
		}
	})
}

// Costs ascend, and are those of the power at the peak.
func TestBeamCost(t *testing.T) {
	for _, power := range []int{1, 6, 120} {
		table := &skyTable{peak: 1e9 + 7, sections: 50}
		var c beamCost
		c.set(table, 13e8, power)
		last := int64(-1)
		for end := int64(0); end <= 13e8; end += 1e6 + 3 {
			if c.of(end) < last {
				t.Errorf("power %d: %d after %d", power, c.of(end), last)
			}
			last = c.of(end)
		}
		if at := c.of(table.peak); at < beamOne*999/1000 || at > beamOne*1001/1000 {
			t.Errorf("power %d: %d at the peak", power, at)
		}
		if top := float64(c.of(13e8)) / beamOne; top < raised(1.299, power) && c.of(13e8) < beamMost {
			t.Errorf("power %d: %g at 1.3 of the peak", power, top)
		}
	}
}

// Tilings of some hundred buffers, which no greedy rule solves, are packed
// without waste.
func TestSkylineBeamOnTilings(t *testing.T) {
	for _, family := range []string{"guillotine", "pinwheel", "balanced"} {
		made := synthetic(t, family, 100, 1)
		var reported []int64
		plan, err := beamSkylines(t.Context(), made.Table, Options{Seed: 1}, beamRequest{report: func(p *lifetime.Plan) {
			reported = append(reported, p.Arena)
		}})
		if err != nil {
			t.Fatal(err)
		}
		if plan.Arena != made.Optimum || plan.Status != lifetime.Optimal {
			t.Errorf("%s: arena %d, optimum %d, status %v", made.Table.Name, plan.Arena, made.Optimum, plan.Status)
		}
		var steps []int64
		for _, s := range plan.Stats.Improvements {
			steps = append(steps, s.Arena)
		}
		if len(steps) < 2 || !slices.Equal(reported, steps) {
			t.Errorf("%s: reported %v, improvements %v", made.Table.Name, reported, steps)
		}
	}
}

// A search goes on from a plan that is given.
func TestSkylineBeamFromPlan(t *testing.T) {
	table := synthetic(t, "pinwheel", 100, 2).Table
	start, err := naive{}.Plan(t.Context(), table, Options{})
	if err != nil {
		t.Fatal(err)
	}
	plan, err := beamSkylines(t.Context(), table, Options{}, beamRequest{decisions: 20000, start: start})
	if err != nil {
		t.Fatal(err)
	}
	if first := plan.Stats.Improvements[0]; first.Arena != start.Arena || first.Decisions != 0 {
		t.Errorf("begins with %+v", first)
	}
	if plan.Arena >= start.Arena/2 || plan.Stats.Decisions > 20000+200 {
		t.Errorf("arena %d of %d after %d decisions", plan.Arena, start.Arena, plan.Stats.Decisions)
	}
}

// Whenever the context ends, there is a plan.
func TestSkylineBeamWhenCancelled(t *testing.T) {
	table := synthetic(t, "holed", 100, 1).Table
	arenas := map[int64]bool{}
	for _, looks := range []int{1, 2, 10, 50, 200, 1000, 2000} {
		left := looks
		plan, err := skylineBeam{}.Plan(patience{t.Context(), &left}, table, Options{})
		if err != nil {
			t.Fatalf("after %d looks: %v", looks, err)
		}
		if err := lifetime.Check(table, plan); err != nil {
			t.Fatalf("after %d looks: %v", looks, err)
		}
		arenas[plan.Arena] = true
	}
	if len(arenas) < 3 {
		t.Errorf("as good however long it may take: %v", arenas)
	}
}

// Decisions of the options are the placements beyond those of skyline-best.
func TestSkylineBeamDecisions(t *testing.T) {
	table := synthetic(t, "holed", 300, 1).Table
	from, err := skylineBest{}.Plan(t.Context(), table, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, budget := range []int64{1, 1000, 10000} {
		plan, err := skylineBeam{}.Plan(t.Context(), table, Options{Decisions: budget})
		if err != nil {
			t.Fatal(err)
		}
		if spent := plan.Stats.Decisions - from.Stats.Decisions; spent > budget+100 || budget > 1 && spent < budget/2 {
			t.Errorf("%d placements, %d allowed", spent, budget)
		}
	}
}
