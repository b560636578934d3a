package strategies_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"testing"

	"github.com/arenalab/arenalab/datasets"
	"github.com/arenalab/arenalab/lifetime"
	"github.com/arenalab/arenalab/strategies"
)

// syntheticOf returns a table of a synthetic family, with its optimum.
func syntheticOf(t *testing.T, name string, n int) *datasets.Synthetic {
	t.Helper()
	for _, f := range datasets.Synthetics() {
		if f.Name == name {
			s, err := f.Generate(n, 3)
			if err != nil {
				t.Fatal(err)
			}
			return s
		}
	}
	t.Fatalf("no family %s", name)
	return nil
}

func lookup(t *testing.T, name string) strategies.Strategy {
	t.Helper()
	list, err := strategies.Lookup(name)
	if err != nil || len(list) != 1 {
		t.Fatal(list, err)
	}
	return list[0]
}

// checkBracket checks the plan, the bound with its witness, that the optimum is
// between them, and that the convergence ends with them.
func checkBracket(t *testing.T, table *lifetime.Table, p *lifetime.Plan, optimum int64) {
	t.Helper()
	if err := lifetime.Check(table, p); err != nil {
		t.Error(err)
	}
	if p.Bound == nil || p.Bound.Value != p.LowerBound {
		t.Errorf("bound %d with the witness %+v", p.LowerBound, p.Bound)
	} else if err := lifetime.CheckBound(table, p.Bound); err != nil {
		t.Error(err)
	}
	if p.LowerBound > optimum || p.Arena < optimum {
		t.Errorf("bracket [%d, %d], optimum %d", p.LowerBound, p.Arena, optimum)
	}
	if (p.Status == lifetime.Optimal) != (p.Arena == p.LowerBound) {
		t.Errorf("status %v of [%d, %d]", p.Status, p.LowerBound, p.Arena)
	}
	steps := p.Stats.Improvements
	for i, s := range steps {
		if i == 0 {
			continue
		}
		last := steps[i-1]
		if s.Arena > last.Arena || s.LowerBound < last.LowerBound || s.Elapsed < last.Elapsed || s.Decisions < last.Decisions || s.Arena == last.Arena && s.LowerBound == last.LowerBound {
			t.Errorf("convergence goes from %+v to %+v", last, s)
		}
	}
	if n := len(steps); n == 0 || steps[n-1].Arena != p.Arena {
		t.Errorf("convergence %+v of an arena of %d", steps, p.Arena)
	}
}

// TestSearchesClose: what each of the two finds and proves by itself.
func TestSearchesClose(t *testing.T) {
	for _, s := range []*datasets.Synthetic{syntheticOf(t, "pinwheel", 100), syntheticOf(t, "guillotine", 300), syntheticOf(t, "gap", 70), syntheticOf(t, "equal", 200)} {
		for _, name := range []string{"anytime", "exact"} {
			p, err := lookup(t, name).Plan(t.Context(), s.Table, strategies.Options{Seed: 1})
			if err != nil {
				t.Fatal(err)
			}
			checkBracket(t, s.Table, p, s.Optimum)
			if p.Status != lifetime.Optimal {
				t.Errorf("%s on %s: [%d, %d], optimum %d", name, s.Family, p.LowerBound, p.Arena, s.Optimum)
			}
		}
	}
}

// TestSearchesFit asks for capacities around the optimum.
func TestSearchesFit(t *testing.T) {
	s := syntheticOf(t, "gap", 35)
	for _, name := range []string{"anytime", "exact"} {
		for _, capacity := range []int64{s.Optimum - 1, s.Optimum, s.Optimum + 1} {
			p, err := lookup(t, name).Plan(t.Context(), s.Table, strategies.Options{Capacity: capacity})
			if err != nil {
				t.Fatal(err)
			}
			if capacity < s.Optimum {
				if p.Status != lifetime.Infeasible || p.Bound == nil || p.Bound.Value <= capacity || lifetime.CheckBound(s.Table, p.Bound) != nil {
					t.Errorf("%s: %v at %d with %+v, optimum %d", name, p.Status, capacity, p.Bound, s.Optimum)
				}
				continue
			}
			if lifetime.Check(s.Table, p) != nil || p.Arena > capacity {
				t.Errorf("%s: arena %d, capacity %d", name, p.Arena, capacity)
			}
		}
	}
}

