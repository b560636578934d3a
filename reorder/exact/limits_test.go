package exact

import (
	"context"
	"math/rand/v2"
	"reflect"
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/arenalab/arenalab/datasets"
	"github.com/arenalab/arenalab/graph"
)

// generated returns the memory of a generated graph.
func generated(t testing.TB, family string, p datasets.GraphParams, seed uint64, profile string) *graph.Memory {
	t.Helper()
	f, ok := datasets.LookupGraphFamily(family)
	if !ok {
		t.Fatalf("no family %q", family)
	}
	g, err := f.Generate(p, seed)
	if err != nil {
		t.Fatal(err)
	}
	about, err := graph.LookupProfile(profile)
	if err != nil {
		t.Fatal(err)
	}
	m, err := graph.NewMemory(g.Model, g.Model.Subgraphs[0], about)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// countdown is done after it was looked at a number of times.
type countdown struct {
	context.Context
	left atomic.Int64
}

func (c *countdown) Err() error {
	if c.left.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

// Whenever a search is ended, it has a valid order and bracket.
func TestSolveEnds(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	for seed := range uint64(6) {
		m := generated(t, "layered-f", datasets.GraphParams{Size: 60, Width: 8}, seed, "plain-inplace")
		best, err := Solve(t.Context(), m, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if best.Peak != best.LowerBound {
			t.Fatalf("bracket [%d, %d] is open", best.LowerBound, best.Peak)
		}
		early := 0
		for range 40 {
			ctx := &countdown{Context: t.Context()}
			ctx.left.Store(r.Int64N(1 << r.IntN(12)))
			got, err := Solve(ctx, m, Options{})
			if err != nil {
				t.Fatal(err)
			}
			checkResult(t, m, got)
			if got.LowerBound > best.Peak || got.Peak < best.Peak {
				t.Fatalf("bracket [%d, %d], the least peak is %d", got.LowerBound, got.Peak, best.Peak)
			}
			if got.LowerBound < got.Peak {
				early++
			}
		}
		if early == 0 {
			t.Error("no search was ended early")
		}
	}
}

// Results do not depend on how many cores there are.
func TestSolveIsDeterministic(t *testing.T) {
	for _, width := range []int{5, 12} {
		m := generated(t, "layered-f", datasets.GraphParams{Size: 120, Width: width}, 3, "plain")
		var first *Result
		for _, cores := range []int{1, 2, 4} {
			old := runtime.GOMAXPROCS(cores)
			got, err := Solve(t.Context(), m, Options{Steps: 1_000_000})
			runtime.GOMAXPROCS(old)
			if err != nil {
				t.Fatal(err)
			}
			checkResult(t, m, got)
			if first == nil {
				first = got
			}
			if !reflect.DeepEqual(got, first) {
				t.Fatalf("with %d cores %+v, with one %+v", cores, got, first)
			}
		}
	}
}

// With little memory searches take longer, and prove the same.
func TestSolveInLittleMemory(t *testing.T) {
	m := generated(t, "layered-f", datasets.GraphParams{Size: 80, Width: 8}, 2, "plain")
	want, err := Solve(t.Context(), m, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, bytes := range []int64{1 << 16, 1 << 18} {
		got, err := Solve(t.Context(), m, Options{Memory: bytes, Steps: 3_000_000})
		if err != nil {
			t.Fatal(err)
		}
		checkResult(t, m, got)
		if got.Peak != want.Peak && got.LowerBound == got.Peak {
			t.Errorf("with %d bytes of memory a least peak of %d, with more %d", bytes, got.Peak, want.Peak)
		}
	}
}

func TestStates(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 14))
	for _, limit := range []int{1 << 12, 1 << 16, 1 << 20} {
		m := &memory{limit}
		s := newStates(2, m)
		added := map[[2]uint64]bool{}
		for range 20000 {
			x := [2]uint64{r.Uint64N(200), r.Uint64N(200) << 50}
			if s.has(x[:]) != added[x] {
				t.Fatalf("state %v is there: %v, want %v", x, s.has(x[:]), added[x])
			}
			before := s.count
			s.add(x[:])
			added[x] = added[x] || s.count > before
			if used := 8*len(s.slots) + 16*perChunk*len(s.chunk); m.left < 0 || used+m.left != limit {
				t.Fatalf("%d bytes used, %d left of %d", used, m.left, limit)
			}
		}
		if full := s.count < 15000; full != (limit < 1<<20) {
			t.Errorf("%d states in %d bytes", s.count, limit)
		}
		s.release()
		if m.left != limit {
			t.Errorf("%d bytes left of %d", m.left, limit)
		}
	}
}

// Known orders are started from, and each better bracket is told.
func TestSolveOptions(t *testing.T) {
	m := generated(t, "layered-f", datasets.GraphParams{Size: 100, Width: 12}, 1, "plain")
	best, err := Solve(t.Context(), m, Options{})
	if err != nil {
		t.Fatal(err)
	}
	var told [][2]int64
	o := Options{Steps: 1, Improved: func(peak, lower int64) { told = append(told, [2]int64{peak, lower}) }}
	plain, err := Solve(t.Context(), m, o)
	if err != nil {
		t.Fatal(err)
	}
	if plain.Peak == best.Peak {
		t.Fatal("one step is enough for this graph")
	}
	if len(told) == 0 || told[len(told)-1] != [2]int64{plain.Peak, plain.LowerBound} {
		t.Errorf("told %v, bracket [%d, %d]", told, plain.LowerBound, plain.Peak)
	}
	backwards := append([]int(nil), best.Order...)
	for i, j := 0, len(backwards)-1; i < j; i, j = i+1, j-1 {
		backwards[i], backwards[j] = backwards[j], backwards[i]
	}
	o.Orders = [][]int{nil, {0, 0}, backwards, best.Order}
	if got, err := Solve(t.Context(), m, o); err != nil || got.Peak != best.Peak {
		t.Errorf("%v, %v: the order of peak %d was not taken", got, err, best.Peak)
	}
}

func TestSolveErrors(t *testing.T) {
	value := graph.Value{Size: 4, Maker: -1, Readers: []int{0}}
	op := graph.MemoryOp{Reads: []int{0}, Replaces: -1}
	sub := &graph.Subgraph{}
	for name, m := range map[string]*graph.Memory{
		"nothing":        nil,
		"no lists":       {Ops: []graph.MemoryOp{op}, Values: []graph.Value{value}, Subgraph: sub},
		"a circle":       {Ops: []graph.MemoryOp{op, {Replaces: -1}}, Values: []graph.Value{value}, Before: [][]int{{1}, {0}}, Subgraph: sub},
		"out of range":   {Ops: []graph.MemoryOp{op}, Values: []graph.Value{value}, Before: [][]int{{1}}, Subgraph: sub},
		"too large":      {Ops: []graph.MemoryOp{op}, Values: []graph.Value{value}, Before: [][]int{nil}, Base: 1 << 62, Subgraph: sub},
		"negative":       {Ops: []graph.MemoryOp{op}, Values: []graph.Value{value}, Before: [][]int{nil}, First: -1, Subgraph: sub},
		"no room for it": {Ops: []graph.MemoryOp{{Reads: []int{0}, Replaces: 0}}, Values: []graph.Value{value}, Before: [][]int{nil}, Subgraph: sub},
	} {
		if r, err := Solve(t.Context(), m, Options{}); err == nil {
			t.Errorf("%s: %+v and no error", name, r)
		}
		if r, err := Beam(t.Context(), m, Options{}); err == nil {
			t.Errorf("%s: %+v of beams and no error", name, r)
		}
	}
}

// Nothing is proven of a memory whose peaks are not exact.
func TestSolveLoose(t *testing.T) {
	m := generated(t, "layered-f", datasets.GraphParams{Size: 30, Width: 3}, 1, "plain")
	m.Loose = "for a test"
	r, err := Solve(t.Context(), m, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if r.Optimal || r.Proof != nil || r.Proven != nil || r.Peak != r.LowerBound {
		t.Errorf("%+v", r)
	}
}
