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
// life descending, size descending; kSpatialTemporal is size times the time it is
// live, descending; ties by row, which stands for the buffer's id. Holes
// are measured from their aligned start; best fit takes the smallest, the lowest
// of equals, and above everything only if none will do; lowest offset takes the
// lowest that holds the buffer.
//
// Life is counted by the clock of the original, which ticks at every definition
// and at every death: at each step of the table first what is born, then what
// dies, by row.
//
// Departures: the original has one alignment for all, no fixed offsets (here
// obstacles from the start) and groups of colocated buffers, which a buffer with
// gaps is: holes in its life are free for others, and do not count in its area,
// but count in the life that kTemporal and kSpatial compare.

import (
	"cmp"
	"context"
	"math/bits"
	"slices"

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
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	m := x.method(xlaTrace(t))
	return m.place(ctx, t, o)
}

func (x xla) method(c *xlaClock) method {
	m := method{rule: smallestGap, order: c.order(x.weight)}
	if x.lowest {
		m.rule = lowestGap
	}
	return m
}

// xlaClock tells the time of a table, by buffer.
type xlaClock struct {
	life []int64 // from the first definition to the last death
	live []int64 // of that, without the gaps, ends included
}

// xlaTrace replays the table: a buffer is defined at its first step and after
// every gap, and dies at its last step and before every gap.
func xlaTrace(t *lifetime.Table) *xlaClock {
	c := &xlaClock{life: make([]int64, len(t.Buffers)), live: make([]int64, len(t.Buffers))}
	first, _ := t.Span()
	events := make([]ref, 0, 2*len(t.Buffers))
	top := uint64(0)
	event := func(step int64, death uint64, i int) {
		key := uint64(step-first)<<1 | death
		top = max(top, key)
		events = append(events, ref{key, int32(i)})
	}
	for i := range t.Buffers {
		b := &t.Buffers[i]
		if b.Size == 0 {
			continue
		}
		lower := b.Lower
		for _, g := range b.Gaps {
			if g.Keep == nil && g.Lower > lower {
				event(lower, 0, i)
				event(g.Lower-1, 1, i)
			}
			if g.Keep == nil {
				lower = g.Upper
			}
		}
		if lower < b.Upper {
			event(lower, 0, i)
			event(b.Upper-1, 1, i)
		}
	}
	if len(events) == 0 {
		return c
	}
	radixSort(events, make([]ref, len(events)), top)
	born := make([]bool, len(t.Buffers))
	for tick, e := range events {
		i, now := e.pos, int64(tick)
		if !born[i] {
			born[i], c.life[i] = true, -now
		}
		if e.key&1 == 0 {
			c.live[i] -= now - 1
		} else {
			c.live[i] += now
		}
	}
	for tick, e := range slices.Backward(events) {
		if i := e.pos; born[i] {
			born[i] = false
			c.life[i] += int64(tick)
		}
	}
	return c
}

// order returns the order of decreasing weight.
func (c *xlaClock) order(w xlaWeight) sorting {
	life := func(it *item) uint64 { return ^uint64(c.life[it.index]) }
	high := func(it *item) uint64 { h, _ := c.area(it); return ^h }
	low := func(it *item) uint64 { _, l := c.area(it); return ^l }
	columns := [...][]column{{sizeColumn, life}, {life, sizeColumn}, {high, low}}[w]
	return sorting{
		key: func(*lifetime.Table) func(a, b *item) int {
			return func(a, b *item) int {
				return cmp.Or(cmp.Compare(columns[0](a), columns[0](b)), cmp.Compare(columns[1](a), columns[1](b)))
			}
		},
		columns: func(*lifetime.Table) []column { return columns },
	}
}

func (c *xlaClock) area(it *item) (high, low uint64) {
	return bits.Mul64(uint64(it.size), uint64(c.live[it.index]))
}
