package cli

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/arenalab/arenalab/bench"
	"github.com/arenalab/arenalab/lifetime"
)

// searched is a cell of a search that improved a number of times.
func searched(model string, improvements int) *bench.Cell {
	rec := bench.Record{
		Schema: bench.SchemaVersion, Model: model, Source: "table", Profile: "table", Order: "given", Strategy: "exact",
		Status: lifetime.Optimal, Validated: "check", ArenaBytes: 100, LowerBoundBytes: 100, PlanNS: 1e6,
	}
	for i := range improvements {
		rec.Convergence = append(rec.Convergence, bench.Improvement{
			Decisions: int64(10 + i), NS: int64(1000 * (i + 1)), ArenaBytes: int64(100 + 5*(improvements-1-i)), LowerBoundBytes: 100})
	}
	return &bench.Cell{Record: rec}
}

// TestConvergencePlots checks which models get a plot, and that there is none
// of a run without searches.
func TestConvergencePlots(t *testing.T) {
	for _, tt := range []struct {
		plots string
		cells []*bench.Cell
		want  string
	}{
		{"auto", []*bench.Cell{searched("a", 0), searched("b", 0)}, ""},
		{"auto", []*bench.Cell{searched("a", 2)}, "convergence"},
		{"auto", []*bench.Cell{searched("a", 2), searched("b", 1), searched("c", 0)}, "a.table.given.convergence convergence"},
		{"all", []*bench.Cell{searched("a", 2), searched("b", 1), searched("c", 0)}, "a.table.given.convergence b.table.given.convergence convergence"},
		{"none", []*bench.Cell{searched("a", 2)}, ""},
	} {
		t.Run(fmt.Sprintf("%s of %d", tt.plots, len(tt.cells)), func(t *testing.T) {
			var stdout, stderr bytes.Buffer
			o := &options{out: t.TempDir(), format: "csv", plots: tt.plots, effort: "decisions"}
			w, err := newOutput(o, env{stdout: &stdout, stderr: &stderr})
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range tt.cells {
				w.add(c)
			}
			if err := w.finish(false); err != nil {
				t.Fatalf("%v\n%s", err, &stderr)
			}
			var got []string
			paths, _ := filepath.Glob(filepath.Join(o.out, plotsName, "*.svg"))
			for _, p := range paths {
				if name := strings.TrimSuffix(filepath.Base(p), ".svg"); strings.Contains(name, "convergence") {
					got = append(got, name)
				}
			}
			slices.Sort(got)
			if s := strings.Join(got, " "); s != tt.want {
				t.Errorf("plots %q, want %q", s, tt.want)
			}
			page, err := os.ReadFile(filepath.Join(o.out, "report.html"))
			if err != nil {
				t.Fatal(err)
			}
			if has := bytes.Contains(page, []byte("placements tried")); has != (tt.want != "") {
				t.Errorf("the page has the plot: %t", has)
			}
		})
	}
}
