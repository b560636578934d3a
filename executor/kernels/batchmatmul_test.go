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

// stacks are matrices that a test multiplies.
type stacks struct {
	x, y, z              *Tensor
	stack                []int
	rows, depth, columns int
	turnX, turnY         bool
}

// drawStacks draws shapes and types of matrices.
func drawStacks(t *rapid.T) *stacks {
	draw := func(name string, high int) int { return rapid.IntRange(1, high).Draw(t, name) }
	s := &stacks{rows: draw("rows", 10), depth: draw("depth", 20), columns: draw("columns", 10)}
	s.turnX, s.turnY = rapid.Bool().Draw(t, "adjoint x"), rapid.Bool().Draw(t, "adjoint y")
	var left, right []int
	for range rapid.IntRange(0, 3).Draw(t, "rank") {
		d := draw("stack", 3)
		s.stack = append(s.stack, d)
		left = append(left, []int{1, d}[rapid.IntRange(0, 1).Draw(t, "left")])
		right = append(right, []int{1, d}[rapid.IntRange(0, 1).Draw(t, "right")])
		if last := len(s.stack) - 1; left[last] != d && right[last] != d {
			s.stack[last] = 1
		}
	}
	matrix := func(stack []int, a, b int, turned bool) []int {
		if turned {
			a, b = b, a
		}
		return append(append([]int{}, stack...), a, b)
	}
	kind := rapid.SampledFrom([]graph.DType{graph.Float32, graph.Int8, graph.Int16}).Draw(t, "type")
	s.x = &Tensor{Type: kind, Shape: matrix(left, s.rows, s.depth, s.turnX)}
	s.y = &Tensor{Type: kind, Shape: matrix(right, s.depth, s.columns, s.turnY)}
	s.z = &Tensor{Type: kind, Shape: matrix(s.stack, s.rows, s.columns, false)}
	if kind == graph.Int8 && rapid.Bool().Draw(t, "sums") {
		s.z.Type = graph.Int32
	}
	if kind != graph.Float32 {
		s.x.Quant, s.y.Quant, s.z.Quant = quantOne(0.5, 0), quantOne(0.5, 0), quantOne(64, 0)
		if kind == graph.Int8 && s.z.Type == kind {
			s.x.Quant.Zero[0], s.y.Quant.Zero[0], s.z.Quant.Zero[0] = 5, -17, 3
		}
	}
	return s
}

// operand returns an element of the matrix of an operand that belongs to matrix
// m of the result.
func (s *stacks) operand(o *Tensor, list []float64, m, r, c int, turned bool) float64 {
	if turned {
		r, c = c, r
	}
	index, step := 0, 1
	for d := len(s.stack) - 1; d >= 0; d-- {
		if k := d - len(s.stack) + len(o.Shape) - 2; o.Shape[k] > 1 {
			index += m % s.stack[d] * step
			step *= o.Shape[k]
		}
		m /= s.stack[d]
	}
	d := o.Shape[len(o.Shape)-2:]
	return list[(index*d[0]+r)*d[1]+c]
}

// TestBatchMatMul holds products against their definition, element by element.
func TestBatchMatMul(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawStacks(t)
		kind := s.x.Type
		a, b := drawNumbers(t, s.x), drawNumbers(t, s.y)
		n := &Node{Op: &graph.Op{Code: 126, Attributes: convAttributes(s.turnX, s.turnY)}, In: []*Tensor{s.x, s.y}, Out: []*Tensor{s.z}, Arithmetic: Reference}
		got := numbersFrom(s.z.Type, runNode(t, n, a, b))
		u, v := numbersFrom(kind, a), numbersFrom(kind, b)
		for i, g := range got {
			m, r, c := i/(s.rows*s.columns), i/s.columns%s.rows, i%s.columns
			var sum float32
			var whole int64
			for k := range s.depth {
				p, q := s.operand(s.x, u, m, r, k, s.turnX), s.operand(s.y, v, m, k, c, s.turnY)
				sum += float32(float32(p) * float32(q))
				if kind != graph.Float32 {
					whole += (int64(p) - s.x.Quant.Zero[0]) * (int64(q) - s.y.Quant.Zero[0])
				}
			}
			want := float64(sum)
			switch {
			case kind == graph.Float32:
			case s.z.Type == graph.Int32:
				want = float64(whole)
			default:
				low, high := integerRange(kind)
				rounded := slowRescale(inFixed, kind, kind == graph.Int16, whole, 0.5, 0.5, 64) + s.z.Quant.Zero[0]
				want = float64(min(max(rounded, int64(low)), int64(high)))
			}
			if g != want {
				t.Fatalf("element %d is %g, not %g", i, g, want)
			}
		}
	})
}
