package strategies

import (
	"cmp"
	"context"
	"math"
	"math/big"
	"slices"
	"testing"

	"github.com/arenalab/arenalab/lifetime"
	"pgregory.net/rapid"
)

// plainly places the items of the table one by one, in the order of compare,
// where choose says, given the holes between the placed buffers that are ever
// live with each; the last hole has no end. It knows no fixed offsets, no gaps
// and a single alignment.
func plainly(t *lifetime.Table, order func(a, b int) int, choose func(i int, holes []span) int64) []int64 {
	var rows []int
	for i := range t.Buffers {
		if t.Buffers[i].Size > 0 {
			rows = append(rows, i)
		}
	}
	slices.SortStableFunc(rows, order)
	offsets := make([]int64, len(t.Buffers))
	for k, i := range rows {
		var taken []span
		for _, j := range rows[:k] {
			if t.Buffers[i].Overlaps(&t.Buffers[j]) {
				taken = append(taken, span{offsets[j], offsets[j] + t.Buffers[j].Size})
			}
		}
		slices.SortFunc(taken, func(a, b span) int { return cmp.Compare(a.low, b.low) })
		var holes []span
		top := int64(0)
		for _, s := range taken {
			holes = append(holes, span{top, s.low})
			top = max(top, lifetime.AlignUp(s.high, t.Buffers[i].Align))
		}
		offsets[i] = choose(i, append(holes, span{top, math.MaxInt64}))
	}
	return offsets
}

// Every planner gives the offsets of its rule in plain words, on tables small
// enough for the list and on those that use the grid or the simulated heap.
func TestPlannersEqualPlainWords(t *testing.T) {
	for name, plain := range plainRules {
		list, err := Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				shape := shapeOf{buffers: 50, steps: 14, align: -1, sizes: 30}
				if rapid.Bool().Draw(t, "alike") {
					shape.sizes = 4
				}
				table := randomTable(t, shape)
				equalPlain(t, list[0], table, plain)
			})
			for _, n := range []int{listLimit - 100, listLimit + 400} {
				equalPlain(t, list[0], large(n), plain)
			}
		})
	}
}

func equalPlain(t fataler, s Strategy, table *lifetime.Table, plain func(*lifetime.Table) []int64) {
	plan, err := s.Plan(context.Background(), table, Options{})
	if err != nil {
		t.Fatalf("%v", err)
	}
	if want := plain(table); !slices.Equal(plan.Offsets, want) {
		t.Fatalf("%v, in plain words %v\n%s", plan.Offsets, want, format(table, want))
	}
}

var plainRules = map[string]func(*lifetime.Table) []int64{
	"xla-spatial":                 plainXLA(xlaSpatial, smallestHole),
	"xla-spatial-lowest":          plainXLA(xlaSpatial, lowestHole),
	"xla-temporal":                plainXLA(xlaTemporal, smallestHole),
	"xla-temporal-lowest":         plainXLA(xlaTemporal, lowestHole),
	"xla-spatial-temporal":        plainXLA(xlaArea, smallestHole),
	"xla-spatial-temporal-lowest": plainXLA(xlaArea, lowestHole),

	"xnnpack": func(t *lifetime.Table) []int64 {
		return plainly(t, largerFirst(t), fitting(t, smallestHole))
	},
	"xnnpack-2025": func(t *lifetime.Table) []int64 {
		return plainly(t, largerFirst(t), func(i int, holes []span) int64 {
			if len(holes) > 1 && holes[0].low == 0 { // nothing lies at 0
				holes = holes[1:]
			}
			return fitting(t, smallestHole)(i, holes)
		})
	},
	"iree-layout-slices": func(t *lifetime.Table) []int64 {
		return plainly(t, func(a, b int) int { return cmp.Compare(a, b) }, fitting(t, smallestHole))
	},
	"vela-greedy": func(t *lifetime.Table) []int64 {
		return plainly(t, func(a, b int) int {
			x, y := &t.Buffers[a], &t.Buffers[b]
			return cmp.Or(cmp.Compare(x.Lower, y.Lower), cmp.Compare(y.Upper, x.Upper), cmp.Compare(x.Size, y.Size), cmp.Compare(x.Name, y.Name))
		}, fitting(t, smallestHole))
	},
	"ggml": func(t *lifetime.Table) []int64 {
		return plainly(t, earlierFirst(t), fitting(t, func(a, b span) bool {
			return a.high-a.low < b.high-b.low || a.high-a.low == b.high-b.low && a.low > b.low
		}))
	},
	"mlir-best-fit": plainMLIR,
	"somas-blocks":  plainBlocks(smallestHole), "somas-blocks-lowest": plainBlocks(lowestHole),
}

