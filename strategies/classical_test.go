package strategies

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/arenalab/arenalab/lifetime"
	"pgregory.net/rapid"
)

// room is a stretch of free offsets: the bytes from its first aligned offset up
// to the next obstacle, without end in the last one.
type room struct{ at, bytes int64 }

// plainClassical places the unpinned buffers in the given order, looking at all
// pairs of pieces, where choose picks among the rooms, of which all but the
// last hold the buffer for certain. last is the end of the buffer placed before.
func plainClassical(t *lifetime.Table, order func(a, b int) int, choose func(rooms []room, last int64) int64) []int64 {
	pieces := make([][]lifetime.Piece, len(t.Buffers))
	for _, q := range t.Pieces() {
		pieces[q.Buffer] = append(pieces[q.Buffer], q)
	}
	offsets := make([]int64, len(t.Buffers))
	var placed, rows []int
	for i, b := range t.Buffers {
		if b.Fixed != nil {
			offsets[i] = *b.Fixed
			placed = append(placed, i)
		} else if b.Size > 0 {
			rows = append(rows, i)
		}
	}
	slices.SortStableFunc(rows, order)
	last := int64(0)
	for _, i := range rows {
		if len(pieces[i]) == 0 {
			continue
		}
		var bad []span // offsets strictly between are forbidden
		for _, j := range placed {
			for _, p := range pieces[i] {
				for _, q := range pieces[j] {
					if p.Lower < q.Upper && q.Lower < p.Upper {
						bad = append(bad, span{offsets[j] + q.Low - p.High, offsets[j] + q.High - p.Low})
					}
				}
			}
		}
		slices.SortFunc(bad, func(a, b span) int { return cmp.Compare(a.low, b.low) })
		var rooms []room
		top := int64(0)
		for _, s := range bad {
			if at := lifetime.AlignUp(top, t.Buffers[i].Alignment()); at <= s.low {
				rooms = append(rooms, room{at, s.low - at + t.Buffers[i].Size})
			}
			top = max(top, s.high)
		}
		rooms = append(rooms, room{lifetime.AlignUp(top, t.Buffers[i].Alignment()), math.MaxInt64})
		offsets[i] = choose(rooms, last)
		last = offsets[i] + t.Buffers[i].Size
		placed = append(placed, i)
	}
	return offsets
}

func firstRoom(rooms []room, _ int64) int64 { return rooms[0].at }

func bestRoom(rooms []room, _ int64) int64 {
	return slices.MinFunc(rooms, func(a, b room) int { return cmp.Compare(a.bytes, b.bytes) }).at
}

func worstRoom(rooms []room, _ int64) int64 {
	if len(rooms) == 1 {
		return rooms[0].at
	}
	return slices.MaxFunc(rooms[:len(rooms)-1], func(a, b room) int { return cmp.Compare(a.bytes, b.bytes) }).at
}

func nextRoom(rooms []room, last int64) int64 {
	for _, r := range rooms[:len(rooms)-1] {
		if r.at >= last {
			return r.at
		}
	}
	return rooms[0].at
}

// plainSettle is the order of buffers with equal keys.
func plainSettle(t *lifetime.Table, i, j int) int {
	a, b := &t.Buffers[i], &t.Buffers[j]
	return cmp.Or(cmp.Compare(a.Lower, b.Lower), cmp.Compare(b.Size, a.Size), cmp.Compare(b.Upper, a.Upper),
		cmp.Compare(b.Alignment(), a.Alignment()), strings.Compare(a.Name, b.Name))
}

func plainConflicts(t *lifetime.Table, i int) int {
	n := 0
	for j := range t.Buffers {
		if i != j && slices.ContainsFunc(t.Pieces(), func(p lifetime.Piece) bool {
			return p.Buffer == i && slices.ContainsFunc(t.Pieces(), func(q lifetime.Piece) bool {
				return q.Buffer == j && p.Lower < q.Upper && q.Lower < p.Upper
			})
		}) {
			n++
		}
	}
	return n
}

