package exact

import (
	"context"
	"errors"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/arenalab/arenalab/lifetime"
)

// seven is the smallest table known whose optimum, 6, is above its load, 5.
func seven() *lifetime.Table {
	t := &lifetime.Table{Name: "seven"}
	for _, b := range [][3]int64{{1, 3, 3}, {2, 5, 1}, {3, 4, 2}, {3, 6, 2}, {4, 8, 1}, {5, 6, 2}, {6, 7, 3}} {
		t.Buffers = append(t.Buffers, lifetime.Buffer{Lower: b[0], Upper: b[1], Size: b[2]})
	}
	return t
}

func TestMinimizeProves(t *testing.T) {
	got, err := Minimize(context.Background(), seven(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got.Plan.Arena != 6 || got.Plan.LowerBound != 6 || got.Refuted != 5 || len(got.Part) != 7 {
		t.Errorf("got %+v of %+v, want the optimum 6 with 5 refuted", got, got.Plan)
	}
	last := got.Stats.Improvements[len(got.Stats.Improvements)-1]
	if last.Arena != 6 || last.LowerBound != 6 || last.Decisions != got.Stats.Decisions {
		t.Errorf("convergence ends with %+v after %d decisions", last, got.Stats.Decisions)
	}
}

func TestFindCore(t *testing.T) {
	table := seven()
	for k := range 12 { // bystanders, in time and in space
		table.Buffers = append(table.Buffers, lifetime.Buffer{Lower: int64(8 + k), Upper: int64(10 + k), Size: 2})
	}
	core, err := FindCore(context.Background(), table, 5, Options{})
	if err != nil || core == nil {
		t.Fatal(core, err)
	}
	if !slices.Equal(core.Buffers, []int{0, 1, 2, 3, 4, 5, 6}) || !core.Irreducible {
		t.Errorf("core %+v, want the first seven buffers, irreducible", core)
	}
	if core, err := FindCore(context.Background(), table, 6, Options{}); core != nil || err != nil {
		t.Errorf("core %v, %v of what fits", core, err)
	}
}

// TestCoresAreIrreducible asks a brute force.
func TestCoresAreIrreducible(t *testing.T) {
	for k := range 150 {
		table := random(rand.New(rand.NewPCG(uint64(k), 3)), shape{pins: k&1 > 0, gaps: k&2 > 0, aligns: k&4 > 0})
		want := bruteForce(table)
		if want <= 1 {
			continue
		}
		core, err := FindCore(context.Background(), table, want-1, Options{})
		if err != nil || core == nil || !core.Irreducible {
			t.Fatal(k, core, err)
		}
		if bruteForce(Part(table, core.Buffers)) < want {
			t.Fatalf("%d: core %v of %+v fits", k, core.Buffers, table.Buffers)
		}
		for i := range core.Buffers {
			rest := slices.Delete(slices.Clone(core.Buffers), i, i+1)
			if len(rest) > 0 && bruteForce(Part(table, rest)) >= want {
				t.Fatalf("%d: core %v of %+v does not need %d", k, core.Buffers, table.Buffers, core.Buffers[i])
			}
		}
	}
}

func TestPrices(t *testing.T) {
	table := seven()
	got, err := Minimize(context.Background(), table, Options{})
	if err != nil {
		t.Fatal(err)
	}
	prices, err := Prices(context.Background(), table, got.Plan, got.Plan.LowerBound, Options{})
	if err != nil {
		t.Fatal(err)
	}
	asked := map[Price]bool{}
	for _, p := range prices {
		changed, _ := apply(table, got.Plan, p.Buffer, p.Change)
		if saved := 6 - bruteForce(changed); p.Low != saved || p.High != saved {
			t.Errorf("%+v, a brute force saves %d", p, saved)
		}
		asked[Price{Buffer: p.Buffer, Change: p.Change}] = true
	}
	for i := range table.Buffers {
		for _, c := range []Change{Gone, Halved, Later, Earlier} {
			changed, _ := apply(table, got.Plan, i, c)
			if changed != nil && bruteForce(changed) < 6 && !asked[Price{Buffer: i, Change: c}] {
				t.Errorf("buffer %d %s: missing", i, c)
			}
		}
	}
}

// TestAnyMoment stops searches at random moments: there is a valid plan and a
// valid bracket at each.
func TestAnyMoment(t *testing.T) {
	moments := 30
	if slow {
		moments = 100
	}
	table := tiling(rand.New(rand.NewPCG(1, 2)), 150)
	optimum := table.Load()
	for k := range moments {
		r := rand.New(rand.NewPCG(uint64(k), 5))
		ctx, cancel := context.WithCancel(context.Background())
		var seen int
		stop := r.IntN(4)
		got, err := Minimize(ctx, table, Options{Seed: uint64(k), Decisions: 1 + r.Int64N(20000), Report: func(p *lifetime.Plan, _ lifetime.Improvement) {
			if seen++; seen > stop && k%2 == 0 {
				cancel()
			}
			if lifetime.Check(table, p) != nil || p.Arena < optimum || p.LowerBound > optimum {
				t.Errorf("%d: reported plan of %d, bound %d, optimum %d: %v", k, p.Arena, p.LowerBound, optimum, lifetime.Check(table, p))
			}
		}})
		cancel()
		if err != nil || got.Plan == nil || lifetime.Check(table, got.Plan) != nil || got.Plan.LowerBound > optimum {
			t.Errorf("%d: %+v, %v", k, got, err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	start := lifetime.NewPlan(table, stacked(table))
	if got, err := Minimize(ctx, table, Options{Start: start}); err != nil || got.Plan.Arena != start.Arena {
		t.Errorf("after the end: %+v, %v, want the start", got, err)
	}
}

func stacked(t *lifetime.Table) []int64 {
	out := make([]int64, len(t.Buffers))
	var at int64
	for i := range out {
		out[i] = lifetime.AlignUp(at, t.Buffers[i].Align)
		at = out[i] + t.Buffers[i].Size
	}
	return out
}

// tiling cuts a square into rectangles: every instant is full.
func tiling(r *rand.Rand, n int) *lifetime.Table {
	type rect struct{ x, y, w, h int64 }
	tiles := []rect{{0, 0, 1 << 12, 1 << 12}}
	for len(tiles) < n {
		i := r.IntN(len(tiles))
		a := tiles[i]
		b := a
		if r.IntN(2) == 0 && a.w > 1 {
			a.w = 1 + r.Int64N(a.w-1)
			b.x, b.w = b.x+a.w, b.w-a.w
		} else if a.h > 1 {
			a.h = 1 + r.Int64N(a.h-1)
			b.y, b.h = b.y+a.h, b.h-a.h
		} else {
			continue
		}
		tiles[i] = a
		tiles = append(tiles, b)
	}
	t := &lifetime.Table{Name: "tiling"}
	for _, a := range tiles {
		t.Buffers = append(t.Buffers, lifetime.Buffer{Lower: a.x, Upper: a.x + a.w, Size: a.h})
	}
	return t
}

// TestDeterministic: neither the cores nor the order of the rows matter.
func TestDeterministic(t *testing.T) {
	table := tiling(rand.New(rand.NewPCG(3, 4)), 60)
	o := Options{Seed: 5, Decisions: 30000}
	want, err := Minimize(context.Background(), table, o)
	if err != nil {
		t.Fatal(err)
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	got, err := Minimize(context.Background(), table, o)
	if err != nil || !slices.Equal(got.Plan.Offsets, want.Plan.Offsets) || got.Stats.Decisions != want.Stats.Decisions {
		t.Errorf("one core: arena %d after %d decisions, two: %d after %d", got.Plan.Arena, got.Stats.Decisions, want.Plan.Arena, want.Stats.Decisions)
	}
	for seed := range uint64(3) {
		rows := shuffled(table, seed)
		got, err := Minimize(context.Background(), rows, o)
		if err != nil || got.Plan.Arena != want.Plan.Arena {
			t.Errorf("shuffled: arena %d, want %d", got.Plan.Arena, want.Plan.Arena)
		}
	}
}

func TestTooLarge(t *testing.T) {
	table := &lifetime.Table{Name: "dense"}
	for range 5000 {
		table.Buffers = append(table.Buffers, lifetime.Buffer{Lower: 0, Upper: 1, Size: 3, Align: 2})
	}
	if _, err := Minimize(context.Background(), table, Options{}); !errors.Is(err, ErrTooLarge) {
		t.Errorf("error %v, want %v", err, ErrTooLarge)
	}
}

// TestSearchDoesNotAllocate: nodes come from memory that is there.
func TestSearchDoesNotAllocate(t *testing.T) {
	ps, err := split(tiling(rand.New(rand.NewPCG(3, 4)), 150))
	if err != nil {
		t.Fatal(err)
	}
	p := ps.list[0]
	e := newEngine(p)
	e.setOrder("WAT", nil)
	capacity := p.peak() * p.unit
	var nodes int64
	for _, r := range []rule{ruleFirsts, ruleLowest, ruleLookWeight} {
		e.rule, e.limit = r, 2000
		e.nodes = 0
		e.run(capacity)
		allocs := testing.AllocsPerRun(2, func() {
			e.nodes = 0
			e.run(capacity)
		})
		if nodes += e.nodes; allocs > 0 {
			t.Errorf("rule %d: %v allocations in %d nodes", r, allocs, e.nodes)
		}
	}
	if nodes < 500 {
		t.Errorf("only %d nodes", nodes)
	}
}

// TestBeamIsSafe: what beams find on tables that hardly fit overlaps nowhere,
// and of what does not fit they find nothing.
func TestBeamIsSafe(t *testing.T) {
	for seed := range uint64(6) {
		table := tiling(rand.New(rand.NewPCG(seed, 8)), 40)
		for _, less := range []int64{0, 1, 40} {
			ps, err := split(table)
			if err != nil {
				t.Fatal(err)
			}
			for _, p := range ps.list {
				b := newBeam(p, seed, nil)
				capacity := p.peak()*p.unit + p.base - less
				out, e, _ := b.run(capacity, 60_000)
				if out == fits && (less > 0 || !p.safe(e.r)) {
					t.Errorf("seed %d, %d bytes less than live: a plan, safe: %t", seed, less, p.safe(e.r))
				}
			}
		}
	}
}
