package kernels

import (
	"math/bits"

	"github.com/arenalab/arenalab/graph"
)

// Quotients and squares of differences of quantised numbers: R/div.h and
// K/squared_difference.cc of google-ai-edge/LiteRT at f67457790c9c.

func prepareDiv(n *Node) (Kernel, error) {
	p, err := newAlikePair(n)
	if err != nil {
		return nil, err
	}
	activation := n.Op.Attributes.Byte(0, 0)
	if activation < actNone || activation > actSignBit {
		return nil, invalid("fused activation %d", activation)
	}
	switch p.out.Type {
	case graph.Float32:
		f := floatArithmetic{op: opDiv}
		f.low, f.high, err = floatClamp(activation)
		return newPairwise[float32, float32, float32](p.loops, &f, 2), err
	case graph.Int32:
		k := newWhole[int32](opDiv, activation, -1<<31, 1<<31-1)
		return newNonZero[int32](newPairwise(p.loops, k, 4), 0), nil
	case graph.Int8:
		return newDivide[int8](&p, activation)
	case graph.Uint8:
		return newDivide[uint8](&p, activation)
	case graph.Int16:
		return newDivide[int16](&p, activation)
	}
	return nil, unsupported("%v", p.out.Type)
}

// divide divides in fixed point: by multiplication with the reciprocal.
type divide[T int8 | uint8 | int16] struct {
	scaled
	m multiplier
}

func newDivide[T int8 | uint8 | int16](p *pair, activation int8) (Kernel, error) {
	if err := p.quantised(); err != nil {
		return nil, err
	}
	k := &divide[T]{}
	var err error
	if k.low, k.high, err = integerClamp(activation, p.out); err != nil {
		return nil, err
	}
	k.zeroA, k.zeroB, k.zero = int32(p.a.Quant.ZeroPoint(0)), int32(p.b.Quant.ZeroPoint(0)), int32(p.out.Quant.ZeroPoint(0))
	a, b, out := p.scales()
	if !(b*out > 0) {
		return nil, unsupported("scales %g and %g", b, out)
	}
	k.m = newMultiplier(float64(a / float32(b*out)))
	return newNonZero[T](newPairwise[T, T, T](p.loops, k, 60), T(k.zeroB)), nil
}

func (k *divide[T]) row(a, b, out []T) {
	for i, v := range a {
		x, y := int32(v)-k.zeroA, int32(b[i])-k.zeroB
		if y < 0 {
			x, y = -x, -y
		}
		leading := bits.LeadingZeros32(uint32(y))
		inverse := fixed32.reciprocal(int32(uint32(y)<<leading - 1<<31))
		headroom := signBits(x)
		quotient := doublingHighMul(x<<headroom, inverse)
		right := 31 - leading + headroom - k.m.shift
		y = doublingHighMul(quotient, k.m.m)
		out[i] = T(k.clamp(shiftFar(y, max(right, 0))))
	}
}

// shiftFar is shiftRound, but for shifts of 32 and more, which C++ leaves open,
// what x86 makes of the same instructions.
func shiftFar(x int32, exponent int) int32 {
	if exponent < 32 {
		return shiftRound(x, exponent)
	}
	y := x >> (exponent & 31)
	if x >= 0 {
		y++
	}
	return y
}

// signBits is CountLeadingSignBits: by how much a number can be shifted left.
func signBits(x int32) int {
	if x < 0 {
		return bits.LeadingZeros32(2*uint32(-x) - 1)
	}
	return bits.LeadingZeros32(uint32(x)) - 1
}

func prepareSquaredDifference(n *Node) (Kernel, error) {
	p, err := newAlikePair(n)
	if err != nil {
		return nil, err
	}
	switch p.out.Type {
	case graph.Float32:
		return newPairwise[float32, float32, float32](p.loops, squaredPlain[float32]{}, 2), nil
	case graph.Int32:
		return newPairwise[int32, int32, int32](p.loops, squaredPlain[int32]{}, 2), nil
	case graph.Int8:
		return newSquared[int8](n, &p, 7)
	case graph.Int16:
		if n.Arithmetic == Micro {
			return newSquared[int16](n, &p, 0)
		}
	}
	return nil, unsupported("%v", p.out.Type)
}

type squaredPlain[T float32 | int32] struct{}

func (squaredPlain[T]) row(a, b, out []T) {
	b, out = b[:len(a)], out[:len(a)]
	for i, v := range a {
		d := v - b[i]
		out[i] = d * d
	}
}

// squared subtracts on a common scale and squares.
type squared[T int8 | int16] struct {
	scaled
	left    int
	a, b, o multiplier
}

func newSquared[T int8 | int16](n *Node, p *pair, left int) (Kernel, error) {
	if err := p.quantised(); err != nil {
		return nil, err
	}
	k := &squared[T]{left: left}
	k.zeroA, k.zeroB, k.zero = int32(p.a.Quant.ZeroPoint(0)), int32(p.b.Quant.ZeroPoint(0)), int32(p.out.Quant.ZeroPoint(0))
	k.low, k.high = integerRange(p.out.Type)
	a, b, out := p.scales()
	twice := 2 * max(float64(a), float64(b))
	real := twice * twice / (float64(int(1)<<(2*left)) * float64(out))
	k.a, k.b, k.o = newMultiplier(float64(a)/twice), newMultiplier(float64(b)/twice), newMultiplier(real)
	if !(real < 1) && n.Arithmetic != Micro || real > 1<<30 {
		return nil, unsupported("scales %g and %g for a result of scale %g", a, b, out)
	}
	return newPairwise[T, T, T](p.loops, k, 8), nil
}

func (k *squared[T]) row(a, b, out []T) {
	for i, v := range a {
		d := k.a.apply((int32(v)-k.zeroA)<<k.left) - k.b.apply((int32(b[i])-k.zeroB)<<k.left)
		out[i] = T(k.clamp(k.o.apply(d * d)))
	}
}
