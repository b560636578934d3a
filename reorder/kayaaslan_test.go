package reorder

import (
	"math/rand/v2"
	"testing"
)

// Where every value has one last reader both programmes have the least peak;
// values that branches share are what the one for them is for.
func TestKayaaslan(t *testing.T) {
	r := rand.New(rand.NewPCG(12, 4))
	for range 500 {
		m := drawSeriesParallel(r, r.IntN(9), 0, 0)
		order, err := kayaaslan{}.Order(t.Context(), m, Options{})
		if err != nil {
			t.Fatal(err)
		}
		isExact(t, m, order.Ops)
	}
	worse := 0
	for range 1500 {
		m := drawSeriesParallel(r, 8, 8, 0)
		ops, exact := compose(m, newBudget(t.Context(), Options{}, splitSteps), false)
		best, least := compose(m, newBudget(t.Context(), Options{}, splitSteps), true)
		if exact {
			isExact(t, m, ops)
		}
		if least && m.Peak(best) < m.Peak(ops) {
			worse++
		}
	}
	if worse < 30 {
		t.Errorf("shared values mattered in %d graphs only", worse)
	}
}
