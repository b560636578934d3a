package bound

import (
	"testing"

	"github.com/arenalab/arenalab/reorder/proof"
)

// Budgets are refuted by cases where precedences alone do not, and by no more
// cases than needed: a proof without one of them is none.
func TestCases(t *testing.T) {
	trees := 0
	for _, seed := range []uint64{27, 28} { // in which there are some
		m := layered(16, 5, seed)
		order, peak := greedy(m)
		f, err := New(m)
		if err != nil {
			t.Fatal(err)
		}
		for budget := peak - f.Unit(); budget > peak/2; budget -= 3 * f.Unit() {
			p := f.Propagation(order)
			if o := p.Run(t.Context(), budget, nil); o == Refuted {
				break
			}
			o, found := p.Branch(t.Context(), budget, nil, nil)
			if found != nil && m.Peak(found) > budget {
				t.Fatalf("order of %d for a budget of %d", m.Peak(found), budget)
			}
			if o != Refuted {
				continue
			}
			b := p.Bound(t.Context())
			if err := proof.Check(m, b); err != nil {
				t.Fatal(err)
			}
			if b.Kind != proof.Tree {
				t.Fatalf("by cases: %s", b.Text(m))
			}
			trees++
			less := b.Clone()
			for n := less.Root; n.Cases != nil; n = n.Cases.AFirst {
				if n.Cases.AFirst.Cases == nil {
					n.Cases.AFirst = nil
					break
				}
			}
			if proof.Check(m, less) == nil {
				t.Errorf("a case is missing, but the checker accepts %s", less.Text(m))
			}
		}
	}
	t.Logf("%d refuted by cases", trees)
	if trees == 0 {
		t.Error("nothing is refuted by cases")
	}
}
