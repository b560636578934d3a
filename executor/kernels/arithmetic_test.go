package kernels

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/arenalab/arenalab/graph"
)

// drawQuantised draws a scale and a zero point of a type.
func drawQuantised(t *rapid.T, kind graph.DType, shape []int, name string) *Tensor {
	low, high := integerRange(kind)
	zero := int64(0)
	if kind != graph.Int16 {
		zero = rapid.Int64Range(int64(low), int64(high)).Draw(t, name+" zero")
	}
	scale := rapid.Float64Range(0.3, 3).Draw(t, name+" spread") / float64(high)
	return quantisedTensor(kind, float32(scale), zero, shape...)
}

// TestQuantisedNear compares quantised operators of two operands with real
// numbers, in all arithmetics and with fused activations.
func TestQuantisedNear(t *testing.T) {
	operators := map[string]func(a, b float64) float64{
		"ADD": func(a, b float64) float64 { return a + b }, "SUB": func(a, b float64) float64 { return a - b },
		"MUL": func(a, b float64) float64 { return a * b },
		"PRELU": func(a, b float64) float64 {
			if a < 0 {
				return a * b
			}
			return a
		},
		"SQUARED_DIFFERENCE": func(a, b float64) float64 { return (a - b) * (a - b) },
	}
	for name, f := range operators {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				in, out := drawShapes(t, 2)
				kind := rapid.SampledFrom([]graph.DType{graph.Int8, graph.Uint8, graph.Int16}).Draw(t, "type")
				if name == "PRELU" || name == "SQUARED_DIFFERENCE" {
					kind = graph.Int8
				}
				if name == "PRELU" {
					in[0] = out
				}
				n := &Node{Arithmetic: rapid.SampledFrom(Arithmetics()).Draw(t, "arithmetic"), Op: &graph.Op{Code: opCode(name)},
					In: []*Tensor{drawQuantised(t, kind, in[0], "a"), drawQuantised(t, kind, in[1], "b")}, Out: []*Tensor{drawQuantised(t, kind, out, "out")}}
				activation := int8(0)
				if name == "ADD" || name == "SUB" || name == "MUL" {
					activation = int8(rapid.IntRange(0, 3).Draw(t, "activation"))
					n.Op.Attributes = convAttributes(activation, int8(0))
				}
				low, high := integerRange(kind)
				value := rapid.Int64Range(int64(low), int64(high))
				var data [2][]int64
				for i := range data {
					data[i] = rapid.SliceOfN(value, elements(in[i]), elements(in[i])).Draw(t, "data")
				}
				got := integersFrom(kind, runNode(t, n, integersOf(kind, data[0]), integersOf(kind, data[1])))
				real := func(i int, v int64) float64 {
					return float64(n.In[i].Quant.Scale[0]) * float64(v-n.In[i].Quant.Zero[0])
				}
				q := n.Out[0].Quant
				for i := range got {
					v := f(real(0, data[0][stretched(i, out, in[0])]), real(1, data[1][stretched(i, out, in[1])]))
					switch activation {
					case actRelu:
						v = max(v, 0)
					case actReluN1To1:
						v = min(max(v, -1), 1)
					case actRelu6:
						v = min(max(v, 0), 6)
					}
					want := min(max(v/float64(q.Scale[0])+float64(q.Zero[0]), float64(low)), float64(high))
					if math.Abs(float64(got[i])-want) > 1.01 {
						t.Fatalf("element %d of %v is %d, not %g", i, kind, got[i], want)
					}
				}
			})
		})
	}
}

// TestBendNear compares quantised activations and rescaling with real numbers.
func TestBendNear(t *testing.T) {
	clamp := func(low, high float64) func(float64) float64 {
		return func(x float64) float64 { return min(max(x, low), high) }
	}
	for name, f := range map[string]func(float64) float64{
		"RELU": clamp(0, math.Inf(1)), "RELU6": clamp(0, 6), "RELU_N1_TO_1": clamp(-1, 1), "RELU_0_TO_1": clamp(0, 1),
		"LEAKY_RELU": func(x float64) float64 { return max(x, 0.25*x) }, "ABS": math.Abs,
		"QUANTIZE": func(x float64) float64 { return x }, "ELU": func(x float64) float64 { return max(x, math.Expm1(min(x, 0))) },
		"HARD_SWISH": func(x float64) float64 { return x * min(max(x+3, 0), 6) / 6 },
		"GELU":       func(x float64) float64 { return x / 2 * math.Erfc(-x/math.Sqrt2) },
	} {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				in, out := drawQuantised(t, graph.Int8, []int{256}, "in"), drawQuantised(t, graph.Int8, []int{256}, "out")
				in.Quant.Scale[0] *= 3
				if name == "HARD_SWISH" {
					out.Quant.Scale[0] = max(out.Quant.Scale[0], in.Quant.Scale[0]/100)
				}
				a := rapid.SampledFrom(Arithmetics()).Draw(t, "arithmetic")
				if name == "RELU6" && a == Micro {
					out.Quant = in.Quant // it does not rescale
				}
				x := make([]int64, 256)
				for i := range x {
					x[i] = int64(i) - 128
				}
				got := integersFrom(graph.Int8, runNode(t, oneOperand(name, a, in, out, float32(0.25)), integersOf(graph.Int8, x)))
				for i, v := range x {
					y := f(float64(in.Quant.Scale[0]) * float64(v-in.Quant.Zero[0]))
					want := min(max(y/float64(out.Quant.Scale[0])+float64(out.Quant.Zero[0]), -128), 127)
					limit := 1.01
					if a == Single && (name == "LEAKY_RELU" || name == "QUANTIZE") { // of multipliers with few bits
						limit += float64(max(v-in.Quant.Zero[0], in.Quant.Zero[0]-v)) / 512
					}
					if name == "HARD_SWISH" {
						limit = 3
					}
					if math.Abs(float64(got[i])-want) > limit {
						t.Fatalf("%s of %d is %d, not %g", name, v, got[i], want)
					}
				}
			})
		})
	}
}
