package executor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/arenalab/arenalab/graph"
	"github.com/arenalab/arenalab/graph/tflite"
)

// TestValidatorModels validates plans of every model as a comparison does, says
// how, and which operators have no kernel.
func TestValidatorModels(t *testing.T) {
	ctx, how, memory := context.Background(), map[string]int{}, &Memory{}
	var missing coverage
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
		m, err := ref.Machine()
		if err == nil {
			missing.add(m)
		}
		if err == nil && time.Since(start) > time.Second {
			t.Logf("%s: %.1f s for %d million multiplications", name, time.Since(start).Seconds(), m.Work(0)/1e6)
		}
	}
	t.Logf("%v\n%s", how, &missing)
}

// coverage counts models by the operators that no kernel computes.
type coverage struct {
	models, whole int
	lacking       map[string]int
	reason        map[string]string
}

func (c *coverage) add(m *Machine) {
	if len(m.subs) == 0 || len(m.subs[0].ops) < 2 {
		return // a case of a test of its own
	}
	if c.lacking == nil {
		c.lacking, c.reason = map[string]int{}, map[string]string{}
	}
	c.models++
	seen := map[string]bool{}
	for i := range m.subs {
		for _, f := range m.Fallbacks(i) {
			if seen[f.Name] {
				continue
			}
			seen[f.Name] = true
			c.lacking[f.Name]++
			if c.reason[f.Name] == "" {
				c.reason[f.Name] = fmt.Sprintf("%s: %v", m.model.Name, f.Reason)
			}
		}
	}
	if len(seen) == 0 {
		c.whole++
	}
}

// String lists the operators, those that most models lack first.
func (c *coverage) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d of %d models of several operators have a kernel for each; operators without, by models:", c.whole, c.models)
	names := slices.SortedFunc(maps.Keys(c.lacking), func(x, y string) int {
		return cmp.Or(cmp.Compare(c.lacking[y], c.lacking[x]), strings.Compare(x, y))
	})
	for _, n := range names {
		fmt.Fprintf(&b, "\n%4d %s, as in %s", c.lacking[n], n, c.reason[n])
	}
	return b.String()
}
