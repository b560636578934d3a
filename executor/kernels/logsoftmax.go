package kernels

import (
	"math"

	"github.com/arenalab/arenalab/graph"
)

// Logarithms of softmax: R/log_softmax.h and R/integer_ops/log_softmax.h of
// google-ai-edge/LiteRT at f67457790c9c, and for the default runtime the float32
// arithmetic of its optimised kernels.

func prepareLogSoftmax(n *Node) (Kernel, error) {
	s, err := newRows(n)
	if err != nil {
		return nil, err
	}
	if s.in.Type != s.out.Type {
		return nil, invalid("%v becomes %v", s.in.Type, s.out.Type)
	}
	if s.in.Type == graph.Float32 {
		return newRowKernel(s, logSoftmaxFloat{}), nil
	}
	if s.in.Type != graph.Int8 && s.in.Type != graph.Uint8 {
		return nil, unsupported("%v", s.in.Type)
	}
	if err := bothQuantised(s.in, s.out); err != nil {
		return nil, err
	}
	_, high := integerRange(s.out.Type)
	if s.out.Quant.Scale[0] != 1.0/16 || s.out.Quant.ZeroPoint(0) != int64(high) {
		return nil, invalid("result of scale %g and zero point %d", s.out.Quant.Scale[0], s.out.Quant.ZeroPoint(0))
	}
	if s.in.Type == graph.Int8 {
		return newLogSoftmax[int8](n, s)
	}
	return newLogSoftmax[uint8](n, s)
}

type logSoftmaxFloat struct{}

func (logSoftmaxFloat) row(x, out []float32) {
	most := float32(-math.MaxFloat32)
	for _, v := range x {
		if most < v {
			most = v
		}
	}
	var sum float32
	for _, v := range x {
		sum += float32(math.Exp(float64(v - most)))
	}
	log := float32(math.Log(float64(sum)))
	for i, v := range x {
		out[i] = float32(v-most) - log
	}
}

func newLogSoftmax[T int8 | uint8](n *Node, s rowShape) (Kernel, error) {
	scale := s.in.Quant.Scale[0]
	low, high := integerRange(s.out.Type)
	if n.Arithmetic == Single {
		k := &logSoftmaxTable[T]{scale: scale, low: low, high: high}
		for i := range k.exp {
			k.exp[i] = float32(math.Exp(float64(float32(-scale * float32(i)))))
		}
		return newRowKernel(s, k), nil
	}
	real := min(float64(scale)*(1<<26), 1<<31-1)
	if real <= 1 {
		return nil, unsupported("scale %g", scale)
	}
	m := newMultiplier(real)
	k := &logSoftmaxFixed[T]{least: -inputRadius(5, m.shift, 31), low: low, high: high}
	k.back = newMultiplier(math.Ldexp(1, 31-m.shift) / float64(m.m))
	for i := range k.scaled {
		if int32(i) <= -k.least {
			k.scaled[i] = doublingHighMul(int32(-i)<<m.shift, m.m)
			k.addend[i] = shiftRound(fixed32.exp(k.scaled[i], 5), 12)
		}
	}
	return newRowKernel(s, k), nil
}

// logSoftmaxFixed computes in fixed point, differences with five integer bits.
type logSoftmaxFixed[T int8 | uint8] struct {
	least          int32 // the difference that still counts, below zero
	scaled, addend [256]int32
	back           multiplier // from fixed point to differences
	low, high      int32
}

func (k *logSoftmaxFixed[T]) row(x []T, out []T) {
	most := x[0]
	for _, v := range x {
		most = max(most, v)
	}
	var sum int32
	for _, v := range x {
		if d := int32(v) - int32(most); d >= k.least {
			sum += k.addend[-d]
		}
	}
	if sum <= 0 { // too many for the sum
		clear(out)
		return
	}
	log := logFixed(sum, 12)
	least := max(k.least-1, k.back.apply(log+math.MinInt32))
	for i, v := range x {
		y := k.low
		if d := int32(v) - int32(most); d > least {
			y = min(max(shiftRound(k.scaled[-d]-log, 31-5-4)+k.high, k.low), k.high)
		}
		out[i] = T(y)
	}
}

// logSoftmaxTable computes with float32.
type logSoftmaxTable[T int8 | uint8] struct {
	scale     float32
	exp       [256]float32
	low, high int32
}

func (k *logSoftmaxTable[T]) row(x []T, out []T) {
	most := x[0]
	for _, v := range x {
		most = max(most, v)
	}
	var sum float32
	for _, v := range x {
		sum += k.exp[int(most)-int(v)]
	}
	const step = 1.0 / 16
	log := float32(math.Log(float64(sum)))
	scale, less := k.scale/step, float32(float32(k.scale*float32(most))+log)/step
	for i, v := range x {
		y := math.RoundToEven(float64(float32(scale*float32(v)) - less))
		out[i] = T(min(max(toInt32(y+float64(k.high)), k.low), k.high))
	}
}
