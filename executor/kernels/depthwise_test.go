package kernels

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/arenalab/arenalab/graph"
)

// TestDepthwise holds depthwise convolutions against grouped ones, whose filters
// lie the other way round.
func TestDepthwise(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, a, _ := drawConv(t)
		s.outputs = s.channels * (s.outputs / s.groups)
		s.groups, s.depth = s.channels, 1
		kind := rapid.SampledFrom([]graph.DType{graph.Float32, graph.Int8, graph.Uint8, graph.Int16}).Draw(t, "type")
		n, data := drawLayer(t, &s, a, kind)
		n.Arithmetic = rapid.SampledFrom([]Arithmetic{Reference, Micro}).Draw(t, "arithmetic")
		want := runNode(t, n, data...)

		filter := *n.In[1]
		size := int(filter.Type.Bits() / 8)
		taps := s.y.filter * s.x.filter
		turned := make([]byte, len(data[1]), len(data[1])+8)
		for oc := range s.outputs {
			for tap := range taps {
				copy(turned[(tap*s.outputs+oc)*size:][:size], data[1][(oc*taps+tap)*size:])
			}
		}
		filter.Shape, filter.Constant = []int{1, s.y.filter, s.x.filter, s.outputs}, nil
		if filter.Quant != nil && len(filter.Quant.Scale) > 1 {
			filter.Quant = &graph.Quant{Scale: filter.Quant.Scale, Axis: 3}
		}
		depthwise := *n
		depthwise.In = []*Tensor{n.In[0], &filter, n.In[2]}
		depthwise.Op = &graph.Op{Code: 4, Attributes: convAttributes(a.Byte(0, 0), a.Int(1, 0), a.Int(2, 0), int32(1), a.Byte(3, 0), a.Int(4, 0), a.Int(5, 0))}
		got := runNode(t, &depthwise, data[0], turned, data[2])
		if string(got) != string(want) {
			t.Fatalf("%v differ from those of groups: %v, %v", kind, got, want)
		}
	})
}

// drawLayer draws the operands of a convolution.
func drawLayer(t *rapid.T, s *convShape, a graph.Attributes, kind graph.DType) (*Node, [][]byte) {
	filterKind, biasKind := kind, graph.Int32
	switch kind {
	case graph.Float32:
		biasKind = kind
	case graph.Int16:
		filterKind, biasKind = graph.Int8, graph.Int64
	}
	in, filter, out := s.tensors(kind, filterKind, kind)
	bias := &Tensor{Type: biasKind, Shape: []int{s.outputs}}
	n := &Node{Op: &graph.Op{Code: 3, Attributes: a}, In: []*Tensor{in, filter, bias}, Out: []*Tensor{out}}
	var data [][]byte
	for _, o := range n.In {
		data = append(data, drawNumbers(t, o))
	}
	if kind == graph.Float32 {
		return n, data
	}
	low, high := integerRange(kind)
	if kind == graph.Int16 {
		low, high = 0, 0
	}
	for _, o := range []*Tensor{in, out} {
		o.Quant = quantOne(rapid.Float32Range(0.01, 0.5).Draw(t, "scale"), rapid.Int64Range(int64(low), int64(high)).Draw(t, "zero"))
	}
	if kind == graph.Uint8 {
		filter.Quant = quantOne(0.02, 117)
		return n, data
	}
	filter.Quant = &graph.Quant{Scale: rapid.SliceOfN(rapid.Float32Range(0.001, 0.1), s.outputs, s.outputs).Draw(t, "scales")}
	return n, data
}

// drawNumbers draws the bytes of a tensor: integers of all sizes but for int32
// and int64, floats from -4 to 4.
func drawNumbers(t *rapid.T, o *Tensor) []byte {
	count := o.Elements()
	switch o.Type {
	case graph.Float32:
		return convBytes(rapid.SliceOfN(rapid.Float32Range(-4, 4), count, count).Draw(t, "numbers"))
	case graph.Int32, graph.Int64:
		return integersOf(o.Type, rapid.SliceOfN(rapid.Int64Range(-3000, 3000), count, count).Draw(t, "bias"))
	}
	low, high := integerRange(o.Type)
	return integersOf(o.Type, rapid.SliceOfN(rapid.Int64Range(int64(low), int64(high)), count, count).Draw(t, "integers"))
}
