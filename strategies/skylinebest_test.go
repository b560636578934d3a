package strategies

import (
	"context"
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/arenalab/arenalab/datasets"
	"github.com/arenalab/arenalab/lifetime"
)

// disturb gives some of the buffers gaps, or fixed offsets that do not clash.
func disturb(t *rapid.T, table *lifetime.Table) {
	what := rapid.IntRange(0, 3).Draw(t, "what")
	next := int64(0)
	for i := range table.Buffers {
		b := &table.Buffers[i]
		if rapid.IntRange(0, 3).Draw(t, "disturbed") > 0 {
			continue
		}
		if life := b.Upper - b.Lower; what&1 == 1 && life > 2 {
			b.Gaps = []lifetime.Gap{{Lower: b.Lower + life/3, Upper: b.Upper - life/3}}
			if b.Size > 1 {
				b.Gaps[0].Keep = &lifetime.Window{Lower: 0, Upper: b.Size / 2}
			}
		}
		if what&2 == 2 {
			at := lifetime.AlignUp(next, 16)
			b.Fixed, next = &at, at+b.Size
		}
	}
}

// The portfolio is as good as the best of its members, each run to its end.
func TestSkylineBestIsTheBest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		table := plainTable(t, 60)
		disturb(t, table)
		best := int64(math.MaxInt64)
		for _, m := range skyMembers() {
			s, err := newSkyPlanner(table, Options{})
			if err != nil {
				t.Fatal(err)
			}
			if done, err := s.run(t.Context(), &m, math.MaxInt64); err != nil || !done {
				t.Fatal(done, err)
			}
			best = min(best, lifetime.NewPlan(table, s.offsets).Arena)
		}
		plan, err := skylineBest{}.Plan(t.Context(), table, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if err := lifetime.Check(table, plan); err != nil {
			t.Fatal(err)
		}
		if plan.Arena != best {
			t.Fatalf("arena %d, of the best member %d", plan.Arena, best)
		}
		if (plan.Status == lifetime.Optimal) != (plan.Arena == plan.LowerBound) {
			t.Fatalf("arena %d, bound %d, status %v", plan.Arena, plan.LowerBound, plan.Status)
		}
		checkConvergence(t, plan)
	})
}

type fatals interface{ Fatalf(string, ...any) }

// checkConvergence checks that the arena shrinks at each improvement, down to
// that of the plan.
func checkConvergence(t fatals, plan *lifetime.Plan) {
	steps := plan.Stats.Improvements
	for k := range steps {
		if k > 0 && (steps[k].Arena >= steps[k-1].Arena || steps[k].Decisions < steps[k-1].Decisions) {
			t.Fatalf("improvement %d: %+v after %+v", k, steps[k], steps[k-1])
		}
	}
	if n := len(steps); n == 0 || steps[n-1].Arena != plan.Arena || steps[n-1].Decisions > plan.Stats.Decisions {
		t.Fatalf("arena %d after %d decisions, improvements %+v", plan.Arena, plan.Stats.Decisions, steps)
	}
}

// patience is a context that ends when it has been looked at so often.
type patience struct {
	context.Context
	left *int
}

func (p patience) Err() error {
	if *p.left == 0 {
		return context.Canceled
	}
	*p.left--
	return nil
}

// synthetic returns the table of a family, with its optimum if that is known.
func synthetic(t testing.TB, name string, n int, seed uint64) *datasets.Synthetic {
	t.Helper()
	for _, f := range datasets.Synthetics() {
		if f.Name == name {
			s, err := f.Generate(n, seed)
			if err != nil {
				t.Fatal(err)
			}
			return s
		}
	}
	t.Fatalf("no family %s", name)
	return nil
}

// Whenever the context ends, there is a plan.
func TestSkylineBestWhenCancelled(t *testing.T) {
	table := synthetic(t, "pinwheel", 500, 1).Table
	arenas := map[int64]bool{}
	for looks := range 40 {
		left := looks
		plan, err := skylineBest{}.Plan(patience{t.Context(), &left}, table, Options{})
		if looks == 0 {
			if err == nil {
				t.Error("a plan although the context had ended before")
			}
			continue
		}
		if err != nil {
			t.Fatalf("after %d looks: %v", looks, err)
		}
		if err := lifetime.Check(table, plan); err != nil {
			t.Fatalf("after %d looks: %v", looks, err)
		}
		arenas[plan.Arena] = true
	}
	if len(arenas) < 2 {
		t.Errorf("as good however long it may take: %v", arenas)
	}
}

// The capacity ends the search.
func TestSkylineBestWithCapacity(t *testing.T) {
	table := synthetic(t, "pinwheel", 300, 1).Table
	all, err := skylineBest{}.Plan(t.Context(), table, Options{})
	if err != nil {
		t.Fatal(err)
	}
	first := all.Stats.Improvements[0]
	few, err := skylineBest{}.Plan(t.Context(), table, Options{Capacity: first.Arena})
	if err != nil {
		t.Fatal(err)
	}
	if few.Arena != first.Arena || few.Stats.Decisions != first.Decisions {
		t.Errorf("arena %d after %d decisions, want %+v", few.Arena, few.Stats.Decisions, first)
	}
}

// Most real tables are planned at the bound, the others not far from it.
func TestSkylineBestOnTables(t *testing.T) {
	tables, met, sum := 0, 0, 0.0
	for _, file := range data(t, "tables/*.csv") {
		table := readTable(t, file)
		if table.Validate() != nil {
			continue
		}
		plan, err := skylineBest{}.Plan(t.Context(), table, Options{})
		if err != nil {
			t.Errorf("%s: %v", table.Name, err)
			continue
		}
		if err := lifetime.Check(table, plan); err != nil {
			t.Errorf("%s: %v", table.Name, err)
		}
		share := float64(plan.Arena) / float64(max(1, plan.LowerBound))
		t.Logf("%s: %d buffers, %.6f after %d decisions", table.Name, len(table.Buffers), share, plan.Stats.Decisions)
		tables++
		sum += math.Log(share)
		if plan.Status == lifetime.Optimal {
			met++
		} else if share > 1.2 {
			t.Errorf("%s: %.4f of the bound", table.Name, share)
		}
	}
	if mean := math.Exp(sum / float64(max(1, tables))); mean > 1.05 || 3*met < 2*tables {
		t.Errorf("%d of %d tables at the bound, geometric mean %.4f", met, tables, mean)
	}
}
