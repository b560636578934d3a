package kernels

import (
	"encoding/binary"
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/arenalab/arenalab/graph"
)

// convAttributes makes builtin options of fields by number: int8, bool, int32 or
// float32.
func convAttributes(fields ...any) graph.Attributes {
	a := graph.Attributes{Kind: 1, Table: make([]byte, 4)}
	for _, f := range fields {
		a.At = append(a.At, uint16(len(a.Table)))
		switch v := f.(type) {
		case int8:
			a.Table = append(a.Table, byte(v))
		case bool:
			b := byte(0)
			if v {
				b = 1
			}
			a.Table = append(a.Table, b)
		case int32:
			a.Table = binary.LittleEndian.AppendUint32(a.Table, uint32(v))
		case float32:
			a.Table = binary.LittleEndian.AppendUint32(a.Table, math.Float32bits(v))
		}
	}
	return a
}

// convBytes returns numbers as they lie in memory, aligned.
func convBytes[T number](x []T) []byte {
	b := make([]byte, 0, 8*len(x)+8)
	for _, v := range x {
		b, _ = binary.Append(b, binary.LittleEndian, v)
	}
	return b
}

// quantOne is one scale and zero point.
func quantOne(scale float32, zero int64) *graph.Quant {
	return &graph.Quant{Scale: []float32{scale}, Zero: []int64{zero}}
}

// drawConv draws a small convolution.
func drawConv(t *rapid.T) (s convShape, a graph.Attributes, activation int8) {
	draw := func(name string, low, high int) int { return rapid.IntRange(low, high).Draw(t, name) }
	groups := rapid.SampledFrom([]int{1, 1, 1, 2, 3}).Draw(t, "groups")
	s = convShape{batch: draw("batch", 1, 2), groups: groups, depth: draw("depth", 1, 5), outputs: groups * draw("filters", 1, 4)}
	s.channels = s.groups * s.depth
	padding := int8(draw("padding", 0, 1))
	axis := func(name string) convAxis {
		for {
			x, err := newConvAxis(draw(name, 1, 9), draw(name+" filter", 1, 4), int32(draw(name+" stride", 1, 3)), int32(draw(name+" dilation", 1, 2)), padding)
			if err == nil {
				return x
			}
			padding = paddingSame
		}
	}
	s.y, s.x = axis("y"), axis("x")
	if padding == paddingSame {
		s.y, _ = newConvAxis(s.y.in, s.y.filter, int32(s.y.stride), int32(s.y.dilation), padding)
		s.x, _ = newConvAxis(s.x.in, s.x.filter, int32(s.x.stride), int32(s.x.dilation), padding)
	}
	activation = int8(draw("activation", 0, 3))
	return s, convAttributes(padding, int32(s.x.stride), int32(s.y.stride), activation, int32(s.x.dilation), int32(s.y.dilation)), activation
}

// eachTap calls f for the taps of an output element that lie in the image, with
// the indices of input and weight.
func (s *convShape) eachTap(b, oy, ox, oc int, f func(x, w int)) {
	group := oc / (s.outputs / s.groups)
	for fy := range s.y.filter {
		for fx := range s.x.filter {
			y, x := oy*s.y.stride-s.y.pad+fy*s.y.dilation, ox*s.x.stride-s.x.pad+fx*s.x.dilation
			if y < 0 || y >= s.y.in || x < 0 || x >= s.x.in {
				continue
			}
			for d := range s.depth {
				f(((b*s.y.in+y)*s.x.in+x)*s.channels+group*s.depth+d, ((oc*s.y.filter+fy)*s.x.filter+fx)*s.depth+d)
			}
		}
	}
}

// each calls f for every output element.
func (s *convShape) each(f func(i, b, oy, ox, oc int)) {
	i := 0
	for b := range s.batch {
		for oy := range s.y.out {
			for ox := range s.x.out {
				for oc := range s.outputs {
					f(i, b, oy, ox, oc)
					i++
				}
			}
		}
	}
}

