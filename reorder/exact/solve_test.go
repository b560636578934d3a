package exact

import (
	"math/rand/v2"
	"testing"

	"github.com/arenalab/arenalab/graph"
	"github.com/arenalab/arenalab/reorder/proof"
)

// small draws the memory of a few operators that Solve accepts.
func small(r *rand.Rand, n int) *graph.Memory {
	m := randomMemory(r, n)
	m.Subgraph = &graph.Subgraph{Ops: make([]graph.Op, n)}
	return m
}

// checkResult checks what a result says of itself.
func checkResult(t testing.TB, m *graph.Memory, r *Result) {
	t.Helper()
	checkOrder(t, m, r.Order, r.Peak)
	if m.Peak(r.Order) != r.Peak || r.LowerBound > r.Peak {
		t.Fatalf("bracket [%d, %d] of an order that needs %d", r.LowerBound, r.Peak, m.Peak(r.Order))
	}
	for _, b := range []*proof.Bound{r.Proof, r.Proven} {
		if b == nil {
			continue
		}
		if err := proof.Check(m, b); err != nil {
			t.Fatal(err)
		}
		if b.Value > r.LowerBound || b == r.Proof && b.Value != r.LowerBound {
			t.Fatalf("witness of %d for a bound of %d", b.Value, r.LowerBound)
		}
	}
	if r.Optimal != (r.Proof != nil && r.Proof.Value == r.Peak) {
		t.Fatalf("optimal %v with bracket [%d, %d], witness %v", r.Optimal, r.LowerBound, r.Peak, r.Proof)
	}
}

func TestSolveAgainstBruteForce(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	all, optimal := 0, 0
	for range 10000 {
		m := small(r, r.IntN(10))
		want := bruteForce(m)
		got, err := Solve(t.Context(), m, Options{})
		if err != nil {
			t.Fatal(err)
		}
		checkResult(t, m, got)
		if got.Peak != want || got.LowerBound != want {
			t.Fatalf("bracket [%d, %d], the least peak is %d", got.LowerBound, got.Peak, want)
		}
		if m.First > 0 {
			continue // witnesses do not know of it but for the first operator
		}
		if all++; got.Optimal {
			optimal++
		}
	}
	t.Logf("%d of %d with a witness", optimal, all)
	if optimal < all*99/100 {
		t.Errorf("only %d of %d have a witness", optimal, all)
	}
}

// The search alone, from an order at random, closes every bracket, part by part.
func TestSearchOfParts(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	several := 0
	for range 5000 {
		m := small(r, 2+r.IntN(8))
		net, err := newNetwork(m)
		if err != nil {
			t.Fatal(err)
		}
		s := newSolver(t.Context(), m, net, Options{})
		var order []int32
		for w := newWalk(net, false); w.count < net.n; {
			v := int32(r.IntN(net.n))
			if w.ready[0]>>v&1 != 0 {
				w.take(v)
				order = w.trail
			}
		}
		s.offer(order)
		if len(s.parts) > 1 && s.upper() > bruteForce(m) {
			several++
		}
		s.search(1 << 40)
		if want := bruteForce(m); s.upper() != want || s.lower != want {
			t.Fatalf("bracket [%d, %d], the least peak is %d", s.lower, s.upper(), want)
		}
		checkOrder(t, m, s.ops(s.order()), s.upper())
	}
	if several < 100 {
		t.Errorf("only %d graphs of several parts in an order that is not the best", several)
	}
}
