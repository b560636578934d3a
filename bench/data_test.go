package bench_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/arenalab/arenalab/bench"
	"github.com/arenalab/arenalab/datasets"
	"github.com/arenalab/arenalab/graph"
	"github.com/arenalab/arenalab/reorder"
	"github.com/arenalab/arenalab/strategies"
)

// runFolder runs the size-only matrix of everything registered over folders of
// the data, and returns the files that could not be read or ordered. Every other
// cell has to be a plan that was executed, unless the strategy is not made for
// so many buffers and says so.
func runFolder(t *testing.T, orders []reorder.Reorderer, folders ...string) (failedFiles []string) {
	t.Helper()
	data := os.Getenv("ARENALAB_DATA")
	if data == "" {
		t.Skip("ARENALAB_DATA is not set")
	}
	for i := range folders {
		folders[i] = filepath.Join(data, folders[i])
	}
	set := datasets.Load(folders, datasets.LoadOptions{})
	cfg := bench.Config{
		Strategies: strategies.All(), Orders: orders, Profiles: graph.Profiles(), Reps: 1, Timeout: time.Minute, Decisions: 3_000,
	}
	files, how := make(map[string]bool), make(map[string]int)
	cells, start := 0, time.Now()
	err := bench.Run(context.Background(), cfg, set.All(), func(c *bench.Cell) error {
		cells++
		files[c.Path] = true
		switch {
		case c.Safe():
			how[c.Validated]++
		case c.Strategy == "" && c.Error != "":
			failedFiles = append(failedFiles, c.Path)
			t.Logf("%s: %s", c.Record.Model, c.Error)
		case errors.Is(c.Err, strategies.ErrTooLarge):
		default:
			t.Errorf("%s %s %s %s: %v, %q", c.Record.Model, c.Profile, c.Record.Order, c.Strategy, c.Status, c.Error)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d files, %d cells in %v, validated: %v", len(files), cells, time.Since(start), how)
	if len(files) != set.Len() {
		t.Errorf("%d of %d files have a record", len(files), set.Len())
	}
	return failedFiles
}

// TestRealFiles plans all real models and tables: in the stored order, or in
// every order if ARENALAB_FULL is set.
func TestRealFiles(t *testing.T) {
	if testing.Short() || os.Getenv("ARENALAB_SLOW") == "" {
		t.Skip("plans every real file with every strategy: set ARENALAB_SLOW")
	}
	orders := []reorder.Reorderer{storedOrder{}}
	if os.Getenv("ARENALAB_FULL") != "" {
		orders = reorder.All()
	}
	failed := runFolder(t, orders, "models", "tables")
	// The set has some that a reader may refuse: of an old schema, with tensors
	// that nothing writes, with pins off their alignment.
	const most = 5
	if len(failed) > most {
		t.Errorf("%d files could not be planned, more than %d", len(failed), most)
	}
}

// TestBrokenFiles plans what can be planned of files that are broken.
func TestBrokenFiles(t *testing.T) {
	if failed := runFolder(t, []reorder.Reorderer{storedOrder{}}, "broken"); len(failed) == 0 {
		t.Error("every broken file was planned")
	}
}
