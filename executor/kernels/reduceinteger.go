package kernels

import (
	"math"
	"math/bits"

	"github.com/arenalab/arenalab/graph"
)

// Sums, means and products of integers that stand for real numbers:
// QuantizedMeanOrSum and QuantizedReduceProd in R/reduce.h, and the former in
// tflite/kernels/internal/optimized/reduce.h, of google-ai-edge/LiteRT at
// f67457790c9c.

// scaledSum is the sum or the mean of quantised integers.
type scaledSum[T int8 | uint8 | int16] struct {
	*shrinking
	sums     []int32
	in       []T
	row      func(out, in, n int, spread bool)
	low, top int64
	zero     int64 // of the result

	offset int32 // of a sum
	scale  multiplier

	// The default kernels rescale in float32: means of bytes, which XNNPACK
	// computes, round to even with the zero point, sums half away from zero.
	floats bool
	mean   bool
	factor float32
	bias   float32
}

func prepareScaledSum(n *Node, s *shrinking, in, out *Tensor, mean bool) (Kernel, error) {
	switch in.Type {
	case graph.Int8:
		return newScaledSum[int8](n, s, in, out, mean)
	case graph.Uint8:
		return newScaledSum[uint8](n, s, in, out, mean)
	case graph.Int16:
		return newScaledSum[int16](n, s, in, out, mean)
	}
	return nil, unsupported("sum of %v", in.Type)
}

func newScaledSum[T int8 | uint8 | int16](n *Node, s *shrinking, in, out *Tensor, mean bool) (Kernel, error) {
	for _, t := range []*Tensor{in, out} {
		if t.Quant == nil {
			return nil, unsupported("sum of %v without a scale", t.Type)
		}
		if err := quantised(t); err != nil {
			return nil, err
		}
	}
	if err := working(s.size); err != nil {
		return nil, err
	}
	k := &scaledSum[T]{shrinking: s, sums: make([]int32, s.size), mean: mean, floats: n.Arithmetic == Single && !(mean && in.Type == graph.Int16)}
	k.row = func(out, in, n int, spread bool) { addUp(k.sums, k.in[in:in+n], out, spread) }
	low, top := integerRange(out.Type)
	k.low, k.top, k.zero = int64(low), int64(top), out.Quant.ZeroPoint(0)
	zero := int32(in.Quant.ZeroPoint(0))
	k.offset = zero * int32(s.count)
	k.scale = newMultiplier(float64(in.Quant.Scale[0]) / float64(out.Quant.Scale[0]))
	k.factor = in.Quant.Scale[0] / out.Quant.Scale[0]
	k.bias = float32(-zero) * k.factor
	if !mean {
		k.bias *= float32(s.count)
	}
	if mean && s.count > 0 {
		k.factor /= float32(s.count)
		shift := min(bits.Len64(uint64(s.count))-1, 32, 31+k.scale.shift)
		k.scale = multiplier{int32((int64(k.scale.m) << shift) / int64(s.count)), k.scale.shift - shift}
	}
	return k, nil
}

// Run adds up and rescales.
func (k *scaledSum[T]) Run(c *Call) error {
	k.in = view[T](c.In[0])
	clear(k.sums)
	k.each(k.row)
	out := view[T](c.Out[0])
	if k.count == 0 {
		clear(out)
		return nil
	}
	for i, sum := range k.sums {
		var y int64
		switch {
		case !k.floats:
			y = int64(k.scale.apply(sum - k.offset))
		case k.mean:
			y = int64(math.RoundToEven(float64(float32(sum-k.offset)*k.factor)+float64(k.zero))) - k.zero
		default:
			y = roundTo(float32(float32(sum)*k.factor) + k.bias)
		}
		out[i] = T(max(k.low, min(y+k.zero, k.top)))
	}
	return nil
}

// roundTo rounds to an integer of 32 bits, half away from zero.
func roundTo(x float32) int64 {
	return int64(max(math.MinInt32, min(math.Round(float64(x)), math.MaxInt32)))
}

// scaledProd multiplies quantised integers, rescaling at each step.
type scaledProd[T int8 | int16] struct {
	*shrinking
	prods    []int32
	seen     []bool
	in       []T
	row      func(out, in, n int, spread bool)
	offset   int32
	scale    multiplier
	zero     int64 // of the result
	low, top int64
}

func prepareScaledProd(s *shrinking, in, out *Tensor) (Kernel, error) {
	switch in.Type {
	case graph.Int8:
		return newScaledProd[int8](s, in, out)
	case graph.Int16:
		return newScaledProd[int16](s, in, out)
	}
	return nil, unsupported("product of quantised %v", in.Type)
}

func newScaledProd[T int8 | int16](s *shrinking, in, out *Tensor) (Kernel, error) {
	if out.Quant == nil {
		return nil, invalid("result without a scale")
	}
	for _, t := range []*Tensor{in, out} {
		if err := quantised(t); err != nil {
			return nil, err
		}
	}
	if err := working(s.size); err != nil {
		return nil, err
	}
	k := &scaledProd[T]{shrinking: s, prods: make([]int32, s.size), seen: make([]bool, s.size)}
	k.row = k.multiply
	low, top := integerRange(out.Type)
	k.low, k.top, k.zero = int64(low), int64(top), out.Quant.ZeroPoint(0)
	k.offset = int32(in.Quant.ZeroPoint(0))
	if s.count > 0 {
		k.scale = newMultiplier(float64(in.Quant.Scale[0]) / math.Pow(float64(out.Quant.Scale[0]), 1/float64(s.count)))
	}
	if k.scale.shift > 7 {
		return nil, unsupported("product of scale %g in scale %g", in.Quant.Scale[0], out.Quant.Scale[0])
	}
	return k, nil
}

func (k *scaledProd[T]) multiply(out, in, n int, spread bool) {
	for i, v := range k.in[in : in+n] {
		at := out
		if spread {
			at += i
		}
		x := int32(v) - k.offset
		if k.seen[at] {
			x = k.scale.applyWide(int64(k.prods[at]) * int64(x))
		}
		k.prods[at], k.seen[at] = x, true
	}
}

// Run multiplies.
func (k *scaledProd[T]) Run(c *Call) error {
	k.in = view[T](c.In[0])
	clear(k.seen)
	k.each(k.row)
	out := view[T](c.Out[0])
	if k.count == 0 {
		clear(out)
		return nil
	}
	for i, p := range k.prods {
		out[i] = T(max(k.low, min(int64(k.scale.applyWide(int64(p)))+k.zero, k.top)))
	}
	return nil
}
