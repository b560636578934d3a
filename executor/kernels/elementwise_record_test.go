package kernels

import (
	"encoding/base64"
	"encoding/json"
	"math"
	"os"
	"testing"

	"github.com/arenalab/arenalab/graph"
)

// elementwiseCase is what testdata/record_elementwise.py writes.
type elementwiseCase struct {
	convCase
	Micro string `json:"tflm"`
}

// attributes returns the options: of one byte, of four, or floats.
func (c *elementwiseCase) attributes() graph.Attributes {
	var fields []any
	for _, f := range c.Fields {
		switch v := f[1].(float64); f[0] {
		case "b":
			fields = append(fields, int8(v))
		case "f":
			fields = append(fields, float32(v))
		default:
			fields = append(fields, int32(v))
		}
	}
	return convAttributes(fields...)
}

// TestElementwiseRecorded computes what ai-edge-litert and tflite-micro
// computed. Integers must be the same.
func TestElementwiseRecorded(t *testing.T) {
	data, err := os.ReadFile("testdata/elementwise.json")
	if err != nil {
		t.Fatal(err)
	}
	var r struct{ Cases []elementwiseCase }
	if err := json.Unmarshal(data, &r); err != nil {
		t.Fatal(err)
	}
	for i, c := range r.Cases {
		for _, arithmetic := range Arithmetics() {
			want := map[Arithmetic]string{Reference: c.Reference, Single: c.Single, Micro: c.Micro}[arithmetic]
			if want == "same" {
				want = c.Reference
			}
			if want == "" && len(c.In[0].Data) > 0 {
				continue // refused
			}
			bytes, err := base64.StdEncoding.DecodeString(want)
			if err != nil {
				t.Fatal(err)
			}
			n, in := c.node(t, arithmetic)
			n.Op.Attributes = c.attributes()
			for _, operand := range n.In[1:] {
				operand.Constant = nil
			}
			inPlaceAndQuiet(t, n, in)
			differ, most := compareElements(n, runNode(t, n, in...), bytes)
			if most > elementwiseLimit(n) {
				t.Errorf("case %d, %s of %v, %s: %d of %d elements differ, by up to %g (options %v, shapes %v)", i, n.Op.Name(), n.In[0].Type, arithmetic, differ, n.Out[0].Elements(), most, c.Fields, shapes(n.In))
			}
		}
	}
}

// inPlaceAndQuiet makes sure that a kernel gives the same result if it lies on
// an operand of its size, where that is allowed, and that it does not allocate.
func inPlaceAndQuiet(t *testing.T, n *Node, in [][]byte) {
	t.Helper()
	k, err := Prepare(n)
	if err != nil {
		t.Fatal(err)
	}
	want := runNode(t, n, in...)
	out := append(make([]byte, 0, len(want)+8), want...)
	c := &Call{In: in, Out: [][]byte{out}, Pool: NewPool(1)}
	if a := testing.AllocsPerRun(1, func() {
		if err := k.Run(c); err != nil {
			t.Fatal(err)
		}
	}); a != 0 {
		t.Errorf("%s of %v allocates %g times", n.Op.Name(), n.In[0].Type, a)
	}
	for i, data := range in {
		if len(data) != len(want) || len(want) == 0 || !InPlace(n.Op.Name()) {
			continue
		}
		shared := append(make([]byte, 0, len(data)+8), data...)
		operands := append([][]byte(nil), in...)
		operands[i] = shared
		if err := k.Run(&Call{In: operands, Out: [][]byte{shared}, Pool: NewPool(1)}); err != nil {
			t.Fatal(err)
		}
		if string(shared) != string(want) {
			t.Errorf("%s of %v differs if it lies on operand %d", n.Op.Name(), n.In[0].Type, i)
		}
	}
}

// elementwiseLimit is by how much the results of a node may differ: floats by
// the last bits of functions that the C library and XNNPACK compute otherwise.
func elementwiseLimit(n *Node) float64 {
	if n.Out[0].Type != graph.Float32 {
		return 0
	}
	switch n.Op.Name() {
	case "HARD_SWISH", "SQRT", "RSQRT", "DIV":
		if n.Arithmetic == Single {
			return 5e-7
		}
	case "SOFTMAX", "LOGISTIC", "LOG", "LOG_SOFTMAX":
		if n.Arithmetic == Single {
			return 5e-7
		}
		return 2e-7
	case "SIN", "COS":
		if n.Arithmetic == Single {
			return 2e-6
		}
		return 2e-7
	case "TANH", "GELU", "ELU", "EXP", "POW", "ATAN2", "LOCAL_RESPONSE_NORMALIZATION":
		return 5e-7
	}
	return 0
}

func shapes(list []*Tensor) (s [][]int) {
	for _, t := range list {
		s = append(s, t.Shape)
	}
	return s
}

// compareElements counts the elements that differ and returns the most that one
// does: integers by their difference, floats in relation to the wanted value,
// or to the greatest of all if they are not exact.
func compareElements(n *Node, got, want []byte) (differ int, most float64) {
	kind, least := n.Out[0].Type, 1e-30
	if kind == graph.Float32 && elementwiseLimit(n) > 0 {
		for _, v := range view[float32](want) {
			if v == v && !math.IsInf(float64(v), 0) {
				least = max(least, math.Abs(float64(v)))
			}
		}
	}
	off := func(got, want float64) {
		if got == want || got != got && want != want {
			return
		}
		differ++
		d := math.Abs(got - want)
		if kind == graph.Float32 {
			d /= max(math.Abs(want), least)
		}
		if d != d { // one is not a number
			d = math.Inf(1)
		}
		most = max(most, d)
	}
	if len(got) != len(want) {
		return len(got), math.Inf(1)
	}
	switch kind {
	case graph.Float32:
		for i, v := range view[float32](want) {
			off(float64(view[float32](got)[i]), float64(v))
		}
	case graph.Int32:
		for i, v := range view[int32](want) {
			off(float64(view[int32](got)[i]), float64(v))
		}
	case graph.Int16:
		for i, v := range view[int16](want) {
			off(float64(view[int16](got)[i]), float64(v))
		}
	case graph.Int8:
		for i, v := range view[int8](want) {
			off(float64(view[int8](got)[i]), float64(v))
		}
	case graph.Int64:
		for i, v := range view[int64](want) {
			if view[int64](got)[i] != v {
				off(float64(view[int64](got)[i]), float64(v)+0.5)
			}
		}
	default:
		for i, v := range want {
			off(float64(got[i]), float64(v))
		}
	}
	return differ, most
}
