package kernels

import (
	"math"

	"github.com/arenalab/arenalab/graph"
)

// Quantised sums, differences and products: R/integer_ops/add.h and mul.h,
// R/add.h and sub.h of google-ai-edge/LiteRT at f67457790c9c. Operands are
// brought to half the greater scale, with bits to spare, before they are added.
// What the default runtime computes of eight bits is XNNPACK's: multipliers
// with one common shift for sums, float32 for products. Departure: where a scale
// is more than 256 times that of the result, the default runtime's sums overflow
// 16 bits; here they are the reference's.

func newQuantisedArithmetic[T int8 | uint8 | int16](n *Node, p *pair, op arithmeticOp, activation int8) (Kernel, error) {
	if err := p.quantised(); err != nil {
		return nil, err
	}
	low, high, err := integerClamp(activation, p.out)
	if err != nil {
		return nil, err
	}
	s := scaled{
		zeroA: int32(p.a.Quant.ZeroPoint(0)), zeroB: int32(p.b.Quant.ZeroPoint(0)), zero: int32(p.out.Quant.ZeroPoint(0)), low: low, high: high,
	}
	if op == opMul {
		return newPairwise(p.loops, newProduct[T](n, p, s), 4), nil
	}
	if p.out.Type == graph.Int16 && n.Arithmetic != Micro && n.Op.Attributes.Bool(1, true) {
		if k, err := newPowerSum(p, op, s); k != nil || err != nil {
			return k, err
		}
	}
	if k := newSharedSum[T](n, p, op, s); k != nil {
		return newPairwise(p.loops, k, 4), nil
	}
	k, err := newSum[T](n, p, op, s)
	if err != nil {
		return nil, err
	}
	return newPairwise(p.loops, k, 4), nil
}

// quantised makes sure that operands and result are quantised.
func (p *pair) quantised() error {
	for _, t := range []*Tensor{p.a, p.b, p.out} {
		if t.Quant == nil {
			return invalid("%v without quantisation", t.Type)
		}
		if err := quantised(t); err != nil {
			return err
		}
	}
	return nil
}

// scales returns the scales of operands and result.
func (p *pair) scales() (a, b, out float32) {
	return p.a.Quant.Scale[0], p.b.Quant.Scale[0], p.out.Quant.Scale[0]
}

// scaled are the zero points and the clamp of an operator.
type scaled struct {
	zeroA, zeroB, zero int32
	low, high          int32
}

// clamp returns what a number less the zero point becomes.
func (s *scaled) clamp(v int32) int32 { return min(max(v+s.zero, s.low), s.high) }

// sum adds or subtracts. Numbers of eight bits are scaled by tables.
type sum[T int8 | uint8 | int16] struct {
	scaled
	left    int
	a, b, o multiplier
	minus   bool
	ofA     [256]int32
	ofB     [256]int32
}

func newSum[T int8 | uint8 | int16](n *Node, p *pair, op arithmeticOp, s scaled) (*sum[T], error) {
	k := &sum[T]{scaled: s, left: 20, minus: op == opSub}
	if p.out.Type == graph.Int16 {
		k.left = 15
	}
	a, b, out := p.scales()
	twice := 2 * max(float64(a), float64(b))
	realA, realB, realOut := float64(a)/twice, float64(b)/twice, twice/(float64(int(1)<<k.left)*float64(out))
	if n.Arithmetic == Micro && op == opSub { // which divides in float32, but no longer in later versions
		f := 2 * max(a, b)
		realA, realB, realOut = float64(a/f), float64(b/f), float64(f/(float32(int(1)<<k.left)*out))
	}
	k.a, k.b, k.o = newMultiplier(realA), newMultiplier(realB), newMultiplier(realOut)
	if !(realOut < 1) || k.o.shift > 0 {
		return nil, unsupported("scales %g and %g for a result of scale %g", a, b, out)
	}
	if p.out.Type != graph.Int16 {
		for i := range k.ofA {
			k.ofA[i], k.ofB[i] = k.first(T(i)), k.second(T(i))
		}
	}
	return k, nil
}

