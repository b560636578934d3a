package kernels

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"math"
	"os"
	"testing"

	"github.com/arenalab/arenalab/graph"
)

// convRecording is what testdata/record_conv.py writes.
type convRecording struct {
	Versions map[string]string
	Cases    []convCase
}

type convCase struct {
	Op        int32
	Fields    [][2]any
	In        []*recordedTensor
	Out       *recordedTensor
	Reference string `json:"litert-ref"`
	Single    string `json:"litert"`
}

type recordedTensor struct {
	Type  graph.DType
	Shape []int
	Scale []float32
	Zero  []int64
	Axis  int
	Data  string
	// Computed says that it is not constant although it has data.
	Computed bool
}

// tensor returns the tensor and its bytes.
func (r *recordedTensor) tensor(t *testing.T) (*Tensor, []byte) {
	if r == nil {
		return nil, nil
	}
	data, err := base64.StdEncoding.DecodeString(r.Data)
	if err != nil {
		t.Fatal(err)
	}
	out := &Tensor{Type: r.Type, Shape: r.Shape}
	if r.Scale != nil {
		out.Quant = &graph.Quant{Scale: r.Scale, Zero: r.Zero, Axis: r.Axis}
	}
	return out, append(make([]byte, 0, len(data)+8), data...)
}

// input returns which operand is never constant.
func (c *convCase) input() int {
	if c.Op == 67 { // TRANSPOSE_CONV
		return 2
	}
	return 0
}

// node returns the operator and its operands.
func (c *convCase) node(t *testing.T, a Arithmetic) (*Node, [][]byte) {
	var fields []any
	for _, f := range c.Fields {
		if v := f[1].(float64); f[0] == "b" {
			fields = append(fields, int8(v))
		} else {
			fields = append(fields, int32(v))
		}
	}
	n := &Node{Op: &graph.Op{Code: c.Op, Attributes: convAttributes(fields...)}, Arithmetic: a}
	var data [][]byte
	for k, r := range c.In {
		in, b := r.tensor(t)
		if in != nil && k != c.input() && !r.Computed {
			in.Constant = b
		}
		n.In, data = append(n.In, in), append(data, b)
	}
	out, _ := c.Out.tensor(t)
	n.Out = []*Tensor{out}
	return n, data
}

// readConvRecording reads the recorded layers.
func readConvRecording(t *testing.T) *convRecording {
	data, err := os.ReadFile("testdata/conv.json")
	if err != nil {
		t.Fatal(err)
	}
	var r convRecording
	if err := json.Unmarshal(data, &r); err != nil {
		t.Fatal(err)
	}
	return &r
}

// TestConvRecorded computes what ai-edge-litert computed. Integers must be the
// same; floats too where the reference adds them up one by one.
func TestConvRecorded(t *testing.T) {
	r := readConvRecording(t)
	for i, c := range r.Cases {
		if c.Single == "" {
			c.Single = c.Reference
		}
		for arithmetic, want := range map[Arithmetic]string{Reference: c.Reference, Single: c.Single} {
			n, in := c.node(t, arithmetic)
			bytes, err := base64.StdEncoding.DecodeString(want)
			if err != nil {
				t.Fatal(err)
			}
			differ, most := compare(n.Out[0].Type, runNode(t, n, in...), bytes)
			limit := 0.0
			switch weights := n.In[1%len(n.In)].Type; {
			case arithmetic == Reference:
			case n.Out[0].Type == graph.Float32 && weights != graph.Float32:
				continue // XNNPACK quantises inputs in its own way
			case n.Out[0].Type == graph.Float32:
				limit = 1e-5 // sums in another order
			case n.Op.Name() == "DEPTHWISE_CONV_2D" && weights == graph.Int4:
				limit = 1 // some channels take halves upwards, by how many there are
			}
			if most > limit {
				t.Errorf("case %d, %s of %v with %v, %s: %d of %d elements differ, by up to %g",
					i, n.Op.Name(), n.In[c.input()].Type, n.In[1%len(n.In)].Type, arithmetic, differ, n.Out[0].Elements(), most)
			}
		}
	}
}

// compare counts the elements that differ and returns the most that one does,
// of floats in relation to the greatest.
func compare(kind graph.DType, got, want []byte) (differ int, most float64) {
	if kind != graph.Float32 {
		w := integersFrom(kind, want)
		for i, v := range integersFrom(kind, got) {
			if v != w[i] {
				differ++
				most = max(most, math.Abs(float64(v-w[i])))
			}
		}
		return differ, most
	}
	w, greatest := view[float32](want), 0.0
	for i, v := range view[float32](got) {
		greatest = max(greatest, math.Abs(float64(w[i])))
		if v != w[i] {
			differ++
			most = max(most, math.Abs(float64(v-w[i])))
		}
	}
	if most > 0 {
		most /= greatest
	}
	return differ, most
}

// TestConvComputed runs recorded layers whose weights are not constant, first
// with others: nothing of them may be left.
func TestConvComputed(t *testing.T) {
	tried := 0
	for i, c := range readConvRecording(t).Cases {
		n, in := c.node(t, Single)
		others := make([][]byte, len(in))
		for k, o := range n.In {
			if o != nil {
				o.Constant = nil
			}
			others[k] = make([]byte, len(in[k]), len(in[k])+8)
			if o != nil && o.Type == graph.Int32 && n.Op.Name() == "TRANSPOSE_CONV" && k == 0 {
				copy(others[k], in[k]) // the shape
			}
		}
		k, err := Prepare(n)
		if errors.Is(err, ErrUnsupported) { // weights of four bits
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		tried++
		want := runNode(t, n, in...)
		call := &Call{In: others, Out: [][]byte{make([]byte, len(want), len(want)+8)}, Pool: NewPool(1)}
		for _, call.In = range [][][]byte{others, in} {
			if err := k.Run(call); err != nil {
				t.Fatal(err)
			}
		}
		if string(call.Out[0]) != string(want) {
			t.Errorf("case %d, %s of %v: something of the first run is left", i, n.Op.Name(), n.In[c.input()].Type)
		}
	}
	if tried < 100 {
		t.Errorf("only %d cases", tried)
	}
}
