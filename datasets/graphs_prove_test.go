package datasets

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"go/format"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/arenalab/arenalab/reorder/exact"
	"github.com/arenalab/arenalab/reorder/proof"
)

// TestProveGraphs brackets the optima of the list by search: those that are
// recorded are within. With -update it tries longer to prove those that are not,
// and records what it proves in graph_proofs.jsonl and graphs_optima.go; what
// was recorded stays.
func TestProveGraphs(t *testing.T) {
	if os.Getenv("ARENALAB_SLOW") == "" {
		t.Skip("ARENALAB_SLOW is not set: no searches for the optima of the listed graphs")
	}
	proofs := readGraphProofs(t)
	limit := time.Second
	if *update {
		limit = 8 * time.Second
	}
	for _, l := range OperatorGraphs() {
		if *update && l.Optimum > 0 {
			continue
		}
		g, err := l.Build()
		if err != nil {
			t.Fatal(err)
		}
		m := plainMemory(t, g)
		r, err := exact.Solve(t.Context(), m, exact.Options{TimeLimit: limit})
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: %d to %d, optimal %v, recorded %d", l.Name, r.LowerBound, r.Peak, r.Optimal, l.Optimum)
		if l.Optimum > 0 && (r.Peak < l.Optimum || r.LowerBound > l.Optimum) {
			t.Errorf("%s: the optimum is not %d, but between %d and %d", l.Name, l.Optimum, r.LowerBound, r.Peak)
		}
		if !r.Optimal {
			continue
		}
		if err := proof.Check(m, r.Proof); err != nil {
			t.Errorf("%s: %v", l.Name, err)
			continue
		}
		proofs = append(proofs, graphProof{l.Name, r.Peak, r.Order, r.Proof})
	}
	if *update {
		writeGraphProofs(t, proofs)
	}
}

// writeGraphProofs writes the proofs, and the optima they are of.
func writeGraphProofs(t *testing.T, proofs []graphProof) {
	slices.SortFunc(proofs, func(a, b graphProof) int { return cmp.Compare(a.Name, b.Name) })
	var lines bytes.Buffer
	var rows strings.Builder
	for _, p := range proofs {
		line, err := json.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		lines.Write(append(line, '\n'))
		fmt.Fprintf(&rows, "%q: %d,\n", p.Name, p.Optimum)
	}
	if err := os.WriteFile(graphProofs, lines.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	const file, begin = "graphs_optima.go", "func provenOptima() map[string]int64 {\n"
	old, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	head, _, found := strings.Cut(string(old), begin)
	if !found {
		t.Fatalf("%s does not have %q", file, begin)
	}
	text, err := format.Source([]byte(head + begin + "return map[string]int64{\n" + rows.String() + "}\n}\n"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, text, 0o644); err != nil {
		t.Fatal(err)
	}
}
