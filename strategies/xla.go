package strategies

// XLA's heap simulator takes the buffers by decreasing weight and puts each into
// the smallest hole, or the lowest one, between the placed buffers that are ever
// live with it. The weight is the size, the length of life, or both: the area.
//
// Complexity: O(n^2) in the worst case; near O(n log n) on tables of networks.
// The original gathers all chunks that overlap a buffer in time and sorts them:
// O(n^2 log n) in the worst case.
//
// Reference: class GlobalDecreasingSizeBestFitHeap, xla/service/heap_simulator/
// heap_simulator.cc, openxla/xla at commit 0e06ac8223fe; its PackingStrategy is
// the weight, its ChunkPlacement the hole.
//
// Rule, to the byte: kSpatial is size descending, life descending; kTemporal is
// life descending, size descending; kSpatialTemporal is size times the steps
// really live, descending; ties by row, which stands for the buffer's id. Holes
// are measured from their aligned start; best fit takes the smallest, the lowest
// of equals, and above everything only if none will do; lowest offset takes the
// lowest that holds the buffer.
//
// Departures: the original's clock ticks at every definition and at every death,
// so that its lengths of life are finer than the steps of a table, which are
// used here. It has one alignment for all, no fixed offsets (here obstacles from
// the start) and groups of colocated buffers, which a buffer with gaps is: holes
// in its life are free for others, and do not count in its area, but count in
// the life that kTemporal and kSpatial compare.

import (
	"cmp"
	"context"
	"math/bits"

	"github.com/arenalab/arenalab/lifetime"
)

const xlaReference = "class GlobalDecreasingSizeBestFitHeap, xla/service/heap_simulator/heap_simulator.cc, openxla/xla at 0e06ac8223fe"

// xlaWeight is what the heap simulator sorts by.
type xlaWeight uint8

const (
	xlaSpatial xlaWeight = iota
	xlaTemporal
	xlaArea
)

// xla is one of the six packings that the heap simulator knows.
type xla struct {
	weight xlaWeight
	lowest bool
}

func (x xla) Info() Info {
	names := [...]string{"spatial", "temporal", "spatial-temporal"}
	titles := [...]string{"size", "life", "area"}
	keys := [...]string{"size descending, life descending", "life descending, size descending", "size times life descending"}
	firsts := [...]string{"largest", "longest-lived", "largest in size times life"}
	i := Info{
		Name:       "xla-" + names[x.weight],
		Title:      "XLA by " + titles[x.weight],
		Summary:    "the " + firsts[x.weight] + " first, into the smallest hole",
		Reference:  xlaReference,
		Complexity: "O(n^2) worst case, near O(n log n) on networks",
		Key:        keys[x.weight] + "; ties by row",
		RowOrder:   true,
	}
	if x.lowest {
		i.Name += "-lowest"
		i.Title += ", lowest offset"
		i.Summary = "the " + firsts[x.weight] + " first, at the lowest offset"
	}
	return i
}

func (x xla) Plan(ctx context.Context, t *lifetime.Table, o Options) (*lifetime.Plan, error) {
	m := x.method()
	return m.place(ctx, t, o)
}

func (x xla) method() method {
	m := method{rule: smallestGap, order: sorting{key: xlaKey(x.weight)}}
	if x.lowest {
		m.rule = lowestGap
	}
	return m
}

func xlaKey(w xlaWeight) compare {
	life := func(it *item) int64 { return it.upper - it.lower }
	switch w {
	case xlaSpatial:
		return func(*lifetime.Table) func(a, b *item) int {
			return func(a, b *item) int {
				return cmp.Or(cmp.Compare(b.size, a.size), cmp.Compare(life(b), life(a)))
			}
		}
	case xlaTemporal:
		return func(*lifetime.Table) func(a, b *item) int {
			return func(a, b *item) int {
				return cmp.Or(cmp.Compare(life(b), life(a)), cmp.Compare(b.size, a.size))
			}
		}
	}
	return func(t *lifetime.Table) func(a, b *item) int {
		return func(a, b *item) int {
			ah, al := bits.Mul64(uint64(a.size), uint64(steps(&t.Buffers[a.index])))
			bh, bl := bits.Mul64(uint64(b.size), uint64(steps(&t.Buffers[b.index])))
			return cmp.Or(cmp.Compare(bh, ah), cmp.Compare(bl, al))
		}
	}
}

// steps returns in how many steps the buffer holds any of its bytes.
func steps(b *lifetime.Buffer) int64 {
	n := b.Upper - b.Lower
	for _, g := range b.Gaps {
		if g.Keep == nil {
			n -= g.Upper - g.Lower
		}
	}
	return n
}
