package kernels

import (
	"math"
	"math/bits"

	"github.com/arenalab/arenalab/graph"
)

// Softmax over the last dimension: R/softmax.h and K/activations.cc of
// google-ai-edge/LiteRT at f67457790c9c. Integers of eight bits have tables of
// the exponentials of all differences from the greatest of a row: in fixed point
// by the reference, in float32 by the default kernels. Float exponentials are
// rounded from float64; the C library and XNNPACK may differ in the last bits.

func softmaxFamily() map[string]prepare {
	return map[string]prepare{"SOFTMAX": prepareSoftmax, "LOG_SOFTMAX": prepareLogSoftmax}
}

// rowShape is the rows of an operator over the last dimension.
type rowShape struct {
	in, out *Tensor
	depth   int
	rows    int
}

// newRows returns the operand and the result of an operator over rows.
func newRows(n *Node) (s rowShape, err error) {
	if s.in, err = n.in(0); err != nil {
		return s, err
	}
	if s.out, err = n.out(0); err != nil {
		return s, err
	}
	if len(s.in.Shape) == 0 {
		return s, invalid("a scalar has no rows")
	}
	if err := convResult(s.out, s.in.Shape...); err != nil {
		return s, err
	}
	s.depth = s.in.Shape[len(s.in.Shape)-1]
	if s.depth > 0 {
		s.rows = s.in.Elements() / s.depth
	}
	return s, nil
}

// rowTask computes whole rows.
type rowTask[A, R number] interface {
	row(x []A, out []R)
}

// rowKernel is the kernel of an operator over rows.
type rowKernel[A, R number] struct {
	op          rowTask[A, R]
	rows, depth int
	x           []A
	out         []R
}

func newRowKernel[A, R number](s rowShape, op rowTask[A, R]) Kernel {
	return &rowKernel[A, R]{op: op, rows: s.rows, depth: s.depth}
}

// Run computes the operator.
func (k *rowKernel[A, R]) Run(c *Call) error {
	k.x, k.out = view[A](c.In[0]), view[R](c.Out[0])
	if k.rows > 0 {
		c.Pool.Do(k, k.rows, 8*k.depth)
	}
	return nil
}

// Range computes rows.
func (k *rowKernel[A, R]) Range(low, high int) {
	for r := low; r < high; r++ {
		k.op.row(k.x[r*k.depth:][:k.depth], k.out[r*k.depth:][:k.depth])
	}
}

func prepareSoftmax(n *Node) (Kernel, error) {
	s, err := newRows(n)
	if err != nil {
		return nil, err
	}
	beta := n.Op.Attributes.Float(0, 0)
	if beta != beta || math.IsInf(float64(beta), 0) {
		return nil, invalid("beta %g", beta)
	}
	if s.in.Type == graph.Float32 && s.out.Type == graph.Float32 {
		return newRowKernel(s, &softmaxFloat{beta}), nil
	}
	for _, t := range []*Tensor{s.in, s.out} {
		if t.Quant == nil || len(t.Quant.Scale) != 1 || !(t.Quant.Scale[0] > 0) {
			return nil, invalid("%v without a scale", t.Type)
		}
	}
	if !(beta > 0) {
		return nil, unsupported("beta %g of integers", beta)
	}
	switch in, out := s.in.Type, s.out.Type; {
	case in == graph.Int8 && out == graph.Int8:
		return newSoftmax8[int8, int8](n, s, beta)
	case in == graph.Int8 && out == graph.Int16:
		return newSoftmax8[int8, int16](n, s, beta)
	case in == graph.Uint8 && out == graph.Uint8:
		return newSoftmax8[uint8, uint8](n, s, beta)
	case in == graph.Uint8 && out == graph.Int16:
		return newSoftmax8[uint8, int16](n, s, beta)
	case in == graph.Int16 && out == graph.Int16:
		return newRowKernel(s, newSoftmax16(n, s, beta)), nil
	}
	return nil, unsupported("%v to %v", s.in.Type, s.out.Type)
}

