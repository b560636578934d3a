package exact

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// A beam wide enough for all states finds an order if and only if there is one.
func TestBeamAgainstBruteForce(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	never := func() bool { return false }
	for range 3000 {
		m := small(r, 1+r.IntN(8))
		want := bruteForce(m)
		net, err := newNetwork(m)
		if err != nil {
			t.Fatal(err)
		}
		for _, back := range []bool{false, true} {
			if back && m.First > 0 {
				continue
			}
			for _, budget := range []int64{want - 1, want} {
				if budget < m.Floor {
					continue
				}
				b := beam{net: net, part: &part{hi: net.n}, back: back, budget: budget, width: 1 << 10}
				order := b.run(never)
				if (order != nil) != (budget >= want) {
					t.Fatalf("back %v: order %v within %d, the least peak is %d", back, order, budget, want)
				}
				if order != nil {
					s := newSolver(t.Context(), m, net, Options{})
					checkOrder(t, m, s.ops(order), budget)
				}
			}
		}
	}
}

// Beams end in valid orders, as good as those they start from at least.
func TestBeam(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	better := 0
	for range 300 {
		m := small(r, 1+r.IntN(60))
		stored := m.Peak(topologicalOrder(m))
		got, err := Beam(t.Context(), m, Options{Steps: 20000})
		if err != nil {
			t.Fatal(err)
		}
		checkResult(t, m, got)
		if got.Peak > stored {
			t.Fatalf("peak %d, that of a first order is %d", got.Peak, stored)
		}
		if got.Peak < stored {
			better++
		}
		again, err := Beam(t.Context(), m, Options{Steps: 20000})
		if err != nil || !slices.Equal(got.Order, again.Order) {
			t.Fatalf("%v, then %v (%v)", got.Order, again.Order, err)
		}
	}
	if better == 0 {
		t.Error("never better than the first order")
	}
}
