package kernels

import "github.com/arenalab/arenalab/graph"

// Selections by truth values: K/select.cc of google-ai-edge/LiteRT at
// f67457790c9c. SELECT takes operands of one shape, or a condition that is a
// scalar or chooses whole slices along the first dimension; SELECT_V2 stretches
// all three.

func selectFamily() map[string]prepare {
	return map[string]prepare{
		"SELECT":    func(n *Node) (Kernel, error) { return prepareSelect(n, false) },
		"SELECT_V2": func(n *Node) (Kernel, error) { return prepareSelect(n, true) },
	}
}

func prepareSelect(n *Node, stretch bool) (Kernel, error) {
	var in [3]*Tensor
	for i := range in {
		t, err := n.in(i)
		if err != nil {
			return nil, err
		}
		in[i] = t
	}
	out, err := n.out(0)
	if err != nil {
		return nil, err
	}
	if in[0].Type != graph.Bool || in[1].Type != in[2].Type || in[1].Type != out.Type {
		return nil, invalid("%v chooses %v or %v for %v", in[0].Type, in[1].Type, in[2].Type, out.Type)
	}
	if !stretch && len(in[0].Shape) == 1 && len(in[1].Shape) > 1 {
		shape := make([]int, len(in[1].Shape))
		for d := range shape {
			shape[d] = 1
		}
		shape[0] = in[0].Shape[0]
		in[0] = &Tensor{Type: graph.Bool, Shape: shape}
	}
	l, err := newLoops(out, in[:]...)
	if err != nil {
		return nil, err
	}
	if !stretch && (in[1].Elements() != l.size || in[2].Elements() != l.size) {
		return nil, invalid("shapes %v and %v", in[1].Shape, in[2].Shape)
	}
	switch in[1].Type.Bits() {
	case 8:
		return &choose[uint8]{loops: l}, nil
	case 16:
		return &choose[uint16]{loops: l}, nil
	case 32:
		return &choose[uint32]{loops: l}, nil
	case 64:
		return &choose[uint64]{loops: l}, nil
	}
	return nil, unsupported("%v", in[1].Type)
}

// choose takes elements of one operand or another.
type choose[T number] struct {
	loops
	c         []uint8
	a, b, out []T
}

// Run selects.
func (k *choose[T]) Run(c *Call) error {
	k.c, k.a, k.b, k.out = c.In[0], view[T](c.In[1]), view[T](c.In[2]), view[T](c.Out[0])
	if k.size > 0 {
		c.Pool.Do(k, chunks(k.size), 2*chunk)
	}
	return nil
}

// Range computes chunks.
func (k *choose[T]) Range(low, high int) {
	sc, sa, sb := k.step(0), k.step(1), k.step(2)
	c := k.from(low*chunk, min(high*chunk, k.size))
	for c.next() {
		cond, a, b := k.c[c.offset[0]:], k.a[c.offset[1]:], k.b[c.offset[2]:]
		out := k.out[c.out:][:c.n]
		for i := range out {
			if cond[i*sc] != 0 {
				out[i] = a[i*sa]
			} else {
				out[i] = b[i*sb]
			}
		}
	}
}
