package bench_test

import (
	"context"
	"testing"

	"github.com/arenalab/arenalab/bench"
	"github.com/arenalab/arenalab/lifetime"
	"github.com/arenalab/arenalab/strategies"
)

// sevenBuffers is the smallest table known whose optimum, 6, is above its load.
func sevenBuffers() *lifetime.Table {
	t := &lifetime.Table{Name: "seven"}
	for _, b := range [][3]int64{{1, 3, 3}, {2, 5, 1}, {3, 4, 2}, {3, 6, 2}, {4, 8, 1}, {5, 6, 2}, {6, 7, 3}} {
		t.Buffers = append(t.Buffers, lifetime.Buffer{Lower: b[0], Upper: b[1], Size: b[2]})
	}
	return t
}

func TestFitTable(t *testing.T) {
	for capacity, want := range map[int64]lifetime.Status{0: lifetime.Feasible, 4: lifetime.Infeasible, 5: lifetime.Infeasible, 6: lifetime.Feasible, 7: lifetime.Feasible} {
		table := sevenBuffers()
		f, err := bench.FitTable(context.Background(), table, capacity, strategies.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if f.Status != want || f.Plan.Arena != 6 || f.Plan.Status != lifetime.Optimal {
			t.Errorf("capacity %d: %v with a plan of %d, %v; want %v, 6, optimal", capacity, f.Status, f.Plan.Arena, f.Plan.Status, want)
		}
		if f.Core == nil || !f.Core.Irreducible {
			t.Fatalf("capacity %d: core %+v", capacity, f.Core)
		}
		if capacity == 5 && len(f.Core.Buffers) != 7 || capacity == 4 && len(f.Core.Buffers) >= 7 {
			t.Errorf("capacity %d: core %v", capacity, f.Core.Buffers)
		}
		if len(f.Prices) == 0 {
			t.Error("nothing would save a byte")
		}
	}
}

// TestFitTableAligns: 3 and 3 bytes at multiples of 4 need 7.
func TestFitTableAligns(t *testing.T) {
	table := &lifetime.Table{Buffers: []lifetime.Buffer{{Size: 3, Upper: 1}, {Size: 3, Upper: 1}}}
	f, err := bench.FitTable(context.Background(), table, 6, strategies.Options{Align: 4})
	if err != nil || f.Status != lifetime.Infeasible || f.Plan.Arena != 7 {
		t.Errorf("%+v, %v, want 7 bytes, which do not fit into 6", f, err)
	}
}
