package reorder

import (
	"bufio"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/arenalab/arenalab/graph"
)

// What a programme says to be the least peak is the recorded optimum, and the
// hierarchy comes near it, in place and not.
func TestProgrammesOfGraphs(t *testing.T) {
	root := filepath.Join(dataRoot(t), "graphs")
	f, err := os.Open(filepath.Join(root, "EXPECTED.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	sure, graphs := 0, 0
	for lines := bufio.NewScanner(f); lines.Scan(); {
		w := strings.Split(lines.Text(), "\t")
		if w[0] == "graph" {
			continue
		}
		for k, name := range []string{"plain", "plain-inplace"} {
			p, err := graph.LookupProfile(name)
			if err != nil {
				t.Fatal(err)
			}
			model := readGraph(t, filepath.Join(root, w[0]+".txt"))
			m, err := graph.NewMemory(model, model.Subgraphs[0], p)
			if err != nil {
				t.Fatal(err)
			}
			optimum, err := strconv.ParseFloat(w[3+2*k], 64)
			if err != nil {
				t.Fatal(err)
			}
			graphs++
			sure += programmesOf(t, m, w[0]+" "+name, optimum)
		}
	}
	if sure < graphs/2 {
		t.Errorf("programmes are sure of %d peaks of %d graphs only", sure, graphs)
	}
}

// programmesOf returns how many programmes are sure of their peak.
func programmesOf(t *testing.T, m *graph.Memory, name string, optimum float64) (sure int) {
	check := func(by string, ops []int, exact bool, most float64) {
		kib := float64(m.Peak(ops)) / 1024
		if exact {
			sure, most = sure+1, optimum
		}
		if kib < optimum-0.05 || kib > most+0.05 {
			t.Errorf("%s by %s: peak %.1f KiB, sure: %v, optimum %.1f", name, by, kib, exact, optimum)
		}
	}
	steps := Options{Steps: 200_000}
	if ops, exact := undo(m, newBudget(t.Context(), steps, 0)); exact {
		check("tflite-tools", ops, true, 0)
	}
	ops, exact := divide(m, newBudget(t.Context(), steps, 0), serenityLevel)
	check("serenity", ops, exact, math.Inf(1))
	ops, exact = compose(m, newBudget(t.Context(), steps, 0), true)
	check("series-parallel", ops, exact, math.Inf(1))
	for _, r := range []Reorderer{hmcos{}, annealing{}} {
		order, err := r.Order(t.Context(), m, Options{Steps: 100_000})
		if err != nil {
			t.Fatal(err)
		}
		check(order.Name, order.Ops, false, 1.3*optimum)
	}
	return sure
}
