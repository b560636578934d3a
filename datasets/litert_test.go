package datasets

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io/fs"
	"os"
	"slices"
	"testing"
)

// litertRun is what the test reads of a line of testdata/litert_runs.jsonl,
// which record_litert.py writes and documents.
type litertRun struct {
	Model, SHA256, Package, Version, Resolver, Generator string

	Seed uint64
	Runs []struct {
		Outputs []struct {
			DType, SHA256 string
			Shape         []int32
		}
	}
	OK bool
}

// Every embedded model, as it is now, has run in the real interpreter.
func TestModelsRanInLiteRT(t *testing.T) {
	data, err := os.ReadFile("testdata/litert_runs.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	runs := map[string]litertRun{}
	lines := bufio.NewScanner(bytes.NewReader(data))
	for lines.Scan() {
		var r litertRun
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			t.Fatal(err)
		}
		runs[r.Model] = r
	}
	for _, m := range Embedded() {
		file, err := fs.ReadFile(Models(), m.File)
		if err != nil {
			t.Fatal(err)
		}
		hash := sha256.Sum256(file)
		r, ok := runs[m.File]
		delete(runs, m.File)
		switch {
		case !ok:
			t.Errorf("%s has no recording", m.File)
		case r.SHA256 != hex.EncodeToString(hash[:]):
			t.Errorf("%s: the recording is of another file: run record_litert.py", m.File)
		case !r.OK:
			t.Errorf("%s did not run well", m.File)
		case r.Package != "ai-edge-litert" || r.Version == "" || r.Resolver != "BUILTIN_REF" || r.Generator != "xorshift64*" || r.Seed == 0:
			t.Errorf("%s: recording does not say how it came about", m.File)
		default:
			checkOutputs(t, m, file, r)
		}
	}
	for name := range runs {
		t.Errorf("recording of %s, which is not in the set", name)
	}
}

// checkOutputs compares the recorded outputs with those that the file declares.
func checkOutputs(t *testing.T, m Member, file []byte, r litertRun) {
	t.Helper()
	s := mustDecode(t, m.File, file).Subgraphs[0]
	if len(r.Runs) < 2 {
		t.Errorf("%s: %d runs", m.File, len(r.Runs))
	}
	for _, run := range r.Runs {
		if len(run.Outputs) != len(s.Outputs) {
			t.Fatalf("%s: %d outputs recorded, %d in the file", m.File, len(run.Outputs), len(s.Outputs))
		}
		for i, out := range run.Outputs {
			x := &s.Tensors[s.Outputs[i]]
			if out.DType != x.Type.String() || !slices.Equal(out.Shape, x.Shape) || len(out.SHA256) != 64 {
				t.Errorf("%s output %d: recorded %s %v, file has %v %v", m.File, i, out.DType, out.Shape, x.Type, x.Shape)
			}
		}
	}
}
