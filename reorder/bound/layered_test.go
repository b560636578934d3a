package bound

import (
	"context"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/arenalab/arenalab/graph"
	"github.com/arenalab/arenalab/reorder/proof"
	"github.com/arenalab/arenalab/reorder/proof/prooftest"
)

// layered returns n operators in layers of about the given width that read one
// to three values of the layers before, of 1 to 100 KiB. Only those of the last
// layer are kept.
func layered(n, width int, seed uint64) *graph.Memory {
	r := rand.New(rand.NewPCG(seed, 5))
	m := &graph.Memory{Ops: make([]graph.MemoryOp, n), Before: make([][]int, n)}
	m.Values = append(m.Values, graph.Value{Size: 1024, Maker: -1})
	var layers [][]int
	for v := 0; v < n; {
		var layer []int
		for range min(n-v, max(1, int(float64(width)*(1+r.NormFloat64()/4)))) {
			layer = append(layer, v)
			v++
		}
		layers = append(layers, layer)
	}
	reads := make([][]int, n) // operators whose values an operator reads
	read := make([]bool, n)
	for k, layer := range layers {
		for _, v := range layer {
			for range 1 + r.IntN(3) {
				if k == 0 {
					break
				}
				from := layers[k-1]
				if r.IntN(5) == 0 {
					from = layers[max(0, k-1-r.IntN(4))]
				}
				u := from[r.IntN(len(from))]
				reads[v] = append(reads[v], u)
				read[u] = true
			}
		}
		if k > 0 {
			for _, u := range layers[k-1] {
				if !read[u] {
					v := layer[r.IntN(len(layer))]
					reads[v] = append(reads[v], u)
				}
			}
		}
	}
	for v := range n {
		m.Ops[v] = graph.MemoryOp{Makes: []int{v + 1}, Replaces: -1}
		m.Values = append(m.Values, graph.Value{Size: 1024 * (1 + r.Int64N(100)), Maker: v})
	}
	wire(m, reads)
	return m
}

// wire lets operators read the values of others, or the first value if they
// read none, and keeps what nothing reads.
func wire(m *graph.Memory, reads [][]int) {
	for v := range m.Ops {
		slices.Sort(reads[v])
		m.Before[v] = slices.Compact(reads[v])
		for _, u := range m.Before[v] {
			m.Ops[v].Reads = append(m.Ops[v].Reads, u+1)
		}
		if len(m.Before[v]) == 0 {
			m.Ops[v].Reads = []int{0}
		}
		for _, x := range m.Ops[v].Reads {
			m.Values[x].Readers = append(m.Values[x].Readers, v)
		}
	}
	for x := range m.Values {
		if m.Values[x].Kept = len(m.Values[x].Readers) == 0; m.Values[x].Kept {
			m.Floor += m.Values[x].Size
		}
	}
}

// greedy returns the order that takes the ready operator of least net change
// first, and its peak.
func greedy(m *graph.Memory) (order []int, peak int64) {
	left := make([]int, len(m.Ops))
	after := make([][]int, len(m.Ops))
	for v, list := range m.Before {
		left[v] = len(list)
		for _, u := range list {
			after[u] = append(after[u], v)
		}
	}
	readers := make([]int, len(m.Values))
	for x := range m.Values {
		readers[x] = len(m.Values[x].Readers)
	}
	for len(order) < len(m.Ops) {
		best, least := -1, int64(0)
		for v := range m.Ops {
			if left[v] != 0 {
				continue
			}
			var change int64
			for _, x := range m.Ops[v].Makes {
				change += m.Values[x].Size
			}
			for _, x := range m.Ops[v].Reads {
				if readers[x] == 1 && !m.Values[x].Kept {
					change -= m.Values[x].Size
				}
			}
			if best < 0 || change < least {
				best, least = v, change
			}
		}
		left[best] = -1
		for _, v := range after[best] {
			left[v]--
		}
		for _, x := range m.Ops[best].Reads {
			readers[x]--
		}
		order = append(order, best)
	}
	return order, m.Peak(order)
}

