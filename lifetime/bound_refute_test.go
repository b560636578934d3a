package lifetime

import (
	"errors"
	"strings"
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

// TestRefuteErrors says what is wrong with a certificate.
func TestRefuteErrors(t *testing.T) {
	seven := []int{0, 1, 2, 3, 4, 5, 6}
	leaf, first := Branch{-1, -1}, Branch{0, 1}
	sweep := Bound{Value: 6, Kind: BoundSweep, Buffers: seven, Capacity: 5, Lower: 1, Upper: 8}
	tree := func(nodes ...Branch) Bound {
		b := sweep
		b.Kind, b.Tree = BoundOrderTree, nodes
		return b
	}
	single := func(removals ...Removal) Bound {
		b := sweep
		b.Kind, b.Removals = BoundSingleton, removals
		return b
	}
	with := func(b Bound, change func(*Bound)) Bound {
		change(&b)
		return b
	}
	for _, tt := range []struct {
		name string
		b    Bound
		want string // part of the error, "" if proven
	}{
		{"sweep", sweep, ""},
		{"backward", with(sweep, func(b *Bound) { b.Backward = true }), ""},
		{"without the ends of lives", with(sweep, func(b *Bound) { b.Lower, b.Upper = 2, 7 }), ""},
		{"too few steps", with(sweep, func(b *Bound) { b.Buffers, b.Upper = seven[:6], 6 }), "the buffers have a plan"},
		{"no steps", with(sweep, func(b *Bound) { b.Upper = 1 }), "no steps in [1, 1)"},
		{"not live", with(sweep, func(b *Bound) { b.Upper = 6 }), `buffer 6 "" takes nothing in steps [1, 6)`},
		{"one buffer less", with(sweep, func(b *Bound) { b.Buffers = seven[1:] }), "the buffers have a plan"},
		{"capacity of a plan", with(sweep, func(b *Bound) { b.Capacity, b.Value = 6, 7 }), "the buffers have a plan"},
		{"value above", with(sweep, func(b *Bound) { b.Value = 7 }), "witness gives 6 bytes, 7 claimed"},
		{"capacity out of range", with(sweep, func(b *Bound) { b.Capacity = -1 }), "capacity of -1 bytes is out of range"},
		{"no buffers", with(sweep, func(b *Bound) { b.Buffers = nil }), "witness of 0 buffers"},
		{"twice", with(sweep, func(b *Bound) { b.Buffers = []int{1, 1} }), "out of range or not ascending"},
		{"tree", tree(first, leaf), ""},
		{"tree of nothing", tree(), "the tree ends early"},
		{"no contradiction", tree(leaf), "node 0 of the tree: no contradiction"},
		{"both orders of the root", tree(first, leaf, leaf), "1 nodes are left over"},
		{"never together", tree(Branch{0, 6}, leaf), "never wholly live together"},
		{"no such buffer", tree(Branch{0, 7}, leaf), "buffer 7 is not one to argue about"},
		{"ends early", tree(first), "the tree ends early"},
		{"decided twice", tree(Branch{1, 4}, Branch{1, 4}, leaf, leaf), ""}, // the first is enough
		{"removal", single(Removal{1, 0}), ""},
		{"no removal", single(), "after 0 removals every buffer still has an offset"},
		{"possible", single(Removal{1, 1}), "removal 0: buffer 1 at offset 1 is not refuted"},
		{"removed from nothing", single(Removal{7, 0}), "buffer 7 is not one to argue about"},
		{"beyond", single(Removal{1, 64}), "buffer 1 cannot be at offset 64"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			err := CheckBound(sevenBuffers(), &tt.b)
			if (err == nil) != (tt.want == "") || !strings.Contains(errorText(err), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
	for _, b := range []Bound{sweep, tree(first, leaf), single(Removal{1, 0})} {
		if _, err := CheckBoundWithin(sevenBuffers(), &b, 200); !errors.Is(err, ErrCheckWork) {
			t.Errorf("%s within 200 operations: %v", b.Kind, err)
		}
	}
}

// TestCheckWorkIsBounded: a certificate as large as it can be is given up.
func TestCheckWorkIsBounded(t *testing.T) {
	tab := sevenBuffers()
	for _, kind := range []BoundKind{BoundSingleton, BoundSweep} {
		for _, capacity := range []int64{2500, 1 << 29, 1 << 40, maxTotal} {
			b := Bound{Value: capacity + 1, Kind: kind, Capacity: capacity, Buffers: []int{0, 1, 2, 3, 4, 5, 6}, Lower: 1, Upper: 8}
			if _, err := CheckBoundWithin(tab, &b, 1_000_000); !errors.Is(err, ErrCheckWork) {
				t.Errorf("%s of %d bytes: %v", kind, capacity, err)
			}
		}
	}
	// Two thousand pairs, and no end.
	var tree []Branch
	big := &Table{}
	var all []int
	for i := range 64 {
		all = append(all, i)
		big.Buffers = append(big.Buffers, Buffer{Size: 1, Lower: int64(i) % 2, Upper: 2 + int64(i)%3})
		for j := range i {
			tree = append(tree, Branch{j, i})
		}
	}
	b := Bound{Value: 1001, Kind: BoundOrderTree, Capacity: 1000, Buffers: all, Upper: 4, Tree: tree}
	if err := CheckBound(big, &b); err == nil {
		t.Error("a tree without leaves is accepted")
	}
}

// TestNextArena: what a refuted capacity proves is the next sum there can be.
func TestNextArena(t *testing.T) {
	at := func(v int64) *int64 { return &v }
	for _, tt := range []struct {
		name     string
		buffers  []Buffer
		capacity int64
		want     int64
	}{
		{"a byte", []Buffer{{Size: 2}, {Size: 3}}, 4, 5},
		{"the gcd", []Buffer{{Size: 64}, {Size: 192}, {Size: 320}}, 384, 512},
		{"a sum", []Buffer{{Size: 100}, {Size: 7}}, 8, 100},
		{"the end of padding", []Buffer{{Size: 60, Align: 64}, {Size: 100, Align: 64}}, 124, 164},
		{"an alignment above the unit", []Buffer{{Size: 16}, {Size: 16, Align: 64}}, 32, 48},
		{"from a fixed offset on", []Buffer{{Size: 10}, {Size: 4, Fixed: at(3)}}, 10, 13},
		{"a fixed end", []Buffer{{Size: 4, Fixed: at(20)}}, 10, 24},
	} {
		tab := &Table{Buffers: tt.buffers}
		if got := nextArena(tab, tt.capacity); got != tt.want {
			t.Errorf("%s: %d, want %d", tt.name, got, tt.want)
		}
	}
}
