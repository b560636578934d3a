package strategies

import (
	"bytes"
	"encoding/json"
	"os"
	"slices"
	"testing"

	"github.com/arenalab/arenalab/lifetime"
)

// The planners of ExecuTorch itself, recorded by testdata/record_executorch.py,
// put every tensor at the same offset and ask for as much memory.
func TestExecuTorchRecordings(t *testing.T) {
	text, err := os.ReadFile("testdata/executorch.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.Split(bytes.TrimSpace(text), []byte("\n"))
	t.Logf("%d tables, recorded with %s", len(lines)-1, lines[0])
	if len(lines) < 2 {
		t.Fatal("no table was recorded")
	}
	type result struct {
		Arena   int64
		Offsets []int64
	}
	for i, line := range lines[1:] {
		var r struct {
			Align         int64
			Rows          [][3]int64 // size, lower, upper
			Greedy, Naive result
		}
		if err := json.Unmarshal(line, &r); err != nil {
			t.Fatalf("table %d: %v", i, err)
		}
		table := &lifetime.Table{Buffers: make([]lifetime.Buffer, len(r.Rows))}
		for k, row := range r.Rows {
			table.Buffers[k] = lifetime.Buffer{Size: row[0], Align: r.Align, Lower: row[1], Upper: row[2]}
		}
		for naive, want := range map[bool]result{false: r.Greedy, true: r.Naive} {
			s := executorch{naive: naive}
			plan, err := s.Plan(t.Context(), table, Options{})
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(plan.Offsets, want.Offsets) {
				t.Errorf("table %d by %s: offsets %v, recorded %v", i, s.Info().Name, plan.Offsets, want.Offsets)
			}
			// The original counts the last block with its padding.
			if lifetime.AlignUp(plan.Arena, r.Align) > want.Arena || plan.Arena > want.Arena {
				t.Errorf("table %d by %s: arena %d, recorded %d", i, s.Info().Name, plan.Arena, want.Arena)
			}
		}
	}
}
