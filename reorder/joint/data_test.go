package joint

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/arenalab/arenalab/graph"
	"github.com/arenalab/arenalab/graph/opgraph"
	"github.com/arenalab/arenalab/graph/tflite"
	"github.com/arenalab/arenalab/reorder"
)

func dataFiles(t testing.TB, pattern string) []string {
	root := os.Getenv("ARENALAB_DATA")
	if root == "" {
		t.Skip("ARENALAB_DATA is not set: no real models and graphs")
	}
	files, err := filepath.Glob(filepath.Join(root, pattern))
	if err != nil || len(files) == 0 {
		t.Fatalf("no files %s (%v)", pattern, err)
	}
	return files
}

// keeping returns the profile with graph inputs kept and offsets aligned.
func keeping(p graph.Profile, align int64) graph.Profile {
	p.KeepInputs, p.Align = true, align
	return p
}

// With offsets of its own every graph gets an order and an arena that are
// proven optimal together.
func TestOwnOnGraphs(t *testing.T) {
	plain, inPlace := profile(t, "plain"), profile(t, "plain-inplace")
	c := ownConfig(t)
	c.Bracket = nil
	for _, file := range dataFiles(t, "graphs/*.txt") {
		model, err := opgraph.Read(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range []graph.Profile{plain, keeping(plain, 1), inPlace, keeping(inPlace, 1)} {
			m := memoryOf(t, model, p)
			r, err := Solve(t.Context(), m, c, reorder.Options{Steps: 40})
			if err != nil {
				t.Fatal(err)
			}
			check(t, m, r)
			if !r.Optimal {
				t.Errorf("%s %s, inputs kept %v: arena %d, bound %d", model.Name, p.Name, p.KeepInputs, r.Arena, r.LowerBound)
			}
		}
	}
}

// For a named planner no graph gets a larger arena than with its stored order.
func TestNamedOnGraphs(t *testing.T) {
	rounded := profile(t, "plain")
	rounded.Align, rounded.RoundSizes = 16, 16
	cases := []struct {
		planner string
		profile graph.Profile
	}{
		{"litert", keeping(profile(t, "plain-inplace"), 64)},
		{"tflm", rounded},
	}
	smaller := 0
	for _, file := range dataFiles(t, "graphs/*.txt") {
		model, err := opgraph.Read(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, k := range cases {
			c := namedConfig(t, k.planner)
			c.Bracket = nil
			m := memoryOf(t, model, k.profile)
			r, err := Solve(t.Context(), m, c, reorder.Options{Steps: 60})
			if err != nil {
				t.Fatal(err)
			}
			check(t, m, r)
			if r.Arena < r.Stored {
				smaller++
			}
		}
	}
	if smaller == 0 {
		t.Error("no arena is smaller than with the stored order")
	}
}

// Models get valid orders and no larger arenas under the profiles of their
// runtimes, and the search sees the lives that the tables have.
func TestModels(t *testing.T) {
	configs := []Config{ownConfig(t), namedConfig(t, "litert"), namedConfig(t, "tflm")}
	profiles := []string{"litert", "litert", "tflm"}
	subgraphs := 0
	for _, file := range dataFiles(t, "models/*.tflite") {
		model, err := tflite.Read(file)
		if err != nil {
			continue // for the reader's tests
		}
		for _, s := range model.Subgraphs {
			if len(s.Ops) < 2 || len(s.Ops) > 250 {
				continue
			}
			subgraphs++
			for k, c := range configs {
				m, err := graph.NewMemory(model, s, profile(t, profiles[k]))
				if err != nil {
					t.Fatalf("%s: %v", file, err)
				}
				c.Bracket, c.Thorough = onlyStored, nil
				r, err := Solve(t.Context(), m, c, reorder.Options{Steps: 12})
				if err != nil {
					t.Fatalf("%s: subgraph %d: %v", filepath.Base(file), s.Index, err)
				}
				check(t, m, r)
				stored := graph.Stored(s)
				lt, err := graph.NewLifetimes(model, s, stored, m.Profile)
				if err != nil {
					t.Fatal(err)
				}
				l, err := newLives(m)
				if err != nil {
					t.Fatal(err)
				}
				l.find(indices(stored.Ops), make([]bool, len(s.Ops)))
				if m.Loose == "" && !l.agrees(lt) {
					t.Errorf("%s: subgraph %d: other lives than in the table of %s", filepath.Base(file), s.Index, m.Profile.Name)
				}
			}
		}
	}
	if t.Logf("%d subgraphs", subgraphs); subgraphs == 0 {
		t.Error("no subgraph could be ordered")
	}
}

// onlyStored is a bracket that knows nothing but the stored order.
func onlyStored(_ context.Context, m *graph.Memory, _ reorder.Options) (*Bracket, error) {
	order := graph.Stored(m.Subgraph).Ops
	return &Bracket{Order: order, Peak: m.Peak(order), Lower: m.Floor}, nil
}
