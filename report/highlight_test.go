package report

import (
	"fmt"
	"testing"

	"github.com/arenalab/arenalab/bench"
	"github.com/arenalab/arenalab/lifetime"
)

// crowd returns records of n strategies on one model, the first the best, and
// those of the runtimes.
func crowd(n int) []bench.Record {
	var recs []bench.Record
	add := func(strategy string, arena int64) {
		recs = append(recs, bench.Record{
			Schema: bench.SchemaVersion, Source: "model", Model: "m", Hash: "h", Strategy: strategy, Profile: "litert", Order: "stored",
			Status: lifetime.Feasible, Validated: "symbolic", ArenaBytes: arena, LowerBoundBytes: 1000, PlanNS: float64(arena), PlanReps: 9,
		})
	}
	for i := range n {
		add(fmt.Sprintf("planner-%03d", i), 1000+int64(i))
	}
	add("litert", 3000)
	add("tflm", 4000)
	return recs
}

// In a crowd the strategies with a colour of their own and the best of the
// others are named; alone all are.
func TestHighlights(t *testing.T) {
	few := newInstances(crowd(5)).highlights()
	if len(few) != 7 {
		t.Errorf("%d of 7 strategies are named", len(few))
	}
	many := newInstances(crowd(60)).highlights()
	if len(many) != maxHighlights {
		t.Errorf("%d strategies are named, want %d", len(many), maxHighlights)
	}
	for _, name := range []string{"litert", "tflm", "planner-000", "planner-007"} {
		if !many[name] {
			t.Errorf("%s is not named", name)
		}
	}
}
