package kernels

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/arenalab/arenalab/graph"
)

// TestHalf goes through all float16.
func TestHalf(t *testing.T) {
	for i := range 1 << 16 {
		h := uint16(i)
		exponent, fraction := int(h>>10)&31, float64(h&1023)
		want := math.Ldexp(1+fraction/1024, exponent-15)
		switch {
		case exponent == 0:
			want = math.Ldexp(fraction, -24)
		case exponent == 31 && fraction == 0:
			want = math.Inf(1)
		case exponent == 31:
			want = math.NaN()
		}
		if h >= 1<<15 {
			want = -want
		}
		f := float64(halfToFloat(h))
		if f != want && !(f != f && want != want) || math.Signbit(f) != (h >= 1<<15) {
			t.Fatalf("%#04x is %g, not %g", h, f, want)
		}
		if back := floatToHalf(float32(f)); back != h && f == f {
			t.Fatalf("%g becomes %#04x, not %#04x", f, back, h)
		}
	}
}

// TestHalfNearest checks that no other float16 is nearer.
func TestHalfNearest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := rapid.Float32Range(-70000, 70000).Draw(t, "number")
		if rapid.Bool().Draw(t, "small") {
			f *= 1e-8
		}
		h := floatToHalf(f)
		got := math.Abs(float64(halfToFloat(h)) - float64(f))
		if h&0x7FFF == 0x7C00 {
			if math.Abs(float64(f)) < 65520 {
				t.Fatalf("%g becomes infinite", f)
			}
			return
		}
		for _, other := range []uint16{h - 1, h + 1} {
			if other&0x7C00 == 0x7C00 || h&0x7FFF == 0 {
				continue
			}
			d := math.Abs(float64(halfToFloat(other)) - float64(f))
			if d < got || d == got && h&1 == 1 {
				t.Fatalf("%g becomes %#04x although %#04x is nearer, or as near and even", f, h, other)
			}
		}
	})
}

// TestQuantizeRound checks rounding, limits and the way back.
func TestQuantizeRound(t *testing.T) {
	nan := float32(math.NaN())
	x := []float32{0.25, -0.25, 0.75, -0.75, 1.25, 1e20, -1e20, nan, 0.24}
	for _, c := range []struct {
		a    Arithmetic
		want []int8
	}{
		{Reference, []int8{4, 2, 5, 1, 6, -128, -128, -128, 3}}, // what fits no int32 becomes its least
		{Single, []int8{3, 3, 5, 1, 5, 127, -128, 0, 3}},
	} {
		n := oneOperand("QUANTIZE", c.a, &Tensor{Type: graph.Float32, Shape: []int{len(x)}}, quantisedTensor(graph.Int8, 0.5, 3, len(x)))
		got := view[int8](runNode(t, n, convBytes(x)))
		for i := range x {
			if got[i] != c.want[i] && x[i] == x[i] {
				t.Errorf("%s: %g becomes %d, not %d", c.a, x[i], got[i], c.want[i])
			}
		}
	}
}

// TestDequantizeChannels gives dimensions scales of their own, also to packed
// integers.
func TestDequantizeChannels(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		shape := []int{rapid.IntRange(1, 4).Draw(t, "d0"), rapid.IntRange(1, 4).Draw(t, "d1"), rapid.IntRange(1, 4).Draw(t, "d2")}
		axis := rapid.IntRange(0, 2).Draw(t, "axis")
		q := &graph.Quant{Axis: axis}
		for range shape[axis] {
			q.Scale = append(q.Scale, rapid.Float32Range(0.1, 2).Draw(t, "scale"))
			q.Zero = append(q.Zero, rapid.Int64Range(-3, 3).Draw(t, "zero"))
		}
		kind := rapid.SampledFrom([]graph.DType{graph.Int8, graph.Int4}).Draw(t, "type")
		size := elements(shape)
		x := rapid.SliceOfN(rapid.Int64Range(-8, 7), size, size).Draw(t, "x")
		data := integersOf(graph.Int8, x)
		if kind == graph.Int4 {
			packed := make([]byte, 0, size+8)
			for i := 0; i < size; i += 2 {
				b := byte(x[i]) & 15
				if i+1 < size {
					b |= byte(x[i+1]) << 4
				}
				packed = append(packed, b)
			}
			data = packed
		}
		n := oneOperand("DEQUANTIZE", Reference, &Tensor{Type: kind, Shape: shape, Quant: q}, &Tensor{Type: graph.Float32, Shape: shape})
		got := view[float32](runNode(t, n, data))
		for i, v := range x {
			at := []int{i / (shape[1] * shape[2]), i / shape[2] % shape[1], i % shape[2]}[axis]
			if want := float32(float64(q.Scale[at]) * float64(v-q.Zero[at])); got[i] != want {
				t.Fatalf("element %d is %g, not %g", i, got[i], want)
			}
		}
	})
}

// TestCastLimits converts floats that fit no integer.
func TestCastLimits(t *testing.T) {
	x := []float32{float32(math.NaN()), float32(math.Inf(1)), -1e30, 3e9, -129, 255.9}
	for kind, want := range map[graph.DType][]int64{
		graph.Int8:  {127, 127, -128, 127, -128, 127},
		graph.Uint8: {255, 255, 0, 255, 0, 255},
		graph.Int16: {32767, 32767, -32768, 32767, -129, 255},
	} {
		n := oneOperand("CAST", Reference, &Tensor{Type: graph.Float32, Shape: []int{len(x)}}, &Tensor{Type: kind, Shape: []int{len(x)}})
		for i, v := range integersFrom(kind, runNode(t, n, convBytes(x))) {
			if v != want[i] {
				t.Errorf("%g becomes the %v %d, not %d", x[i], kind, v, want[i])
			}
		}
	}
}
