package bound

import (
	"math/rand/v2"
	"testing"

	"github.com/arenalab/arenalab/graph"
	"github.com/arenalab/arenalab/reorder/proof"
	"github.com/arenalab/arenalab/reorder/proof/prooftest"
)

// draw returns a small memory and a finder for it.
func draw(t *testing.T, r *rand.Rand) (*graph.Memory, *Finder) {
	m := prooftest.Draw(r, r.IntN(10))
	f, err := New(m)
	if err != nil {
		t.Fatal(err)
	}
	return m, f
}

// sound fails unless the checker accepts a bound and it is not above the optimum.
func sound(t *testing.T, m *graph.Memory, b *proof.Bound, optimum int64) {
	t.Helper()
	if err := proof.Check(m, b); err != nil {
		t.Fatalf("%v\n%+v\n%+v", err, b, m)
	}
	if b.Value > optimum {
		t.Fatalf("bound %+v above the optimum %d\n%+v", b, optimum, m)
	}
	more := b.Clone()
	more.Value++
	if err := proof.Check(m, more); err == nil {
		t.Fatalf("%s: the checker proves more than was found: %+v", b.Kind, b)
	}
}

// Cheap bounds, cuts and sets are sound, and cuts are exact.
func TestSmall(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	tight := map[string]int{}
	const trials = 4000
	for range trials {
		m, f := draw(t, r)
		optimum, order := prooftest.Optimum(m)
		if got := m.Peak(order); got != optimum {
			t.Fatalf("peak of the best order %d, by sets %d", got, optimum)
		}
		cheap := f.Cheap()
		sound(t, m, cheap, optimum)
		best := cheap.Value
		note := func(kind string) {
			if best == optimum {
				tight[kind]++
			}
		}
		note("cheap")
		if b := f.Cut(t.Context(), order, best, nil); b != nil {
			sound(t, m, b, optimum)
			best = b.Value
		}
		note("cut")
		if b := f.Set(t.Context(), order, best, nil); b != nil {
			sound(t, m, b, optimum)
			best = b.Value
		}
		note("set")
		if b := refute(t, m, f, order, optimum); b != nil && b.Value > best {
			best = b.Value
		}
		note("propagation")
		x := f.Prove(t.Context(), order, Options{})
		sound(t, m, x.Bound, optimum)
		if x.Bound.Value < best || x.Bound.Value != optimum && m.First == 0 {
			t.Fatalf("proved %+v, best %d of %d\n%+v", x.Bound, best, optimum, m)
		}
		best = x.Bound.Value
		note("cases")
	}
	t.Logf("tight of %d: %v", trials, tight)
	for _, least := range []struct {
		kind    string
		percent int
	}{{"cheap", 60}, {"cut", 85}, {"set", 93}, {"propagation", 97}, {"cases", 98}} {
		if tight[least.kind] < trials*least.percent/100 {
			t.Errorf("%s: %d of %d tight, at least %d %% expected", least.kind, tight[least.kind], trials, least.percent)
		}
	}
}

// refute asks for orders within every budget up to the optimum, and returns the
// best bound.
func refute(t *testing.T, m *graph.Memory, f *Finder, order []int, optimum int64) (best *proof.Bound) {
	for budget := optimum; budget >= 0; budget -= f.Unit() {
		p := f.Propagation(order)
		switch p.Run(t.Context(), budget, nil) {
		case Open:
			if budget == optimum {
				respects(t, p, order)
			}
		case Refuted:
			b := p.Bound(t.Context())
			sound(t, m, b, optimum)
			if best == nil {
				best = b
			}
			if budget < optimum-3*f.Unit() {
				return best
			}
		default:
			t.Fatal("stopped")
		}
	}
	return best
}

// respects fails unless an order within the budget runs all as p found it must.
func respects(t *testing.T, p *Propagation, order []int) {
	at := make([]int, len(order))
	for k, v := range order {
		at[v] = k
	}
	for _, q := range p.Before() {
		if at[q[0]] >= at[q[1]] {
			t.Fatalf("%d need not run before %d", q[0], q[1])
		}
	}
}
