package datasets

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"testing"

	"github.com/arenalab/arenalab/graph"
	"github.com/arenalab/arenalab/reorder/proof"
)

// graphProofs holds a line of JSON for each optimum that a search has proven.
const graphProofs = "testdata/graph_proofs.jsonl"

// graphProof is such a line: an order of that peak, and why none has less.
type graphProof struct {
	Name    string       `json:"name"`
	Optimum int64        `json:"optimum"`
	Order   []int        `json:"order"`
	Bound   *proof.Bound `json:"bound"`
}

func readGraphProofs(t *testing.T) []graphProof {
	text, err := os.ReadFile(graphProofs)
	if err != nil {
		t.Fatal(err)
	}
	var list []graphProof
	lines := bufio.NewScanner(bytes.NewReader(text))
	lines.Buffer(nil, len(text)+1)
	for lines.Scan() {
		var p graphProof
		dec := json.NewDecoder(bytes.NewReader(lines.Bytes()))
		dec.DisallowUnknownFields()
		if err := dec.Decode(&p); err != nil {
			t.Fatalf("%s line %d: %v", graphProofs, len(list)+1, err)
		}
		list = append(list, p)
	}
	return list
}

// TestGraphProofs checks every optimum that is not known by construction: the
// order has it, and the bound proves it.
func TestGraphProofs(t *testing.T) {
	proven := provenOptima()
	for _, p := range readGraphProofs(t) {
		l, ok := LookupOperatorGraph(p.Name)
		if f, _ := LookupGraphFamily(l.Family); !ok || f.Proof != "" || proven[p.Name] != p.Optimum || l.Optimum != p.Optimum {
			t.Errorf("%s: optimum %d of the proof, listed with %d, %d proven", p.Name, p.Optimum, l.Optimum, proven[p.Name])
			continue
		}
		delete(proven, p.Name)
		g, err := l.Build()
		if err != nil {
			t.Fatal(err)
		}
		if err := g.Model.Subgraphs[0].CheckOrder(graph.Order{Name: p.Name, Ops: p.Order}); err != nil {
			t.Error(err)
			continue
		}
		m := plainMemory(t, g)
		if peak := m.Peak(p.Order); peak != p.Optimum || p.Bound.Value != p.Optimum {
			t.Errorf("%s: optimum %d, the order has peak %d, the bound proves %d", p.Name, p.Optimum, peak, p.Bound.Value)
		}
		if err := proof.Check(m, p.Bound); err != nil {
			t.Errorf("%s: %v", p.Name, err)
		}
		above := p.Bound.Clone()
		above.Value++
		if proof.Check(m, above) == nil {
			t.Errorf("%s: the witness proves more than %d", p.Name, p.Bound.Value)
		}
	}
	for name := range proven {
		t.Errorf("%s: no proof", name)
	}
}
