package bound

import (
	"bufio"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/arenalab/arenalab/graph"
	"github.com/arenalab/arenalab/graph/opgraph"
	"github.com/arenalab/arenalab/graph/tflite"
	"github.com/arenalab/arenalab/reorder/proof"
)

// expected calls fn for the graphs of which the optimum is recorded, in both
// profiles.
func expected(t testing.TB, fn func(name string, m *graph.Memory, optimum string)) {
	root := os.Getenv("ARENALAB_DATA")
	if root == "" {
		t.Skip("ARENALAB_DATA is not set: no graphs with recorded optima")
	}
	list, err := os.Open(filepath.Join(root, "graphs", "EXPECTED.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	defer list.Close()
	var columns []string
	for lines := bufio.NewScanner(list); lines.Scan(); {
		row := strings.Split(lines.Text(), "\t")
		if columns == nil {
			columns = row
			continue
		}
		model, err := opgraph.Read(filepath.Join(root, "graphs", row[0]+".txt"))
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range [][2]string{{"plain", "optimal_peak_kib"}, {"plain-inplace", "optimal_peak_kib_inplace"}} {
			p, err := graph.LookupProfile(c[0])
			if err != nil {
				t.Fatal(err)
			}
			m, err := graph.NewMemory(model, model.Subgraphs[0], p)
			if err != nil {
				t.Fatal(err)
			}
			if k := slices.Index(columns, c[1]); k >= 0 {
				fn(row[0]+" "+c[0], m, row[k])
			}
		}
	}
}

// The recorded optimum of each graph is proven, within what it was rounded to,
// by a few lines, and no bound is above it.
func TestGraphs(t *testing.T) {
	all, met := 0, 0
	expected(t, func(name string, m *graph.Memory, optimum string) {
		kib, err := strconv.ParseFloat(optimum, 64)
		if err != nil {
			t.Fatal(err)
		}
		f, err := New(m)
		if err != nil {
			t.Fatal(err)
		}
		budget := (int64((kib-0.05)*1024) - 1) / f.Unit() * f.Unit()
		p, w := f.Propagation(graph.Stored(m.Subgraph).Ops), &Work{Limit: 20e6}
		outcome, _ := p.Branch(t.Context(), budget, nil, w)
		if outcome != Refuted {
			t.Errorf("%s: %d bytes %v, the optimum is %s KiB", name, budget, outcome, optimum)
			return
		}
		b := p.Bound(t.Context())
		if err := proof.Check(m, b); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		lines, nodes := b.Size()
		if lines > 12 {
			t.Errorf("%s: the proof takes %d lines", name, lines)
		}
		x := f.Prove(t.Context(), graph.Stored(m.Subgraph).Ops, Options{Work: 8e6})
		if err := proof.Check(m, x.Bound); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if float64(x.Bound.Value)/1024 > kib+0.05 {
			t.Errorf("%s: bound %s above the optimum %s KiB", name, x.Bound.Text(m), optimum)
		}
		all++
		if float64(x.Bound.Value)/1024 >= kib-0.05 {
			met++
		}
		t.Logf("%s: %s KiB by %d lines, %d nodes, work %d; without being told %.1f by %s",
			name, optimum, lines, nodes, w.Done, float64(x.Bound.Value)/1024, x.Bound.Kind)
	})
	if met < all*9/10 {
		t.Errorf("only %d of %d optima are met without being told", met, all)
	}
}

// Bounds of real models, which have working memory, calls, variables and kept
// values, are accepted by the checker and not above the peak of the stored order,
// which most meet.
func TestModels(t *testing.T) {
	root := os.Getenv("ARENALAB_DATA")
	if root == "" {
		t.Skip("ARENALAB_DATA is not set: no models")
	}
	files, err := filepath.Glob(filepath.Join(root, "models", "*.tflite"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no models (%v)", err)
	}
	met, open, loose, kinds := 0, 0, 0, map[proof.Kind]int{}
	for _, file := range files {
		model, err := tflite.Read(file)
		if err != nil {
			continue // for the reader's tests
		}
		for _, s := range model.Subgraphs {
			for _, profile := range graph.Profiles() {
				m, err := graph.NewMemory(model, s, profile)
				if err != nil {
					t.Fatal(err)
				}
				f, err := New(m)
				if m.Loose != "" && err != nil {
					loose++
					continue
				}
				if err != nil {
					t.Errorf("%s %s subgraph %d: %v", filepath.Base(file), profile.Name, s.Index, err)
					continue
				}
				x := f.Prove(t.Context(), graph.Stored(s).Ops, Options{Work: 200e3})
				if err := proof.Check(m, x.Bound); err != nil || x.Bound.Value > x.Peak {
					t.Errorf("%s %s subgraph %d: peak %d: %s: %v", filepath.Base(file), profile.Name, s.Index, x.Peak, x.Bound.Text(m), err)
				}
				kinds[x.Bound.Kind]++
				if x.Bound.Value == x.Peak {
					met++
				} else {
					open++
				}
			}
		}
	}
	t.Logf("stored order optimal in %d, not proven in %d, nothing can be proven in %d: %v", met, open, loose, kinds)
	if met < 10*open {
		t.Errorf("only %d of %d stored orders are met by a bound", met, met+open)
	}
}
