package joint

import (
	"context"
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/arenalab/arenalab/graph/opgraph"
	"github.com/arenalab/arenalab/reorder"
)

// The parts add up, none is negative, and what is left is never below what it
// cannot be below.
func checkAttribution(t interface{ Fatalf(string, ...any) }, a *Attribution) {
	left := a.Arena
	for _, p := range a.Parts {
		if left -= p.Bytes; p.Bytes < 0 || p.Left != left || p.Left < p.Bound {
			t.Fatalf("part %+v of %+v", p, a)
		}
	}
	if left != a.Bound {
		t.Fatalf("parts of %+v leave %d", a, left)
	}
}

func TestAttributionAddsUp(t *testing.T) {
	own, named := ownConfig(t), []Config{namedConfig(t, "litert"), namedConfig(t, "tflm")}
	own.Bracket = nil
	rapid.Check(t, func(t *rapid.T) {
		p := profile(t, rapid.SampledFrom([]string{"plain", "plain-inplace", "tflm", "litert"}).Draw(t, "profile"))
		m := memoryOf(t, drawGraph(t, 7), p)
		for _, c := range named {
			a, err := Attribute(context.Background(), m, c, own, reorder.Options{Steps: 100})
			if err != nil {
				t.Fatal(err)
			}
			checkAttribution(t, a)
			if p.Name == "plain" && a.Parts[4].Bytes != 0 || p.Name == "plain-inplace" && a.Parts[5].Bytes != 0 {
				t.Fatalf("%s: %+v", p.Name, a)
			}
		}
	})
}

func TestAttributionOfGraphs(t *testing.T) {
	own, c := ownConfig(t), namedConfig(t, "tflm")
	own.Bracket = nil
	p := profile(t, "tflm")
	total := map[Cause]int64{}
	for _, file := range dataFiles(t, "graphs/*.txt") {
		model, err := opgraph.Read(file)
		if err != nil {
			t.Fatal(err)
		}
		a, err := Attribute(t.Context(), memoryOf(t, model, p), c, own, reorder.Options{Steps: 100})
		if err != nil {
			t.Fatal(err)
		}
		checkAttribution(t, a)
		if !a.Closed {
			t.Errorf("%s: not closed", model.Name)
		}
		line := fmt.Sprintf("%s: %d", model.Name, a.Arena)
		for _, p := range a.Parts {
			line += fmt.Sprintf(", %s %d", p.Cause, p.Bytes)
			total[p.Cause] += p.Bytes
		}
		t.Logf("%s, bound %d", line, a.Bound)
	}
	for _, c := range []Cause{Numbering, Sequence, InPlace} {
		if total[c] == 0 {
			t.Errorf("nothing is lost to %s", c)
		}
	}
	if total[Open] > 0 {
		t.Errorf("%d bytes are open", total[Open])
	}
}
