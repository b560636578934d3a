package bench_test

import (
	"strings"
	"testing"
)

// The optimum that a file states is passed on and never used.
func TestStatedOptimum(t *testing.T) {
	for _, test := range []struct {
		states, align int64
		known         int64
		warning       string // of the first strategy; the second needs 100
	}{
		{states: 0},
		{states: 80, known: 80},
		{states: 80, align: 64}, // another problem than the file's
		{states: 79, known: 79, warning: "below the proven bound"},
		{states: 90, known: 90, warning: "above this plan"},
	} {
		in := tableInput("three", table([3]int64{0, 2, 30}, [3]int64{1, 3, 50}, [3]int64{2, 4, 20}))
		in.Optimum = test.states
		cfg := sizeOnly(lowestFit, stackUp)
		cfg.Align = test.align
		plain := sizeOnly(lowestFit, stackUp)
		plain.Align = test.align
		want := run(t, plain, tableInput("three", in.Table))
		for i, c := range run(t, cfg, in) {
			if c.KnownOptimum != test.known {
				t.Errorf("%+v: %d in the record", test, c.KnownOptimum)
			}
			if c.Status != want[i].Status || c.ArenaBytes != want[i].ArenaBytes || c.LowerBoundBytes != want[i].LowerBoundBytes {
				t.Errorf("%+v: %s changes with what the file states", test, c.Strategy)
			}
			if got := strings.Join(c.Warnings, "; "); i == 0 && (!strings.Contains(got, test.warning) || test.warning == "" && got != "") {
				t.Errorf("%+v: warnings %q", test, got)
			}
		}
	}
}