func smallestHole(a, b span) bool {
	return a.high-a.low < b.high-b.low || a.high-a.low == b.high-b.low && a.low < b.low
}

func lowestHole(a, b span) bool { return a.low < b.low }

// fitting returns the start of the first hole by better that holds the buffer.
func fitting(t *lifetime.Table, better func(a, b span) bool) func(i int, holes []span) int64 {
	return func(i int, holes []span) int64 {
		best := span{low: -1}
		for _, h := range holes {
			if h.high-h.low >= t.Buffers[i].Size && (best.low < 0 || better(h, best)) {
				best = h
			}
		}
		return best.low
	}
}

// largerFirst compares sizes rounded up, as the runtimes do before they plan.
func largerFirst(t *lifetime.Table) func(a, b int) int {
	size := func(i int) int64 { return lifetime.AlignUp(t.Buffers[i].Size, t.Buffers[i].Align) }
	return func(a, b int) int { return cmp.Compare(size(b), size(a)) }
}

func earlierFirst(t *lifetime.Table) func(a, b int) int {
	return func(a, b int) int { return cmp.Compare(t.Buffers[a].Lower, t.Buffers[b].Lower) }
}

// plainXLA replays the table step by step.
func plainXLA(w xlaWeight, better func(a, b span) bool) func(*lifetime.Table) []int64 {
	return func(t *lifetime.Table) []int64 {
		n := len(t.Buffers)
		born, died := make([]int64, n), make([]int64, n)
		first, last := t.Span()
		tick := int64(0)
		for step := first; step < last; step++ {
			for i, b := range t.Buffers {
				if b.Size > 0 && b.Lower == step {
					born[i] = tick
					tick++
				}
			}
			for i, b := range t.Buffers {
				if b.Size > 0 && b.Upper-1 == step {
					died[i] = tick
					tick++
				}
			}
		}
		order := func(a, b int) int {
			size := cmp.Compare(t.Buffers[b].Size, t.Buffers[a].Size)
			life := cmp.Compare(died[b]-born[b], died[a]-born[a])
			area := func(i int) *big.Int {
				return new(big.Int).Mul(big.NewInt(t.Buffers[i].Size), big.NewInt(died[i]-born[i]+1))
			}
			return [...]int{cmp.Or(size, life), cmp.Or(life, size), area(b).Cmp(area(a))}[w]
		}
		return plainly(t, order, fitting(t, better))
	}
}

// plainMLIR counts the end of the arena as the end of the last hole.
func plainMLIR(t *lifetime.Table) []int64 {
	arena := int64(0)
	return plainly(t, earlierFirst(t), func(i int, holes []span) int64 {
		last := holes[len(holes)-1]
		holes[len(holes)-1].high = arena
		at := fitting(t, smallestHole)(i, holes)
		if at < 0 {
			at = last.low
		}
		arena = max(arena, at+t.Buffers[i].Size)
		return at
	})
}

// plainBlocks keeps the blocks of SOMAS apart.
func plainBlocks(better func(a, b span) bool) func(*lifetime.Table) []int64 {
	return func(t *lifetime.Table) []int64 {
		var blocks []span
		return plainly(t, largerFirst(t), func(i int, holes []span) int64 {
			for _, b := range blocks {
				var in []span
				for _, h := range holes {
					in = append(in, span{max(h.low, b.low), min(h.high, b.high)})
				}
				if at := fitting(t, better)(i, in); at >= 0 {
					return at
				}
			}
			at := int64(0)
			if n := len(blocks); n > 0 {
				at = lifetime.AlignUp(blocks[n-1].high, t.Buffers[i].Align)
			}
			blocks = append(blocks, span{at, at + lifetime.AlignUp(t.Buffers[i].Size, t.Buffers[i].Align)})
			return at
		})
	}
}

// closed makes a table of (size, first, last) with closed lives.
func closed(align int64, rows ...[3]int64) *lifetime.Table {
	t := &lifetime.Table{}
	for i, r := range rows {
		t.Buffers = append(t.Buffers, lifetime.Buffer{
			Name: string(rune('A' + i)), Size: r[0], Align: align, Lower: r[1], Upper: r[2] + 1,
		})
	}
	return t
}

