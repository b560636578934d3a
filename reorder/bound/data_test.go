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
		x := f.Prove(t.Context(), graph.Stored(m.Subgraph).Ops, Options{Work: 3e6})
		if err := proof.Check(m, x.Bound); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if float64(x.Bound.Value)/1024 > kib+0.05 {
			t.Errorf("%s: bound %s above the optimum %s KiB", name, x.Bound.Text(m), optimum)
		}
		t.Logf("%s: %s KiB by %d lines, %d nodes, work %d; without being told %.1f by %s",
			name, optimum, lines, nodes, w.Done, float64(x.Bound.Value)/1024, x.Bound.Kind)
	})
}
