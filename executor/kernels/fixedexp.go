package kernels

import "math"

// Exponentials and what is made of them in fixed point: gemmlowp's fixedpoint.h
// (google/gemmlowp at 032a599). A number with i integer bits in a word of b bits
// stands for raw/2^(b-1-i). All of it costs too much for every element, so that
// kernels keep the results in tables.

// fixed computes with words of 16 or 32 bits.
type fixed int

const (
	fixed16 fixed = 16
	fixed32 fixed = 32
)

// wrap keeps the bits of a word.
func (f fixed) wrap(x int32) int32 {
	if f == fixed16 {
		return int32(int16(x))
	}
	return x
}

// most is the greatest number of a word, which is also the 1 of numbers without
// integer bits.
func (f fixed) most() int32 { return int32(1)<<(f-1) - 1 }

// constant makes a word of a constant of 32 bits.
func (f fixed) constant(x int32) int32 {
	if f == fixed16 {
		return shiftRound(x, 16)
	}
	return x
}

// mul is SaturatingRoundingDoublingHighMul.
func (f fixed) mul(a, b int32) int32 {
	if f == fixed32 {
		return doublingHighMul(a, b)
	}
	if a == math.MinInt16 && b == math.MinInt16 {
		return math.MaxInt16
	}
	ab, nudge := a*b, int32(1<<14)
	if ab < 0 {
		nudge = 1 - 1<<14
	}
	return (ab + nudge) / (1 << 15)
}

// shift is SaturatingRoundingMultiplyByPOT.
func (f fixed) shift(x int32, exponent int) int32 {
	if exponent <= 0 {
		return shiftRound(x, -exponent)
	}
	low, high := -int64(f.most())-1, int64(f.most())
	return int32(min(max(int64(x)<<exponent, low), high))
}

// expQuarter returns exp(a) without integer bits for a in [-1/4, 0), by a Taylor
// series around -1/8.
func (f fixed) expQuarter(a int32) int32 {
	x := f.wrap(a + 1<<(f-4))
	x2 := f.mul(x, x)
	x3, x4 := f.mul(x2, x), f.mul(x2, x2)
	rest := f.mul(f.wrap(f.shift(x4, -2)+x3), f.constant(715827883)) // a third
	rest = f.shift(f.wrap(rest+x2), -1)
	about := f.constant(1895147668) // exp(-1/8)
	sum := about + f.mul(about, f.wrap(x+rest))
	if f == fixed16 {
		return min(max(sum, math.MinInt16), math.MaxInt16)
	}
	return sum
}

// expFactors are exp(-2^k) from k = -2 on, without integer bits.
var expFactors = [...]int32{1672461947, 1302514674, 790015084, 290630308, 39332535, 720401, 242}

// exp returns exp(a) without integer bits for a <= 0 of so many integer bits, at
// most five.
func (f fixed) exp(a int32, integer int) int32 {
	if a == 0 {
		return f.most()
	}
	quarter := int32(1) << (int(f) - 1 - integer - 2)
	part := a&(quarter-1) - quarter
	result := f.expQuarter(f.shift(part, integer))
	rest := f.wrap(part - a)
	for k, factor := range expFactors {
		if k-2 < integer && rest&(quarter<<k) != 0 {
			result = f.mul(result, f.constant(factor))
		}
	}
	return result
}

// newton returns 1/(half of 1+a), with two integer bits, for a in (0, 1) without,
// by three steps of Newton and Raphson.
func (f fixed) newton(a int32) int32 {
	half := int32((int64(a) + int64(f.most()) + 1) / 2)
	x := f.wrap(f.constant(1515870810) + f.mul(half, f.constant(-1010580540))) // 48/17 and 32/17
	for range 3 {
		x = f.wrap(x + f.shift(f.mul(x, f.wrap(1<<(f-3)-f.mul(half, x))), 2))
	}
	return x
}

// reciprocal returns 1/(1+a) for a in (0, 1), both without integer bits.
func (f fixed) reciprocal(a int32) int32 { return f.shift(f.newton(a), 1) }

// logistic returns 1/(1+exp(-a)) without integer bits.
func (f fixed) logistic(a int32, integer int) int32 {
	switch {
	case a == 0:
		return f.constant(1 << 30)
	case a > 0:
		return f.reciprocal(f.exp(-a, integer))
	}
	return f.wrap(f.most() - f.reciprocal(f.exp(a, integer)))
}

// tanh returns the hyperbolic tangent without integer bits.
func (f fixed) tanh(a int32, integer int) int32 {
	if a == 0 {
		return 0
	}
	n := a
	if a > 0 {
		n = -a
	}
	// The same word with one more integer bit stands for twice the number.
	t := f.shift(f.wrap(f.newton(f.exp(n, integer+1))-1<<(f-3)), 2)
	if a < 0 {
		return -t
	}
	return t
}

// inputRadius is CalculateInputRadius: the difference from zero beyond which a
// number shifted left by so much no longer fits.
func inputRadius(integer, left, bits int) int32 {
	most := float64(int(1)<<integer-1) * math.Ldexp(1, bits-integer-left)
	return int32(min(math.Floor(most), math.MaxInt32))
}
