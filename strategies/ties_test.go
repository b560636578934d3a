package strategies

import (
	"cmp"
	"slices"
	"strings"
	"testing"

	"github.com/arenalab/arenalab/lifetime"
	"pgregory.net/rapid"
)

func TestParseTies(t *testing.T) {
	for text, want := range map[string]Ties{
		"":          {},
		"native":    {},
		"stored":    {Rule: TiesStored},
		"size":      {Rule: TiesSize},
		"random:7":  {TiesRandom, 7},
		"libstdc++": {Rule: TiesLibstdcxx},
	} {
		got, err := ParseTies(text)
		if err != nil || got != want {
			t.Errorf("%q: %v, %v, want %v", text, got, err, want)
		}
		if again, err := ParseTies(got.String()); err != nil || again != got {
			t.Errorf("%q: %q reads as %v, %v", text, got.String(), again, err)
		}
	}
	for _, text := range []string{"random", "random:", "random:x", "random:-1", "stored:1", "Size", "alphabet"} {
		if got, err := ParseTies(text); err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("%q: %v, error %v", text, got, err)
		}
	}
}

// Every rule keeps the key, and orders what the key leaves equal as it says.
func TestTieRules(t *testing.T) {
	table := &lifetime.Table{Buffers: []lifetime.Buffer{
		{Name: "a", Size: 4, Lower: 2, Upper: 3},
		{Name: "b", Size: 9, Lower: 0, Upper: 1},
		{Name: "c", Size: 4, Lower: 0, Upper: 1},
		{Name: "d", Size: 9, Lower: 0, Upper: 4},
	}}
	order := func(s sorting, ties Ties) string {
		p, err := prepare(&method{order: s}, table, Options{Ties: ties})
		if err != nil {
			t.Fatal(err)
		}
		var names strings.Builder
		for _, it := range p.items {
			names.WriteString(table.Buffers[it.index].Name)
		}
		return names.String()
	}
	for _, test := range []struct {
		s    sorting
		rule TieRule
		want string
	}{
		{bySize(), TiesNative, "dbca"},
		{bySize(), TiesStored, "bdac"},
		{bySize(), TiesSize, "bdac"},
		{bySize(), TiesLibstdcxx, "bdac"}, // up to 16 items it is an insertion sort
		{byBirth(), TiesNative, "dbca"},
		{byBirth(), TiesStored, "bcda"},
		{byBirth(), TiesSize, "bdca"},
		{tflm{}.order(), TiesNative, "dbca"},
		{tflm{}.order(), TiesStored, "bdac"},
		{litert{}.order(), TiesNative, "dbca"}, // d is live throughout
	} {
		if got := order(test.s, Ties{Rule: test.rule}); got != test.want {
			t.Errorf("%v: %s, want %s", Ties{Rule: test.rule}, got, test.want)
		}
	}
	seen := map[string]bool{}
	for seed := range uint64(40) {
		ties := Ties{TiesRandom, seed}
		got := order(bySize(), ties)
		if again := order(bySize(), ties); again != got {
			t.Errorf("%v: %s, then %s", ties, got, again)
		}
		if strings.Trim(got[:2], "bd") != "" {
			t.Errorf("%v: %s breaks the key", ties, got)
		}
		seen[got] = true
	}
	if len(seen) != 4 {
		t.Errorf("40 seeds give the orders %v, there are 4", seen)
	}
}

// The radix sort by columns gives what comparing alone gives.
func TestArrangeEqualsComparing(t *testing.T) {
	orders := map[string]sorting{"birth": byBirth(), "size": bySize(), "litert": litert{}.order(), "tflm": tflm{}.order()}
	rapid.Check(t, func(t *rapid.T) {
		state := rapid.Uint64Min(1).Draw(t, "seed")
		draw := func(n int64) int64 {
			state ^= state << 13
			state ^= state >> 7
			state ^= state << 17
			return int64(state>>1) % n
		}
		n := int64(rapid.IntRange(radixLeast-1, 4*radixLeast).Draw(t, "n"))
		sizes := []int64{2, n, 1 << 60}[rapid.IntRange(0, 2).Draw(t, "sizes")]
		steps := []int64{2, n, 1 << 60}[rapid.IntRange(0, 2).Draw(t, "steps")]
		table := &lifetime.Table{Buffers: make([]lifetime.Buffer, n)}
		items := make([]item, n)
		for i := range items {
			it := item{size: 1 + draw(sizes), align: 1, lower: draw(steps) - steps/2, index: i}
			it.upper = it.lower + 1 + draw(steps)
			items[i] = it
			table.Buffers[i] = lifetime.Buffer{Size: it.size, Lower: it.lower, Upper: it.upper}
		}
		for name, s := range orders {
			got, want := slices.Clone(items), slices.Clone(items)
			sortItems(table, got, s, Ties{})
			s.columns = nil
			key, native := s.key(table), func(_, _ *item) int { return 0 }
			if s.native != nil {
				native = s.native(table)
			}
			slices.SortFunc(want, func(a, b item) int {
				return cmp.Or(key(&a, &b), native(&a, &b), cmp.Compare(a.index, b.index))
			})
			if !slices.Equal(got, want) {
				t.Fatalf("%s: orders differ", name)
			}
		}
	})
}

func TestClock(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		far := rapid.SampledFrom([]int64{3, 100, 1 << 40, 1 << 61}).Draw(t, "far")
		steps := rapid.SliceOfN(rapid.Int64Range(-far, far), 1, 60).Draw(t, "births")
		births := slices.Clone(steps)
		slices.Sort(births)
		births = slices.Compact(births)
		c := newClock(slices.Clone(steps))
		if !slices.Equal(c.births, births) {
			t.Fatalf("births %v, want %v", c.births, births)
		}
		asked := append(rapid.SliceOf(rapid.Int64Range(-far-2, far+2)).Draw(t, "asked"), births...)
		for _, step := range asked {
			want, _ := slices.BinarySearch(births, step)
			if got := c.section(step); got != int32(want) {
				t.Fatalf("%d births before %d, want %d", got, step, want)
			}
		}
	})
}

// A plan that the runtime's int cannot count says so.
func TestOverflowNote(t *testing.T) {
	for _, s := range []Strategy{tflm{}, tflmLinear{}} {
		for _, test := range []struct {
			size  int64
			align int64
			notes int
		}{{1<<30 - 1, 0, 0}, {1 << 30, 0, 1}, {1<<30 - 1, 16, 1}} {
			table := &lifetime.Table{Buffers: []lifetime.Buffer{
				{Name: "a", Size: test.size, Lower: 0, Upper: 1},
				{Name: "b", Size: test.size, Lower: 0, Upper: 1},
			}}
			plan, err := s.Plan(t.Context(), table, Options{Align: test.align})
			if err != nil {
				t.Fatal(err)
			}
			if len(plan.Notes) != test.notes || test.notes > 0 && !strings.Contains(plan.Notes[0], "would overflow int32") {
				t.Errorf("%s, sizes %d, alignment %d: notes %q", s.Info().Name, test.size, test.align, plan.Notes)
			}
		}
	}
}
