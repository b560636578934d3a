package report

import (
	"bytes"
	"strings"
	"testing"

	"github.com/arenalab/arenalab/bench"
)

func TestRuntimes(t *testing.T) {
	at := func(arena int64) bench.Bytes { return bench.Bytes{Arena: arena, Bound: 1000, Buffers: 3} }
	changes := []bench.Change{
		{To: "a", Bytes: at(2000)},
		{What: "alignment", From: "64", To: "16", Bytes: at(1900)},
		{What: "exit", From: "a step", To: "no step", Bytes: at(1900)},
		{What: "inputs", From: "kept", To: "recycled", Bytes: at(1400)},
		{What: "planner", From: "p", To: "q", Bytes: at(1450)},
	}
	var buf bytes.Buffer
	if err := Runtimes(&buf, "m", changes, Options{}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"1,900    −100", "1,400    −500", "1,450     +50", "in all", "−550",
		"without effect here: exit (a step → no step)",
		"2,000 → 1,450 B (−550); what moves most: inputs kept → recycled (−500)",
	} {
		if !strings.Contains(buf.String(), want) {
			t.Errorf("no %q in\n%s", want, &buf)
		}
	}
	for _, f := range []Format{Markdown, LaTeX, HTML} {
		if err := Runtimes(&buf, "m|_%", changes, Options{Format: f}); err != nil {
			t.Errorf("%s: %v", f, err)
		}
	}
}
