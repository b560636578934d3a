package executor

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/arenalab/arenalab/executor/kernels"
	"github.com/arenalab/arenalab/graph"
	"github.com/arenalab/arenalab/graph/tflite"
)

// golden is a recording of TFLite-Micro.
type golden struct {
	Model       string
	Path        string
	Seed        uint64
	Invocations []struct {
		Inputs, Outputs []goldenValue
		Status          int
	}
	After [][3]any `json:"tensors_after_run0_linear"`
}

type goldenValue struct {
	Tensor, Bytes int
	Hash          string `json:"fnv1a64"`
	Hex           string
}

// fnv is the hash of the recordings: FNV-1a with another basis.
func fnv(data []byte) string {
	h := uint64(1469598103934665603)
	for _, b := range data {
		h = (h ^ uint64(b)) * 1099511628211
	}
	return fmt.Sprintf("%016x", h)
}

// TestGoldens compares every tensor and every output with TFLite-Micro, for
// operators up to the first without a kernel.
func TestGoldens(t *testing.T) {
	missing := map[string]int{}
	full, exact := 0, 0
	for _, file := range dataFiles(t, "golden", "*.json") {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var g golden
		if err := json.Unmarshal(data, &g); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		if len(g.Invocations) == 0 {
			continue // the runtime refused the model
		}
		t.Run(g.Model, func(t *testing.T) {
			model, err := tflite.Read(filepath.Join(os.Getenv("ARENALAB_DATA"), g.Path))
			if err != nil {
				t.Skip(err)
			}
			names, same := g.compare(t, model)
			for _, n := range names {
				missing[n]++
			}
			if len(names) == 0 {
				full++
			}
			if same {
				exact++
			}
		})
	}
	t.Logf("%d models with kernels for all operators, %d of them exact; operators without a kernel, by recordings: %v", full, exact, missing)
}

// compare runs a model and compares what follows from kernels alone. It
// returns the operators without a kernel.
func (g *golden) compare(t *testing.T, model *graph.Model) (missing []string, same bool) {
	m, err := NewMachine(model, MachineOptions{Arithmetic: kernels.Micro, Seed: g.Seed, Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	rec, err := m.Record(context.Background(), 0, RecordOptions{Invocations: len(g.Invocations)})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range m.Fallbacks(0) {
		if !slices.Contains(missing, f.Name) {
			missing = append(missing, f.Name)
		}
	}
	s := model.Subgraphs[0]
	for n, in := range g.Invocations[0].Inputs {
		if got := fnv(rec.Input(0, n)); got != in.Hash {
			t.Fatalf("input %d is not that of the recording", n)
		}
	}
	known := m.known(0)
	bad, rounded := g.bad(rec, s, known)
	for n, inv := range g.Invocations {
		for k, out := range inv.Outputs {
			x := &s.Tensors[out.Tensor]
			got := rec.Value(n, 0, out.Tensor)
			if !known[out.Tensor] || fnv(got) == out.Hash || len(bad) > 0 {
				continue
			}
			if want, err := hex.DecodeString(out.Hex); err == nil && len(want) == len(got) && near(got, want, x.Type, 1e-6, rounded) {
				rounded = true
				continue
			}
			bad = append(bad, fmt.Sprintf("invocation %d output %d %q: %s", n, k, x.Name, firstByte(got, out.Hex, x.Type)))
		}
	}
	if len(bad) > 0 {
		t.Errorf("%d tensors differ, the first: %s", len(bad), bad[0])
	}
	if rounded {
		t.Log("floats differ in the last digits")
	}
	return missing, len(bad) == 0 && len(missing) == 0 && !rounded
}

// near reports whether floats agree within a part of the largest, and integers
// within one if they follow from floats that do.
func near(got, want []byte, d graph.DType, part float64, rounded bool) bool {
	switch d {
	case graph.Float32:
		most, diff := 0.0, 0.0
		for i := 0; i+4 <= len(want); i += 4 {
			x, y := float64(math.Float32frombits(le32(got[i:]))), float64(math.Float32frombits(le32(want[i:])))
			most, diff = max(most, math.Abs(y)), max(diff, math.Abs(x-y))
		}
		return diff <= part*most
	case graph.Int8:
		for i := range want {
			if d := int(int8(got[i])) - int(int8(want[i])); d < -1 || d > 1 {
				return false
			}
		}
		return rounded
	}
	return false
}

// bad lists the tensors that differ after the first invocation, in the order
// of the operators. Of floats there are only hashes: once one differs, it and
// what comes after it is left to the comparison of outputs.
func (g *golden) bad(rec *Recording, s *graph.Subgraph, known []bool) (bad []string, rounded bool) {
	want := map[int]string{}
	for _, v := range g.After {
		if i, ok := v[0].(float64); ok && int(i) < len(s.Tensors) {
			want[int(i)] = fmt.Sprint(v[2])
		}
	}
	for k := range s.Ops {
		op := &s.Ops[k]
		for _, y := range append(slices.Clone(op.Outputs), op.Inputs...) {
			if y < 0 || !known[y] || want[y] == "" || s.Tensors[y].Constant || s.Producer[y] >= 0 && s.Producer[y] != k {
				continue
			}
			if fnv(rec.Value(0, 0, y)) == want[y] || rounded {
				continue
			}
			if rounded = s.Tensors[y].Type == graph.Float32; !rounded {
				bad = append(bad, fmt.Sprintf("operator %d %s: tensor %d %q", k, op.Name(), y, s.Tensors[y].Name))
			}
		}
	}
	return bad, rounded
}

// known says which tensors follow from the file by kernels alone.
func (m *Machine) known(subgraph int) []bool {
	x := m.subs[subgraph]
	known := make([]bool, len(x.bytes))
	for t := range known {
		known[t] = x.s.Producer[t] < 0 && !x.drawn[t]
	}
	for k := range x.ops {
		o := &x.ops[k]
		ok := o.how != symbolically && len(o.op.Callees) == 0 && (o.how != byRead || len(m.Fallbacks(subgraph)) == 0)
		for _, t := range o.reads {
			ok = ok && known[t]
		}
		for _, t := range append(slices.Clone(o.op.Outputs), o.state...) {
			known[t] = ok
		}
	}
	return known
}

func firstByte(got []byte, want string, d graph.DType) string {
	w, err := hex.DecodeString(want)
	if err != nil || len(w) == 0 {
		return "hash"
	}
	at := differ(got, w)
	size := max(int(d.Bits()/8), 1)
	from := at / size * size
	return strings.Join([]string{"element", fmt.Sprint(at / size), number(got[from:], d), "for", number(w[from:], d)}, " ")
}
