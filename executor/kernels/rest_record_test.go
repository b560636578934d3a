package kernels

import (
	"encoding/base64"
	"encoding/json"
	"os"
	"testing"

	"github.com/arenalab/arenalab/graph"
)

// restCase is what testdata/record_rest.py writes.
type restCase struct {
	movesCase
	Single []string // what the default kernels give, if it is something else
}

// TestRestRecorded reduces, gathers, fills, ranks and resizes as ai-edge-litert
// did, bit for bit.
func TestRestRecorded(t *testing.T) {
	data, err := os.ReadFile("testdata/rest.json")
	if err != nil {
		t.Fatal(err)
	}
	var r struct{ Cases []restCase }
	if err := json.Unmarshal(data, &r); err != nil {
		t.Fatal(err)
	}
	for i, c := range r.Cases {
		for _, constants := range []bool{true, false} {
			c.run(t, i, Reference, c.Want, constants)
		}
		if c.Single == nil {
			c.Single = c.Want
		}
		if kind := c.In[0].Type; kind != graph.Float32 || c.Op == 23 || len(c.Want) == 0 { // the default kernels add up floats in another order
			c.run(t, i, Single, c.Single, true)
		}
	}
}

func (c *restCase) run(t *testing.T, i int, a Arithmetic, texts []string, constants bool) {
	if len(texts) == 0 {
		return
	}
	n, in := c.node(t, constants)
	n.Arithmetic = a
	k, err := Prepare(n)
	if err != nil {
		if constants {
			t.Errorf("case %d, %s %v of %v %v: %v", i, n.Op.Name(), c.Fields, n.In[0].Type, shapes(n.In), err)
		}
		return
	}
	want, out := decodeAll(t, texts)
	call := &Call{In: in, Out: out, Pool: NewPool(1)}
	if err := k.Run(call); err != nil {
		t.Errorf("case %d, %s %v of %v %v: %v", i, n.Op.Name(), c.Fields, n.In[0].Type, shapes(n.In), err)
		return
	}
	for o := range want {
		limit, kind := 0.0, n.Out[o]
		if kind.Type == graph.Complex64 { // the order of additions is another
			limit, kind = 1e-6, &Tensor{Type: graph.Float32}
		}
		if differ, most := compareElements(&Node{Op: n.Op, Out: []*Tensor{kind}}, out[o], want[o]); most > limit {
			t.Errorf("case %d, %s %v of %v %v, %s: %d of %d elements of result %d differ, by up to %g", i, n.Op.Name(), c.Fields, n.In[0].Type, shapes(n.In), a, differ, n.Out[o].Elements(), o, most)
		}
	}
	if InPlace(n.Op.Name()) && len(in[0]) == len(out[0]) {
		shared := append(make([]byte, 0, len(in[0])+8), in[0]...)
		operands := append([][]byte{shared}, in[1:]...)
		if err := k.Run(&Call{In: operands, Out: [][]byte{shared}, Pool: NewPool(1)}); err != nil || string(shared) != string(out[0]) {
			t.Errorf("case %d, %s differs in place: %v", i, n.Op.Name(), err)
		}
	}
	if a := testing.AllocsPerRun(1, func() { _ = k.Run(call) }); a != 0 {
		t.Errorf("%s of %v allocates %g times", n.Op.Name(), n.In[0].Type, a)
	}
}

// decodeAll returns recorded results and room for computed ones.
func decodeAll(t *testing.T, list []string) (want, room [][]byte) {
	for _, text := range list {
		b, err := base64.StdEncoding.DecodeString(text)
		if err != nil {
			t.Fatal(err)
		}
		want = append(want, b)
		room = append(room, make([]byte, len(b), len(b)+8))
	}
	return want, room
}
