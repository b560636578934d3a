package kernels

import (
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/arenalab/arenalab/graph"
)

// pairNode is a node of two operands of the same type.
func pairNode(name string, kind, result graph.DType, a, b, out []int) *Node {
	return &Node{Op: &graph.Op{Code: opCode(name)}, Arithmetic: Reference,
		In: []*Tensor{{Type: kind, Shape: a}, {Type: kind, Shape: b}}, Out: []*Tensor{{Type: result, Shape: out}}}
}

// TestPairs compares integer operators with their definitions.
func TestPairs(t *testing.T) {
	floor := func(a, b int64) int64 { return int64(math.Floor(float64(a) / float64(b))) }
	flag := func(b bool) int64 {
		if b {
			return 1
		}
		return 0
	}
	for name, f := range map[string]func(a, b int64) int64{
		"MAXIMUM":       func(a, b int64) int64 { return max(a, b) },
		"MINIMUM":       func(a, b int64) int64 { return min(a, b) },
		"FLOOR_DIV":     floor,
		"FLOOR_MOD":     func(a, b int64) int64 { return a - b*floor(a, b) },
		"DIV":           func(a, b int64) int64 { return int64(float64(a) / float64(b)) },
		"BITWISE_XOR":   func(a, b int64) int64 { return a ^ b },
		"RIGHT_SHIFT":   func(a, b int64) int64 { return a >> min(max(b, 0), 31) },
		"EQUAL":         func(a, b int64) int64 { return flag(a == b) },
		"NOT_EQUAL":     func(a, b int64) int64 { return flag(a != b) },
		"LESS":          func(a, b int64) int64 { return flag(a < b) },
		"LESS_EQUAL":    func(a, b int64) int64 { return flag(a <= b) },
		"GREATER":       func(a, b int64) int64 { return flag(a > b) },
		"GREATER_EQUAL": func(a, b int64) int64 { return flag(a >= b) },
	} {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				in, out := drawShapes(t, 2)
				result := graph.Int32
				if strings.Contains(name, "EQUAL") || name == "LESS" || name == "GREATER" {
					result = graph.Bool
				}
				n := pairNode(name, graph.Int32, result, in[0], in[1], out)
				value := rapid.OneOf(rapid.Int32Range(-9, 9), rapid.Int32Range(-1<<30, 1<<30))
				var data [2][]int32
				for i, shape := range in {
					data[i] = rapid.SliceOfN(value, elements(shape), elements(shape)).Draw(t, "data")
				}
				for i, v := range data[1] {
					if v == 0 {
						data[1][i] = 7
					}
				}
				bytes := runNode(t, n, convBytes(data[0]), convBytes(data[1]))
				for i := range elements(out) {
					a, b := int64(data[0][stretched(i, out, in[0])]), int64(data[1][stretched(i, out, in[1])])
					got := int64(bytes[i])
					if result == graph.Int32 {
						got = int64(view[int32](bytes)[i])
					}
					if want := f(a, b); got != want {
						t.Fatalf("%d %s %d is %d, not %d", a, name, b, got, want)
					}
				}
			})
		})
	}
}

// TestZeroRefused divides by zero, raises to powers below it and takes roots of
// less.
func TestZeroRefused(t *testing.T) {
	run := func(n *Node, in ...[]byte) error {
		k, err := Prepare(n)
		if err != nil {
			t.Fatal(err)
		}
		return k.Run(&Call{In: in, Out: [][]byte{make([]byte, len(in[0]))}, Pool: NewPool(1)})
	}
	zero, three := convBytes([]int32{3, 0}), convBytes([]int32{3, 3})
	for _, name := range []string{"DIV", "FLOOR_DIV", "FLOOR_MOD"} {
		n := pairNode(name, graph.Int32, graph.Int32, []int{2}, []int{2}, []int{2})
		if run(n, three, zero) == nil || run(n, zero, three) != nil {
			t.Errorf("%s: zero is refused for the wrong operand, or not at all", name)
		}
	}
	n := pairNode("POW", graph.Int32, graph.Int32, []int{2}, []int{2}, []int{2})
	if run(n, three, convBytes([]int32{1, -1})) == nil || run(n, three, three) != nil {
		t.Error("POW: exponents below zero are not refused, or others are")
	}
	for _, name := range []string{"SQRT", "RSQRT"} {
		n := oneOperand(name, Reference, quantisedTensor(graph.Int8, 0.1, 5, 2), quantisedTensor(graph.Int8, 0.1, 0, 2))
		if run(n, []byte{5, 4}) == nil || run(n, []byte{5, 6}) != nil {
			t.Errorf("%s: numbers below zero are not refused, or others are", name)
		}
	}
	d := pairNode("DIV", graph.Uint8, graph.Uint8, []int{2}, []int{2}, []int{2})
	for _, x := range append(d.In, d.Out...) {
		x.Quant = quantOne(0.1, 9)
	}
	if run(d, []byte{1, 2}, []byte{0, 9}) == nil || run(d, []byte{9, 9}, []byte{0, 8}) != nil {
		t.Error("DIV: the zero point is not refused, or another number is")
	}
}

// TestSelect stretches three operands.
func TestSelect(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in, out := drawShapes(t, 3)
		n := &Node{Op: &graph.Op{Code: opCode("SELECT_V2")}, Arithmetic: Reference, Out: []*Tensor{{Type: graph.Int64, Shape: out}},
			In: []*Tensor{{Type: graph.Bool, Shape: in[0]}, {Type: graph.Int64, Shape: in[1]}, {Type: graph.Int64, Shape: in[2]}}}
		cond := rapid.SliceOfN(rapid.ByteRange(0, 1), elements(in[0]), elements(in[0])).Draw(t, "condition")
		a := rapid.SliceOfN(rapid.Int64(), elements(in[1]), elements(in[1])).Draw(t, "a")
		b := rapid.SliceOfN(rapid.Int64(), elements(in[2]), elements(in[2])).Draw(t, "b")
		got := view[int64](runNode(t, n, convBytes(cond), convBytes(a), convBytes(b)))
		for i := range elements(out) {
			want := b[stretched(i, out, in[2])]
			if cond[stretched(i, out, in[0])] != 0 {
				want = a[stretched(i, out, in[1])]
			}
			if got[i] != want {
				t.Fatalf("element %d is %d, not %d", i, got[i], want)
			}
		}
	})
}

// TestLogFixed compares logarithms and inverse square roots in fixed point with
// real numbers.
func TestLogFixed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.Int32Range(1<<19, math.MaxInt32).Draw(t, "x")
		want := math.Log(float64(x) / (1 << 19))
		if got := float64(logFixed(x, 12)) / (1 << 26); math.Abs(got-want) > 1e-6 {
			t.Fatalf("logarithm of %d/2^19 is %g, not %g", x, got, want)
		}
		y := rapid.Int32Range(2, math.MaxInt32).Draw(t, "y")
		m := inverseSqrt(y)
		want = 1 / math.Sqrt(float64(y))
		if got := math.Ldexp(float64(m.m), m.shift-31); math.Abs(got/want-1) > 1e-4 {
			t.Fatalf("inverse square root of %d is %g, not %g", y, got, want)
		}
	})
}
