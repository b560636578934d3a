package bench_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/arenalab/arenalab/bench"
	"github.com/arenalab/arenalab/datasets"
	"github.com/arenalab/arenalab/graph"
	"github.com/arenalab/arenalab/lifetime"
	"github.com/arenalab/arenalab/reorder"
	"github.com/arenalab/arenalab/strategies"
)

// TestRealFiles runs the size-only matrix over all real models and tables:
// every cell is a validated plan, or says why it is not.
func TestRealFiles(t *testing.T) {
	data := os.Getenv("ARENALAB_DATA")
	if data == "" {
		t.Skip("ARENALAB_DATA is not set")
	}
	set, err := datasets.Load([]string{filepath.Join(data, "models"), filepath.Join(data, "tables")}, datasets.LoadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	cfg := bench.Config{
		Strategies: strategies.All(),
		Orders:     []reorder.Reorderer{storedOrder{}},
		Profiles:   graph.Profiles(),
		Reps:       1,
		Timeout:    time.Minute,
	}
	files := make(map[string]bool)
	var cells, failed int
	start := time.Now()
	err = bench.Run(context.Background(), cfg, set.All(), func(c *bench.Cell) error {
		cells++
		files[c.Path] = true
		switch {
		case c.Safe() && c.Validated == "symbolic":
		case c.Error == "":
			t.Errorf("%s %s %s: neither safe nor an error", c.Record.Model, c.Profile, c.Strategy)
		default:
			failed++
			t.Logf("%s %s %s %s: %v: %s", c.Record.Model, c.Profile, c.Record.Order, c.Strategy, c.Status, c.Error)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d files, %d cells, %d failed in %v", len(files), cells, failed, time.Since(start))
	if len(files) != set.Len() {
		t.Errorf("%d of %d files have a record", len(files), set.Len())
	}
}

var _ = lifetime.Optimal
