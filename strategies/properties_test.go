package strategies_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/arenalab/arenalab/datasets"
	"github.com/arenalab/arenalab/lifetime"
	"github.com/arenalab/arenalab/strategies"
	"github.com/arenalab/arenalab/strategies/bound"
)

// refusesPins reports whether the error says that the strategy cannot keep
// given offsets, and of which buffer.
func refusesPins(err error) bool {
	return strings.Contains(err.Error(), "fixed offset") && strings.HasPrefix(err.Error(), "buffer ")
}

// searches are the strategies that take their time whatever the table.
func searches(s strategies.Strategy) bool {
	name := s.Info().Name
	return name == "boxing" || name == "ejection" || name == "skyline-beam" || strings.Contains(name, "hill-climb")
}

// drawTable draws a valid table: mostly small, crowded and full of ties. Fixed
// offsets are far enough apart not to clash.
func drawTable(t *rapid.T) *lifetime.Table {
	n := rapid.IntRange(0, 30).Draw(t, "n")
	steps := rapid.Int64Range(1, 20).Draw(t, "steps")
	sizes := rapid.SampledFrom([]int64{1, 4, 100, 1 << 40}).Draw(t, "sizes")
	pins, gaps := rapid.IntRange(0, 3).Draw(t, "pins") == 0, rapid.IntRange(0, 3).Draw(t, "gaps") == 0
	table := &lifetime.Table{Name: "drawn", Buffers: make([]lifetime.Buffer, n)}
	next := int64(0) // free of fixed buffers from here on
	for i := range table.Buffers {
		b := &table.Buffers[i]
		b.Name = fmt.Sprint("b", i)
		b.Size = rapid.Int64Range(0, sizes).Draw(t, "size")
		b.Align = 1 << rapid.IntRange(0, 6).Draw(t, "align")
		b.Lower = rapid.Int64Range(-3, steps).Draw(t, "lower")
		b.Upper = b.Lower + rapid.Int64Range(1, steps).Draw(t, "life")
		if pins && rapid.IntRange(0, 4).Draw(t, "pinned") == 0 {
			at := lifetime.AlignUp(next+rapid.Int64Range(0, 9).Draw(t, "space"), b.Align)
			b.Fixed, next = &at, at+b.Size
		}
		if life := b.Upper - b.Lower; gaps && life > 2 && b.Size > 1 {
			from := b.Lower + rapid.Int64Range(1, life-2).Draw(t, "from")
			b.Gaps = []lifetime.Gap{{Lower: from, Upper: from + 1}}
			if rapid.Bool().Draw(t, "window") {
				b.Gaps[0].Keep = &lifetime.Window{Lower: 0, Upper: b.Size / 2}
			}
		}
	}
	return table
}

// clone copies a table, what its buffers point to as well.
func clone(t *lifetime.Table) *lifetime.Table {
	out := &lifetime.Table{Name: t.Name, Buffers: slices.Clone(t.Buffers)}
	for i := range out.Buffers {
		b := &out.Buffers[i]
		if b.Fixed != nil {
			at := *b.Fixed
			b.Fixed = &at
		}
		b.Gaps = slices.Clone(b.Gaps)
		for k := range b.Gaps {
			if w := b.Gaps[k].Keep; w != nil {
				b.Gaps[k].Keep = &lifetime.Window{Lower: w.Lower, Upper: w.Upper}
			}
		}
	}
	return out
}

func pinned(t *lifetime.Table) bool {
	return slices.ContainsFunc(t.Buffers, func(b lifetime.Buffer) bool { return b.Fixed != nil })
}

type fataler interface {
	Fatalf(string, ...any)
	Context() context.Context
}

