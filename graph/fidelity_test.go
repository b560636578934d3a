package graph_test

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/arenalab/arenalab/datasets"
	"github.com/arenalab/arenalab/graph"
	"github.com/arenalab/arenalab/graph/tflite"
	"github.com/arenalab/arenalab/lifetime"
	"github.com/arenalab/arenalab/strategies"
)

// plan builds the table of the main subgraph in stored order, and plans it.
func plan(t *testing.T, m *graph.Model, p graph.Profile, strategy string) (*graph.Lifetimes, *lifetime.Plan) {
	t.Helper()
	return planSubgraph(t, m, 0, p, strategy)
}

// planSubgraph does so for any subgraph.
func planSubgraph(t *testing.T, m *graph.Model, index int, p graph.Profile, strategy string) (*graph.Lifetimes, *lifetime.Plan) {
	t.Helper()
	s := m.Subgraphs[index]
	l, err := graph.NewLifetimes(m, s, graph.Stored(s), p)
	if err != nil {
		t.Fatal(err)
	}
	planners, err := strategies.Lookup(strategy)
	if err != nil {
		t.Fatal(err)
	}
	out, err := planners[0].Plan(context.Background(), l.Table, strategies.Options{})
	if err != nil {
		t.Fatalf("%s: %v", m.Name, err)
	}
	return l, out
}

func mustProfile(t *testing.T, name string) graph.Profile {
	t.Helper()
	p, err := graph.LookupProfile(name)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// outcome is what a comparison says about a model.
type outcome int

const (
	unknown outcome = iota // there is no recording
	same
	different
)

func verdict(equal bool) outcome {
	if equal {
		return same
	}
	return different
}

// compareAll compares models with recordings and says how many agree.
func compareAll(t *testing.T, models []*graph.Model, compare func(*graph.Model) outcome) {
	t.Helper()
	count := map[outcome]int{}
	for _, m := range models {
		count[compare(m)]++
	}
	if count[same] == 0 {
		t.Error("no model agrees")
	}
	t.Logf("%d of %d models exactly as in the real runtime", count[same], count[same]+count[different])
}

// embedded reads the models that come with the module.
func embedded(t *testing.T) (list []*graph.Model) {
	t.Helper()
	for _, member := range datasets.Embedded() {
		data, err := fs.ReadFile(datasets.Models(), member.File)
		if err != nil {
			t.Fatal(err)
		}
		m, err := tflite.Decode(data, member.File)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, m)
	}
	return list
}

// corpus reads the models of the data set that can be read.
func corpus(t *testing.T) (list []*graph.Model) {
	t.Helper()
	root := os.Getenv("ARENALAB_DATA")
	if root == "" {
		t.Skip("ARENALAB_DATA is not set: no models to compare with their recordings")
	}
	for _, folder := range []string{"models", "golden"} {
		list = append(list, models(t, filepath.Join(root, folder))...)
	}
	return list
}

// models reads the models of a folder that can be read.
func models(t *testing.T, folder string) (list []*graph.Model) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "*.tflite"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if m, err := tflite.Read(file); err == nil {
			list = append(list, m)
		}
	}
	return list
}
