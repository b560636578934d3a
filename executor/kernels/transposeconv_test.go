package kernels

import (
	"errors"
	"testing"

	"pgregory.net/rapid"

	"github.com/arenalab/arenalab/graph"
)

// drawSpread draws a transposed convolution and the operands of the kernel.
func drawSpread(t *rapid.T, kind graph.DType) (*Node, [][]byte) {
	draw := func(name string, high int) int { return rapid.IntRange(1, high).Draw(t, name) }
	s := convShape{batch: draw("batch", 2), groups: 1, depth: draw("depth", 4), outputs: draw("outputs", 4)}
	s.channels = s.depth
	padding := int8(rapid.IntRange(0, 1).Draw(t, "padding"))
	axis := func(name string) convAxis {
		in, filter, stride := draw(name, 5), draw(name+" filter", 4), draw(name+" stride", 4)
		out := (in-1)*stride + filter // of the several sizes that there are, the least
		if padding == paddingSame {
			out = (in-1)*stride + draw(name+" more", stride)
		}
		return convAxis{in: in, out: out, filter: filter, stride: stride, dilation: 1}
	}
	s.y, s.x = axis("y"), axis("x")
	n, data := drawLayer(t, &s, convAttributes(padding, int32(s.x.stride), int32(s.y.stride), int8(rapid.IntRange(0, 3).Draw(t, "activation"))), kind)
	n.Op.Code = 67
	shape := &Tensor{Type: graph.Int32, Shape: []int{4}}
	sizes := integersOf(graph.Int32, widened([]int32{int32(s.batch), int32(s.y.out), int32(s.x.out), int32(s.outputs)}))
	n.In = []*Tensor{shape, n.In[1], n.In[0], n.In[2]}
	return n, [][]byte{sizes, data[1], data[0], data[2]}
}

// TestTransposeConv spreads every input over the sums of the output.
func TestTransposeConv(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		kind := rapid.SampledFrom([]graph.DType{graph.Float32, graph.Int8, graph.Uint8, graph.Int16}).Draw(t, "type")
		n, data := drawSpread(t, kind)
		n.Arithmetic = Reference
		got := numbersFrom(kind, runNode(t, n, data...))
		filter, in, out := n.In[1], n.In[2], n.Out[0]
		s, err := newSpread(n, in, filter, out)
		if err != nil {
			t.Fatal(err)
		}
		w, x := numbersFrom(filter.Type, data[1]), numbersFrom(kind, data[2])
		sums, whole := make([]float32, out.Elements()), make([]int64, out.Elements())
		zero, filterZero := int64(0), int64(0)
		if kind != graph.Float32 {
			zero, filterZero = in.Quant.ZeroPoint(0), filter.Quant.ZeroPoint(0)
		}
		for i, v := range x {
			ic, ix, iy, b := i%s.depth, i/s.depth%s.x.out, i/s.depth/s.x.out%s.y.out, i/s.depth/s.x.out/s.y.out
			for j, u := range w {
				fx, fy, oc := j/s.depth%s.x.filter, j/s.depth/s.x.filter%s.y.filter, j/s.depth/s.x.filter/s.y.filter
				oy, ox := iy*s.y.stride-s.y.pad+fy, ix*s.x.stride-s.x.pad+fx
				if j%s.depth != ic || oy < 0 || oy >= s.y.in || ox < 0 || ox >= s.x.in {
					continue
				}
				at := ((b*s.y.in+oy)*s.x.in+ox)*s.outputs + oc
				sums[at] += float32(float32(v) * float32(u))
				whole[at] += (int64(v) - zero) * (int64(u) - filterZero)
			}
		}
		for i, g := range got {
			want := float64(0)
			if kind == graph.Float32 {
				low, high, _ := floatClamp(n.Op.Attributes.Byte(3, 0))
				want = float64(clampFloat(sums[i]+view[float32](data[3])[i%s.outputs], low, high))
			} else {
				sum := whole[i]
				if kind == graph.Int16 {
					sum += view[int64](data[3])[i%s.outputs]
				} else {
					sum += int64(view[int32](data[3])[i%s.outputs])
				}
				scales := filter.Quant.Scale
				v := slowRescale(inFixed, kind, kind == graph.Int16, sum, in.Quant.Scale[0], scales[min(i%s.outputs, len(scales)-1)], out.Quant.Scale[0])
				low, high, _ := integerClamp(n.Op.Attributes.Byte(3, 0), out)
				want = float64(min(max(v+out.Quant.ZeroPoint(0), int64(low)), int64(high)))
			}
			if g != want {
				t.Fatalf("element %d of %v is %g, not %g", i, kind, g, want)
			}
		}
	})
}

// TestTransposeConvShape gives another shape at run time than was planned.
func TestTransposeConvShape(t *testing.T) {
	n := &Node{Op: &graph.Op{Code: 67, Attributes: convAttributes(int8(1), int32(2), int32(2))}, Arithmetic: Single,
		In: []*Tensor{
			{Type: graph.Int32, Shape: []int{4}},
			{Type: graph.Float32, Shape: []int{1, 2, 2, 1}},
			{Type: graph.Float32, Shape: []int{1, 2, 2, 1}},
		},
		Out: []*Tensor{{Type: graph.Float32, Shape: []int{1, 4, 4, 1}}}}
	x, out := convBytes([]float32{1, 2, 3, 4}), make([]byte, 64)
	for _, test := range []struct {
		arithmetic Arithmetic
		size       int32
		want       error
	}{{Single, 4, nil}, {Single, 5, ErrDynamic}, {Micro, 5, nil}} {
		n.Arithmetic = test.arithmetic
		k, err := Prepare(n)
		if err != nil {
			t.Fatal(err)
		}
		shape := convBytes([]int32{1, test.size, 4, 1})
		if err := k.Run(&Call{In: [][]byte{shape, x, x}, Out: [][]byte{out}, Pool: NewPool(1)}); !errors.Is(err, test.want) {
			t.Errorf("%s with height %d: %v, want %v", test.arithmetic, test.size, err, test.want)
		}
		n.In[0].Constant = shape
		if _, err := Prepare(n); test.want != nil && !errors.Is(err, ErrInvalid) {
			t.Errorf("%s with constant height %d: %v", test.arithmetic, test.size, err)
		}
		n.In[0].Constant = nil
	}
}