// first and second bring a number of an operand to the common scale.
func (k *sum[T]) first(x T) int32  { return k.a.apply((int32(x) - k.zeroA) << k.left) }
func (k *sum[T]) second(x T) int32 { return k.b.apply((int32(x) - k.zeroB) << k.left) }

func (k *sum[T]) row(a, b, out []T) {
	b, out = b[:len(a)], out[:len(a)]
	sign := int32(1)
	if k.minus {
		sign = -1
	}
	m, right, zero, low, high := k.o.m, uint(-k.o.shift), k.zero, k.low, k.high
	if k.left == 20 {
		for i, v := range a {
			y := applyDown(k.ofA[uint8(v)]+sign*k.ofB[uint8(b[i])], m, right)
			out[i] = T(min(max(y+zero, low), high))
		}
		return
	}
	mA, rightA, mB, rightB := k.a.m, uint(-k.a.shift), k.b.m, uint(-k.b.shift)
	for i, v := range a { // without zero points
		x, y := applyDown(int32(v)<<15, mA, rightA), applyDown(int32(b[i])<<15, mB, rightB)
		out[i] = T(min(max(applyDown(x+sign*y, m, right), low), high))
	}
}

// applyDown is multiplier.apply for multipliers below 1, without branches: the
// halves of a product are taken up, as doublingHighMul does in more steps, then
// those of the shift away from zero.
func applyDown(x, m int32, right uint) int32 {
	y := int32((int64(x)*int64(m) + 1<<30) >> 31)
	mask := int32(1)<<(right&31) - 1
	most := mask>>1 + int32(uint32(y)>>31) // the remainder that is not taken up
	return y>>(right&31) + int32(uint32(most-y&mask)>>31)
}

// delegated reports whether XNNPACK takes an operator of the default runtime: it
// has six dimensions at most.
func (n *Node) delegated() bool {
	for _, t := range n.Out {
		if t != nil && len(t.Shape) > 6 {
			return false
		}
	}
	return n.Arithmetic == Single
}

// sharedSum adds or subtracts as XNNPACK does: both operands have multipliers
// with the same shift, halves are rounded up.
type sharedSum[T int8 | uint8 | int16] struct {
	scaled
	a, b, bias int32
	shift      int
}

// newSharedSum returns nil where XNNPACK leaves the operator to LiteRT.
func newSharedSum[T int8 | uint8 | int16](n *Node, p *pair, op arithmeticOp, s scaled) *sharedSum[T] {
	if !n.delegated() || p.out.Type == graph.Int16 {
		return nil
	}
	a, b, out := p.scales()
	ra, rb := a/out, b/out
	for _, r := range []float32{ra, rb} {
		if !(r >= 1.0/(1<<10) && r < 1<<8) {
			return nil
		}
	}
	k := &sharedSum[T]{scaled: s}
	_, exponent := math.Frexp(float64(max(ra, rb)))
	k.shift = 20 - (exponent - 1)
	k.a = int32(math.RoundToEven(math.Ldexp(float64(ra), k.shift)))
	k.b = int32(math.RoundToEven(math.Ldexp(float64(rb), k.shift)))
	if op == opSub {
		k.b = -k.b
	}
	k.bias = 1<<(k.shift-1) - k.a*s.zeroA - k.b*s.zeroB
	return k
}

func (k *sharedSum[T]) row(a, b, out []T) {
	b, out = b[:len(a)], out[:len(a)]
	bias, mA, mB, shift, zero, low, high := k.bias, k.a, k.b, uint(k.shift)&31, k.zero, k.low, k.high
	for i, v := range a {
		out[i] = T(min(max((bias+int32(v)*mA+int32(b[i])*mB)>>(shift&31)+zero, low), high))
	}
}

// product multiplies.
type product[T int8 | uint8 | int16] struct {
	scaled
	fixed  multiplier
	single float32 // 0: in fixed point
}

