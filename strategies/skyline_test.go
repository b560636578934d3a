package strategies

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/arenalab/arenalab/lifetime"
)

// plainTable draws a table without gaps and fixed offsets.
func plainTable(t *rapid.T, most int) *lifetime.Table {
	n := rapid.IntRange(1, most).Draw(t, "n")
	steps := rapid.Int64Range(1, 40).Draw(t, "steps")
	stretch := rapid.SampledFrom([]int64{1, 1000, 1 << 40}).Draw(t, "stretch")
	mixed := rapid.Bool().Draw(t, "mixed")
	table := &lifetime.Table{Buffers: make([]lifetime.Buffer, n)}
	for i := range table.Buffers {
		b := &table.Buffers[i]
		b.Name = fmt.Sprint("b", i)
		b.Size = rapid.Int64Range(1, 50).Draw(t, "size")
		b.Align = 4
		if mixed {
			b.Align = 1 << rapid.IntRange(0, 4).Draw(t, "align")
		}
		b.Lower = stretch * rapid.Int64Range(-3, steps).Draw(t, "lower")
		b.Upper = b.Lower + stretch*rapid.Int64Range(1, steps).Draw(t, "life")
	}
	return table
}

// plainSkyline is the rule in plain words: of the buffers left, the one of which
// the lowest possible offset is lowest, the best-ranked of these, at the offset.
func plainSkyline(items []item, rank []int32, round int64) []int64 {
	offsets := make([]int64, len(items))
	height := make([]int64, len(items)) // up to which its life is filled
	placed := make([]bool, len(items))
	for range items {
		next := -1
		for i := range items {
			if !placed[i] && (next < 0 || cmp.Or(cmp.Compare(height[i], height[next]), cmp.Compare(rank[i], rank[next])) < 0) {
				next = i
			}
		}
		it := &items[next]
		placed[next], offsets[next] = true, lifetime.AlignUp(height[next], it.align)
		top := lifetime.AlignUp(offsets[next]+it.size, round)
		for i := range items {
			if items[i].lower < it.upper && it.lower < items[i].upper {
				height[i] = max(height[i], top)
			}
		}
	}
	return offsets
}

// The skyline gives the offsets of its rule, whatever the ranks.
func TestSkylineAgainstPlainWords(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		table := plainTable(t, 80)
		s, err := newSkyPlanner(table, Options{})
		if err != nil {
			t.Fatal(err)
		}
		order := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0)).Perm(len(s.all))
		rank := make([]int32, len(order))
		for i, r := range order {
			rank[i] = int32(r)
		}
		want := plainSkyline(s.all, rank, s.table.round)
		for range 2 { // the second run finds what the first left
			done, err := s.filler.run(t.Context(), rank, math.MaxInt64)
			if err != nil || !done {
				t.Fatal(done, err)
			}
			if !slices.Equal(s.filler.offsets, want) {
				t.Fatalf("offsets %v, want %v", s.filler.offsets, want)
			}
		}
		top := int64(0)
		for i := range s.table.items {
			top = max(top, want[i]+s.table.items[i].size)
		}
		for limit, fits := range map[int64]bool{top: true, top - 1: false} {
			if done, err := s.filler.run(t.Context(), rank, limit); err != nil || done != fits {
				t.Fatalf("within %d of %d bytes: %v, %v", limit, top, done, err)
			}
		}
	})
}

// Lives share a section exactly if they share a step, and the loads are right.
func TestSkylineSections(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		table := plainTable(t, 40)
		s, err := newSkyPlanner(table, Options{})
		if err != nil {
			t.Fatal(err)
		}
		for i := range s.all {
			for j := range s.all {
				a, b := &s.table.items[i], &s.table.items[j]
				meet := s.all[i].lower < s.all[j].upper && s.all[j].lower < s.all[i].upper
				if (a.lo < b.hi && b.lo < a.hi) != meet {
					t.Fatalf("lives %+v and %+v, sections %+v and %+v", s.all[i], s.all[j], *a, *b)
				}
			}
		}
		for section, load := range s.table.load {
			live, begins, ends := int64(0), false, false
			for i := range s.table.items {
				it := &s.table.items[i]
				if int(it.lo) <= section && section < int(it.hi) {
					live += it.size
				}
				begins = begins || int(it.lo) == section
				ends = ends || int(it.hi) == section+1
			}
			if live != load || !begins || !ends {
				t.Fatalf("section %d: load %d, want %d; begins %v, ends %v", section, load, live, begins, ends)
			}
		}
	})
}

