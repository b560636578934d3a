package exact

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/arenalab/arenalab/graph"
	"github.com/arenalab/arenalab/graph/opgraph"
)

func graphMemory(t testing.TB, file, profile string) *graph.Memory {
	t.Helper()
	p, err := graph.LookupProfile(profile)
	if err != nil {
		t.Fatal(err)
	}
	model, err := opgraph.Read(file)
	if err != nil {
		t.Fatal(err)
	}
	m, err := graph.NewMemory(model, model.Subgraphs[0], p)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// recorded are the least peaks of a graph, in KiB, by profile.
type recorded struct {
	file string
	kib  map[string]string
}

// recordedGraphs reads what is recorded of the graphs that ARENALAB_DATA leads to.
func recordedGraphs(t testing.TB) []recorded {
	root := os.Getenv("ARENALAB_DATA")
	if root == "" {
		t.Skip("ARENALAB_DATA is not set: no recorded graphs")
	}
	dir := filepath.Join(root, "graphs")
	f, err := os.Open(filepath.Join(dir, "EXPECTED.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var list []recorded
	lines := bufio.NewScanner(f)
	lines.Scan()
	for lines.Scan() {
		w := strings.Split(lines.Text(), "\t")
		list = append(list, recorded{filepath.Join(dir, w[0]+".txt"), map[string]string{"plain": w[3], "plain-inplace": w[5]}})
	}
	if len(list) == 0 {
		t.Fatal("no graphs recorded")
	}
	return list
}

// The least peaks of the recorded graphs are found and proven.
func TestRecordedGraphs(t *testing.T) {
	for _, g := range recordedGraphs(t) {
		for profile, want := range g.kib {
			m := graphMemory(t, g.file, profile)
			r, err := Solve(t.Context(), m, Options{})
			if err != nil {
				t.Fatal(err)
			}
			checkResult(t, m, r)
			name := fmt.Sprintf("%s %s", filepath.Base(g.file), profile)
			if got := fmt.Sprintf("%.1f", float64(r.Peak)/1024); got != want {
				t.Errorf("%s: peak %s KiB, recorded %s", name, got, want)
			}
			if !r.Optimal {
				t.Errorf("%s: bracket [%d, %d], witness of %d", name, r.LowerBound, r.Peak, r.Proven.Value)
			}
			t.Logf("%s: %+v", name, r.Stats)
		}
	}
}
