package strategies

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/arenalab/arenalab/datasets"
	"github.com/arenalab/arenalab/lifetime"
)

// guarantees are the factors of peak live bytes that are proven, without
// alignments, gaps and fixed offsets: in general, and for powers of two.
var guarantees = []struct {
	strategy      Strategy
	general, pow2 int64
}{
	{kierstead{}, 6, 3},
	{chrobakSlusarek{}, 16, 8},
}

func checkGuarantees(t fataler, table *lifetime.Table) {
	pow2 := true
	for i := range table.Buffers {
		size := table.Buffers[i].Size
		pow2 = pow2 && size&(size-1) == 0
	}
	load := table.Load()
	for _, g := range guarantees {
		name := g.strategy.Info().Name
		plan, err := g.strategy.Plan(context.Background(), table, Options{})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if err := lifetime.Check(table, plan); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if load > 0 && plan.Arena >= g.general*load || pow2 && plan.Arena > g.pow2*load {
			t.Fatalf("%s: arena %d, peak live bytes %d, powers of two: %v", name, plan.Arena, load, pow2)
		}
	}
	checkBands(t, table)
}

// checkBands checks the plan of Kierstead's before the fall, and each of its
// decisions against the words of the rule.
func checkBands(t fataler, table *lifetime.Table) {
	p, err := prepare(&method{order: byClass(), whole: true}, table, Options{})
	if err != nil {
		t.Fatalf("%v", err)
	}
	loose, err := p.kiersteadBands(context.Background())
	if err != nil {
		t.Fatalf("%v", err)
	}
	rounded := &lifetime.Table{Buffers: slices.Clone(table.Buffers)}
	offsets := make([]int64, len(loose))
	for i := range rounded.Buffers {
		b := &rounded.Buffers[i]
		if b.Size > 0 {
			it := item{size: b.Size, align: 1}
			b.Size = it.class()
		}
		offsets[i] = int64(loose[i])
	}
	plan := lifetime.NewPlan(rounded, offsets)
	if err := lifetime.Check(rounded, plan); err != nil {
		t.Fatalf("before the fall: %v", err)
	}
	if load := rounded.Load(); plan.Arena > 3*load {
		t.Fatalf("before the fall: arena %d, peak of rounded sizes %d", plan.Arena, load)
	}
	if len(p.items) > 300 {
		return
	}
	b := newBands(p.items)
	for k := range p.items {
		it := &p.items[k]
		want := int64(0)
		for _, step := range b.births {
			if it.lower <= step && step < it.upper {
				want = max(want, filledTo(b.taken, p.items, step))
			}
		}
		if got := b.take(it); got.bottom != want {
			t.Fatalf("item %d of %d: at %d, not %d", k, len(p.items), got.bottom, want)
		}
	}
}

// filledTo returns the least y such that those of the items taken that are live
// at the step and begin at y or below hold y bytes.
func filledTo(taken []banded, items []item, step int64) int64 {
	for y := int64(0); ; {
		var held int64
		for k, n := range taken {
			if items[k].lower <= step && step < items[k].upper && n.bottom <= y {
				held += n.top - n.bottom
			}
		}
		if held == y {
			return y
		}
		y = held // nothing below it will do: these begin at or below that too
	}
}

func TestGuarantees(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		table := randomTable(t, shapeOf{buffers: 70, steps: 25, align: 0, sizes: 1 << rapid.Int64Range(0, 10).Draw(t, "most")})
		if rapid.Bool().Draw(t, "powers") {
			for i := range table.Buffers {
				table.Buffers[i].Size = 1 << (table.Buffers[i].Size % 9)
			}
		}
		checkGuarantees(t, table)
	})
}

// The hard families: tilings, the program that defeats first fit, and the rest.
func TestGuaranteesOnFamilies(t *testing.T) {
	for _, f := range datasets.Synthetics() {
		for seed := range uint64(3) {
			for _, n := range []int{f.Least, 60, 300, 1500} {
				s, err := f.Generate(max(n, f.Least), seed)
				if err != nil {
					t.Fatal(err)
				}
				checkGuarantees(t, s.Table)
			}
		}
	}
}

// What falls in the order of a safe plan never rises.
func TestSqueezeNeverRaises(t *testing.T) {
	for name, shape := range shapes {
		if shape.pins {
			continue
		}
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				table := randomTable(t, shape)
				p, err := prepare(&method{order: byBirth(), whole: true}, table, Options{})
				if err != nil {
					t.Fatal(err)
				}
				before, err := naive{}.Plan(t.Context(), table, Options{})
				if rapid.Bool().Draw(t, "dense") {
					before, err = (&method{rule: smallestGap, order: bySize(), whole: true}).place(t.Context(), table, Options{})
				}
				if err != nil {
					t.Fatal(err)
				}
				loose := make([]uint64, len(before.Offsets))
				for i, offset := range before.Offsets {
					loose[i] = uint64(offset)
				}
				if err := p.squeeze(t.Context(), loose); err != nil {
					t.Fatal(err)
				}
				for i := range p.offsets {
					if p.offsets[i] > before.Offsets[i] {
						t.Fatalf("buffer %d rises from %d to %d", i, before.Offsets[i], p.offsets[i])
					}
				}
			})
		})
	}
}

// Interval colouring takes as many blocks as buffers are live at once, never
// more than that times the largest size, and the peak for equal sizes.
func TestIntervalColoring(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		same := rapid.Bool().Draw(t, "same")
		table := randomTable(t, shapeOf{buffers: 60, steps: 20, align: 0, sizes: 30})
		count := &lifetime.Table{Buffers: slices.Clone(table.Buffers)}
		var largest int64
		for i := range table.Buffers {
			b := &table.Buffers[i]
			if same {
				b.Size = 24
			}
			largest = max(largest, b.Size)
			count.Buffers[i].Size = min(b.Size, 1)
		}
		plan, err := intervalColoring{}.Plan(t.Context(), table, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if most := count.Load(); int64(len(plan.Objects)) != most || plan.Arena > most*largest {
			t.Fatalf("%d blocks, arena %d; at most %d live of at most %d bytes", len(plan.Objects), plan.Arena, most, largest)
		}
		if same && plan.Arena != table.Load() {
			t.Fatalf("arena %d of equal sizes, peak %d", plan.Arena, table.Load())
		}
	})
}

func ExampleInfo() {
	fmt.Println(kierstead{}.Info().Guarantee)
	// Output: below 6 times the peak live bytes, 3 times if sizes are powers of two; without alignments, gaps and fixed offsets
}
