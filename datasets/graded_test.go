package datasets

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/arenalab/arenalab/lifetime"
)

// TestGraded checks what the graded set says of its tables.
func TestGraded(t *testing.T) {
	graded := Graded()
	if len(graded) != 30 {
		t.Errorf("%d tables", len(graded))
	}
	seen := map[string]bool{}
	for i, g := range graded {
		if seen[g.Name] {
			t.Errorf("two tables %q", g.Name)
		}
		seen[g.Name] = true
		if g.Grade.String() == "" || g.Grade < GradeMost || g.Grade > GradeOpen || i > 0 && g.Grade < graded[i-1].Grade {
			t.Errorf("%s: grade %v out of order", g.Name, g.Grade)
		}
		s, b := g.Build()
		if err := s.Table.Validate(); err != nil {
			t.Errorf("%s: %v", g.Name, err)
			continue
		}
		n, peak := len(s.Table.Buffers), s.Table.Load()
		if n != g.Buffers || peak != g.Peak || s.Optimum != g.Optimum || s.Family != g.Family || s.Table.Name != g.Name {
			t.Errorf("%s, %s: %d buffers, peak %d, optimum %d; want %+v", s.Table.Name, s.Family, n, peak, s.Optimum, g)
		}
		checkProven(t, g.Name, s, b)
		again, _ := g.Build()
		if !reflect.DeepEqual(s, again) {
			t.Errorf("%s: two tables of one seed differ", g.Name)
		}
	}
}

type errorer interface{ Errorf(string, ...any) }

// checkProven checks the plan and the bound, and that they meet.
func checkProven(t errorer, name string, s *Synthetic, b *lifetime.Bound) {
	if err := lifetime.CheckBound(s.Table, b); err != nil {
		t.Errorf("%s: %v", name, err)
	}
	if s.Optimum == 0 {
		if s.Plan != nil || b.Value != s.Table.Load() {
			t.Errorf("%s: no optimum, plan %v, bound %d", name, s.Plan, b.Value)
		}
		return
	}
	if err := lifetime.Check(s.Table, s.Plan); err != nil {
		t.Errorf("%s: %v", name, err)
	}
	if s.Plan.Arena != s.Optimum || b.Value != s.Optimum {
		t.Errorf("%s: plan %d, bound %d, optimum %d", name, s.Plan.Arena, b.Value, s.Optimum)
	}
	if above := *b; b.Kind != lifetime.BoundSweep { // else the value follows from the capacity
		above.Value++
		if lifetime.CheckBound(s.Table, &above) == nil {
			t.Errorf("%s: the witness proves more than %d", name, b.Value)
		}
	}
}

// TestGradedMakers checks that the makers keep what they promise at any size
// and seed.
func TestGradedMakers(t *testing.T) {
	load := func(s *Synthetic) *lifetime.Bound { return loadBound(s.Table) }
	for _, c := range []struct {
		name  string
		make  maker
		prove func(*Synthetic) *lifetime.Bound
	}{
		{"pinned", pinned(pinwheel, 30), load},
		{"gapped", gapped(guillotine, 40), load},
		{"aligned", aligned(guillotine), alignedBound},
		{"aligned pinned", pinned(aligned(pinwheel), 30), alignedBound},
		{"planted", planted(balanced, 5), plantedBound},
		{"walled", walled(3, 10), walledBound},
		{"chunky", chunky(30, 15), load},
	} {
		t.Run(c.name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				n := rapid.IntRange(20, 90).Draw(t, "n")
				s := c.make(rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0)), n)
				if got := len(s.Table.Buffers); got > n || got < n/2 {
					t.Fatalf("%d buffers of %d", got, n)
				}
				if err := s.Table.Validate(); err != nil {
					t.Fatal(err)
				}
				checkProven(t, c.name, s, c.prove(s))
			})
		})
	}
}

// TestGradedKinds checks that the makers make what they are there for.
func TestGradedKinds(t *testing.T) {
	has := func(s *Synthetic, what func(b *lifetime.Buffer) bool) int {
		n := 0
		for i := range s.Table.Buffers {
			if what(&s.Table.Buffers[i]) {
				n++
			}
		}
		return n
	}
	random := func() *rand.Rand { return rand.New(rand.NewPCG(4, 0)) }
	if n := has(pinned(pinwheel, 20)(random(), 500), func(b *lifetime.Buffer) bool { return b.Fixed != nil }); n < 60 || n > 140 {
		t.Errorf("%d of 500 buffers are fixed, a fifth is asked for", n)
	}
	s := gapped(guillotine, 25)(random(), 500)
	gaps := has(s, func(b *lifetime.Buffer) bool { return len(b.Gaps) > 0 })
	windows := has(s, func(b *lifetime.Buffer) bool { return len(b.Gaps) > 0 && b.Gaps[0].Keep != nil })
	if gaps != 100 || windows < 25 || windows > 75 {
		t.Errorf("%d gaps, %d of them with a window", gaps, windows)
	}
	aligns := map[int64]bool{}
	padded := has(aligned(pinwheel)(random(), 500), func(b *lifetime.Buffer) bool {
		aligns[b.Align] = true
		return b.Size%b.Align != 0
	})
	if len(aligns) < 8 || padded < 250 {
		t.Errorf("%d alignments, %d of 500 buffers padded", len(aligns), padded)
	}
	tight := tight(40, 12, 8)(random(), 52).Table
	curve := tight.LiveBytes()
	if slices.Min(curve.Live[:len(curve.Live)-1]) != 12*unit || slices.Max(curve.Live) != 12*unit {
		t.Error("a tight table is not full at some step")
	}
}

// TestTightHasNoPlanOfItsPeak: the proof is needed.
func TestTightHasNoPlanOfItsPeak(t *testing.T) {
	for _, g := range Graded() {
		if g.Family == "tight" && g.Peak+unit != g.Optimum {
			t.Errorf("%s: peak %d, optimum %d", g.Name, g.Peak, g.Optimum)
		}
	}
}