// All bounds of larger graphs are accepted by the checker, and no better kind is
// worse; a second run finds the same.
func TestLayered(t *testing.T) {
	for seed := range uint64(4) {
		m := layered(60, 5, seed)
		order, peak := greedy(m)
		run := func() (Result, []proof.Kind) {
			f, err := New(m)
			if err != nil {
				t.Fatal(err)
			}
			var kinds []proof.Kind
			last := int64(-1)
			x := f.Prove(t.Context(), order, Options{Work: 3e6, See: func(b *proof.Bound) {
				if err := proof.Check(m, b); err != nil || b.Value <= last || b.Value > peak {
					t.Errorf("%v: after %d, with an order of %d: %s", err, last, peak, b.Text(m))
				}
				last = b.Value
				kinds = append(kinds, b.Kind)
			}})
			return x, kinds
		}
		x, kinds := run()
		t.Logf("peak of %d, at least %d: %v", x.Peak, x.Bound.Value, kinds)
		if y, _ := run(); !reflect.DeepEqual(x, y) {
			t.Errorf("found %+v, then %+v", x, y)
		}
		if len(kinds) < 2 {
			t.Errorf("only %v", kinds)
		}
	}
}

// An order that comes up on the way is taken, and the bound meets it.
func TestTry(t *testing.T) {
	met := 0
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 1))
		m := prooftest.Draw(r, 9)
		optimum, best := prooftest.Optimum(m)
		f, err := New(m)
		if err != nil {
			t.Fatal(err)
		}
		stored := make([]int, len(m.Ops))
		for i := range stored {
			stored[i] = i
		}
		asked := 0
		x := f.Prove(t.Context(), stored, Options{Try: func(_ context.Context, budget int64, before [][2]int) []int {
			asked++
			if optimum > budget {
				return stored // a bad answer
			}
			return best
		}})
		if x.Peak != optimum && asked > 0 || x.Bound.Value > optimum || m.Peak(x.Order) != x.Peak {
			t.Errorf("peak %d and bound %d, the optimum is %d", x.Peak, x.Bound.Value, optimum)
		}
		if asked > 0 && x.Bound.Value == x.Peak {
			met++
		}
	}
	if met == 0 {
		t.Error("no order came up")
	}
}

// Searches stop when they should, with what they have.
func TestStops(t *testing.T) {
	m := layered(150, 12, 1)
	order, peak := greedy(m)
	f, err := New(m)
	if err != nil {
		t.Fatal(err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if o := f.Propagation(order).Run(ended, peak-1024, nil); o != Stopped {
		t.Errorf("%v with a context that has ended", o)
	}
	if x := f.Prove(ended, order, Options{}); x.Bound.Value != f.Cheap().Value {
		t.Errorf("%+v with a context that has ended", x.Bound)
	}
	if b := f.Set(ended, order, 0, nil); b != nil {
		t.Errorf("%+v with a context that has ended", b)
	}
	for _, limit := range []int64{1, 1000, 100000} {
		w := &Work{Limit: limit}
		if o := f.Propagation(nil).Run(t.Context(), peak-1024, w); o != Stopped || w.Done < limit || w.Done > limit+100000 {
			t.Errorf("%v after %d of %d", o, w.Done, limit)
		}
		x := f.Prove(t.Context(), order, Options{Work: limit})
		if x.Work > limit+200000 || x.Bound == nil {
			t.Errorf("%d of %d done", x.Work, limit)
		}
	}
}

func TestNew(t *testing.T) {
	for fault, spoil := range map[string]func(m *graph.Memory){
		"by chance":     func(m *graph.Memory) { m.Loose = "by chance" },
		"negative":      func(m *graph.Memory) { m.Values[1].Size = -1 },
		"wait for each": func(m *graph.Memory) { m.Before[0] = []int{len(m.Ops) - 1} },
		"not read":      func(m *graph.Memory) { m.Ops[0].Replaces = 3 },
		"more than":     func(m *graph.Memory) { m.Ops = make([]graph.MemoryOp, MaxOps+1) },
	} {
		m := layered(20, 1, 1)
		spoil(m)
		if _, err := New(m); err == nil || !strings.Contains(err.Error(), fault) {
			t.Errorf("error %v, want %q", err, fault)
		}
	}
	f, err := New(&graph.Memory{Floor: 5})
	if err != nil {
		t.Fatal(err)
	}
	if x := f.Prove(t.Context(), nil, Options{}); x.Bound.Kind != proof.Floor || x.Bound.Value != 5 || x.Peak != 5 {
		t.Errorf("%+v of no operators", x)
	}
}