// TestSearchesOnOneCore: side by side or in turns, the plan is the same.
func TestSearchesOnOneCore(t *testing.T) {
	s := syntheticOf(t, "balanced", 120)
	for _, name := range []string{"anytime", "exact"} {
		o := strategies.Options{Seed: 7, Decisions: 30_000}
		two, err := lookup(t, name).Plan(t.Context(), s.Table, o)
		if err != nil {
			t.Fatal(err)
		}
		one := onOneCore(t, lookup(t, name), s.Table, o)
		if !slices.Equal(one.Offsets, two.Offsets) || one.Stats.Decisions != two.Stats.Decisions {
			t.Errorf("%s: arena %d after %d decisions on one core, %d after %d on two", name, one.Arena, one.Stats.Decisions, two.Arena, two.Stats.Decisions)
		}
	}
}

func onOneCore(t *testing.T, s strategies.Strategy, table *lifetime.Table, o strategies.Options) *lifetime.Plan {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	p, err := s.Plan(t.Context(), table, o)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestSearchesKeepParts: where gaps keep parts of buffers, both close the bracket
// as they do elsewhere.
func TestSearchesKeepParts(t *testing.T) {
	improved := 0
	for seed := range uint64(12) {
		table := keptTable(rand.New(rand.NewPCG(seed, 4)), 9)
		first, err := lookup(t, "skyline-best").Plan(t.Context(), table, strategies.Options{})
		if err != nil {
			t.Fatal(err)
		}
		var arena int64
		for _, name := range []string{"exact", "anytime"} {
			p, err := lookup(t, name).Plan(t.Context(), table, strategies.Options{Seed: 1})
			if err != nil {
				t.Fatal(err)
			}
			checkBracket(t, table, p, p.Arena)
			if p.Status != lifetime.Optimal && len(p.Notes) == 0 {
				t.Errorf("%d: %s is open at [%d, %d]", seed, name, p.LowerBound, p.Arena)
			}
			if arena > 0 && p.Arena != arena {
				t.Errorf("%d: %s finds %d, exact %d", seed, name, p.Arena, arena)
			}
			if arena = p.Arena; arena < first.Arena {
				improved++
			}
		}
	}
	if improved == 0 {
		t.Error("the first plans were the best: the test does not tell")
	}
}

// keptTable returns a table of n buffers, half of which keep a part in a gap.
func keptTable(r *rand.Rand, n int) *lifetime.Table {
	table := &lifetime.Table{}
	for i := range n {
		lower := r.Int64N(int64(n))
		b := lifetime.Buffer{Name: fmt.Sprint("b", i), Size: 64 * (1 + r.Int64N(8)), Lower: lower, Upper: lower + 3 + r.Int64N(6)}
		if i%2 == 0 {
			low := 64 * r.Int64N(b.Size/64)
			keep := &lifetime.Window{Lower: low, Upper: low + 64*(1+r.Int64N((b.Size-low)/64))}
			b.Gaps = []lifetime.Gap{{Lower: lower + 1, Upper: b.Upper - r.Int64N(2), Keep: keep}}
		}
		table.Buffers = append(table.Buffers, b)
	}
	return table
}

// TestTightIsProven: that tilings do not fit into their load is found, and has a
// certificate, although it takes many buffers.
func TestTightIsProven(t *testing.T) {
	proven := 0
	for _, g := range datasets.Graded() {
		if g.Family != "tight" || g.Name == "tight-52" && os.Getenv("ARENALAB_SLOW") == "" {
			continue
		}
		s, _ := g.Build()
		p, err := lookup(t, "exact").Plan(t.Context(), s.Table, strategies.Options{Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		checkBracket(t, s.Table, p, g.Optimum)
		if p.Status != lifetime.Optimal {
			t.Errorf("%s: [%d, %d], optimum %d", g.Name, p.LowerBound, p.Arena, g.Optimum)
		}
		proven++
	}
	if proven == 0 {
		t.Error("the graded set has no tilings that are tight")
	}
}
