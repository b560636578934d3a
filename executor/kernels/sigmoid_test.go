package kernels

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/arenalab/arenalab/graph"
)

// oneOperand is a node of one operand.
func oneOperand(name string, a Arithmetic, in, out *Tensor, fields ...any) *Node {
	return &Node{Op: &graph.Op{Code: opCode(name), Attributes: convAttributes(fields...)}, In: []*Tensor{in}, Out: []*Tensor{out}, Arithmetic: a}
}

// quantisedTensor is a tensor with a scale and a zero point.
func quantisedTensor(kind graph.DType, scale float32, zero int64, shape ...int) *Tensor {
	return &Tensor{Type: kind, Shape: shape, Quant: quantOne(scale, zero)}
}

// TestSigmoidNear compares all arithmetics with real numbers.
func TestSigmoidNear(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		kind := rapid.SampledFrom([]graph.DType{graph.Int8, graph.Uint8, graph.Int16}).Draw(t, "type")
		name := rapid.SampledFrom([]string{"LOGISTIC", "TANH"}).Draw(t, "operator")
		low, high := integerRange(kind)
		zero, outZero := int64(0), int64(0)
		step, quantum := 1.0/256, 1.02
		if kind != graph.Int16 {
			zero = rapid.Int64Range(int64(low), int64(high)).Draw(t, "zero")
			outZero = int64(low)
		} else {
			step, quantum = 1.0/32768, 8 // of interpolation
		}
		if name == "TANH" && kind != graph.Int16 {
			step, outZero = 1.0/128, int64(low)+128
		}
		spread := rapid.Float64Range(0.3, 7).Draw(t, "spread")
		scale := float32(spread / float64(high-low))
		x := rapid.SliceOfN(rapid.Int64Range(int64(low), int64(high)), 1, 20).Draw(t, "x")
		n := oneOperand(name, rapid.SampledFrom(Arithmetics()).Draw(t, "arithmetic"),
			quantisedTensor(kind, scale, zero, len(x)), quantisedTensor(kind, float32(step), outZero, len(x)))
		got := integersFrom(kind, runNode(t, n, integersOf(kind, x)))
		for i, v := range x {
			real := float64(scale) * float64(v-zero)
			want := 1 / (1 + math.Exp(-real))
			if name == "TANH" {
				want = math.Tanh(real)
			}
			if want = want/step + float64(outZero); math.Abs(float64(got[i])-min(max(want, float64(low)), float64(high))) > quantum {
				t.Fatalf("%s of %g is %d, not %g", name, real, got[i], want)
			}
		}
	})
}

// TestSoftmaxNear compares all arithmetics with real numbers.
func TestSoftmaxNear(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		kind := rapid.SampledFrom([]graph.DType{graph.Int8, graph.Uint8, graph.Int16, graph.Float32}).Draw(t, "type")
		low, high := integerRange(kind)
		beta := rapid.Float32Range(0.1, 2).Draw(t, "beta")
		depth := rapid.IntRange(1, 12).Draw(t, "depth")
		size := depth * rapid.IntRange(0, 3).Draw(t, "rows")
		x := rapid.SliceOfN(rapid.Int64Range(int64(low), int64(high)), size, size).Draw(t, "x")
		scale := rapid.Float64Range(0.5, 20).Draw(t, "spread") / float64(high-low)
		n := oneOperand("SOFTMAX", rapid.SampledFrom(Arithmetics()).Draw(t, "arithmetic"),
			quantisedTensor(kind, float32(scale), 0, size/depth, depth), quantisedTensor(kind, 1.0/256, int64(low), size/depth, depth), beta)
		if kind == graph.Int16 {
			n.Out[0].Quant = quantOne(1.0/32768, 0)
		}
		got := make([]float64, size)
		if kind == graph.Float32 {
			f := make([]float32, size)
			for i, v := range x {
				f[i] = float32(scale) * float32(v)
			}
			for i, v := range view[float32](runNode(t, n, convBytes(f))) {
				got[i] = float64(v)
			}
		} else {
			q := n.Out[0].Quant
			for i, v := range integersFrom(kind, runNode(t, n, integersOf(kind, x))) {
				got[i] = float64(q.Scale[0]) * float64(v-q.ZeroPoint(0))
			}
		}
		limit := map[graph.DType]float64{graph.Int8: 1.02 / 256, graph.Uint8: 1.02 / 256, graph.Int16: 0.003, graph.Float32: 1e-5}[kind]
		for r := 0; r < size; r += depth {
			sum := 0.0
			for _, v := range x[r : r+depth] {
				sum += math.Exp(scale * float64(beta) * float64(v-x[r]))
			}
			for i, v := range x[r : r+depth] {
				if want := math.Exp(scale*float64(beta)*float64(v-x[r])) / sum; math.Abs(got[r+i]-want) > limit {
					t.Fatalf("element %d is %g, not %g", r+i, got[r+i], want)
				}
			}
		}
	})
}
