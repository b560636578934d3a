package reorder

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/arenalab/arenalab/graph"
	"pgregory.net/rapid"
)

// liveCount says step by step what Memory.Live says, and again after a reset.
func TestLiveCount(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		m := need{n: r.IntN(12), reads: 3, most: 9, inPlace: true}.draw(r)
		l := newLiveCount(m)
		for _, name := range []string{"stored", "depth-first", "breadth-first"} {
			list, err := Lookup(name)
			if err != nil {
				t.Fatal(err)
			}
			order, err := list[0].Order(t.Context(), m, Options{})
			if err != nil {
				t.Fatal(err)
			}
			l.reset()
			want := m.Live(order.Ops)
			for k, i := range order.Ops {
				if got := l.run(i); got != want[k] {
					t.Fatalf("%s: %d bytes at step %d, Live says %d", name, got, k, want[k])
				}
			}
		}
	})
}

// More orders of a seed are never worse, and enough of them are as good as all
// orders.
func TestRandomFindsTheBest(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	below := 0
	for range 60 {
		m := need{n: r.IntN(8), reads: 3, most: 9, inPlace: true}.draw(r)
		var last int64
		for k, steps := range []int64{1, 2, 5, 50, 3000} {
			order, err := random{}.Order(t.Context(), m, Options{Seed: 7, Steps: steps})
			if err != nil {
				t.Fatal(err)
			}
			if err := m.Subgraph.CheckOrder(order); err != nil {
				t.Fatal(err)
			}
			peak := m.Peak(order.Ops)
			if k > 0 && peak > last {
				t.Errorf("%d orders: peak %d after %d", steps, peak, last)
			}
			if peak < last {
				below++
			}
			last = peak
		}
		if want := leastPeak(m); last != want {
			t.Errorf("peak %d, the least is %d", last, want)
		}
	}
	if below == 0 {
		t.Error("one order was always as good as many: the graphs are too easy")
	}
}

// wide is a graph of n operators that all read the input; the last reads them.
func wide(t testing.TB, n int) *graph.Memory {
	ops, all, bytes := [][2][]int{}, []int{}, []int64{1}
	for i := range n {
		ops = append(ops, [2][]int{{0}, {i + 1}})
		all = append(all, i+1)
		bytes = append(bytes, int64(1+i%7))
	}
	s := chainSubgraph(append(bytes, 1), append(ops, [2][]int{all, {n + 1}}), n+1)
	if err := s.Link(); err != nil {
		t.Fatal(err)
	}
	return memoryOf(t, s, graph.Profile{})
}

func TestRandomSeeds(t *testing.T) {
	m := wide(t, 20)
	var orders [3][]int
	for k, seed := range []uint64{1, 2, 1} {
		order, err := random{}.Order(t.Context(), m, Options{Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		orders[k] = order.Ops
	}
	if slices.Equal(orders[0], orders[1]) || !slices.Equal(orders[0], orders[2]) {
		t.Errorf("orders of seeds 1, 2, 1: %v", orders)
	}
}

// Without an end of its own, a search ends with the clock or the context and
// keeps what it has.
func TestRandomEnds(t *testing.T) {
	m := wide(t, 20)
	for _, test := range []struct {
		name  string
		ctx   context.Context
		limit time.Duration
	}{
		{"clock", t.Context(), time.Millisecond},
		{"context", &countdown{t.Context(), 10}, 0},
	} {
		order, err := random{}.Order(test.ctx, m, Options{Steps: -1, TimeLimit: test.limit})
		if err != nil {
			t.Fatalf("%s: %v", test.name, err)
		}
		if err := m.Subgraph.CheckOrder(order); err != nil {
			t.Errorf("%s: %v", test.name, err)
		}
	}
	if _, err := (random{}).Order(&countdown{t.Context(), 1}, wide(t, checkEvery), Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v before there is an order", err)
	}
}

// All of these take under 10 ms for 1000 operators.
func BenchmarkPeers(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 1))
	layered := need{n: 1000, reads: 3, most: 100}.draw(r)
	for _, in := range []struct {
		name string
		m    *graph.Memory
	}{{"random", layered}, {"wide", wide(b, 999)}} {
		for _, name := range []string{
			"breadth-first", "depth-first", "reverse-postorder", "greedy-bytes", "random",
			"xla-list", "xla-dfs", "xla-postorder", "xla-min",
			"inductor-lpmf", "inductor-bfs", "inductor-dfs", "inductor-min",
		} {
			list, err := Lookup(name)
			if err != nil {
				b.Fatal(err)
			}
			b.Run(in.name+"/"+name, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if _, err := list[0].Order(b.Context(), in.m, Options{}); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
