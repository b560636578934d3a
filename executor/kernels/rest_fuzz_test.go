package kernels

import (
	"encoding/json"
	"errors"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/arenalab/arenalab/graph"
)

// recordedNodes returns the nodes of all recordings but those of arithmetic, to
// be changed here and there.
func recordedNodes(t testing.TB) []recurrentCase {
	var nodes []recurrentCase
	for _, file := range []string{"moves", "rest", "recurrent"} {
		data, err := os.ReadFile("testdata/" + file + ".json")
		if err != nil {
			t.Fatal(err)
		}
		var r struct{ Cases []json.RawMessage }
		if err := json.Unmarshal(data, &r); err != nil {
			t.Fatal(err)
		}
		for _, raw := range r.Cases {
			if file != "recurrent" {
				var c restCase
				if err := json.Unmarshal(raw, &c); err != nil {
					t.Fatal(err)
				}
				n := recurrentCase{}
				n.Op, n.Fields, n.In = c.Op, c.Fields, c.In
				n.Mid = c.Out // kept there
				nodes = append(nodes, n)
				continue
			}
			var c recurrentCase
			if err := json.Unmarshal(raw, &c); err != nil {
				t.Fatal(err)
			}
			nodes = append(nodes, c)
		}
	}
	return nodes
}

// drawChanged returns a recorded node with a few changes.
func drawChanged(t *testing.T, s *convSource, nodes []recurrentCase) *Node {
	c := nodes[(s.next()<<8|s.next())%len(nodes)]
	fields := append([][2]any(nil), c.Fields...)
	n := &Node{Arithmetic: Arithmetics()[s.below(3)]}
	add := func(to *[]*Tensor, list []*recordedTensor, constant bool) {
		for _, r := range list {
			x, data := r.tensor(t)
			if x != nil && constant && !r.Computed && len(data) > 0 {
				x.Constant = data
			}
			*to = append(*to, x)
		}
	}
	add(&n.In, c.In, s.below(8) > 0)
	if c.Out != nil {
		add(&n.Out, []*recordedTensor{c.Out}, false)
		add(&n.Mid, c.Mid, false)
	} else {
		add(&n.Out, c.Mid, false)
	}
	for range s.below(4) {
		all := append(append(append([]*Tensor(nil), n.In...), n.Out...), n.Mid...)
		x := all[s.below(len(all))]
		switch what := s.below(8); {
		case what == 0 && len(fields) > 0:
			f := &fields[s.below(len(fields))]
			f[1] = float64(s.option())
		case what == 1:
			n.In[s.below(len(n.In))] = s.tensor(s.below(5))
		case what == 2 && len(n.In) > 1:
			n.In = n.In[:len(n.In)-1]
		case x == nil:
		case what == 3 && len(x.Shape) > 0:
			x.Constant, x.Shape = nil, append([]int(nil), x.Shape...)
			x.Shape[s.below(len(x.Shape))] = s.dim()
		case what == 4:
			x.Constant, x.Type = nil, graph.DType(s.below(19))
		case what == 5 && len(x.Constant) > 0:
			x.Constant = append(make([]byte, 0, len(x.Constant)+8), x.Constant...)
			x.Constant[s.below(len(x.Constant))] = byte(s.next())
		case what == 6:
			if y := s.tensor(1); y != nil {
				x.Quant = y.Quant
			}
		case what == 7 && len(x.Shape) > 0:
			x.Constant, x.Shape = nil, x.Shape[1:]
		}
	}
	e := elementwiseCase{}
	e.Fields = fields
	n.Op = &graph.Op{Code: c.Op, Attributes: e.attributes()}
	return n
}

// tryChanged prepares a node and runs it twice, if it is small. Kernels may
// refuse data, but neither panic nor leave the memory that they are given.
func tryChanged(t *testing.T, data []byte, nodes []recurrentCase) (ran bool) {
	s := convSource(data)
	n := drawChanged(t, &s, nodes)
	if n.check() != nil {
		return false
	}
	k, err := lookup(n.Op)(n) // where a panic is not caught
	if err != nil {
		if !errors.Is(err, ErrUnsupported) && !errors.Is(err, ErrInvalid) && !errors.Is(err, ErrDynamic) {
			t.Fatalf("%s: error of no kind: %v", n.Op.Name(), err)
		}
		return false
	}
	c := &Call{Pool: NewPool(1)}
	for i, list := range [][]*Tensor{n.In, n.Out} {
		for _, x := range list {
			var b []byte
			if x != nil {
				size, ok := smallSize(x)
				if !ok || size < 0 {
					return false
				}
				b = x.Constant
				if b == nil {
					b = make([]byte, size, size+8)
					for k := range b {
						b[k] = byte(s.next() % 3)
					}
				}
			}
			if i == 0 {
				c.In = append(c.In, b)
			} else {
				c.Out = append(c.Out, b)
			}
		}
	}
	for range 2 {
		if err := k.Run(c); err != nil && !errors.Is(err, ErrDynamic) && !errors.Is(err, ErrInvalid) && !errors.Is(err, ErrUnsupported) {
			t.Fatalf("%s: error of no kind: %v", n.Op.Name(), err)
		}
	}
	return true
}

// FuzzRest changes recorded nodes: of reductions, of what moves, gathers,
// scatters and fills, and of what keeps a state.
func FuzzRest(f *testing.F) {
	nodes := recordedNodes(f)
	for i := range 200 {
		f.Add([]byte{byte(i * len(nodes) / 200 >> 8), byte(i * len(nodes) / 200), 1, 1, 3, 3, 7, 1, 2, 2})
	}
	f.Fuzz(func(t *testing.T, data []byte) { tryChanged(t, data, nodes) })
}

// TestRestChanged tries a few thousand of them, and makes sure that many are
// still computed.
func TestRestChanged(t *testing.T) {
	nodes, r, ran := recordedNodes(t), rand.New(rand.NewPCG(1, 2)), 0
	data := make([]byte, 64)
	const trials = 20000
	for range trials {
		for i := range data {
			data[i] = byte(r.Uint32())
		}
		if tryChanged(t, data, nodes) {
			ran++
		}
	}
	if ran < trials/10 {
		t.Errorf("%d of %d nodes were computed", ran, trials)
	}
	t.Logf("%d of %d nodes were computed", ran, trials)
}
