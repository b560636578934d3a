package graph_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/arenalab/arenalab/graph"
	"github.com/arenalab/arenalab/graph/tflite"
)

// TestPlannerRequestsOfTFLM compares the tables of the profile tflm, and the
// plans of the strategy of that name, with what TFLite-Micro's planner was
// asked in real runs, and answered: for each buffer, in the order in which they
// were added, size, first and last time, and offset; and with the heads of
// their arenas, which is how large the part of the arena must be that is
// planned, under its greedy and its linear planner.
func TestPlannerRequestsOfTFLM(t *testing.T) {
	root := os.Getenv("ARENALAB_DATA")
	if root == "" {
		t.Skip("ARENALAB_DATA is not set: no recordings of TFLite-Micro to compare with")
	}
	files, err := filepath.Glob(filepath.Join(root, "golden", "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no recordings: %v", err)
	}
	same, compared := 0, 0
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var golden struct {
			Path     string
			Requests [][4]int64
			Head     int64 `json:"head_bytes"`
			Linear   int64 `json:"linear_head_bytes"`
		}
		if err := json.Unmarshal(data, &golden); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		if len(golden.Requests) == 0 {
			continue // the runtime refused the model
		}
		compared++
		t.Run(filepath.Base(file), func(t *testing.T) {
			m, err := tflite.Read(filepath.Join(root, golden.Path))
			if err != nil {
				t.Fatal(err)
			}
			l, p := plan(t, m, mustProfile(t, "tflm"), "tflm")
			got := make([][4]int64, len(l.Table.Buffers))
			for i, b := range l.Table.Buffers {
				got[i] = [4]int64{b.Size, b.Lower, b.Upper - 1, p.Offsets[i]}
				if l.Steps[b.Lower].Subgraph == graph.Nowhere {
					got[i][1], got[i][2] = -1, -1
				}
			}
			if !slices.Equal(got, golden.Requests) {
				t.Errorf("%d buffers, the real planner had %d%s", len(got), len(golden.Requests), difference(got, golden.Requests))
				return
			}
			_, linear := plan(t, m, mustProfile(t, "tflm"), "tflm-linear")
			if p.Arena != golden.Head || linear.Arena != golden.Linear {
				t.Errorf("arenas of %d and, linear, %d bytes; the heads of the real ones are %d and %d", p.Arena, linear.Arena, golden.Head, golden.Linear)
				return
			}
			same++
		})
	}
	t.Logf("%d of %d models: sizes, lives and offsets of all buffers and the head as in TFLite-Micro", same, compared)
}

// difference describes the first rows that differ.
func difference(got, want [][4]int64) string {
	for i := range max(len(got), len(want)) {
		switch {
		case i >= len(got):
			return fmt.Sprintf(": row %d is missing: %v", i, want[i])
		case i >= len(want):
			return fmt.Sprintf(": row %d is too much: %v", i, got[i])
		case got[i] != want[i]:
			return fmt.Sprintf(": row %d is %v, want %v", i, got[i], want[i])
		}
	}
	return ""
}
