package kernels

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/arenalab/arenalab/graph"
)

func TestConv3D(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := func(name string, low, high int) int { return rapid.IntRange(low, high).Draw(t, name) }
		axis := func(name string) convAxis {
			a, err := newConvAxis(draw(name, 1, 5), draw(name+" filter", 1, 3), int32(draw(name+" stride", 1, 2)), int32(draw(name+" dilation", 1, 2)), paddingSame)
			if err != nil {
				t.Fatal(err)
			}
			return a
		}
		z, y, x := axis("z"), axis("y"), axis("x")
		batch, channels, outputs := draw("batch", 1, 2), draw("channels", 1, 6), draw("outputs", 1, 4)
		in := &Tensor{Type: graph.Float32, Shape: []int{batch, z.in, y.in, x.in, channels}}
		filter := &Tensor{Type: graph.Float32, Shape: []int{z.filter, y.filter, x.filter, channels, outputs}}
		bias := &Tensor{Type: graph.Float32, Shape: []int{outputs}}
		out := &Tensor{Type: graph.Float32, Shape: []int{batch, z.out, y.out, x.out, outputs}}
		a := convAttributes(int8(0), int32(z.stride), int32(x.stride), int32(y.stride), int8(1), int32(z.dilation), int32(x.dilation), int32(y.dilation))
		n := &Node{Op: &graph.Op{Code: 132, Attributes: a}, In: []*Tensor{in, filter, bias}, Out: []*Tensor{out}, Arithmetic: Single}
		data := [][]byte{drawNumbers(t, in), drawNumbers(t, filter), drawNumbers(t, bias)}
		got, v, w := view[float32](runNode(t, n, data...)), view[float32](data[0]), view[float32](data[1])
		for i, g := range got {
			oc, ox, oy, oz := i%outputs, i/outputs%x.out, i/outputs/x.out%y.out, i/outputs/x.out/y.out%z.out
			b, sum := i/outputs/x.out/y.out/z.out, float32(0)
			for j := range filter.Elements() / outputs {
				ic, fx, fy, fz := j%channels, j/channels%x.filter, j/channels/x.filter%y.filter, j/channels/x.filter/y.filter
				iz, iy, ix := oz*z.stride-z.pad+fz*z.dilation, oy*y.stride-y.pad+fy*y.dilation, ox*x.stride-x.pad+fx*x.dilation
				if iz < 0 || iz >= z.in || iy < 0 || iy >= y.in || ix < 0 || ix >= x.in {
					continue
				}
				sum += float32(v[(((b*z.in+iz)*y.in+iy)*x.in+ix)*channels+ic] * w[j*outputs+oc])
			}
			if sum = max(sum+view[float32](data[2])[oc], 0); g != sum {
				t.Fatalf("element %d is %g, not %g", i, g, sum)
			}
		}
	})
}