type softmaxFloat struct{ beta float32 }

func (k *softmaxFloat) row(x, out []float32) {
	most := float32(-math.MaxFloat32)
	for _, v := range x {
		if most < v {
			most = v
		}
	}
	var sum float32
	for i, v := range x {
		e := float32(math.Exp(float64(float32((v - most) * k.beta))))
		out[i] = e
		sum += e
	}
	for i := range out {
		out[i] /= sum
	}
}

// newSoftmax8 chooses the arithmetic.
func newSoftmax8[A int8 | uint8, R int8 | uint8 | int16](n *Node, s rowShape, beta float32) (Kernel, error) {
	low, high := integerRange(s.out.Type)
	if n.Arithmetic == Single {
		k := &softmaxTable[A, R]{scale: s.out.Quant.Scale[0], zero: int32(s.out.Quant.ZeroPoint(0)), low: low, high: high, up: s.out.Type == graph.Uint8}
		f := float32(-s.in.Quant.Scale[0] * beta)
		for i := range k.exp {
			k.exp[i] = float32(math.Exp(float64(f * float32(i))))
		}
		return newRowKernel(s, k), nil
	}
	k := &softmaxFixed[A, R]{low: low, high: high, bits: 8}
	if s.out.Type == graph.Int16 {
		k.bits = 16
	}
	real := min(float64(beta)*float64(s.in.Quant.Scale[0])*(1<<26), 1<<31-1)
	if real <= 1 {
		return nil, unsupported("scale %g with beta %g", s.in.Quant.Scale[0], beta)
	}
	m := newMultiplier(real)
	k.count = int(min(int64(inputRadius(5, m.shift, 31)), 255)) + 1
	for i := range k.count {
		k.exp[i] = fixed32.exp(doublingHighMul(int32(-i)<<m.shift, m.m), 5)
		k.addend[i] = shiftRound(k.exp[i], 12)
	}
	return newRowKernel(s, k), nil
}

// softmaxFixed computes in fixed point: exponentials without integer bits, their
// sum with twelve.
type softmaxFixed[A int8 | uint8, R int8 | uint8 | int16] struct {
	count     int // differences from there on count as nothing
	exp       [256]int32
	addend    [256]int32
	bits      int
	low, high int32
}

func (k *softmaxFixed[A, R]) row(x []A, out []R) {
	most := x[0]
	for _, v := range x {
		most = max(most, v)
	}
	var sum int32
	for _, v := range x {
		if d := int(most) - int(v); d < k.count {
			sum += k.addend[d]
		}
	}
	headroom := bits.LeadingZeros32(uint32(sum))
	scale := fixed32.reciprocal(int32(uint32(sum)<<headroom - 1<<31))
	shift := 12 - headroom + 31 - k.bits
	for i, v := range x {
		y := int32(0)
		if d := int(most) - int(v); d < k.count && 0 <= shift && shift <= 31 {
			y = shiftRound(doublingHighMul(scale, k.exp[d]), shift)
		}
		out[i] = R(min(max(y+k.low, k.low), k.high))
	}
}

// softmaxTable computes with float32.
type softmaxTable[A int8 | uint8, R int8 | uint8 | int16] struct {
	exp       [256]float32
	scale     float32
	zero      int32
	low, high int32
	up        bool // rounded by adding a half, and no zero point
}

func (k *softmaxTable[A, R]) row(x []A, out []R) {
	most := x[0]
	for _, v := range x {
		most = max(most, v)
	}
	var sum float32
	for _, v := range x {
		sum += k.exp[int(most)-int(v)]
	}
	inverse := 1 / float32(sum*k.scale)
	for i, v := range x {
		p := float32(k.exp[int(most)-int(v)] * inverse)
		var y int32
		if k.up {
			y = int32(p + 0.5)
		} else {
			y = int32(float64(p)+0.5) + k.zero // p is not below zero
		}
		out[i] = R(min(max(y, k.low), k.high))
	}
}

