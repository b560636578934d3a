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
