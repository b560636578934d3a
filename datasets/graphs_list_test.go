package datasets

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/arenalab/arenalab/graph/opgraph"
)

// graphHashes holds a line for each listed graph: the hash of its text, and its
// name.
const graphHashes = "testdata/graph_hashes.txt"

// TestOperatorGraphs builds the list: each graph is what it is said to be, and
// the same text as ever, on any platform.
func TestOperatorGraphs(t *testing.T) {
	seen := map[string]bool{}
	var hashes strings.Builder
	for _, l := range OperatorGraphs() {
		if seen[l.Name] {
			t.Errorf("two graphs %q", l.Name)
		}
		seen[l.Name] = true
		if found, ok := LookupOperatorGraph(l.Name); !ok || found != l {
			t.Errorf("%s: looked up %+v", l.Name, found)
		}
		g, err := l.Build()
		if err != nil {
			t.Fatal(err)
		}
		f, _ := LookupGraphFamily(l.Family)
		s := g.Model.Subgraphs[0]
		if len(s.Ops) != l.Ops || g.Optimum != l.Optimum || g.Model.Name != l.Name || g.Family != l.Family || g.Seed != l.Seed {
			t.Errorf("%s: built %s of %d operators, optimum %d; want %+v", g.Model.Name, g.Family, len(s.Ops), g.Optimum, l)
		}
		if f.Proof != "" {
			checkGraph(t, g)
			if made, err := f.Generate(l.Params, l.Seed); err != nil || made.Optimum != l.Optimum {
				t.Errorf("%s: optimum %d recorded, %d by construction (%v)", l.Name, l.Optimum, made.Optimum, err)
			}
		}
		var text bytes.Buffer
		if err := opgraph.Encode(&text, g.Model); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&hashes, "%x %s\n", sha256.Sum256(text.Bytes()), l.Name)
	}
	for _, table := range []map[string]int64{builtOptima(), provenOptima()} {
		for name := range table {
			if !seen[name] {
				t.Errorf("an optimum of %q, which is not listed", name)
			}
		}
	}
	if _, ok := LookupOperatorGraph("nothing"); ok {
		t.Error("a graph that is none")
	}
	if *update {
		if err := os.WriteFile(graphHashes, []byte(hashes.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(graphHashes)
	if err != nil {
		t.Fatal(err)
	}
	recorded := map[string]string{}
	for line := range strings.Lines(string(want)) {
		hash, name, _ := strings.Cut(strings.TrimSpace(line), " ")
		recorded[name] = hash
	}
	for line := range strings.Lines(hashes.String()) {
		hash, name, _ := strings.Cut(strings.TrimSpace(line), " ")
		if recorded[name] != hash {
			t.Errorf("%s has hash %s, recorded %q", name, hash, recorded[name])
		}
		delete(recorded, name)
	}
	for name := range recorded {
		t.Errorf("a hash of %q, which is not listed", name)
	}
}

// TestNetworksAreAsLarge: the networks of architecture search have the sizes
// that they have elsewhere.
func TestNetworksAreAsLarge(t *testing.T) {
	searched := []string{"nasnet-a", "amoebanet-a", "pnasnet-5", "darts-v2"}
	sizes := map[string]int{}
	for _, l := range OperatorGraphs() {
		if slices.Contains(searched, l.Family) {
			if sizes[l.Name] = l.Ops; l.Ops < 592 || l.Ops > 1018 {
				t.Errorf("%s has %d operators", l.Name, l.Ops)
			}
		}
	}
	if len(sizes) != 2*len(searched) {
		t.Errorf("%d networks: %v", len(sizes), sizes)
	}
}
