package bench_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/arenalab/arenalab/bench"
	"github.com/arenalab/arenalab/datasets"
	"github.com/arenalab/arenalab/lifetime"
)

// narrow reports whether the record says that the runtime, which counts in 32
// bits, would not come to this plan.
func narrow(r *bench.Record) bool {
	return slices.ContainsFunc(r.Warnings, func(w string) bool { return strings.HasPrefix(w, "would overflow int32: ") })
}

// TestInt32OfTFLM: the plan that TFLite-Micro would have is reported in full,
// with a warning where its own planner would have lost count. It is a property
// of that runtime: other strategies have none.
func TestInt32OfTFLM(t *testing.T) {
	const limit = 1 << 31
	for _, test := range []struct {
		name  string
		rows  *lifetime.Table
		arena int64
		want  bool
	}{
		{"below", table([3]int64{0, 2, limit / 2}, [3]int64{1, 3, limit/2 - 1}), limit - 1, false},
		{"at", table([3]int64{0, 2, limit / 2}, [3]int64{1, 3, limit / 2}), limit, true},
		{"one after the other", table([3]int64{0, 2, limit - 1}, [3]int64{2, 4, limit - 1}), limit - 1, false},
		{"far beyond", table([3]int64{0, 9, 5 * limit}, [3]int64{3, 7, 1}), 5*limit + 1, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			for _, c := range run(t, sizeOnly(lookup(t, "tflm,first-fit")...), tableInput(test.name, test.rows)) {
				want := test.want && c.Strategy == "tflm"
				if !c.Safe() || c.ArenaBytes != test.arena || narrow(&c.Record) != want {
					t.Errorf("%s: arena %d, safe %v, warnings %q; want %d and a warning %v",
						c.Strategy, c.ArenaBytes, c.Safe(), c.Warnings, test.arena, want)
				}
			}
		})
	}
}

// TestInt32OnRealTables finds the real tables that TFLite-Micro's own planner
// could not plan: all that have more than 2^31 bytes live at once, and none
// whose arena ends before.
func TestInt32OnRealTables(t *testing.T) {
	root := os.Getenv("ARENALAB_DATA")
	if root == "" {
		t.Skip("ARENALAB_DATA is not set: no tables to plan")
	}
	set := datasets.Load([]string{filepath.Join(root, "tables")}, datasets.LoadOptions{})
	found := 0
	for in := range set.All() {
		const most = 20_000 // buffers: beyond it is the same again, for longer
		if in.Table == nil || len(in.Table.Buffers) > most {
			continue
		}
		cfg := sizeOnly(lookup(t, "tflm")...)
		cfg.Timeout = 0
		c := run(t, cfg, in)[0]
		switch over := c.ArenaBytes >= 1<<31; {
		case !c.Safe():
			t.Logf("%s: %s", c.Path, c.Error)
		case narrow(&c.Record) != over || c.PeakLiveBytes >= 1<<31 && !over:
			t.Errorf("%s: arena %d, peak %d, warnings %q", c.Path, c.ArenaBytes, c.PeakLiveBytes, c.Warnings)
		case over:
			found++
			t.Logf("%s: %s", c.Record.Model, c.Warnings)
		}
	}
	if found == 0 {
		t.Error("no table overflows int32")
	}
}
