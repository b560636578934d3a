package kernels

import (
	"errors"
	"testing"

	"github.com/arenalab/arenalab/graph"
)

// convSource draws small numbers from the bytes of a fuzzer, zeros at the end.
type convSource []byte

func (s *convSource) next() int {
	if len(*s) == 0 {
		return 0
	}
	b := (*s)[0]
	*s = (*s)[1:]
	return int(b)
}

// below returns a number below n.
func (s *convSource) below(n int) int { return s.next() % n }

// dim returns a dimension: mostly small, now and then absurd.
func (s *convSource) dim() int {
	switch v := s.next(); {
	case v < 240:
		return v % 7
	case v < 250:
		return 1 << (v % 11 * 3)
	default:
		return maxElements
	}
}

// option returns an int32 option: mostly small, now and then absurd.
func (s *convSource) option() int32 {
	switch v := s.next(); {
	case v < 230:
		return int32(v % 4)
	case v < 243:
		return -int32(v % 3)
	default:
		return 1<<31 - 1
	}
}

// tensor draws an operand, with data if it is constant and not too large.
func (s *convSource) tensor(rank int) *Tensor {
	if s.below(16) == 0 {
		return nil
	}
	kinds := []graph.DType{graph.Float32, graph.Int8, graph.Uint8, graph.Int16, graph.Int32, graph.Int64, graph.Int4, graph.Bool}
	t := &Tensor{Type: kinds[s.below(len(kinds))]}
	if s.below(8) == 0 {
		rank = s.below(6)
	}
	for range rank {
		t.Shape = append(t.Shape, s.dim())
	}
	if s.below(4) > 0 {
		t.Quant = &graph.Quant{Axis: s.below(4)}
		for range []int{0, 1, 1, 1, 2, 3, 5}[s.below(7)] {
			t.Quant.Scale = append(t.Quant.Scale, []float32{0.5, 0.01, 1, 0, -1, 1e30}[s.below(6)])
			t.Quant.Zero = append(t.Quant.Zero, []int64{0, 0, 1, -5, 128, 1 << 40}[s.below(6)])
		}
	}
	if size, ok := smallSize(t); ok && s.below(2) == 0 {
		t.Constant = make([]byte, size, size+8)
		for i := range t.Constant {
			t.Constant[i] = byte(i * 91)
		}
	}
	return t
}

// smallSize returns the bytes of a tensor if there are few.
func smallSize(t *Tensor) (int64, bool) {
	dims := make([]int32, len(t.Shape))
	for i, d := range t.Shape {
		if d > 1<<20 {
			return 0, false
		}
		dims[i] = int32(d)
	}
	size, err := graph.Size(t.Type, dims)
	return size, err == nil && size < 1<<16
}

// FuzzConv prepares and runs layers of all kinds. None may panic, even where
// Prepare would make an error of it.
func FuzzConv(f *testing.F) {
	codes := []int32{1, 3, 4, 9, 12, 17, 67, 126}
	for i := range codes {
		f.Add([]byte{byte(i)})
		f.Add([]byte{byte(i), 1, 2, 0, 1, 1, 1, 1, 1, 1, 1, 1, 0, 1, 1, 2, 3, 3, 3, 1, 1, 1, 1, 0, 0, 1, 1, 1, 2, 2, 2, 2, 1, 1, 1, 0, 0})
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		s := convSource(data)
		code := codes[s.below(len(codes))]
		rank := 4
		if code == 9 || code == 126 {
			rank = 2 + s.below(2)
		}
		a := convAttributes(int8(s.below(3)), s.option(), s.option(), int8(s.below(7)), s.option(), s.option(), int8(s.below(3)))
		switch code {
		case 1, 12, 17:
			a = convAttributes(int8(s.below(3)), s.option(), s.option(), s.option(), s.option(), int8(s.below(7)))
		case 4:
			a = convAttributes(int8(s.below(3)), s.option(), s.option(), s.option(), int8(s.below(7)), s.option(), s.option())
		case 9, 126:
			a = convAttributes(int8(s.below(5)), int8(s.below(2)), int8(s.below(2)), int8(s.below(2)), int8(s.below(5)))
		}
		n := &Node{Op: &graph.Op{Code: code, Attributes: a}, Arithmetic: Arithmetics()[s.below(3)]}
		for k := range s.below(5) {
			r := rank
			if code == 9 && k == 1 {
				r = 2
			} else if code == 67 && k == 0 || k == 2 && code != 67 || k == 3 {
				r = 1
			}
			n.In = append(n.In, s.tensor(r))
		}
		n.Out = []*Tensor{s.tensor(rank)}
		if s.below(4) > 0 {
			fitLayer(n, &s)
		}
		if n.check() != nil {
			return
		}
		k, err := lookup(n.Op)(n)
		if err != nil {
			if !errors.Is(err, ErrUnsupported) && !errors.Is(err, ErrInvalid) {
				t.Fatalf("error of no kind: %v", err)
			}
			return
		}
		runFuzzed(t, n, k)
	})
}

