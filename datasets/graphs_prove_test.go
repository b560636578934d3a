package datasets

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"go/format"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/arenalab/arenalab/graph"
	"github.com/arenalab/arenalab/reorder"
	"github.com/arenalab/arenalab/reorder/bound"
	"github.com/arenalab/arenalab/reorder/proof"
)

// TestProveGraphs searches for the optima of the smaller graphs of the list: no
// order is below one that is recorded. With -update, which takes long (use
// -timeout 0), it searches all that have none, and records what it proves in
// graph_proofs.jsonl and graphs_optima.go; what was recorded stays.
func TestProveGraphs(t *testing.T) {
	if os.Getenv("ARENALAB_SLOW") == "" {
		t.Skip("ARENALAB_SLOW is not set: no searches for the optima of the listed graphs")
	}
	proofs := readGraphProofs(t)
	for _, l := range OperatorGraphs() {
		limit := 10 * time.Second
		if !*update {
			limit = time.Second
		}
		if *update && l.Optimum > 0 || !*update && l.Ops > 130 {
			continue
		}
		g, err := l.Build()
		if err != nil {
			t.Fatal(err)
		}
		m := plainMemory(t, g)
		order, name := bestOrder(t, m, limit)
		peak := m.Peak(order)
		if peak < l.Optimum {
			t.Errorf("%s: %s has peak %d, below the optimum %d", l.Name, name, peak, l.Optimum)
		}
		t.Logf("%s: %s has peak %d, the optimum is %d", l.Name, name, peak, l.Optimum)
		if *update {
			if b := prove(t, m, order, limit); b.Value == peak {
				proofs = append(proofs, graphProof{l.Name, peak, order, b})
			}
		}
	}
	if *update {
		writeGraphProofs(t, proofs)
	}
}

// bestOrder returns the best order of all reorderers, and which made it.
func bestOrder(t *testing.T, m *graph.Memory, limit time.Duration) (best []int, name string) {
	for _, r := range reorder.All() {
		ctx, cancel := context.WithTimeout(t.Context(), 2*limit)
		order, err := r.Order(ctx, m, reorder.Options{TimeLimit: limit})
		cancel()
		if err != nil {
			t.Logf("%s: %s: %v", m.Model.Name, r.Info().Name, err)
			continue
		}
		if best == nil || m.Peak(order.Ops) < m.Peak(best) {
			best, name = order.Ops, r.Info().Name
		}
	}
	return best, name
}

func prove(t *testing.T, m *graph.Memory, order []int, limit time.Duration) *proof.Bound {
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	f, err := bound.New(m)
	if err != nil {
		t.Fatal(err)
	}
	b := f.Prove(ctx, order, bound.Options{}).Bound
	if err := proof.Check(m, b); err != nil {
		t.Errorf("%s: %v", m.Model.Name, err)
	}
	return b
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