// plainKeys returns for each key a number by buffer, of which the largest comes first.
var plainKeys = map[string]func(t *lifetime.Table, i int) *big.Int{
	"birth": func(t *lifetime.Table, i int) *big.Int { return big.NewInt(-t.Buffers[i].Lower) },
	"size":  func(t *lifetime.Table, i int) *big.Int { return big.NewInt(t.Buffers[i].Size) },
	"lifetime": func(t *lifetime.Table, i int) *big.Int {
		return big.NewInt(t.Buffers[i].Upper - t.Buffers[i].Lower)
	},
	"area": func(t *lifetime.Table, i int) *big.Int {
		return new(big.Int).Mul(big.NewInt(t.Buffers[i].Size), big.NewInt(t.Buffers[i].Upper-t.Buffers[i].Lower))
	},
	"conflicts": func(t *lifetime.Table, i int) *big.Int { return big.NewInt(int64(plainConflicts(t, i))) },
	"end": func(t *lifetime.Table, i int) *big.Int { // then the larger
		n := big.NewInt(t.Buffers[i].Upper)
		return n.Lsh(n, 64).Add(n, big.NewInt(t.Buffers[i].Size))
	},
}

var plainClassics = []struct {
	name, key string
	choose    func(rooms []room, last int64) int64
}{
	{"greedy-area", "area", firstRoom}, {"greedy-area-best-fit", "area", bestRoom},
	{"greedy-conflicts", "conflicts", firstRoom}, {"greedy-conflicts-best-fit", "conflicts", bestRoom},
	{"greedy-end", "end", firstRoom}, {"greedy-end-best-fit", "end", bestRoom},
	{"greedy-lifetime", "lifetime", firstRoom}, {"greedy-lifetime-best-fit", "lifetime", bestRoom},
	{"greedy-size-worst-fit", "size", worstRoom},
	{"next-fit", "birth", nextRoom}, {"worst-fit", "birth", worstRoom},
}

func classics() []Strategy {
	list := []Strategy{nextFit{}, worstFit{}, classical{bySizeOnly, largestGap}}
	for _, by := range []classicalKey{byArea, byConflicts, byEnd, byLifetime} {
		list = append(list, classical{by, lowestGap}, classical{by, smallestGap})
	}
	return list
}

// checkClassical compares the strategy with the plain words.
func checkClassical(t fataler, name, key string, choose func([]room, int64) int64, table *lifetime.Table) {
	list := classics()
	s := list[slices.IndexFunc(list, func(s Strategy) bool { return s.Info().Name == name })]
	plan, err := s.Plan(context.Background(), table, Options{})
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if err := lifetime.Check(table, plan); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	keys := make([]*big.Int, len(table.Buffers))
	for i := range keys {
		keys[i] = plainKeys[key](table, i)
	}
	want := plainClassical(table, func(a, b int) int {
		return cmp.Or(keys[b].Cmp(keys[a]), plainSettle(table, a, b))
	}, choose)
	if !slices.Equal(plan.Offsets, want) {
		t.Fatalf("%s:\n got %s\nwant %s", name, format(table, plan.Offsets), format(table, want))
	}
}

// Every member gives the offsets of its rule in plain words, pins, gaps and
// alignments included.
func TestClassicalEqualPlainWords(t *testing.T) {
	for _, c := range plainClassics {
		for shape, s := range shapes {
			t.Run(c.name+"/"+shape, func(t *testing.T) {
				rapid.Check(t, func(t *rapid.T) {
					checkClassical(t, c.name, c.key, c.choose, randomTable(t, s))
				})
			})
		}
	}
}

// So it does on tables that use the grid or the simulated heap.
func TestClassicalLarge(t *testing.T) {
	for _, c := range plainClassics {
		if c.key == "conflicts" {
			continue // counted too plainly for that
		}
		t.Run(c.name, func(t *testing.T) {
			for _, n := range []int{listLimit + 1, listLimit + 300} {
				checkClassical(t, c.name, c.key, c.choose, large(n))
				for seed := range uint64(3) {
					checkClassical(t, c.name, c.key, c.choose, crowdedTable(n, seed, false))
					checkClassical(t, c.name, c.key, c.choose, crowdedTable(n, seed, true))
				}
			}
		})
	}
}

// crowdedTable has lives of all lengths, full of ties, and if mixed pins and
// several alignments.
func crowdedTable(n int, seed uint64, mixed bool) *lifetime.Table {
	r := rand.New(rand.NewPCG(seed, 3))
	t := &lifetime.Table{Buffers: make([]lifetime.Buffer, n)}
	for i := range t.Buffers {
		b := &t.Buffers[i]
		*b = lifetime.Buffer{Name: fmt.Sprint(i), Size: 1 + r.Int64N(40), Align: 4, Lower: r.Int64N(int64(n / 4))}
		b.Upper = b.Lower + 1 + r.Int64N(1+r.Int64N(30))
		if mixed {
			b.Align = 1 << r.IntN(5)
			if i%40 == 0 {
				at := int64(i) * 16
				b.Fixed = &at
			}
		}
	}
	return t
}

