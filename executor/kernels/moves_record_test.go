package kernels

import (
	"encoding/base64"
	"encoding/json"
	"os"
	"testing"

	"github.com/arenalab/arenalab/graph"
)

// movesCase is what testdata/record_moves.py writes.
type movesCase struct {
	Op     int32
	Fields [][2]any
	In     []*recordedTensor
	Out    []*recordedTensor
	Want   []string
}

func (c *movesCase) node(t *testing.T, constants bool) (*Node, [][]byte) {
	e := elementwiseCase{}
	e.Fields = c.Fields
	n := &Node{Op: &graph.Op{Code: c.Op, Attributes: e.attributes()}, Arithmetic: Reference}
	var data [][]byte
	for _, r := range c.In {
		in, b := r.tensor(t)
		if !r.Computed && constants {
			in.Constant = b
		}
		n.In, data = append(n.In, in), append(data, b)
	}
	for _, r := range c.Out {
		out, _ := r.tensor(t)
		n.Out = append(n.Out, out)
	}
	return n, data
}

// TestMovesRecorded moves elements as ai-edge-litert's reference kernels did,
// with the operands that say how as constants and, where a kernel can do that,
// computed at run time.
func TestMovesRecorded(t *testing.T) {
	data, err := os.ReadFile("testdata/moves.json")
	if err != nil {
		t.Fatal(err)
	}
	var r struct{ Cases []movesCase }
	if err := json.Unmarshal(data, &r); err != nil {
		t.Fatal(err)
	}
	later := 0
	for i, c := range r.Cases {
		for _, constants := range []bool{true, false} {
			n, in := c.node(t, constants)
			k, err := Prepare(n)
			if err != nil {
				if constants {
					t.Errorf("case %d, %s %v of %v: %v", i, n.Op.Name(), c.Fields, shapes(n.In), err)
				}
				continue
			}
			if !constants {
				later++
			}
			call := &Call{In: in, Pool: NewPool(1)}
			var want [][]byte
			for k, text := range c.Want {
				b, err := base64.StdEncoding.DecodeString(text)
				if err != nil {
					t.Fatal(err)
				}
				want = append(want, b)
				call.Out = append(call.Out, make([]byte, len(b), len(want[k])+8))
			}
			if err := k.Run(call); err != nil {
				t.Errorf("case %d, %s %v of %v: %v", i, n.Op.Name(), c.Fields, shapes(n.In), err)
				continue
			}
			for k := range want {
				if string(want[k]) != string(call.Out[k]) {
					t.Errorf("case %d, %s %v of %v %v: result %d differs", i, n.Op.Name(), c.Fields, n.In[0].Type, shapes(n.In), k)
				}
			}
			if a := testing.AllocsPerRun(1, func() { _ = k.Run(call) }); a != 0 {
				t.Errorf("%s allocates %g times", n.Op.Name(), a)
			}
		}
	}
	t.Logf("%d cases, %d with operands computed at run time", len(r.Cases), later)
}
