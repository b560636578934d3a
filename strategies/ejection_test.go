package strategies

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/arenalab/arenalab/datasets"
	"github.com/arenalab/arenalab/lifetime"
)

// ejectTable draws a crowded table with pins, alignments and gaps.
func ejectTable(t *rapid.T) *lifetime.Table {
	table := &lifetime.Table{}
	next := int64(0) // free of fixed buffers from here on
	for i := range rapid.IntRange(0, 14).Draw(t, "n") {
		lower := rapid.Int64Range(0, 9).Draw(t, "lower")
		b := lifetime.Buffer{
			Name: fmt.Sprint("b", i), Size: rapid.Int64Range(0, 40).Draw(t, "size"),
			Align: 1 << rapid.IntRange(0, 4).Draw(t, "align"),
			Lower: lower, Upper: lower + rapid.Int64Range(1, 9).Draw(t, "life"),
		}
		if rapid.IntRange(0, 4).Draw(t, "pinned") == 0 {
			at := lifetime.AlignUp(next+rapid.Int64Range(0, 9).Draw(t, "space"), b.Align)
			b.Fixed, next = &at, at+b.Size
		}
		for from := b.Lower + 1; from+1 < b.Upper && b.Size > 1; from += 3 {
			if rapid.Bool().Draw(t, "gap") {
				gap := lifetime.Gap{Lower: from, Upper: from + 1}
				if low := rapid.Int64Range(-b.Size, b.Size-1).Draw(t, "window"); low >= 0 {
					gap.Keep = &lifetime.Window{Lower: low, Upper: b.Size}
				}
				b.Gaps = append(b.Gaps, gap)
			}
		}
		table.Buffers = append(table.Buffers, b)
	}
	return table
}

// The plan is safe whatever the table and wherever the search ends, no worse
// than the start, and each plan reported is better than the one before.
func TestEjectIsSafe(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		table := ejectTable(t)
		start, err := greedySize{}.Plan(t.Context(), table, Options{})
		if err != nil {
			t.Fatal(err)
		}
		before := slices.Clone(start.Offsets)
		budget := rapid.Int64Range(1, 500).Draw(t, "decisions")
		arena := start.Arena
		got := eject(t.Context(), table, start, 0, rapid.Uint64().Draw(t, "seed"), budget, func(p *lifetime.Plan) {
			if err := lifetime.Check(table, p); err != nil {
				t.Fatal(err)
			}
			if p.Arena >= arena {
				t.Fatalf("reported an arena of %d after one of %d", p.Arena, arena)
			}
			arena = p.Arena
		})
		if err := lifetime.Check(table, got); err != nil {
			t.Fatal(err)
		}
		if got.Arena != arena {
			t.Fatalf("arena %d, last reported %d", got.Arena, arena)
		}
		if most := budget + int64(len(table.Buffers)); got.Stats.Decisions > most {
			t.Fatalf("%d decisions of %d", got.Stats.Decisions, budget)
		}
		if !slices.Equal(start.Offsets, before) {
			t.Fatal("the start was modified")
		}
	})
}

// What is placed is what the buckets hold, in order of address, and a query
// finds all of it that is live with the buffer.
func TestEjectBuckets(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		table := ejectTable(t)
		start, err := naive{}.Plan(t.Context(), table, Options{})
		if err != nil {
			t.Skip("fixed offsets clash with the stack")
		}
		s := newEjector(table, start, 0, 1)
		s.space = narrowBuckets(s.pieces)
		for i := range s.pieces {
			p := &s.pieces[i]
			p.first, p.last = p.from/2, (p.to-1)/2
		}
		s.load()
		for i := range int32(len(s.index)) {
			if rapid.Bool().Draw(t, "out") {
				s.take(i)
			}
		}
		for _, list := range s.space {
			if !slices.IsSortedFunc(list, func(a, b ejectEntry) int { return int(a.low - b.low) }) {
				t.Fatalf("bucket %v", list)
			}
		}
		for i := range int32(len(s.index)) {
			if s.offsets[i] >= 0 {
				continue
			}
			s.near.collect(s.space, s.pieces[s.first[i]:s.first[i+1]], s.pieces)
			if want := bruteForbidden(s, i); !slices.Equal(sums(s.near.list), sums(want)) {
				t.Fatalf("buffer %d: ranges %v, want %v", i, s.near.list, want)
			}
			if !slices.IsSortedFunc(s.near.list, func(a, b forbidden) int { return int(a.lo - b.lo) }) {
				t.Fatalf("buffer %d: ranges %v are not sorted", i, s.near.list)
			}
		}
	})
}

// narrowBuckets makes one of each two sections.
func narrowBuckets(pieces []ejectPiece) ejectBuckets {
	last := int32(0)
	for i := range pieces {
		last = max(last, (pieces[i].to-1)/2)
	}
	return make(ejectBuckets, last+1)
}

// bruteForbidden looks at all pairs of pieces.
func bruteForbidden(s *ejector, i int32) []forbidden {
	var out []forbidden
	for _, p := range s.pieces[s.first[i]:s.first[i+1]] {
		for _, q := range s.pieces {
			if at := s.offsets[q.owner]; at >= 0 && p.from < q.to && q.from < p.to {
				out = append(out, forbidden{lo: at + q.low - p.high, hi: at + q.high - p.low, owner: q.owner})
			}
		}
	}
	return out
}

