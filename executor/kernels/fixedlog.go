package kernels

import (
	"math"
	"math/bits"
)

// Logarithms and inverse square roots in fixed point: K/internal/common.h of
// google-ai-edge/LiteRT at f67457790c9c.

// saturate returns the nearest int32.
func saturate(x int64) int32 { return int32(min(max(x, math.MinInt32), math.MaxInt32)) }

// halfSum is RoundingHalfSum: half away from zero.
func halfSum(a, b int32) int32 {
	sum := int64(a) + int64(b)
	if sum >= 0 {
		return int32((sum + 1) / 2)
	}
	return int32((sum - 1) / 2)
}

// logFixed returns the logarithm, with five integer bits, of x >= 1 with so many
// integer bits: log_x_for_x_greater_than_or_equal_to_1.
func logFixed(x int32, integer int) int32 {
	const (
		ln2           = 1488522236
		sqrtSqrtHalf  = 1805811301
		sqrtHalf      = 1518500250
		numerator     = 117049297 // the coefficients of a rational function
		denominator   = 127690142
		first, second = 1057819769, 638450708
		bitsOfSum     = 6 // one more than the result has
	)
	f := fixed32
	quarter := f.shift(536870912, -bitsOfSum)
	above := bits.LeadingZeros32(uint32(x))
	rA := f.shift(f.mul(f.shift(x, above-1), sqrtHalf), 1)
	powerA := saturate(int64(f.shift(int32(integer-above), 31-bitsOfSum)) + int64(quarter))
	above = bits.LeadingZeros32(uint32(f.mul(x, sqrtHalf))) - 1
	rB := f.shift(x, above)
	powerB := saturate(int64(f.shift(int32(integer-above), 31-bitsOfSum)) - int64(quarter))
	r, power := min(rA, rB), max(powerA, powerB)
	p, q := halfSum(r, sqrtSqrtHalf), 2*(r-sqrtSqrtHalf)
	square := f.mul(q, q)
	num := f.mul(q, r) + f.mul(f.mul(q, square), numerator)
	den := f.mul(p, first+q+f.mul(denominator, square)) + f.mul(second, q)
	return f.shift(f.mul(power, ln2)+f.mul(f.shift(num, -bitsOfSum), f.reciprocal(den)), 1)
}

// inverseSqrt is GetInvSqrtQuantizedMultiplierExp: a multiplier of 1/sqrt(x).
func inverseSqrt(x int32) multiplier {
	if x <= 1 {
		return multiplier{math.MaxInt32, 0}
	}
	right := 11
	for x >= 1<<29 {
		x /= 4
		right++
	}
	pairs := (bits.LeadingZeros32(uint32(x))-1)/2 - 1
	right -= pairs
	x <<= 2 * pairs
	f := fixed32 // with three integer bits
	half := shiftRound(x>>1, 1)
	y := int32(1 << 28)
	for range 5 {
		cube := f.shift(f.mul(f.mul(y, y), y), 6)
		y = f.shift(f.mul(1<<28+1<<27, y)-f.mul(half, cube), 3)
	}
	y = f.mul(y, 1518500250) // sqrt(1/2)
	if right < 0 {
		y, right = y<<-right, 0
	}
	return multiplier{y, -right}
}
