package bench_test

import (
	"strings"
	"testing"

	"github.com/arenalab/arenalab/bench"
	"github.com/arenalab/arenalab/datasets"
	"github.com/arenalab/arenalab/graph"
	"github.com/arenalab/arenalab/strategies"
)

func runtime(t *testing.T, name string) bench.Runtime {
	t.Helper()
	p, err := graph.LookupProfile(name)
	if err != nil {
		t.Fatal(err)
	}
	s, err := strategies.Lookup(name)
	if err != nil {
		t.Fatal(err)
	}
	return bench.Runtime{Profile: p, Strategy: s[0]}
}

// The way between two runtimes begins and ends with their own plans of every
// built-in model, in both directions, and no rule is named that they share.
func TestCompareRuntimes(t *testing.T) {
	litert, tflm := runtime(t, "litert"), runtime(t, "tflm")
	models := 0
	for in := range datasets.LoadFS(datasets.Models(), []string{"."}, datasets.LoadOptions{}).All() {
		if in.Err != nil {
			t.Fatal(in.Err)
		}
		models++
		for _, ends := range [][2]bench.Runtime{{litert, tflm}, {tflm, litert}} {
			changes, err := bench.CompareRuntimes(t.Context(), in.Model, ends[0], ends[1])
			if err != nil {
				t.Errorf("%s: %v", in.Name, err)
				continue
			}
			for k, at := range []int{0, len(changes) - 1} {
				if want := total(t, in.Model, ends[k]); changes[at].Arena != want {
					t.Errorf("%s: step %d of %d has an arena of %d, %s has %d",
						in.Name, at, len(changes), changes[at].Arena, ends[k].Profile.Name, want)
				}
			}
			for _, c := range changes[1:] {
				if c.From == c.To {
					t.Errorf("%s: %s is %s in both", in.Name, c.What, c.From)
				}
			}
		}
		same, err := bench.CompareRuntimes(t.Context(), in.Model, tflm, tflm)
		if err != nil || len(same) != 1 {
			t.Errorf("%s: %d steps from a runtime to itself, %v", in.Name, len(same), err)
		}
	}
	if models == 0 {
		t.Error("no models")
	}
}

// total adds up the arenas of the subgraphs that a runtime plans: every
// subgraph of the built-in models is reached from the main one.
func total(t *testing.T, m *graph.Model, r bench.Runtime) int64 {
	t.Helper()
	subs := m.Subgraphs
	if r.Profile.Nested {
		subs = subs[:1]
	}
	var sum int64
	for _, s := range subs {
		l, err := graph.NewLifetimes(m, s, graph.Stored(s), r.Profile)
		if err != nil {
			t.Fatal(err)
		}
		p, err := r.Strategy.Plan(t.Context(), l.Table, strategies.Options{})
		if err != nil {
			t.Fatal(err)
		}
		sum += p.Arena
	}
	return sum
}

// An unsafe plan on the way is an error that names model and planner.
func TestCompareRuntimesChecks(t *testing.T) {
	in := datasets.LoadFS(datasets.Models(), []string{"."}, datasets.LoadOptions{}).At(0)
	bad := runtime(t, "litert")
	bad.Strategy = unsafe
	_, err := bench.CompareRuntimes(t.Context(), in.Model, bad, runtime(t, "tflm"))
	if err == nil || !strings.Contains(err.Error(), in.Name) || !strings.Contains(err.Error(), "unsafe") {
		t.Errorf("error %v", err)
	}
}
