package kernels

import "math"

// Fixed-point arithmetic of TFLite: K/internal/common.h, quantization_util.cc
// and gemmlowp's fixedpoint.h, as in google-ai-edge/LiteRT at f67457790c9c.

// multiplier is a positive real number q*2^shift with q = m/2^31 in [0.5, 1).
type multiplier struct {
	m     int32
	shift int
}

// newMultiplier is QuantizeMultiplier.
func newMultiplier(real float64) multiplier {
	if real == 0 {
		return multiplier{}
	}
	q, shift := math.Frexp(real)
	m := int64(math.Round(q * (1 << 31)))
	if m == 1<<31 {
		m /= 2
		shift++
	}
	if shift < -31 {
		return multiplier{}
	}
	if shift > 30 {
		return multiplier{math.MaxInt32, 30}
	}
	return multiplier{int32(m), shift}
}

// doublingHighMul is SaturatingRoundingDoublingHighMul.
func doublingHighMul(a, b int32) int32 {
	if a == math.MinInt32 && b == math.MinInt32 {
		return math.MaxInt32
	}
	ab := int64(a) * int64(b)
	nudge := int64(1 << 30)
	if ab < 0 {
		nudge = 1 - 1<<30
	}
	return int32((ab + nudge) / (1 << 31)) // toward zero
}

// shiftRound is RoundingDivideByPOT: half away from zero.
func shiftRound(x int32, exponent int) int32 {
	mask := int32(1)<<exponent - 1
	remainder := x & mask
	threshold := mask >> 1
	if x < 0 {
		threshold++
	}
	x >>= exponent
	if remainder > threshold {
		x++
	}
	return x
}

// apply is MultiplyByQuantizedMultiplier with two roundings.
func (q multiplier) apply(x int32) int32 {
	left, right := max(q.shift, 0), max(-q.shift, 0)
	return shiftRound(doublingHighMul(x<<left, q.m), right)
}

// applyOnce multiplies with a single rounding, half away from zero, as kernels
// do that rescale in floating point.
func (q multiplier) applyOnce(x int32) int32 {
	return int32(math.Round(float64(x) * float64(q.m) * math.Ldexp(1, q.shift-31)))
}

// applyWide is MultiplyByQuantizedMultiplier for sums of 64 bits, |x| < 2^47.
func (q multiplier) applyWide(x int64) int32 {
	m := int64(math.MaxInt16)
	if q.m < 0x7FFF0000 {
		m = (int64(q.m) + 1<<15) >> 16
	}
	total := 15 - q.shift
	return int32((x*m + 1<<(total-1)) >> total)
}