func newProduct[T int8 | uint8 | int16](n *Node, p *pair, s scaled) *product[T] {
	a, b, out := p.scales()
	k := &product[T]{scaled: s}
	ratio := float32(a*b) / out
	k.fixed = newMultiplier(float64(ratio))
	switch {
	case n.Arithmetic == Micro:
		k.fixed = newMultiplier(float64(a) * float64(b) / float64(out))
	case n.delegated() && p.out.Type != graph.Int16 && ratio >= 1.0/(1<<16) && ratio < 1<<8:
		k.single = ratio
	}
	return k
}

func (k *product[T]) row(a, b, out []T) {
	b, out = b[:len(a)], out[:len(a)]
	fixed, single, zeroA, zeroB, zero, low, high := k.fixed, k.single, k.zeroA, k.zeroB, k.zero, k.low, k.high
	if m, right := fixed.m, uint(-fixed.shift); single == 0 && fixed.shift <= 0 {
		for i, v := range a {
			y := applyDown((int32(v)-zeroA)*(int32(b[i])-zeroB), m, right)
			out[i] = T(min(max(y+zero, low), high))
		}
		return
	}
	if single == 0 {
		for i, v := range a {
			y := fixed.apply((int32(v) - zeroA) * (int32(b[i]) - zeroB))
			out[i] = T(min(max(y+zero, low), high))
		}
		return
	}
	least, most := low-zero, high-zero
	for i, v := range a {
		x := float32((int32(v)-zeroA)*(int32(b[i])-zeroB)) * single
		out[i] = T(nearestEven(x, least, most) + zero)
	}
}

// nearestEven rounds a number to the nearest integer, halves to even, within
// bounds. Adding 1.5*2^23 to a small number leaves it in the low bits.
func nearestEven(x float32, low, high int32) int32 {
	const magic = 3 << 22
	x = min(max(x, float32(low)), float32(high)) + magic
	return int32(math.Float32bits(x)) - int32(math.Float32bits(magic))
}

// powerSum adds or subtracts numbers of 16 bits whose scales are powers of two,
// one operand having that of the result.
type powerSum struct {
	scaled
	a, b  int // by how much each operand is shifted right
	minus bool
}

// newPowerSum returns nil if a scale is not a power of two.
func newPowerSum(p *pair, op arithmeticOp, s scaled) (Kernel, error) {
	var log [3]int
	for i, t := range []*Tensor{p.a, p.b, p.out} {
		l, ok := powerOfTwo(t.Quant.Scale[0])
		if !ok {
			return nil, nil
		}
		log[i] = l
	}
	k := &powerSum{scaled: s, a: log[2] - log[0], b: log[2] - log[1], minus: op == opSub}
	if k.a != 0 && k.b != 0 || k.a < 0 || k.b < 0 || max(k.a, k.b) > 15 {
		return nil, invalid("scales 2^%d and 2^%d for a result of 2^%d", log[0], log[1], log[2])
	}
	if op == opAdd && p.a.Elements() != p.b.Elements() {
		return nil, unsupported("shapes %v and %v of powers of two", p.a.Shape, p.b.Shape)
	}
	return newPairwise[int16, int16, int16](p.loops, k, 2), nil
}

// powerOfTwo is CheckedLog2: the logarithm of a scale to base 2, rounded, and
// whether it is one to within a thousandth.
func powerOfTwo(x float32) (log int, ok bool) {
	l := float32(math.Log(float64(x)) * (1 / math.Ln2))
	r := math.Round(float64(l))
	return int(r), math.Abs(float64(l)-r) < 1e-3
}

func (k *powerSum) row(a, b, out []int16) {
	b, out = b[:len(a)], out[:len(a)]
	for i, v := range a {
		x, y := shiftRound(int32(v), k.a), shiftRound(int32(b[i]), k.b)
		if k.minus {
			y = -y
		}
		out[i] = int16(min(max(x+y, k.low), k.high))
	}
}
