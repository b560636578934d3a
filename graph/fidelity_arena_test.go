package graph_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/arenalab/arenalab/graph"
)

// recordings reads a file of testdata, which one of the scripts there writes
// and documents, by the hash of the models.
func recordings[R any](t *testing.T, name string, hash func(*R) string) map[string]R {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]R{}
	lines := bufio.NewScanner(bytes.NewReader(data))
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		var r R
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		out[hash(&r)] = r
	}
	return out
}

// tflmRecording is a line of testdata/tflm_*.jsonl.
type tflmRecording struct {
	SHA256, Version, Error string
	Head, Tail, Variables  int64
}

// compareTFLM reports whether the arena of the plan and the bytes of variables
// are those that the real interpreter reports.
func compareTFLM(t *testing.T, m *graph.Model, r *tflmRecording) bool {
	l, p := plan(t, m, mustProfile(t, "tflm"), "tflm")
	if p.Arena != r.Head || l.PersistentBytes != r.Variables {
		t.Errorf("%s (%.12s): arena %d bytes and variables %d, TFLite-Micro uses %d and %d; %q",
			m.Name, m.Hash, p.Arena, l.PersistentBytes, r.Head, r.Variables, l.Notes)
		return false
	}
	return true
}

// TestArenaOfTFLM compares the arenas of the profile and the strategy tflm with
// those of the real interpreter.
func TestArenaOfTFLM(t *testing.T) {
	hash := func(r *tflmRecording) string { return r.SHA256 }
	ours := func(t *testing.T, file string, models []*graph.Model) {
		records := recordings(t, file, hash)
		compareAll(t, models, func(m *graph.Model) outcome {
			r, ok := records[m.Hash]
			switch {
			case !ok:
				t.Errorf("%s is not recorded: run record_tflm.py", m.Name)
				return unknown
			case r.Error != "":
				return unknown
			}
			return verdict(compareTFLM(t, m, &r))
		})
	}
	t.Run("zoo", func(t *testing.T) { ours(t, "tflm_zoo.jsonl", embedded(t)) })
	t.Run("operators", func(t *testing.T) { ours(t, "tflm_ops.jsonl", models(t, filepath.Join("testdata", "ops"))) })
	t.Run("corpus", func(t *testing.T) {
		records := recordings(t, "tflm_corpus.jsonl", hash)
		compareAll(t, corpus(t), func(m *graph.Model) outcome {
			r, ok := records[m.Hash]
			if !ok || r.Error != "" {
				return unknown
			}
			return verdict(compareTFLM(t, m, &r))
		})
	})
}
