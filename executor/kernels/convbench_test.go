package kernels

import (
	"fmt"
	"testing"

	"github.com/arenalab/arenalab/graph"
)

// benchLayer makes a convolution of the given sizes, with numbers that do not
// matter.
func benchLayer(code int32, kind graph.DType, size, channels, outputs, filter, stride int) (*Node, [][]byte) {
	s := convShape{batch: 1, channels: channels, outputs: outputs, depth: channels, groups: 1}
	s.y, _ = newConvAxis(size, filter, int32(stride), 1, paddingSame)
	s.x = s.y
	filterKind, biasKind := kind, graph.Int32
	switch kind {
	case graph.Float32:
		biasKind = kind
	case graph.Int16:
		filterKind, biasKind = graph.Int8, graph.Int64
	}
	in, w, out := s.tensors(kind, filterKind, kind)
	a := convAttributes(int8(0), int32(stride), int32(stride), int8(1))
	if code == 4 {
		w.Shape = []int{1, filter, filter, outputs}
		a = convAttributes(int8(0), int32(stride), int32(stride), int32(1), int8(1))
	}
	if kind != graph.Float32 {
		in.Quant, w.Quant, out.Quant = quantOne(0.02, 0), quantOne(0.01, 0), quantOne(0.03, 0)
	}
	n := &Node{Op: &graph.Op{Code: code, Attributes: a}, In: []*Tensor{in, w, {Type: biasKind, Shape: []int{outputs}}}, Out: []*Tensor{out}, Arithmetic: Reference}
	var data [][]byte
	for _, t := range append(n.In, out) {
		b := make([]byte, t.Elements()*int(t.Type.Bits()/8)+8)
		if t.Type != graph.Float32 {
			for i := range b {
				b[i] = byte(i * 37)
			}
		}
		data = append(data, b[:len(b)-8])
	}
	w.Constant, n.In[2].Constant = data[1], data[2]
	return n, data
}

// BenchmarkConv runs layers of MobileNet v2 with one worker.
func BenchmarkConv(b *testing.B) {
	for _, l := range []struct {
		code                                    int32
		size, channels, outputs, filter, stride int
	}{
		{3, 224, 3, 32, 3, 2}, {3, 56, 24, 144, 1, 1}, {3, 14, 384, 64, 1, 1}, {3, 14, 96, 576, 1, 1}, {3, 7, 320, 1280, 1, 1}, {3, 14, 64, 64, 3, 1},
		{4, 112, 32, 32, 3, 1}, {4, 14, 576, 576, 3, 1},
	} {
		for _, kind := range []graph.DType{graph.Float32, graph.Int8, graph.Int16} {
			n, data := benchLayer(l.code, kind, l.size, l.channels, l.outputs, l.filter, l.stride)
			k, err := Prepare(n)
			if err != nil {
				b.Fatal(err)
			}
			c := &Call{In: data[:3], Out: data[3:], Pool: NewPool(1)}
			depth := l.channels
			if l.code == 4 {
				depth = 1
			}
			work := float64(n.Out[0].Elements() * l.filter * l.filter * depth)
			b.Run(fmt.Sprintf("%s/%dx%dx%d-%dx%d-%d/%v", n.Op.Name(), l.size, l.size, l.channels, l.filter, l.filter, l.outputs, kind), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if err := k.Run(c); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(work*float64(b.N)/float64(b.Elapsed().Nanoseconds()), "products/ns")
			})
		}
	}
}
