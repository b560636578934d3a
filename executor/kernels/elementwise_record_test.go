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
	Micro *string `json:"tflm"`
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
			want := c.Reference
			switch arithmetic {
			case Single:
				want = c.Single
			case Micro:
				if c.Micro == nil {
					continue
				}
				want = *c.Micro
			}
			bytes, err := base64.StdEncoding.DecodeString(want)
			if err != nil {
				t.Fatal(err)
			}
			n, in := c.node(t, arithmetic)
			for _, operand := range n.In[1:] {
				operand.Constant = nil
			}
			inPlaceAndQuiet(t, n, in)
			differ, most := compareElements(n.Out[0].Type, runNode(t, n, in...), bytes)
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

// elementwiseLimit is by how much the results of a node may differ.
func elementwiseLimit(n *Node) float64 {
	return 0
}

func shapes(list []*Tensor) (s [][]int) {
	for _, t := range list {
		s = append(s, t.Shape)
	}
	return s
}

// compareElements counts the elements that differ and returns the most that one
// does: integers by their difference, floats in relation to the wanted value.
func compareElements(kind graph.DType, got, want []byte) (differ int, most float64) {
	off := func(got, want float64) {
		if got == want || got != got && want != want {
			return
		}
		differ++
		if kind == graph.Float32 {
			want = max(math.Abs(want), 1e-30)
			most = max(most, math.Abs(got-want)/want)
			return
		}
		most = max(most, math.Abs(got-want))
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
