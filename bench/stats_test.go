package bench_test

import (
	"testing"

	"github.com/arenalab/arenalab/bench"
	"github.com/arenalab/arenalab/lifetime"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestSummarize(t *testing.T) {
	cell := func(model, strategy string, arena, bound int64, ns float64) bench.Record {
		return bench.Record{Model: model, Hash: model, Strategy: strategy, ArenaBytes: arena, LowerBoundBytes: bound,
			Gap: float64(arena-bound) / float64(max(bound, 1)), PlanNS: ns, Validated: "check"}
	}
	failed := cell("c", "b", 0, 100, 5)
	failed.Status, failed.Validated = lifetime.Failed, ""
	twin := cell("a", "a", 100, 100, 10)
	twin.Model = "copy of a"
	twin2 := cell("a", "b", 200, 100, 1)
	twin2.Model = "copy of a"
	unread := bench.Record{Model: "z", Path: "z", Status: lifetime.Failed}
	empty := cell("e", "a", 0, 0, 30)
	empty2 := cell("e", "b", 0, 0, 3)
	got := bench.Summarize([]bench.Record{
		cell("a", "a", 100, 100, 10), cell("a", "b", 200, 100, 1), // a wins
		cell("b", "a", 200, 100, 20), cell("b", "b", 200, 100, 2), // a tie
		cell("c", "a", 900, 100, 99), failed, // not in common
		twin, twin2, // the same file again
		unread, empty, empty2,
	})
	want := bench.Summary{
		Units:    3,
		Excluded: []string{"c", "z"},
		Strategies: []bench.StrategySummary{
			{Strategy: "a", Cells: 4, GeoMean: 1.2599210498948732, MedianGap: 0, WorstGap: 1, AtBound: 2, Best: 3, BestAlone: 1, MedianNS: 20},
			{Strategy: "b", Cells: 4, Failed: 1, GeoMean: 1.5874010519681994, MedianGap: 1, WorstGap: 1, AtBound: 1, Best: 2, MedianNS: 2},
		},
	}
	if d := cmp.Diff(want, got, cmpopts.EquateApprox(1e-12, 0)); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

func TestSummarizeNothing(t *testing.T) {
	if got := bench.Summarize(nil); got.Units != 0 || got.Strategies != nil {
		t.Errorf("%+v", got)
	}
	// Nothing in common: no averages, and no division by zero.
	got := bench.Summarize([]bench.Record{
		{Model: "m", Strategy: "a", Validated: "check", ArenaBytes: 4},
		{Model: "n", Path: "n", Strategy: "b", Validated: "check", ArenaBytes: 4},
	})
	if got.Units != 0 || len(got.Excluded) != 2 || got.Strategies[0].GeoMean != 0 {
		t.Errorf("%+v", got)
	}
}
