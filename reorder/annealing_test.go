package reorder

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/arenalab/arenalab/graph"
)

// What the annealer knows of an order after any moves is what the memory says
// of it, and its moves make orders that can be executed.
func TestAnnealer(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	made, refused := 0, 0
	for range 60 {
		m := need{n: 2 + r.IntN(90), reads: 3, most: 9, inPlace: true}.draw(r)
		a := newAnnealer(m, graph.Stored(m.Subgraph).Ops, r)
		for range 60 {
			was, limit := slices.Clone(a.order), a.peak()+r.Int64N(6)
			if a.move(limit) {
				made++
				if a.peak() > limit {
					t.Fatalf("peak %d above the limit %d", a.peak(), limit)
				}
			} else {
				refused++
				if !slices.Equal(a.order, was) {
					t.Fatal("a refused move changed the order")
				}
			}
			if err := m.Subgraph.CheckOrder(graph.Order{Ops: a.order}); err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(a.during, m.Live(a.order)) || a.peak() != m.Peak(a.order) {
				t.Fatalf("live %v, want %v", a.during, m.Live(a.order))
			}
			for k, i := range a.order {
				if a.place[i] != k {
					t.Fatalf("operator %d at %d, not %d", i, k, a.place[i])
				}
			}
			if top := a.topPlace(); a.during[top] != slices.Max(a.during) {
				t.Fatalf("place %d is not at the top", top)
			}
			if slices.Contains(a.with, true) {
				t.Fatal("marks are left")
			}
		}
	}
	if made < 500 || refused < 500 {
		t.Errorf("%d moves made, %d refused", made, refused)
	}
}

func TestAnnealing(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	least, better := 0, 0
	const tries = 200
	for k := range tries {
		m := need{n: r.IntN(8), reads: 3, most: 9, inPlace: true}.draw(r)
		order, err := annealing{}.Order(t.Context(), m, Options{Seed: uint64(k), Steps: 500})
		if err != nil {
			t.Fatal(err)
		}
		stored := m.Peak(graph.Stored(m.Subgraph).Ops)
		switch got, want := m.Peak(order.Ops), leastPeak(m); {
		case got < want || got > stored || leastNeed(m) > want:
			t.Fatalf("peak %d, least %d, stored %d, bound %d", got, want, stored, leastNeed(m))
		case got == want:
			least++
			if want < stored {
				better++
			}
		}
	}
	if least < tries*95/100 || better < tries/10 {
		t.Errorf("%d of %d least, %d better than stored", least, tries, better)
	}
}

// Another seed is another walk.
func TestAnnealingSeeds(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 7))
	m := need{n: 60, reads: 3, most: 9}.draw(r)
	var orders [][]int
	for _, seed := range []uint64{1, 1, 2} {
		order, err := annealing{}.Order(t.Context(), m, Options{Seed: seed, Steps: 3000})
		if err != nil {
			t.Fatal(err)
		}
		orders = append(orders, order.Ops)
	}
	if !slices.Equal(orders[0], orders[1]) || slices.Equal(orders[0], orders[2]) {
		t.Error("the walk does not depend on the seed alone")
	}
}