func (s *convShape) tensors(in, filter, out graph.DType) (x, w, y *Tensor) {
	return &Tensor{Type: in, Shape: []int{s.batch, s.y.in, s.x.in, s.channels}},
		&Tensor{Type: filter, Shape: []int{s.outputs, s.y.filter, s.x.filter, s.depth}},
		&Tensor{Type: out, Shape: []int{s.batch, s.y.out, s.x.out, s.outputs}}
}

// runNode prepares a node and runs it with one worker and with three, checks
// that they agree, and returns the first result.
func runNode(t fataler, n *Node, in ...[]byte) []byte {
	t.Helper()
	k, err := Prepare(n)
	if err != nil {
		fatal(t, err)
	}
	var size int
	dims := make([]int32, len(n.Out[0].Shape))
	for i, d := range n.Out[0].Shape {
		dims[i] = int32(d)
	}
	bytes, _ := graph.Size(n.Out[0].Type, dims)
	size = int(bytes)
	one, several := NewPool(1), NewPool(3)
	defer several.Close()
	first := make([]byte, size, size+8)
	if err := k.Run(&Call{In: in, Out: [][]byte{first}, Pool: one}); err != nil {
		fatal(t, err)
	}
	second := make([]byte, size, size+8)
	if err := k.Run(&Call{In: in, Out: [][]byte{second}, Pool: several}); err != nil {
		fatal(t, err)
	}
	if string(first) != string(second) {
		t.Fatal("three workers give another result than one")
	}
	return first
}

func fatal(t fataler, err error) {
	t.Helper()
	t.Fatal(err)
}

func TestConvFloat(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, a, activation := drawConv(t)
		in, filter, out := s.tensors(graph.Float32, graph.Float32, graph.Float32)
		number := rapid.Float32Range(-4, 4)
		x := rapid.SliceOfN(number, in.Elements(), in.Elements()).Draw(t, "x")
		w := rapid.SliceOfN(number, filter.Elements(), filter.Elements()).Draw(t, "w")
		bias := rapid.SliceOfN(number, s.outputs, s.outputs).Draw(t, "bias")
		n := &Node{Op: &graph.Op{Code: 3, Attributes: a}, In: []*Tensor{in, filter, {Type: graph.Float32, Shape: []int{s.outputs}}},
			Out: []*Tensor{out}, Arithmetic: Reference}
		got := view[float32](runNode(t, n, convBytes(x), convBytes(w), convBytes(bias)))
		s.each(func(i, b, oy, ox, oc int) {
			var sum float32
			s.eachTap(b, oy, ox, oc, func(xi, wi int) { sum += float32(x[xi] * w[wi]) })
			sum += bias[oc]
			switch activation {
			case 1:
				sum = max(sum, 0)
			case 2:
				sum = max(min(sum, 1), -1)
			case 3:
				sum = max(min(sum, 6), 0)
			}
			if got[i] != sum {
				t.Fatalf("element %d is %g, not %g", i, got[i], sum)
			}
		})
	})
}

// slowRescale is multiplication by m*2^(shift-31) with two roundings, from its
// description: the high half of the doubled product to the nearest, then a
// division by a power of two to the nearest.
func slowRescale(how rescaling, t graph.DType, wide bool, sum int64, in, w, out float32) int64 {
	half := func(v float64) int64 { return int64(math.Round(v)) }
	real := float64(in) * float64(w) / float64(out)
	if t == graph.Uint8 {
		real = float64(float32(in*w)) / float64(out)
	}
	q, shift := math.Frexp(real)
	m := half(q * (1 << 31))
	if m == 1<<31 {
		m, shift = m/2, shift+1
	}
	switch {
	case wide:
		m16 := int64(32767)
		if m < 0x7FFF0000 {
			m16 = (m + 1<<15) / (1 << 16)
		}
		return int64(math.Floor(math.Ldexp(float64(sum*m16), shift-15) + 0.5))
	case how == inFloat32:
		return int64(math.RoundToEven(float64(float32(sum) * (float32(in*w) / out))))
	}
	x := int64(int32(sum << max(shift, 0)))
	high := math.Trunc(float64(x*m)/(1<<31) + math.Copysign(0.5, float64(x*m)))
	if x*m < 0 && math.Mod(float64(-x*m), 1<<31) == 1<<30 {
		high++ // half: towards plus infinity
	}
	if how == inFixedUpward {
		return int64(math.Floor(math.Ldexp(high, min(shift, 0)) + 0.5))
	}
	return half(math.Ldexp(high, min(shift, 0)))
}