// fitLayer makes operands and result fit each other where it can, so that more
// nodes are accepted.
func fitLayer(n *Node, s *convSource) {
	a, out := &n.Op.Attributes, n.Out[0]
	if len(n.In) == 0 || n.In[0] == nil || out == nil {
		return
	}
	in, at := n.In[0], 1
	if n.Op.Code == 67 {
		if len(n.In) < 3 || n.In[2] == nil {
			return
		}
		in = n.In[2]
		n.In[0] = &Tensor{Type: graph.Int32, Shape: []int{4}}
	}
	if len(in.Shape) < 2 || len(n.In) <= at && n.Op.Code != 1 && n.Op.Code != 12 && n.Op.Code != 17 {
		return
	}
	out.Type, out.Constant = in.Type, nil
	in.Constant = nil
	if in.Quant != nil {
		in.Quant = quantOne(0.5, 0)
	}
	out.Quant = in.Quant
	axes := func(fy, fx int, dilated int) (y, x convAxis) {
		dy, dx := int32(1), int32(1)
		if dilated > 0 {
			dy, dx = a.Int(dilated+1, 1), a.Int(dilated, 1)
		}
		y, _ = newConvAxis(in.Shape[1], fy, a.Int(2, 0), dy, a.Byte(0, 0))
		x, _ = newConvAxis(in.Shape[2], fx, a.Int(1, 0), dx, a.Byte(0, 0))
		return y, x
	}
	if len(n.In) > at && n.In[at] != nil {
		w := n.In[at]
		w.Constant = nil
		if in.Quant != nil {
			w.Quant = quantOne(0.25, 0)
		}
		if w.Type = in.Type; in.Type == graph.Int16 || s.below(4) == 0 {
			w.Type = graph.Int8
		}
		fitWeights(n, in, w, out, axes)
		if size, ok := smallSize(w); ok && s.below(2) == 0 {
			w.Constant = make([]byte, size, size+8)
		}
		if last := len(n.In) - 1; last > at && n.In[last] != nil && n.In[last] != in && len(out.Shape) > 0 {
			n.In[last] = &Tensor{Type: map[graph.DType]graph.DType{graph.Float32: graph.Float32, graph.Int16: graph.Int64}[in.Type], Shape: out.Shape[len(out.Shape)-1:]}
			if in.Type == graph.Int8 || in.Type == graph.Uint8 {
				n.In[last].Type = graph.Int32
			}
		}
		return
	}
	if len(in.Shape) == 4 {
		y, x := axes(int(a.Int(4, 0)), int(a.Int(3, 0)), 0)
		out.Shape = []int{in.Shape[0], y.out, x.out, in.Shape[3]}
	}
}

// fitWeights makes weights and the result fit the input.
func fitWeights(n *Node, in, w, out *Tensor, axes func(fy, fx, dilated int) (y, x convAxis)) {
	if len(in.Shape) == 4 && len(w.Shape) == 4 {
		switch n.Op.Code {
		case 3:
			y, x := axes(w.Shape[1], w.Shape[2], 4)
			out.Shape = []int{in.Shape[0], y.out, x.out, w.Shape[0]}
		case 4:
			y, x := axes(w.Shape[1], w.Shape[2], 5)
			w.Shape[0], w.Shape[3] = 1, min(in.Shape[3], 64)*(1+w.Shape[3]%3)
			out.Shape = []int{in.Shape[0], y.out, x.out, w.Shape[3]}
		case 67:
			a := &n.Op.Attributes
			w.Shape[3] = in.Shape[3]
			out.Shape = []int{in.Shape[0], (in.Shape[1]-1)*int(a.Int(2, 0)) + w.Shape[1], (in.Shape[2]-1)*int(a.Int(1, 0)) + w.Shape[2], w.Shape[0]}
			if a.Byte(0, 0) == paddingSame {
				out.Shape[1], out.Shape[2] = in.Shape[1]*int(a.Int(2, 0)), in.Shape[2]*int(a.Int(1, 0))
			}
		}
	}
	if n.Op.Code == 9 && len(w.Shape) == 2 {
		out.Shape = append(append([]int{}, in.Shape[:len(in.Shape)-1]...), w.Shape[0])
	}
	if n.Op.Code == 126 && len(w.Shape) >= 2 && len(in.Shape) == len(w.Shape) {
		out.Shape = append(append([]int{}, in.Shape[:len(in.Shape)-1]...), w.Shape[len(w.Shape)-1])
	}
}

// runFuzzed runs a kernel twice if its operands are small.
func runFuzzed(t *testing.T, n *Node, k Kernel) {
	c := &Call{Pool: NewPool(1)}
	for role, list := range [][]*Tensor{n.In, n.Out} {
		for _, o := range list {
			var b []byte
			if o != nil {
				size, ok := smallSize(o)
				if !ok {
					return
				}
				if b = o.Constant; b == nil {
					b = make([]byte, size, size+8)
					for i := range b {
						b[i] = byte(i*57) & 0x3f
					}
				}
			}
			if role == 0 {
				c.In = append(c.In, b)
			} else {
				c.Out = append(c.Out, b)
			}
		}
	}
	for range 2 {
		if err := k.Run(c); err != nil && !errors.Is(err, ErrDynamic) {
			t.Fatal(err)
		}
	}
}