// skyValue is a key in plain words, on steps that are sections.
func skyValue(t *skyTable, key skyKey, i int32) float64 {
	it := &t.items[i]
	size, life := float64(it.size), float64(it.hi-it.lo)
	most, live := int64(0), int64(0)
	for _, load := range t.load[it.lo:it.hi] {
		most, live = max(most, load), live+load
	}
	return [...]float64{
		skyBySize: -size, skyByLife: -life, skyByStart: float64(it.lo), skyByEnd: -float64(it.hi),
		skyByArea: -size * life, skyByMost: -float64(most), skyByLive: -float64(live),
		skyByOctave: -math.Floor(math.Log2(size)), skyByOctaves: -math.Floor((math.Log2(size) + 1) / 2),
		skyByLifeFours: -math.Floor(math.Log2(life) / 2),
	}[key]
}

func TestSkylineRanks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		table := plainTable(t, 120)
		s, err := newSkyPlanner(table, Options{})
		if err != nil {
			t.Fatal(err)
		}
		key := rapid.Custom(func(t *rapid.T) skyKey { return skyKey(rapid.IntRange(0, int(skyByLifeFours)).Draw(t, "key")) })
		first, second := key.Draw(t, "first"), key.Draw(t, "second")
		want := make([]int32, len(s.all))
		for i := range want {
			want[i] = int32(i)
		}
		slices.SortStableFunc(want, func(a, b int32) int {
			return cmp.Or(
				cmp.Compare(skyValue(s.table, first, a), skyValue(s.table, first, b)),
				cmp.Compare(skyValue(s.table, second, a), skyValue(s.table, second, b)))
		})
		got := s.ranker.ranks(first, second)
		for k, i := range want {
			if got[i] != int32(k) {
				t.Fatalf("keys %d, %d: item %d has rank %d, want %d", first, second, i, got[i], k)
			}
		}
	})
}

// A buffer that is given its offset is in nobody's way, and one with a gap
// leaves room in it.
func TestSkylineUsesGapsAndPins(t *testing.T) {
	at := int64(4)
	table := &lifetime.Table{Buffers: []lifetime.Buffer{
		{Name: "pin", Size: 4, Lower: 0, Upper: 9, Fixed: &at},
		{Name: "low", Size: 4, Lower: 0, Upper: 9},
		{Name: "gapped", Size: 8, Lower: 0, Upper: 9, Gaps: []lifetime.Gap{{Lower: 3, Upper: 6, Keep: &lifetime.Window{Lower: 0, Upper: 2}}}},
		{Name: "within", Size: 6, Lower: 3, Upper: 6},
	}}
	plan, err := lowestSkyline{}.Plan(t.Context(), table, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := lifetime.Check(table, plan); err != nil {
		t.Fatal(err)
	}
	if plan.Arena != 16 {
		t.Errorf("arena %d, offsets %v", plan.Arena, plan.Offsets)
	}
}

// The real tables that the rule alone plans at the peak of live bytes, and the
// fit of the others.
func TestSkylineOnTables(t *testing.T) {
	large := 0
	for _, file := range data(t, "tables/*.csv") {
		table := readTable(t, file)
		if table.Validate() != nil {
			continue
		}
		plan, err := lowestSkyline{}.Plan(t.Context(), table, Options{})
		if err != nil {
			t.Errorf("%s: %v", table.Name, err)
			continue
		}
		if err := lifetime.Check(table, plan); err != nil {
			t.Errorf("%s: %v", table.Name, err)
		}
		load := table.Load()
		t.Logf("%s: %d buffers, %.5f", table.Name, len(table.Buffers), float64(plan.Arena)/float64(load))
		if len(table.Buffers) >= 50000 {
			large++
			if plan.Arena != load {
				t.Errorf("%s: arena %d, peak of live bytes %d", table.Name, plan.Arena, load)
			}
		}
	}
	if large == 0 {
		t.Log("no table of 50000 buffers or more")
	}
}
