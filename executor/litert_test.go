package executor

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/arenalab/arenalab/executor/kernels"
	"github.com/arenalab/arenalab/graph"
	"github.com/arenalab/arenalab/graph/tflite"
)

// litertRun is a line of what datasets/record_tensors.py writes and documents.
type litertRun struct {
	Model, SHA256, Error string
	Seed                 uint64
	Invocations          []struct{ Inputs, Outputs []litertValue }
	Tensors              [][3]any
}

type litertValue struct {
	Tensor, Bytes int
	Hash, Hex     string
}

func readLitertRuns(t *testing.T, file string) []litertRun {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var list []litertRun
	lines := bufio.NewScanner(bytes.NewReader(data))
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		var r litertRun
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		list = append(list, r)
	}
	return list
}

// TestZooInLiteRT compares every tensor of the embedded models with what the
// reference kernels of ai-edge-litert compute, as far as there are kernels.
func TestZooInLiteRT(t *testing.T) {
	c := litertComparison{arithmetic: kernels.Reference}
	c.all(t, "testdata/litert_tensors.jsonl", "../datasets/models")
	c.log(t)
}

// TestRecordedModels compares the models of the data folder with recordings of
// them, which datasets/record_tensors.py makes.
func TestRecordedModels(t *testing.T) {
	file := os.Getenv("ARENALAB_RECORDINGS")
	if file == "" {
		t.Skip("ARENALAB_RECORDINGS is not set: no recordings of the models of the data folder")
	}
	c := litertComparison{arithmetic: kernels.Reference, most: 400e6}
	if os.Getenv("ARENALAB_FULL") != "" {
		c.most = 0
	}
	c.all(t, file, filepath.Join(os.Getenv("ARENALAB_DATA"), "models"))
	c.log(t)
}

// litertComparison counts what agrees.
type litertComparison struct {
	arithmetic kernels.Arithmetic
	most       int64 // work above which models are left out, 0: none

	models, whole, exact, tensors, same, rounded int
	missing                                      map[string]int
}

func (c *litertComparison) log(t *testing.T) {
	t.Logf("%d models, %d with a kernel for each operator, %d of these exact to the last bit; %d tensors compared, %d exact, %d rounded otherwise; operators without a kernel, by models: %v",
		c.models, c.whole, c.exact, c.tensors, c.same, c.rounded, c.missing)
}

func (c *litertComparison) all(t *testing.T, file, folder string) {
	c.missing = map[string]int{}
	for _, r := range readLitertRuns(t, file) {
		if r.Error != "" || len(r.Invocations) == 0 {
			continue
		}
		path := filepath.Join(folder, r.Model)
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if hash := sha256.Sum256(data); hex.EncodeToString(hash[:]) != r.SHA256 {
			t.Errorf("%s: the recording is of another file: run record_tensors.py", r.Model)
			continue
		}
		t.Run(r.Model, func(t *testing.T) {
			model, err := tflite.Read(path)
			if err != nil {
				t.Skip(err)
			}
			c.model(t, &r, model)
		})
	}
}

func (c *litertComparison) model(t *testing.T, r *litertRun, model *graph.Model) {
	m, err := NewMachine(model, MachineOptions{Arithmetic: c.arithmetic, Seed: r.Seed})
	if err != nil {
		t.Skip(err)
	}
	defer m.Close()
	if c.most > 0 && m.Work(0) > c.most {
		t.Skipf("%d million multiplications", m.Work(0)/1e6)
	}
	rec, err := m.Record(context.Background(), 0, RecordOptions{Invocations: len(r.Invocations)})
	if err != nil {
		t.Skip(err)
	}
	c.models++
	var missing []string
	for _, f := range m.Fallbacks(0) {
		if !slices.Contains(missing, f.Name) {
			missing = append(missing, f.Name)
			c.missing[f.Name]++
		}
	}
	if len(missing) == 0 {
		c.whole++
	}
	x := r.compare(t, rec, m.known(0))
	c.tensors += x.compared
	c.same += x.same
	c.rounded += x.rounded
	if len(missing) == 0 && x.rounded == 0 && len(x.bad) == 0 {
		c.exact++
	}
	if len(x.bad) > 0 {
		t.Errorf("%d tensors differ, the first: %s", len(x.bad), x.bad[0])
	}
}

// agreement is what a comparison found.
type agreement struct {
	compared, same, rounded int
	bad                     []string
}

// compare looks at results in the order of the operators, then at the outputs
// of all invocations. Of most floats there are only hashes: once one differs,
// it and what comes after it is left to the comparison of outputs. Sums of
// recurrent operators are taken in another order there.
func (r *litertRun) compare(t *testing.T, rec *Recording, known []bool) (x agreement) {
	s := rec.m.subs[rec.subgraph].s
	for _, in := range r.Invocations[0].Inputs {
		n := slices.Index(s.Inputs, in.Tensor)
		if n < 0 || short(rec.Input(0, n)) != in.Hash {
			t.Fatalf("input tensor %d is not that of the recording", in.Tensor)
		}
	}
	for _, v := range r.Tensors {
		n, _ := v[0].(float64)
		y := int(n)
		if y >= len(known) || !known[y] || x.rounded > 0 {
			continue
		}
		got := rec.Value(0, 0, y)
		if size, _ := v[1].(float64); int(size) != len(got) {
			continue // a placeholder of the file
		}
		x.compared++
		switch {
		case short(got) == v[2]:
			x.same++
		case s.Tensors[y].Type == graph.Float32:
			x.rounded++
		default:
			x.bad = append(x.bad, fmt.Sprintf("tensor %d %q, %s", y, s.Tensors[y].Name, producer(s, y)))
		}
	}
	for n, inv := range r.Invocations {
		for _, out := range inv.Outputs {
			y := out.Tensor
			got := rec.Value(n, 0, y)
			if !known[y] || out.Bytes != len(got) {
				continue
			}
			x.compared++
			if short(got) == out.Hash {
				x.same++
				continue
			}
			want, err := hex.DecodeString(out.Hex)
			if err == nil && len(want) == len(got) && near(got, want, s.Tensors[y].Type, 1e-5, x.rounded > 0) || out.Hex == "" && s.Tensors[y].Type == graph.Float32 {
				x.rounded++
				continue
			}
			x.bad = append(x.bad, fmt.Sprintf("invocation %d output %d %q, %s: %s", n, y, s.Tensors[y].Name, producer(s, y), firstByte(got, out.Hex, s.Tensors[y].Type)))
		}
	}
	return x
}

func producer(s *graph.Subgraph, t int) string {
	if k := s.Producer[t]; k >= 0 {
		return fmt.Sprintf("operator %d %s", k, s.Ops[k].Name())
	}
	return "no operator"
}

func short(data []byte) string {
	h := sha256.Sum256(data)
	return hex.EncodeToString(h[:8])
}
