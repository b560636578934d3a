package strategies

import (
	"fmt"
	"math"
	"slices"

	"github.com/arenalab/arenalab/lifetime"
	"pgregory.net/rapid"
)

// reference places the items one by one as place does, without any structure:
// it gathers every forbidden range of offsets, O(n^2 log n) in all. It follows
// the words of the rules, in ranges of offsets rather than gaps of bytes.
func reference(p *placement) []int64 {
	out := slices.Clone(p.offsets)
	type rect struct{ low, high, lower, upper int64 }
	shape := func(it item) []rect { // relative to the offset
		b := p.table.Buffers[it.index]
		if len(b.Gaps) == 0 || p.whole {
			return []rect{{0, it.size, it.lower, it.upper}}
		}
		var out []rect
		for _, q := range (&lifetime.Table{Buffers: []lifetime.Buffer{b}}).Pieces() {
			out = append(out, rect{q.Low, q.High, q.Lower, q.Upper})
		}
		return out
	}
	var placed []rect
	put := func(it item) {
		for _, r := range shape(it) {
			at := out[it.index]
			placed = append(placed, rect{at + r.low, at + r.high, r.lower, r.upper})
		}
	}
	for _, i := range p.pinned {
		if p.table.Buffers[i].Size > 0 {
			put(p.item(i))
		}
	}
	for _, it := range p.items {
		type open struct{ low, high int64 } // offsets low < o < high are forbidden
		var bad []open
		for _, r := range shape(it) {
			for _, q := range placed {
				if r.lower < q.upper && q.lower < r.upper {
					bad = append(bad, open{q.low - r.high, q.high - r.low})
				}
			}
		}
		slices.SortFunc(bad, func(a, b open) int { return int(a.low - b.low) })
		bad = append(bad, open{math.MaxInt64, math.MaxInt64})
		start, best, chosen := int64(0), int64(math.MaxInt64), int64(-1)
		for k, f := range bad {
			first := lifetime.AlignUp(start, it.align)
			if first <= f.low { // the offsets first..f.low are free
				slack := f.low - first
				last := k == len(bad)-1
				switch {
				case p.rule == lowestGap:
					chosen = first
				case last:
					if chosen < 0 {
						chosen = first
					}
				case slack+it.size < best:
					best, chosen = slack+it.size, first
					if p.rule == litertGap {
						best = f.low + it.size - start
					}
				}
				if p.rule == lowestGap {
					break
				}
			}
			start = max(start, f.high)
		}
		out[it.index] = chosen
		put(it)
	}
	return out
}

// shapeOf says what a random table may contain.
type shapeOf struct {
	buffers int
	steps   int64
	gaps    bool
	pins    bool
	align   int // largest exponent; -1: one alignment for all
	sizes   int64
}

// randomTable draws a valid table whose fixed offsets do not clash.
func randomTable(t *rapid.T, s shapeOf) *lifetime.Table {
	n := rapid.IntRange(0, s.buffers).Draw(t, "n")
	table := &lifetime.Table{Name: "random", Buffers: make([]lifetime.Buffer, n)}
	same := int64(1) << rapid.IntRange(0, 4).Draw(t, "align")
	for i := range table.Buffers {
		b := &table.Buffers[i]
		b.Name = fmt.Sprint("b", i)
		b.Size = rapid.Int64Range(0, s.sizes).Draw(t, "size")
		b.Lower = rapid.Int64Range(-2, s.steps).Draw(t, "lower")
		b.Upper = b.Lower + rapid.Int64Range(1, s.steps).Draw(t, "life")
		b.Align = same
		if s.align >= 0 {
			b.Align = int64(1) << rapid.IntRange(0, s.align).Draw(t, "align")
		}
		if s.gaps && b.Size > 0 && rapid.Bool().Draw(t, "gapped") {
			b.Gaps = randomGaps(t, b)
		}
		if s.pins && rapid.IntRange(0, 5).Draw(t, "pin") == 0 {
			at := b.Align * rapid.Int64Range(0, 40).Draw(t, "at")
			b.Fixed = &at
			if checkPins(table, pinsOf(table)) != nil {
				b.Fixed = nil
			}
		}
	}
	return table
}

func pinsOf(t *lifetime.Table) []int {
	var pins []int
	for i := range t.Buffers {
		if t.Buffers[i].Fixed != nil {
			pins = append(pins, i)
		}
	}
	return pins
}

func randomGaps(t *rapid.T, b *lifetime.Buffer) []lifetime.Gap {
	var gaps []lifetime.Gap
	for at := b.Lower; at < b.Upper; {
		from := rapid.Int64Range(at, b.Upper-1).Draw(t, "from")
		to := rapid.Int64Range(from+1, b.Upper).Draw(t, "to")
		g := lifetime.Gap{Lower: from, Upper: to}
		if rapid.Bool().Draw(t, "window") {
			low := rapid.Int64Range(0, b.Size-1).Draw(t, "low")
			g.Keep = &lifetime.Window{Lower: low, Upper: rapid.Int64Range(low+1, b.Size).Draw(t, "high")}
		}
		gaps = append(gaps, g)
		at = to + rapid.Int64Range(0, 3).Draw(t, "pause")
	}
	return gaps
}