// mustPlan plans and checks all that a plan promises. It returns nil if the
// strategy refuses fixed offsets.
func mustPlan(t fataler, s strategies.Strategy, table *lifetime.Table, o strategies.Options) *lifetime.Plan {
	name := s.Info().Name
	if o.Decisions == 0 {
		o.Decisions = 500 // searches of mixed alignments seldom end
	}
	plan, err := s.Plan(t.Context(), table, o)
	if err != nil {
		if pinned(table) && refusesPins(err) {
			return nil
		}
		t.Fatalf("%s: %v", name, err)
	}
	aligned := lifetime.WithAlign(table, o.Align)
	if err := lifetime.Check(aligned, plan); err != nil {
		t.Fatalf("%s, ties %v: %v", name, o.Ties, err)
	}
	lower := bound.Lower(table, o.Align)
	if plan.Arena < lower.Value {
		t.Fatalf("%s: arena %d is below the bound %+v", name, plan.Arena, lower)
	}
	if plan.Status != lifetime.Feasible && plan.Status != lifetime.Optimal {
		t.Fatalf("%s: a plan with status %v", name, plan.Status)
	}
	if plan.Status == lifetime.Optimal {
		if plan.Bound == nil || plan.Bound.Value != plan.Arena || lifetime.CheckBound(aligned, plan.Bound) != nil {
			t.Fatalf("%s: said to be optimal without proof: %+v", name, plan.Bound)
		}
	}
	for i := range table.Buffers {
		if at := table.Buffers[i].Fixed; at != nil && plan.Offsets[i] != *at {
			t.Fatalf("%s: buffer %d is at %d, given %d", name, i, plan.Offsets[i], *at)
		}
	}
	checkObjects(t, name, table, plan)
	return plan
}

// checkObjects checks that blocks that are shared are what they seem: they do
// not meet, and those in one are never live together.
func checkObjects(t fataler, name string, table *lifetime.Table, plan *lifetime.Plan) {
	end := int64(0)
	for k, o := range plan.Objects {
		if len(o.Buffers) == 0 {
			t.Fatalf("%s: block %d is empty", name, k)
		}
		start, largest := plan.Offsets[o.Buffers[0]], int64(0)
		for i, a := range o.Buffers {
			largest = max(largest, table.Buffers[a].Size)
			for _, b := range o.Buffers[:i] {
				if table.Buffers[a].Overlaps(&table.Buffers[b]) {
					t.Fatalf("%s: buffers %d and %d of block %d are live together", name, a, b, k)
				}
			}
			start = min(start, plan.Offsets[a])
		}
		if start < end || largest > o.Size {
			t.Fatalf("%s: block %d of %d bytes at %d, the one below ends at %d, largest buffer %d", name, k, o.Size, start, end, largest)
		}
		end = start + o.Size
	}
}

// TestEveryStrategy checks on random tables what is promised of all.
func TestEveryStrategy(t *testing.T) {
	all := strategies.All()
	rapid.Check(t, func(t *rapid.T) {
		table := drawTable(t)
		before := clone(table)
		o := strategies.Options{Seed: rapid.Uint64().Draw(t, "seed")}
		if !pinned(table) {
			o.Align = rapid.SampledFrom([]int64{0, 1, 64}).Draw(t, "least")
		}
		rows := rapid.Permutation(positions(len(table.Buffers))).Draw(t, "rows")
		shuffled := &lifetime.Table{Name: table.Name, Buffers: make([]lifetime.Buffer, len(rows))}
		for k, i := range rows {
			shuffled.Buffers[k] = table.Buffers[i]
		}
		for _, s := range all {
			plan := mustPlan(t, s, table, o)
			if !reflect.DeepEqual(table, before) {
				t.Fatalf("%s modifies the table", s.Info().Name)
			}
			if plan == nil {
				continue
			}
			again := mustPlan(t, s, table, o)
			if !slices.Equal(plan.Offsets, again.Offsets) {
				t.Fatalf("%s: %v, then %v", s.Info().Name, plan.Offsets, again.Offsets)
			}
			if s.Info().RowOrder {
				continue
			}
			if other := mustPlan(t, s, shuffled, o); other.Arena != plan.Arena {
				t.Fatalf("%s: arena %d, with rows in another order %d", s.Info().Name, plan.Arena, other.Arena)
			}
		}
	})
}

