package executor

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/arenalab/arenalab/graph"
	"github.com/arenalab/arenalab/graph/tflite"
)

// TestValidatorModels validates plans of every model as a comparison does, and
// says how.
func TestValidatorModels(t *testing.T) {
	ctx, how, memory := context.Background(), map[string]int{}, &Memory{}
	for _, file := range dataFiles(t, "models", "*.tflite") {
		model, err := tflite.Read(file)
		if err != nil {
			continue
		}
		name, o := filepath.Base(file), ReferenceOptions{MaxWork: 20e6}
		if os.Getenv("ARENALAB_FULL") != "" {
			o.MaxWork = 0
		}
		ref, start := NewReference(model, o), time.Now()
		for i, s := range model.Subgraphs {
			for _, p := range graph.Profiles() {
				order := graph.Stored(s)
				lt, err := graph.NewLifetimes(model, s, order, p)
				if err != nil {
					t.Fatal(err)
				}
				v, err := NewValidator(model, s, order, lt, ValidatorOptions{Reference: ref})
				if err != nil {
					t.Errorf("%s#%d, %s: %v", name, i, p.Name, err)
					continue
				}
				res, err := v.Validate(ctx, sweep(lt.Table), Options{Memory: memory})
				var c *Clobbered
				switch {
				case errors.As(err, &c) && c.InPlace() && p.InPlace != "":
				case err != nil:
					t.Errorf("%s#%d, %s: %v", name, i, p.Name, err)
				default:
					how[res.Engine]++
				}
			}
		}
		if m, err := ref.Machine(); err == nil && time.Since(start) > time.Second {
			t.Logf("%s: %.1f s for %d million multiplications", name, time.Since(start).Seconds(), m.Work(0)/1e6)
		}
	}
	t.Logf("%v", how)
}
