package kernels

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/arenalab/arenalab/graph"
)

// TestFullyConnected holds fully connected layers against convolutions of
// images of one row, in the arithmetic where both rescale alike.
func TestFullyConnected(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := func(name string, high int) int { return rapid.IntRange(1, high).Draw(t, name) }
		one := convAxis{in: 1, out: 1, filter: 1, stride: 1, dilation: 1}
		s := convShape{batch: 1, groups: 1, depth: draw("depth", 40), outputs: draw("channels", 150), y: one, x: one}
		s.channels, s.x.in = s.depth, draw("rows", 9)
		s.x.out = s.x.in
		activation := int8(rapid.IntRange(0, 3).Draw(t, "activation"))
		kind := rapid.SampledFrom([]graph.DType{graph.Float32, graph.Int8, graph.Int16}).Draw(t, "type")
		n, data := drawLayer(t, &s, convAttributes(int8(1), int32(1), int32(1), activation), kind)
		if kind != graph.Float32 && s.outputs == 1 {
			t.Skip("one scale is for the whole tensor")
		}
		n.Arithmetic = Micro
		want := runNode(t, n, data...)

		filter, out := *n.In[1], *n.Out[0]
		filter.Shape, out.Shape = []int{s.outputs, s.depth}, []int{s.x.in, s.outputs}
		dense := &Node{Op: &graph.Op{Code: 9, Attributes: convAttributes(activation)}, In: []*Tensor{n.In[0], &filter, n.In[2]},
			Out: []*Tensor{&out}, Arithmetic: Micro}
		if got := runNode(t, dense, data...); string(got) != string(want) {
			t.Fatalf("%v differ from those of a convolution: %v, %v", kind, got, want)
		}
	})
}

// TestFullyConnectedNoBias leaves out the bias, which is to be one of zeros.
func TestFullyConnectedNoBias(t *testing.T) {
	in := &Tensor{Type: graph.Float32, Shape: []int{2, 3}}
	w := &Tensor{Type: graph.Float32, Shape: []int{2, 3}}
	out := &Tensor{Type: graph.Float32, Shape: []int{2, 2}}
	x, y := convBytes([]float32{1, 2, 3, 4, 5, 6}), convBytes([]float32{1, 0, -1, 2, 2, 2})
	n := &Node{Op: &graph.Op{Code: 9, Attributes: convAttributes()}, In: []*Tensor{in, w, nil}, Out: []*Tensor{out}, Arithmetic: Reference}
	got := view[float32](runNode(t, n, x, y, nil))
	for i, want := range []float32{-2, 12, -2, 30} {
		if got[i] != want {
			t.Errorf("element %d is %g, not %g", i, got[i], want)
		}
	}
}