func positions(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// TestEveryTieRule checks that plans are safe however ties are broken.
func TestEveryTieRule(t *testing.T) {
	rules := []strategies.Ties{
		{Rule: strategies.TiesStored}, {Rule: strategies.TiesSize}, {Rule: strategies.TiesLibstdcxx},
		{Rule: strategies.TiesRandom, Seed: 1}, {Rule: strategies.TiesRandom, Seed: 2},
	}
	for seed := range 12 {
		table := rapid.Custom(drawTable).Example(seed)
		for _, s := range strategies.All() {
			for _, ties := range rules {
				mustPlan(t, s, table, strategies.Options{Ties: ties})
			}
		}
	}
}

// TestEveryFamily plans tables of some hundred buffers on one processor and on
// two.
func TestEveryFamily(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, f := range datasets.Synthetics() {
		made, err := f.Generate(max(f.Least, 250), 5)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range strategies.All() {
			if searches(s) && f.Name != "pinwheel" {
				continue
			}
			runtime.GOMAXPROCS(1)
			one := mustPlan(t, s, made.Table, strategies.Options{})
			runtime.GOMAXPROCS(2)
			two := mustPlan(t, s, made.Table, strategies.Options{})
			if !slices.Equal(one.Offsets, two.Offsets) {
				t.Errorf("%s on %s: offsets differ with the number of processors", s.Info().Name, made.Table.Name)
			}
			if one.Arena < made.Optimum {
				t.Errorf("%s on %s: arena %d is below the optimum %d", s.Info().Name, made.Table.Name, one.Arena, made.Optimum)
			}
		}
	}
}

// TestSmallTables: nothing to place, one buffer, buffers without bytes.
func TestSmallTables(t *testing.T) {
	at := int64(96)
	for _, test := range []struct {
		name    string
		buffers []lifetime.Buffer
		arena   int64
	}{
		{"none", nil, 0},
		{"one", []lifetime.Buffer{{Name: "a", Size: 5, Lower: 3, Upper: 4}}, 5},
		{"one, given", []lifetime.Buffer{{Name: "a", Size: 5, Align: 32, Lower: 3, Upper: 4, Fixed: &at}}, 101},
		{"no bytes", []lifetime.Buffer{{Name: "a", Lower: 0, Upper: 4}, {Name: "b", Lower: 0, Upper: 4}}, 0},
		{"apart", []lifetime.Buffer{{Name: "a", Size: 7, Lower: 0, Upper: 1}, {Name: "b", Size: 7, Lower: 1, Upper: 2}}, 7},
		{"largest", []lifetime.Buffer{{Name: "a", Size: 1 << 59, Lower: 0, Upper: 2}, {Name: "b", Size: 1<<59 + 1, Lower: 1, Upper: 3}}, 1<<60 + 1},
	} {
		table := &lifetime.Table{Name: test.name, Buffers: test.buffers}
		if err := table.Validate(); err != nil {
			t.Fatal(err)
		}
		for _, s := range strategies.All() {
			plan := mustPlan(t, s, table, strategies.Options{})
			if plan == nil {
				continue
			}
			if alone := test.name == "apart" && plan.Arena == table.Naive(); plan.Arena != test.arena && !alone {
				t.Errorf("%s: %s: arena %d, not %d", test.name, s.Info().Name, plan.Arena, test.arena)
			}
			if len(plan.Offsets) != len(test.buffers) {
				t.Errorf("%s: %s: %d offsets", test.name, s.Info().Name, len(plan.Offsets))
			}
		}
	}
}

// TestEqualSizes: what is proven optimal for equal sizes must be, and nothing
// takes more than a block for each buffer.
func TestEqualSizes(t *testing.T) {
	family := datasets.Synthetics()[slices.IndexFunc(datasets.Synthetics(), func(f datasets.Family) bool { return f.Name == "equal" })]
	for seed := range uint64(6) {
		made, err := family.Generate(80, seed)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range strategies.All() {
			plan := mustPlan(t, s, made.Table, strategies.Options{})
			if strings.Contains(s.Info().Guarantee, "equals the peak live bytes if all sizes are equal") && plan.Arena != made.Optimum {
				t.Errorf("%s: arena %d, optimum %d", s.Info().Name, plan.Arena, made.Optimum)
			}
			if plan.Arena > made.Table.Naive() {
				t.Errorf("%s: arena %d, all apart take %d", s.Info().Name, plan.Arena, made.Table.Naive())
			}
		}
	}
}

// TestCancelled: nobody plans for a caller that has gone, or out of time.
func TestCancelled(t *testing.T) {
	made, err := datasets.Synthetics()[0].Generate(20000, 1)
	if err != nil {
		t.Fatal(err)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	late, cancel := context.WithDeadline(t.Context(), time.Unix(0, 0))
	defer cancel()
	for _, s := range strategies.All() {
		if _, err := s.Plan(gone, made.Table, strategies.Options{}); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: error %v after cancel", s.Info().Name, err)
		}
		if _, err := s.Plan(late, made.Table, strategies.Options{}); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s: error %v after the deadline", s.Info().Name, err)
		}
	}
}
