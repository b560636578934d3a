package lifetime

import (
	"testing"

	"pgregory.net/rapid"
)

// roomFor returns whether some plan has at most the given arena, by trying all
// offsets on a grid of steps and bytes.
func roomFor(t *Table, capacity int64) bool {
	lower, upper := t.Span()
	taken := make([]bool, (upper-lower)*max(capacity, 1))
	var place func(i int) bool
	place = func(i int) bool {
		if i == len(t.Buffers) {
			return true
		}
		b := &t.Buffers[i]
		var cells []int64
	next:
		for off := int64(0); off+b.Size <= capacity; off += b.Alignment() {
			if b.Fixed != nil && *b.Fixed != off {
				continue
			}
			cells = cells[:0]
			for step := b.Lower; step < b.Upper; step++ {
				for k := range b.Size {
					if !takes(b, step, k) {
						continue
					}
					cell := (step-lower)*capacity + off + k
					if taken[cell] {
						continue next
					}
					cells = append(cells, cell)
				}
			}
			for _, c := range cells {
				taken[c] = true
			}
			if place(i + 1) {
				return true
			}
			for _, c := range cells {
				taken[c] = false
			}
		}
		return false
	}
	return place(0)
}

// optimum returns the smallest arena up to a limit, or false.
func optimum(t *Table, limit int64) (int64, bool) {
	for c := t.Load(); c <= limit; c++ {
		if roomFor(t, c) {
			return c, true
		}
	}
	return 0, false
}

// sized returns the table without buffers that take nothing, and all positions.
func sized(t *Table) (*Table, []int) {
	out := &Table{}
	var all []int
	last := -1
	for _, p := range t.Pieces() {
		if p.Buffer != last {
			all = append(all, len(out.Buffers))
			out.Buffers = append(out.Buffers, t.Buffers[p.Buffer])
			last = p.Buffer
		}
	}
	return out, all
}

// TestSweepIsExact: a sweep of all buffers and steps refutes just those
// capacities that no plan has, in both directions, and the arena it then states
// is never above the smallest.
func TestSweepIsExact(t *testing.T) {
	const limit = 40
	refuted, above := 0, 0
	many(t, func(t *rapid.T) {
		tab, all := sized(tables(shape{buffers: 5, steps: 6, size: 6, pins: true, gaps: true}).Draw(t, "table"))
		least, ok := optimum(tab, limit)
		if !ok || len(all) == 0 {
			return
		}
		lower, upper := tab.Span()
		if least > tab.Load() {
			above++
		}
		for c := max(0, tab.Load()-2); c <= least+1; c++ {
			for _, back := range []bool{false, true} {
				b := Bound{Kind: BoundSweep, Buffers: all, Capacity: c, Lower: lower, Upper: upper, Backward: back}
				value, err := provenValue(tab, &b, &work{left: maxWork})
				switch {
				case c < least && (err != nil || value <= c || value > least):
					t.Fatalf("capacity %d: proven %d (%v), smallest arena %d", c, value, err, least)
				case c >= least && err == nil:
					t.Fatalf("capacity %d refuted, smallest arena %d", c, least)
				case c < least:
					refuted++
				}
			}
		}
	})
	if refuted < 1000 || above < 100 {
		t.Errorf("%d capacities refuted, %d tables above their load: the test does not tell", refuted, above)
	}
}
