package strategies

import (
	"bytes"
	"encoding/json"
	"os"
	"slices"
	"testing"

	"github.com/arenalab/arenalab/lifetime"
)

// The planner of Inductor itself, recorded by testdata/record_inductor.py, puts
// every buffer at the same offset.
func TestInductorRecordings(t *testing.T) {
	text, err := os.ReadFile("testdata/inductor.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.Split(bytes.TrimSpace(text), []byte("\n"))
	t.Logf("%d tables, recorded with %s", len(lines)-1, lines[0])
	if len(lines) < 60 {
		t.Error("too few tables were recorded")
	}
	const align = 64 // of the original
	for i, line := range lines[1:] {
		var r struct {
			Rows    [][3]int64 // size, lower, upper
			Arena   int64
			Offsets []int64
		}
		if err := json.Unmarshal(line, &r); err != nil {
			t.Fatalf("table %d: %v", i, err)
		}
		table := &lifetime.Table{Buffers: make([]lifetime.Buffer, len(r.Rows))}
		for k, row := range r.Rows {
			table.Buffers[k] = lifetime.Buffer{Size: row[0], Lower: row[1], Upper: row[2]}
		}
		plan, err := inductor{}.Plan(t.Context(), table, Options{Align: align})
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(plan.Offsets, r.Offsets) {
			t.Errorf("table %d: offsets %v, recorded %v", i, plan.Offsets, r.Offsets)
		}
		// The original may count a block at the top with its padding.
		if plan.Arena > r.Arena || lifetime.AlignUp(plan.Arena, align) < r.Arena {
			t.Errorf("table %d: arena %d, recorded %d", i, plan.Arena, r.Arena)
		}
	}
}
