package lifetime

import (
	"iter"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// bruteOptimum finds the smallest arena by trying all offsets, or returns
// false if fixed offsets allow none.
func bruteOptimum(t *Table, limit int64) (int64, bool) {
	best := limit + 1
	offsets := make([]int64, len(t.Buffers))
	part := &Table{}
	var place func(i int, arena int64)
	place = func(i int, arena int64) {
		if arena >= best {
			return
		}
		if i == len(t.Buffers) {
			best = arena
			return
		}
		b := &t.Buffers[i]
		for off := int64(0); off+b.Size < best; off += b.Alignment() {
			offsets[i] = off
			part.Buffers = t.Buffers[:i+1]
			if (b.Fixed == nil || *b.Fixed == off) && bruteApart(part, offsets[:i+1]) {
				place(i+1, max(arena, off+b.Size))
			}
		}
	}
	place(0, 0)
	return best, best <= limit
}

// TestBoundsHold demands of random tables that whatever CheckBound accepts, of
// all witnesses, is below the arena of every plan.
func TestBoundsHold(t *testing.T) {
	const limit = 40
	accepted, tight := map[BoundKind]int{}, map[BoundKind]int{}
	rapid.Check(t, func(t *rapid.T) {
		tab := tables(shape{buffers: 3, steps: 3, size: 4, pins: true, gaps: true}).Draw(t, "table")
		optimum, ok := bruteOptimum(tab, limit)
		if !ok {
			t.Skip("fixed offsets in each other's way")
		}
		for b := range witnesses(tab) {
			for b.Value = limit; b.Value > 0 && CheckBound(tab, b) != nil; {
				b.Value--
			}
			switch {
			case b.Value > optimum:
				t.Fatalf("bound %+v accepted, optimum %d", *b, optimum)
			case b.Value == optimum && optimum > 0:
				tight[b.Kind]++
			}
			if b.Value > 0 {
				accepted[b.Kind]++
			}
		}
	})
	if len(accepted) != 3 || len(tight) != 3 {
		t.Errorf("accepted %v, tight %v: the test does not tell", accepted, tight)
	}
}

// witnesses yields all sets of buffers, at all steps, of all kinds.
func witnesses(tab *Table) iter.Seq[*Bound] {
	lower, upper := tab.Span()
	return func(yield func(*Bound) bool) {
		for set := range 1 << len(tab.Buffers) {
			var members []int
			for i := range tab.Buffers {
				if set>>i&1 != 0 {
					members = append(members, i)
				}
			}
			for step := lower; step < upper; step++ {
				for _, align := range []int64{1, 2, 4} {
					for _, kind := range []BoundKind{BoundLoad, BoundAlignment, BoundFixed} {
						if !yield(&Bound{Kind: kind, Step: step, Align: align, Buffers: members}) {
							return
						}
					}
				}
			}
		}
	}
}

// TestLoadIsProven takes everything live at the peak as the witness.
func TestLoadIsProven(t *testing.T) {
	many(t, func(t *rapid.T) {
		tab := tables(tiny).Draw(t, "table")
		step, load := tab.LiveBytes().Peak()
		b := &Bound{Value: load, Kind: BoundLoad, Step: step}
		for i := range tab.Buffers {
			for k := range tab.Buffers[i].Size {
				if takes(&tab.Buffers[i], step, k) {
					b.Buffers = append(b.Buffers, i)
					break
				}
			}
		}
		if err := CheckBound(tab, b); err != nil {
			t.Fatal(err)
		}
		b.Value++
		if CheckBound(tab, b) == nil {
			t.Fatalf("%d bytes proven, %d are live", b.Value, load)
		}
		if len(b.Buffers) > 0 {
			b.Value = load
			b.Buffers = slices.Delete(b.Buffers, 0, 1)
			if CheckBound(tab, b) == nil {
				t.Fatal("a buffer less proves as much")
			}
		}
	})
}

func TestCheckBound(t *testing.T) {
	eight := int64(8)
	tab := &Table{Buffers: []Buffer{
		{Name: "a", Size: 3, Align: 4, Lower: 0, Upper: 2},
		{Name: "b", Size: 5, Align: 8, Lower: 1, Upper: 3, Gaps: []Gap{{Lower: 2, Upper: 3, Keep: &Window{0, 2}}}},
		{Name: "c", Size: 2, Lower: 1, Upper: 3, Fixed: &eight},
		{Name: "d", Size: 0, Lower: 0, Upper: 3, Align: 4},
	}}
	for _, tt := range []struct {
		name string
		b    Bound
		want string // part of the error, "" if proven
	}{
		{"load", Bound{Value: 10, Kind: BoundLoad, Step: 1, Buffers: []int{0, 1, 2}}, ""},
		{"load above", Bound{Value: 11, Kind: BoundLoad, Step: 1, Buffers: []int{0, 1, 2}}, "witness gives 10 bytes, 11 claimed"},
		{"load of a window", Bound{Value: 4, Kind: BoundLoad, Step: 2, Buffers: []int{1, 2}}, ""},
		{"load of a window above", Bound{Value: 5, Kind: BoundLoad, Step: 2, Buffers: []int{1, 2}}, "witness gives 4"},
		{"load of the dead", Bound{Value: 1, Kind: BoundLoad, Step: 2, Buffers: []int{0}}, `buffer 0 "a" is not live at step 2`},
		{"aligned", Bound{Value: 9, Kind: BoundAlignment, Align: 4, Step: 1, Buffers: []int{0, 1}}, ""}, // 4 + 8 - 3
		{"aligned above", Bound{Value: 10, Kind: BoundAlignment, Align: 4, Step: 1, Buffers: []int{0, 1}}, "witness gives 9"},
		{"aligned too far", Bound{Value: 1, Kind: BoundAlignment, Align: 8, Step: 1, Buffers: []int{0, 1}}, "has alignment 4, the bound rounds to 8"},
		{"not aligned", Bound{Value: 1, Kind: BoundAlignment, Align: 4, Step: 1, Buffers: []int{0, 2}}, "has alignment 1"},
		{"aligned in part", Bound{Value: 1, Kind: BoundAlignment, Align: 4, Step: 2, Buffers: []int{1}}, "is not wholly live at step 2"},
		{"aligned of no size", Bound{Value: 1, Kind: BoundAlignment, Align: 4, Step: 1, Buffers: []int{3}}, "is not wholly live"},
		{"alignment no power", Bound{Value: 1, Kind: BoundAlignment, Align: 3, Step: 1, Buffers: []int{0}}, "cannot have alignment 3"},
		{"alignment missing", Bound{Value: 1, Kind: BoundAlignment, Step: 1, Buffers: []int{0}}, "cannot have alignment 0"},
		{"fixed", Bound{Value: 10, Kind: BoundFixed, Buffers: []int{2}}, ""},
		{"fixed above", Bound{Value: 11, Kind: BoundFixed, Buffers: []int{2}}, "witness gives 10"},
		{"not fixed", Bound{Value: 1, Kind: BoundFixed, Buffers: []int{0}}, "not a single buffer with a fixed offset"},
		{"two fixed", Bound{Value: 1, Kind: BoundFixed, Buffers: []int{2, 3}}, "not a single buffer with a fixed offset"},
		{"twice", Bound{Value: 4, Kind: BoundLoad, Step: 1, Buffers: []int{2, 2}}, "out of range or not ascending"},
		{"beyond", Bound{Value: 1, Kind: BoundLoad, Step: 1, Buffers: []int{4}}, "out of range or not ascending"},
		{"before", Bound{Value: 1, Kind: BoundLoad, Step: 1, Buffers: []int{-1}}, "out of range or not ascending"},
		{"nothing proves nothing", Bound{Kind: BoundLoad}, ""},
		{"nothing proves no more", Bound{Value: 1, Kind: BoundLoad}, "witness gives 0"},
		{"unknown kind", Bound{Kind: "hope"}, `unknown kind "hope"`},
		{"step at the end of time", Bound{Value: 1, Kind: BoundLoad, Step: math.MaxInt64, Buffers: []int{0}}, "is not live"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			err := CheckBound(tab, &tt.b)
			if (err == nil) != (tt.want == "") || !strings.Contains(errorText(err), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}