func sums(list []forbidden) []string {
	out := make([]string, len(list))
	for i, f := range list {
		out[i] = fmt.Sprint(f.lo, f.hi, f.owner)
	}
	slices.Sort(out)
	return out
}

// The gap of each rule is one, and there is none only if all offsets are
// forbidden; the cheapest offset costs, blur apart, no more than any other.
func TestEjectChoices(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 8).Draw(t, "ranges")
		s := &ejector{hard: 1 << 40, random: rand.NewPCG(1, 1)}
		for i := range n {
			lo := rapid.Int64Range(-20, 40).Draw(t, "lo")
			s.near.list = append(s.near.list, forbidden{lo: lo, hi: lo + rapid.Int64Range(1, 20).Draw(t, "width"), owner: int32(i)})
			s.weight = append(s.weight, rapid.Int64Range(1, 1<<20).Draw(t, "weight"))
			s.penalty = append(s.penalty, 1)
			s.fixed = append(s.fixed, rapid.IntRange(0, 5).Draw(t, "fixed") == 0)
		}
		slices.SortFunc(s.near.list, func(a, b forbidden) int { return int(a.lo - b.lo) })
		top, align := rapid.Int64Range(0, 50).Draw(t, "top"), int64(1)<<rapid.IntRange(0, 3).Draw(t, "align")
		cost := func(at int64) (sum int64) {
			for _, f := range s.near.list {
				if f.lo < at && at < f.hi {
					sum += s.price(f.owner)
				}
			}
			return sum
		}
		free, least := false, int64(math.MaxInt64)
		for at := int64(0); at <= top; at += align {
			least = min(least, cost(at))
			free = free || cost(at) == 0
		}
		for rule := range ejectGaps {
			at := s.gap(top, align, rule)
			if (at >= 0) != free || at >= 0 && (at > top || at%align != 0 || cost(at) > 0) {
				t.Fatalf("rule %d: offset %d, ranges %v", rule, at, s.near.list)
			}
		}
		at := s.cheapest(top, align)
		switch {
		case least >= s.hard:
			if at >= 0 {
				t.Fatalf("offset %d overlaps a fixed buffer: %v", at, s.near.list)
			}
		case at < 0 || at > top || at%align != 0 || cost(at) > least+least/8:
			t.Fatalf("offset %d costs %d, the least is %d: %v", at, cost(at), least, s.near.list)
		}
	})
}

func TestSortEnders(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	for n := range 200 {
		list := make([]ender, n)
		for i := range list {
			list[i] = ender{r.Int64N(50), int64(i)}
		}
		want := slices.Clone(list)
		slices.SortStableFunc(want, func(a, b ender) int { return int(a.hi - b.hi) })
		sortEnders(list, make([]ender, n))
		if !slices.Equal(list, want) {
			t.Fatalf("%v, want %v", list, want)
		}
	}
}

// The search finds what the best of the one-shot rules does not.
func TestEjectionGains(t *testing.T) {
	family := datasets.Synthetics()[slices.IndexFunc(datasets.Synthetics(), func(f datasets.Family) bool { return f.Name == "pinwheel" })]
	made, err := family.Generate(60, 2)
	if err != nil {
		t.Fatal(err)
	}
	start, err := skylinePortfolio(t.Context(), made.Table, Options{})
	if err != nil {
		t.Fatal(err)
	}
	plan, err := ejection{}.Plan(t.Context(), made.Table, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if start.Arena == made.Optimum || plan.Arena != made.Optimum || plan.Status != lifetime.Optimal {
		t.Errorf("start %d, arena %d, optimum %d, status %v", start.Arena, plan.Arena, made.Optimum, plan.Status)
	}
	last := plan.Stats.Improvements[len(plan.Stats.Improvements)-1]
	if last.Arena != plan.Arena || last.LowerBound != plan.LowerBound || last.Decisions > plan.Stats.Decisions {
		t.Errorf("last improvement %+v of plan %d, bound %d, decisions %d", last, plan.Arena, plan.LowerBound, plan.Stats.Decisions)
	}
	fits, err := ejection{}.Plan(t.Context(), made.Table, Options{Capacity: start.Arena - 1})
	if err != nil || fits.Arena >= start.Arena || fits.Arena == made.Optimum {
		t.Errorf("with a capacity just below the start %d: arena %d, %v", start.Arena, fits.Arena, err)
	}
}

// An insertion allocates nothing once the scratch memory has grown.
func TestEjectDoesNotAllocate(t *testing.T) {
	made, err := datasets.Synthetics()[1].Generate(100, 1)
	if err != nil {
		t.Fatal(err)
	}
	start, err := greedySize{}.Plan(t.Context(), made.Table, Options{})
	if err != nil {
		t.Fatal(err)
	}
	s := newEjector(made.Table, start, 0, 1)
	s.ctx, s.budget = t.Context(), math.MaxInt64
	s.weight = s.weights[0]
	run := func() {
		if s.reach(made.Optimum, 200) {
			t.Fatal("solved: nothing left to measure")
		}
		s.restore()
	}
	run()
	before := s.decisions
	if allocs := testing.AllocsPerRun(20, run); allocs > 0 {
		t.Errorf("%v allocations in %d insertions", allocs, (s.decisions-before)/21)
	}
}
