package kernels

import (
	"math"

	"github.com/arenalab/arenalab/graph"
)

// The logistic function and the hyperbolic tangent: R/logistic.h, R/tanh.h,
// R/integer_ops/logistic.h, tanh.h and K/activations.cc of
// google-ai-edge/LiteRT at f67457790c9c. Integers of eight bits go through a
// table, which LiteRT fills with float32 and TFLite-Micro in fixed point; those
// of 16 bits are interpolated between 256 values of the logistic function.
// Floats are rounded from float64; the C library and XNNPACK may differ in the
// last bits.

func sigmoidFamily() map[string]prepare {
	return map[string]prepare{
		"LOGISTIC": func(n *Node) (Kernel, error) { return prepareSigmoid(n, false) },
		"TANH":     func(n *Node) (Kernel, error) { return prepareSigmoid(n, true) },
	}
}

// newSame returns the operand and the result of an operator of one operand, and
// makes sure that they have the same shape.
func newSame(n *Node) (in, out *Tensor, err error) {
	if in, err = n.in(0); err != nil {
		return in, out, err
	}
	if out, err = n.out(0); err != nil {
		return in, out, err
	}
	return in, out, convResult(out, in.Shape...)
}

// bothQuantised makes sure that tensors have one scale and a zero point that is
// one of their numbers.
func bothQuantised(list ...*Tensor) error {
	for _, t := range list {
		if t.Quant == nil {
			return invalid("%v without quantisation", t.Type)
		}
		if err := quantised(t); err != nil {
			return err
		}
	}
	return nil
}

func prepareSigmoid(n *Node, tanh bool) (Kernel, error) {
	in, out, err := newSame(n)
	if err != nil {
		return nil, err
	}
	if in.Type != out.Type {
		return nil, invalid("%v becomes %v", in.Type, out.Type)
	}
	if in.Type == graph.Float32 {
		return newUnary[float32, float32](&sigmoidFloat{tanh}, 30), nil
	}
	if err := bothQuantised(in, out); err != nil {
		return nil, err
	}
	switch in.Type {
	case graph.Int8:
		if n.Arithmetic == Micro {
			return newUnary(newTable(newFixedSigmoid(in, tanh)), 1), nil
		}
		return newUnary(newTable[int8, int8](newLookup[int8](in, out, sigmoidOf(tanh))), 1), nil
	case graph.Uint8:
		return newUnary(newTable[uint8, uint8](newLookup[uint8](in, out, sigmoidOf(tanh))), 1), nil
	case graph.Int16:
		return newSigmoid16(n, in, out, tanh)
	}
	return nil, unsupported("%v", in.Type)
}

// sigmoidOf returns the function of float32 that tables are filled with.
func sigmoidOf(tanh bool) func(float32) float32 {
	if tanh {
		return func(x float32) float32 { return float32(math.Tanh(float64(x))) }
	}
	return func(x float32) float32 { return 1 / (1 + float32(math.Exp(float64(-x)))) }
}

type sigmoidFloat struct{ tanh bool }

func (k *sigmoidFloat) row(x, out []float32) {
	out = out[:len(x)]
	if k.tanh {
		for i, v := range x {
			out[i] = float32(math.Tanh(float64(v)))
		}
		return
	}
	for i, v := range x {
		switch {
		case v > 16.619047164916992188:
			out[i] = 1
		case v < -9:
			out[i] = float32(math.Exp(float64(v)))
		default:
			out[i] = 1 / (1 + float32(math.Exp(float64(-v))))
		}
	}
}

// lookupRow is LUTPopulateInt8: a function of float32 applied to quantised numbers.
type lookupRow[T int8 | uint8] struct {
	function                func(float32) float32
	scale, inverse          float32
	zeroIn, zero, low, high int32
}

func newLookup[T int8 | uint8](in, out *Tensor, function func(float32) float32) *lookupRow[T] {
	k := &lookupRow[T]{function: function, scale: in.Quant.Scale[0], inverse: 1 / out.Quant.Scale[0]}
	k.zeroIn, k.zero = int32(in.Quant.ZeroPoint(0)), int32(out.Quant.ZeroPoint(0))
	k.low, k.high = integerRange(out.Type)
	return k
}

func (k *lookupRow[T]) row(x, out []T) {
	for i, v := range x {
		f := k.function(float32(k.scale * float32(int32(v)-k.zeroIn)))
		y := math.Round(float64(float32(f * k.inverse)))
		y = float64(float32(y + float64(k.zero)))
		if y != y { // no number
			y = float64(k.low)
		}
		out[i] = T(min(max(y, float64(k.low)), float64(k.high)))
	}
}

// fixedSigmoid computes in fixed point with four integer bits.
type fixedSigmoid struct {
	tanh   bool
	m      multiplier
	zero   int32
	radius int32
}