// softmax16 looks exponentials and reciprocals up.
type softmax16 struct {
	m                 multiplier
	exp, onePlusUnder [513]int16
}

func newSoftmax16(n *Node, s rowShape, beta float32) *softmax16 {
	k := &softmax16{}
	product := float64(float32(s.in.Quant.Scale[0] * beta))
	if n.Arithmetic == Micro {
		product = float64(s.in.Quant.Scale[0]) * float64(beta)
	}
	k.m = newMultiplier(product / (10.0 / 65535.0))
	exp := func(x float64) float64 { return math.Exp(x) }
	under := func(x float64) float64 { return 1 / (1 + x) }
	if n.Arithmetic == Micro { // whose tables are computed in float32
		fillCurve[float32](&k.exp, 10.0/65535, math.MaxInt16, 2.0/65535, func(x float32) float32 { return float32(exp(float64(x))) })
		fillCurve[float32](&k.onePlusUnder, 1.0/65535, math.MinInt16, 2.0/65535, func(x float32) float32 { return 1 / (1 + x) })
		return k
	}
	fillCurve(&k.exp, 10.0/65535, math.MaxInt16, 2.0/65535, exp)
	fillCurve(&k.onePlusUnder, 1.0/65535, math.MinInt16, 2.0/65535, under)
	return k
}

// fillCurve is LUTPopulateInt16: samples of a function over all numbers of 16
// bits, moved by half of what interpolation errs in the middle between them.
// The zero point of the result is 0.
func fillCurve[F float32 | float64](table *[513]int16, scale F, zero int32, outScale F, function func(F) F) {
	low, high := F(scale*F(math.MinInt16-zero)), F(scale*F(math.MaxInt16-zero))
	outLow, outHigh := F(outScale*math.MinInt16), F(outScale*math.MaxInt16)
	step := F(high-low) / 512
	half := step / 2
	inverse := 65536 / F(outHigh-outLow)
	round := func(x F) F { return F(math.Round(float64(x))) }
	for i := range 512 {
		at := F(low + F(F(i)*step))
		v, next := function(at), function(F(low+F(F(i+1)*step)))
		middle := round(F(function(F(at+half)) * inverse))
		sample := round(F(v * inverse))
		between := round(F(F(next*inverse)+sample) / 2)
		table[i] = int16(min(max(sample-round((between-middle)/2), math.MinInt16), math.MaxInt16))
	}
	table[512] = int16(min(max(round(F(function(high)*inverse)), math.MinInt16), math.MaxInt16))
}

// curveAt is LUTLookup: it interpolates.
func curveAt(table *[513]int16, x int32) int32 {
	i := 256 + x>>7
	base := table[i]
	slope := int16(table[i+1] - base)
	return int32(int16(int32(base) + (int32(slope)*(x&127)+64)>>7))
}

func (k *softmax16) row(x, out []int16) {
	most := x[0]
	for _, v := range x {
		most = max(most, v)
	}
	var sum int32
	for i, v := range x {
		d := k.m.apply(int32(v)-int32(most)) + math.MaxInt16
		e := curveAt(&k.exp, min(max(d, math.MinInt16), math.MaxInt16))
		out[i] = int16(e)
		sum += e
	}
	headroom := bits.LeadingZeros32(uint32(sum))
	if headroom == 0 || headroom > 30 {
		clear(out)
		return
	}
	shifted := int32((int64(sum)<<(headroom-1)+1<<13)>>14) - (1<<15 + 1<<16)
	scale := int64(curveAt(&k.onePlusUnder, min(max(shifted, math.MinInt16), math.MaxInt16)))
	shift := 31 - headroom
	for i, e := range out {
		v := (int64(e)*scale + 1<<(shift-1)) >> shift
		out[i] = int16(min(max(v, 0), math.MaxInt16))
	}
}