// Cases worked by hand.
func TestPlannersByHand(t *testing.T) {
	// XNNPACK issue 10800: C fits below B, which only the newer planner sees.
	leading := closed(1, [3]int64{100, 0, 1}, [3]int64{80, 1, 2}, [3]int64{60, 2, 3})
	// Two holes of 10 bytes from step 1 on, at 0 and at 15.
	twins := closed(1, [3]int64{10, 0, 0}, [3]int64{5, 0, 9}, [3]int64{10, 0, 0}, [3]int64{5, 0, 9}, [3]int64{10, 1, 9})
	// D finds the 30 bytes that A leaves below B, or the 12 of C above it.
	trailing := closed(1, [3]int64{30, 0, 0}, [3]int64{8, 0, 9}, [3]int64{12, 0, 0}, [3]int64{10, 1, 9})
	// Lives of 2, 3 and 2 ticks by the clock.
	weights := closed(1, [3]int64{60, 0, 0}, [3]int64{20, 0, 9}, [3]int64{50, 9, 9})
	tests := []struct {
		strategy string
		table    *lifetime.Table
		want     []int64
		arena    int64
	}{
		{"xnnpack", leading, []int64{0, 100, 0}, 180},
		{"xnnpack-2025", leading, []int64{0, 100, 180}, 240},
		{"somas", leading, []int64{0, 100, 0}, 180},
		{"xla-best", leading, []int64{0, 100, 0}, 180},
		{"ggml", twins, []int64{0, 10, 15, 25, 15}, 30},
		{"vela-greedy", closed(1, [3]int64{9, 0, 3}, [3]int64{4, 0, 3}, [3]int64{5, 0, 7}), []int64{9, 5, 0}, 18},
		{"mlir-best-fit", twins, []int64{0, 10, 15, 25, 0}, 30},
		{"iree-layout-slices", twins, []int64{0, 10, 15, 25, 0}, 30},
		{"mlir-best-fit", trailing, []int64{0, 30, 38, 38}, 50},
		{"ggml", trailing, []int64{0, 30, 38, 0}, 50},
		{"xla-spatial", weights, []int64{0, 60, 0}, 80},
		{"xla-temporal", weights, []int64{20, 0, 20}, 80},
		// By the clock A is live for 3 ticks, B for 5, C for 2: areas 180, 100, 100.
		{"xla-spatial-temporal", closed(1, [3]int64{60, 0, 0}, [3]int64{20, 0, 2}, [3]int64{50, 1, 1}), []int64{0, 60, 0}, 80},
		// The block of A, who is dead by then, holds C, and D above it.
		{"somas-blocks", closed(1, [3]int64{20, 0, 0}, [3]int64{12, 0, 5}, [3]int64{11, 1, 5}, [3]int64{9, 2, 5}, [3]int64{8, 5, 5}), []int64{0, 20, 0, 11, 32}, 40},
		{"tflm-linear", closed(16, [3]int64{20, 0, 0}, [3]int64{1, 5, 5}, [3]int64{16, 9, 9}), []int64{0, 32, 48}, 64},
		{"vela-linear", closed(16, [3]int64{20, 0, 0}, [3]int64{1, 5, 5}, [3]int64{16, 9, 9}), []int64{0, 32, 48}, 64},
	}
	for _, test := range tests {
		list, err := Lookup(test.strategy)
		if err != nil {
			t.Fatal(err)
		}
		plan, err := list[0].Plan(t.Context(), test.table, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(plan.Offsets, test.want) || plan.Arena != test.arena {
			t.Errorf("%s: %v in %d, want %v in %d", test.strategy, plan.Offsets, plan.Arena, test.want, test.arena)
		}
	}
}

// SOMAS keeps blocks unless an arena saves more than 100 MiB, takes outputs
// first and puts variables on top.
func TestSomasChoice(t *testing.T) {
	plan := func(table *lifetime.Table) *lifetime.Plan {
		plan, err := somas{}.Plan(t.Context(), table, Options{})
		if err != nil {
			t.Fatal(err)
		}
		return plan
	}
	// The blocks of A and B hold one of the others each; an arena holds three.
	for _, test := range []struct{ unit, arena int64 }{{1, 52}, {8 << 20, 52}, {9 << 20, 40}} {
		u := test.unit
		table := closed(1, [3]int64{20 * u, 0, 0}, [3]int64{20 * u, 0, 0}, [3]int64{12 * u, 1, 5}, [3]int64{12 * u, 1, 5}, [3]int64{12 * u, 1, 5})
		if got := plan(table).Arena; got != test.arena*u {
			t.Errorf("units of %d bytes: arena %d, want %d of them", u, got, test.arena)
		}
	}
	table := closed(1, [3]int64{20, 0, 0}, [3]int64{30, 3, 3}, [3]int64{5, 0, 3}, [3]int64{4, 0, 3})
	table.Buffers[2].Kind = lifetime.Output
	table.Buffers[3].Kind = lifetime.Variable
	if got, want := plan(table).Offsets, []int64{5, 5, 0, 35}; !slices.Equal(got, want) {
		t.Errorf("offsets %v, want %v", got, want)
	}
}
