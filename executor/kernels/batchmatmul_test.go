package kernels

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/arenalab/arenalab/graph"
)

// TestBatchMatMulScales gives the right matrix a scale for each column, which
// the runtimes do not read.
func TestBatchMatMulScales(t *testing.T) {
	x := &Tensor{Type: graph.Int8, Shape: []int{1, 2}, Quant: quantOne(0.5, 0)}
	y := &Tensor{Type: graph.Int8, Shape: []int{2, 2}, Quant: &graph.Quant{Scale: []float32{1, 2}, Zero: []int64{0, 0}, Axis: 1}}
	z := &Tensor{Type: graph.Int8, Shape: []int{1, 2}, Quant: quantOne(0.5, 7)}
	data := []byte{1, 2, 3, 4}
	n := &Node{Op: &graph.Op{Code: 126}, In: []*Tensor{x, y}, Out: []*Tensor{z}, Arithmetic: Reference}
	if got := runNode(t, n, data[:2], data); got[0] != 7 || got[1] != 7 {
		t.Errorf("products of %v, not of the zero point", got)
	}
}

// TestBatchMatMul holds products against their definition, element by element.
func TestBatchMatMul(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := func(name string, high int) int { return rapid.IntRange(1, high).Draw(t, name) }
		rows, depth, columns := draw("rows", 10), draw("depth", 20), draw("columns", 10)
		turnX, turnY := rapid.Bool().Draw(t, "adjoint x"), rapid.Bool().Draw(t, "adjoint y")
		var stack, left, right []int
		for range rapid.IntRange(0, 3).Draw(t, "rank") {
			d := draw("stack", 3)
			stack = append(stack, d)
			left = append(left, []int{1, d}[rapid.IntRange(0, 1).Draw(t, "left")])
			right = append(right, []int{1, d}[rapid.IntRange(0, 1).Draw(t, "right")])
			if last := len(stack) - 1; left[last] != d && right[last] != d {
				stack[last] = 1
			}
		}
		matrix := func(stack []int, a, b int, turned bool) []int {
			if turned {
				a, b = b, a
			}
			return append(append([]int{}, stack...), a, b)
		}
		kind := rapid.SampledFrom([]graph.DType{graph.Float32, graph.Int8, graph.Int16}).Draw(t, "type")
		x := &Tensor{Type: kind, Shape: matrix(left, rows, depth, turnX)}
		y := &Tensor{Type: kind, Shape: matrix(right, depth, columns, turnY)}
		z := &Tensor{Type: kind, Shape: matrix(stack, rows, columns, false)}
		if kind == graph.Int8 && rapid.Bool().Draw(t, "sums") {
			z.Type = graph.Int32
		}
		if kind != graph.Float32 {
			x.Quant, y.Quant, z.Quant = quantOne(0.5, 0), quantOne(0.5, 0), quantOne(64, 0)
			if kind == graph.Int8 && z.Type == kind {
				x.Quant.Zero[0], y.Quant.Zero[0], z.Quant.Zero[0] = 5, -17, 3
			}
		}
		a, b := drawNumbers(t, x), drawNumbers(t, y)
		n := &Node{Op: &graph.Op{Code: 126, Attributes: convAttributes(turnX, turnY)}, In: []*Tensor{x, y}, Out: []*Tensor{z}, Arithmetic: Reference}
		got := runNode(t, n, a, b)
		element := func(o *Tensor, list []float64, at []int, r, c int, turned bool) float64 {
			if turned {
				r, c = c, r
			}
			index := 0
			for i, d := range o.Shape[:len(at)] {
				index = index*d + at[i]%d
			}
			d := o.Shape[len(at):]
			return list[(index*d[0]+r)*d[1]+c]
		}
		u, v := numbersFrom(kind, a), numbersFrom(kind, b)
		at := make([]int, len(stack))
		for i := range z.Elements() {
			m := i / (rows * columns)
			for d := len(stack) - 1; d >= 0; d-- {
				at[d], m = m%stack[d], m/stack[d]
			}
			r, c := i/columns%rows, i%columns
			var sum float32
			var whole int64
			for k := range depth {
				p, q := element(x, u, at, r, k, turnX), element(y, v, at, k, c, turnY)
				sum += float32(float32(p) * float32(q))
				if kind != graph.Float32 {
					whole += (int64(p) - x.Quant.Zero[0]) * (int64(q) - y.Quant.Zero[0])
				}
			}
			switch {
			case kind == graph.Float32:
				if g := view[float32](got)[i]; g != sum {
					t.Fatalf("element %d is %g, not %g", i, g, sum)
				}
			case z.Type == graph.Int32:
				if g := view[int32](got)[i]; int64(g) != whole {
					t.Fatalf("element %d is %d, not %d", i, g, whole)
				}
			default:
				low, high := integerRange(kind)
				want := slowRescale(inFixed, kind, kind == graph.Int16, whole, 0.5, 0.5, 64) + z.Quant.Zero[0]
				if want = min(max(want, int64(low)), int64(high)); integersFrom(kind, got)[i] != want {
					t.Fatalf("element %d is %d, not %d", i, integersFrom(kind, got)[i], want)
				}
			}
		}
	})
}