// Greedy by last use is first and best fit with time reversed.
func TestGreedyEndMirrorsFirstFit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		table := randomTable(t, shapeOf{buffers: 40, steps: 12, align: 3, sizes: 9})
		back := &lifetime.Table{Buffers: slices.Clone(table.Buffers)}
		for i := range back.Buffers {
			b := &back.Buffers[i]
			b.Lower, b.Upper = -b.Upper, -b.Lower
		}
		for _, pair := range [][2]Strategy{{classical{byEnd, lowestGap}, firstFit{}}, {classical{byEnd, smallestGap}, bestFit{}}} {
			got, err := pair[0].Plan(context.Background(), table, Options{})
			if err != nil {
				t.Fatal(err)
			}
			want, err := pair[1].Plan(context.Background(), back, Options{})
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(got.Offsets, want.Offsets) {
				t.Fatalf("%v, reversed %v", got.Offsets, want.Offsets)
			}
		}
	})
}

// Cases worked by hand.
func TestClassicalByHand(t *testing.T) {
	// At step 0: A at 0, B at 30, C at 55, D at 75. From step 1 on the bytes of
	// A and of C are holes.
	holes := closed(1, [3]int64{30, 0, 0}, [3]int64{25, 0, 9}, [3]int64{20, 0, 0}, [3]int64{4, 0, 9},
		[3]int64{10, 1, 9}, [3]int64{9, 2, 9}, [3]int64{15, 3, 9}, [3]int64{2, 4, 9})
	// Areas 20, 50, 30, 40, 90, 72: E, F, B, D at 24, and C and A find no hole.
	areas := closed(1, [3]int64{20, 0, 0}, [3]int64{5, 0, 9}, [3]int64{30, 0, 0}, [3]int64{4, 0, 9}, [3]int64{10, 1, 9}, [3]int64{9, 2, 9})
	tests := []struct {
		s     Strategy
		table *lifetime.Table
		want  []int64
		arena int64
	}{
		// E into A's hole of 30; F into what is left of it, as large as C's; H
		// into the 11 bytes above F rather than the 5 above G.
		{worstFit{}, holes, []int64{0, 30, 55, 75, 0, 10, 55, 19}, 79},
		// E goes round to 0, F above it, G on to C's hole, H above G.
		{nextFit{}, holes, []int64{0, 30, 55, 75, 0, 10, 55, 70}, 79},
		{classical{byArea, lowestGap}, areas, []int64{58, 19, 28, 24, 0, 10}, 78},
	}
	for _, test := range tests {
		plan, err := test.s.Plan(t.Context(), test.table, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(plan.Offsets, test.want) || plan.Arena != test.arena {
			t.Errorf("%s: %v in %d, want %v in %d", test.s.Info().Name, plan.Offsets, plan.Arena, test.want, test.arena)
		}
	}
}

// Plans of the largest real table are safe.
func TestClassicalOnLargest(t *testing.T) {
	files := data(t, "tables/*.csv")
	size := func(f string) int64 {
		info, err := os.Stat(f)
		if err != nil {
			t.Fatal(err)
		}
		return info.Size()
	}
	file := slices.MaxFunc(files, func(a, b string) int { return cmp.Compare(size(a), size(b)) })
	table := readTable(t, file)
	for _, s := range classics() {
		t.Run(s.Info().Name, func(t *testing.T) {
			plan, err := s.Plan(t.Context(), table, Options{})
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%s, %d buffers: %.4f of peak live bytes", table.Name, len(table.Buffers), float64(plan.Arena)/float64(table.Load()))
			if err := lifetime.Check(table, plan); err != nil {
				t.Error(err)
			}
		})
	}
}

// Areas are compared in 128 bits.
func TestAreaIsWide(t *testing.T) {
	// The area of b is 2^80, whose lower 64 bits are 0; that of a is 2^79 + 2^40.
	table := &lifetime.Table{Buffers: []lifetime.Buffer{
		{Name: "a", Size: 1<<39 + 1, Lower: 0, Upper: 1 << 40},
		{Name: "b", Size: 1 << 40, Lower: 0, Upper: 1 << 40},
	}}
	plan, err := classical{byArea, lowestGap}.Plan(t.Context(), table, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if want := []int64{1 << 40, 0}; !slices.Equal(plan.Offsets, want) {
		t.Errorf("offsets %v, want %v", plan.Offsets, want)
	}
}