func TestConvInteger(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, a, _ := drawConv(t)
		kind := rapid.SampledFrom([]graph.DType{graph.Int8, graph.Uint8, graph.Int16}).Draw(t, "type")
		testIntegerConv(t, &s, a, kind)
	})
}

func testIntegerConv(t *rapid.T, s *convShape, a graph.Attributes, kind graph.DType) {
	n, data := drawLayer(t, s, a, kind)
	in, filter, out := n.In[0], n.In[1], n.Out[0]
	wide := kind == graph.Int16
	if wide && rapid.Bool().Draw(t, "narrow") {
		wide, n.In[2].Type = false, graph.Int32
		data[2] = drawNumbers(t, n.In[2])
	}
	n.In[2].Constant = data[2]
	if rapid.Bool().Draw(t, "constant") {
		filter.Constant = data[1]
	}
	n.Arithmetic = rapid.SampledFrom(Arithmetics()).Draw(t, "arithmetic")
	got := integersFrom(kind, runNode(t, n, data...))
	how := inFixed
	if n.Arithmetic == Single && kind != graph.Int16 {
		if filter.Constant != nil {
			how = inFloat32
		} else if s.groups == 1 {
			how = inFixedUpward
		}
	}
	x, w, bias := integersFrom(kind, data[0]), integersFrom(filter.Type, data[1]), integersFrom(n.In[2].Type, data[2])
	from, to, err := integerClamp(a.Byte(3, 0), out)
	if err != nil {
		t.Fatal(err)
	}
	s.each(func(i, b, oy, ox, oc int) {
		sum := bias[oc]
		s.eachTap(b, oy, ox, oc, func(xi, wi int) {
			sum += (x[xi] - in.Quant.Zero[0]) * (w[wi] - filter.Quant.ZeroPoint(0))
		})
		f := filter.Quant.Scale[min(oc, len(filter.Quant.Scale)-1)]
		v := slowRescale(how, kind, wide, sum, in.Quant.Scale[0], f, out.Quant.Scale[0]) + out.Quant.Zero[0]
		if v = min(max(v, int64(from)), int64(to)); got[i] != v {
			t.Fatalf("element %d of %v is %d, not %d (sum %d)", i, kind, got[i], v, sum)
		}
	})
}

// integersOf returns integers as they lie in memory.
func integersOf(kind graph.DType, x []int64) []byte {
	b := make([]byte, 0, 8*len(x)+8)
	for _, v := range x {
		switch kind {
		case graph.Int8, graph.Uint8:
			b = append(b, byte(v))
		case graph.Int16:
			b = binary.LittleEndian.AppendUint16(b, uint16(v))
		case graph.Int32:
			b = binary.LittleEndian.AppendUint32(b, uint32(v))
		default:
			b = binary.LittleEndian.AppendUint64(b, uint64(v))
		}
	}
	return b
}

// integersFrom reads them.
func integersFrom(kind graph.DType, b []byte) []int64 {
	var x []int64
	switch kind {
	case graph.Int8:
		x = widened(view[int8](b))
	case graph.Uint8:
		x = widened(b)
	case graph.Int16:
		x = widened(view[int16](b))
	case graph.Int32:
		x = widened(view[int32](b))
	case graph.Int64:
		x = view[int64](b)
	}
	return x
}

func widened[T number](x []T) []int64 {
	list := make([]int64, len(x))
	for i, v := range x {
		list[i] = int64(v)
	}
	return list
}

// fataler is what tests and properties have in common.
type fataler interface {
	Helper()
	Fatal(args ...any)
}
