package kernels

import (
	"encoding/base64"
	"encoding/json"
	"os"
	"testing"

	"github.com/arenalab/arenalab/graph"
)

// recurrentCase is what testdata/record_recurrent.py writes.
type recurrentCase struct {
	elementwiseCase
	Mid  []*recordedTensor
	X    []string
	Want []string
}

// TestRecurrentRecorded computes sequences as ai-edge-litert did, some
// invocations with one state.
func TestRecurrentRecorded(t *testing.T) {
	data, err := os.ReadFile("testdata/recurrent.json")
	if err != nil {
		t.Fatal(err)
	}
	var r struct{ Cases []recurrentCase }
	if err := json.Unmarshal(data, &r); err != nil {
		t.Fatal(err)
	}
	for i, c := range r.Cases {
		n := &Node{Op: &graph.Op{Code: c.Op, Attributes: c.attributes()}, Arithmetic: Reference}
		call := &Call{Pool: NewPool(1)}
		for k, in := range c.In {
			tensor, b := in.tensor(t)
			switch {
			case tensor == nil:
			case len(b) > 0:
				tensor.Constant = b
			case k > 0:
				b = initial(tensor)
			}
			n.In, call.In = append(n.In, tensor), append(call.In, b)
		}
		for _, mid := range c.Mid {
			tensor, _ := mid.tensor(t)
			n.Mid = append(n.Mid, tensor)
		}
		out, _ := c.Out.tensor(t)
		n.Out = []*Tensor{out}
		k, err := Prepare(n)
		if err != nil {
			t.Errorf("case %d, %s: %v", i, n.Op.Name(), err)
			continue
		}
		want, room := decodeAll(t, c.Want)
		for v, text := range c.X {
			call.Out = room[v : v+1]
			if call.In[0], err = base64.StdEncoding.DecodeString(text); err != nil {
				t.Fatal(err)
			}
			if err := k.Run(call); err != nil {
				t.Fatal(err)
			}
			limit := 0.0
			if out.Type == graph.Float32 && n.Op.Name() != "SVDF" {
				limit = 2e-6 // the runtime multiplies matrices in another order
			}
			if differ, most := compareRecurrent(out, room[v], want[v]); most > limit {
				t.Errorf("case %d, %s of %v %v, invocation %d: %d of %d elements differ, by up to %g", i, n.Op.Name(), out.Type, c.Fields, v, differ, out.Elements(), most)
			}
		}
		if a := testing.AllocsPerRun(1, func() { _ = k.Run(call) }); a != 0 {
			t.Errorf("%s of %v allocates %g times", n.Op.Name(), out.Type, a)
		}
	}
}

// initial returns a state as runtimes begin with: zeros, which bytes stand for
// with their zero point.
func initial(t *Tensor) []byte {
	size, _ := elementBytes(t.Type)
	b := make([]byte, t.Elements()*size, t.Elements()*size+8)
	if t.Type == graph.Int8 && t.Quant != nil {
		for i := range b {
			b[i] = byte(t.Quant.ZeroPoint(0))
		}
	}
	return b
}

// compareRecurrent returns how many elements differ, and by how much; floats
// relative to the greatest.
func compareRecurrent(out *Tensor, got, want []byte) (differ int, most float64) {
	size := 1.0
	off := func(a, b float64) {
		if a != b {
			differ, most = differ+1, max(most, max(a-b, b-a)/size)
		}
	}
	if out.Type == graph.Float32 {
		for _, v := range view[float32](want) {
			size = max(size, float64(max(v, -v)))
		}
		for i, v := range view[float32](want) {
			off(float64(v), float64(view[float32](got)[i]))
		}
		return
	}
	for i, v := range view[int8](want) {
		off(float64(v), float64(view[int8](got)[i]))
	}
	return
}