func newFixedSigmoid(in *Tensor, tanh bool) *fixedSigmoid {
	k := &fixedSigmoid{tanh: tanh, zero: int32(in.Quant.ZeroPoint(0))}
	q, shift := math.Frexp(float64(in.Quant.Scale[0]) * (1 << 27))
	k.m = multiplier{int32(min(math.Round(q*(1<<31)), math.MaxInt32)), shift}
	k.radius = inputRadius(4, shift, 31)
	return k
}

func (k *fixedSigmoid) row(x, out []int8) {
	for i, v := range x {
		d := int32(v) - k.zero
		switch {
		case d <= -k.radius:
			out[i] = math.MinInt8
		case d >= k.radius:
			out[i] = math.MaxInt8
		case k.tanh:
			out[i] = int8(min(max(shiftRound(fixed32.tanh(k.m.apply(d), 4), 24), math.MinInt8), math.MaxInt8))
		default:
			out[i] = int8(min(max(shiftRound(fixed32.logistic(k.m.apply(d), 4), 23)-128, math.MinInt8), math.MaxInt8))
		}
	}
}

// sigmoid16 interpolates between values of the logistic function at multiples of
// 1/24. The tangent is that of half the number, doubled, less one.
type sigmoid16 struct {
	tanh  bool
	m     int32
	shift int
	curve [256]uint32
}

func newSigmoid16(n *Node, in, out *Tensor, tanh bool) (Kernel, error) {
	if l, ok := powerOfTwo(out.Quant.Scale[0]); !ok || l != -15 {
		return nil, invalid("result of scale %g", out.Quant.Scale[0])
	}
	k := &sigmoid16{tanh: tanh}
	l, power := powerOfTwo(in.Quant.Scale[0])
	left := 12 + l
	if power && (left == 0 || left == 1 && tanh) {
		if n.Arithmetic == Single {
			return newUnary[int16, int16](&wordSigmoid{tanh, left}, 60), nil
		}
		k.m = 3 << left
	} else {
		real := float64(in.Quant.Scale[0]) * 4096 * 3
		for ; real <= 32767.0/2 && k.shift <= 30; k.shift++ {
			real *= 2
		}
		if !(real < math.MaxInt16+1) {
			return nil, unsupported("scale %g", in.Quant.Scale[0])
		}
		k.m = int32(real)
	}
	fillSigmoid(&k.curve)
	return newUnary[int16, int16](k, 8), nil
}

// fillSigmoid fills the table that the runtimes have: with 16 bits after the
// point, and half of what interpolation misses in the middle between two values
// added. The last value is an exception.
func fillSigmoid(curve *[256]uint32) {
	at := func(i float64) float64 { return 65536 / (1 + math.Exp(-i/24)) }
	for i := range curve {
		x := float64(i)
		missed := at(x+0.5) - (at(x)+at(x+1))/2
		curve[i] = uint32(math.Round(at(x) + missed/2))
	}
	curve[255] = math.MaxUint16
}

func (k *sigmoid16) row(x, out []int16) {
	round := int32(0)
	if k.shift > 0 {
		round = 1 << (k.shift - 1)
	}
	for i, v := range x {
		scaled := (int32(v)*k.m + round) >> k.shift
		if k.tanh {
			out[i] = k.tangent(scaled)
		} else {
			out[i] = k.logistic(scaled)
		}
	}
}

func (k *sigmoid16) logistic(x int32) int16 {
	size := uint32(max(x, -x))
	sum := uint32(0x7FFF << 10)
	if at := size >> 9; at < 255 {
		low, high := k.curve[at], k.curve[at+1]
		sum = low<<9 + size&511*(high-low)
	}
	if x >= 0 {
		sum += 1 << 9
	} else {
		sum = 1<<25 - sum + 1<<9 - 1
	}
	return int16(sum >> 10)
}

func (k *sigmoid16) tangent(x int32) int16 {
	size := uint32(max(x, -x))
	sum := int32(0xFFFF << 8)
	if at := size >> 8; at < 255 {
		low, high := k.curve[at], k.curve[at+1]
		sum = int32(low<<8 + size&255*(high-low))
	}
	if x >= 0 {
		sum += 1<<7 - 1<<23
	} else {
		sum = -sum + 1<<23 + 1<<7 - 1
	}
	return int16(sum >> 8)
}

// wordSigmoid computes in words of 16 bits, as the default kernels do for
// numbers with three integer bits.
type wordSigmoid struct {
	tanh bool
	left int
}

func (k *wordSigmoid) row(x, out []int16) {
	for i, v := range x {
		if k.tanh {
			out[i] = int16(fixed16.tanh(fixed16.shift(int32(v), k.left), 3))
		} else {
			out[i] = int16(fixed16.logistic(int32(v), 3))
		}
	}
}
