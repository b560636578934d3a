package kernels

import (
	"math"

	"github.com/arenalab/arenalab/graph"
)

// Activations that cut or bend: K/activations.cc, R/leaky_relu.h, R/prelu.h,
// R/hard_swish.h, R/elu.h and R/gelu.h of google-ai-edge/LiteRT at f67457790c9c.
// Multipliers are rounded to float32 first, but for the two of PRELU in
// TFLite-Micro. Quantised numbers of eight bits go through tables.

func reluFamily() map[string]prepare {
	clamp := func(low, high float32) prepare {
		return func(n *Node) (Kernel, error) { return prepareRelu(n, low, high) }
	}
	return map[string]prepare{
		"RELU":         clamp(0, float32(math.Inf(1))),
		"RELU6":        clamp(0, 6),
		"RELU_N1_TO_1": clamp(-1, 1),
		"RELU_0_TO_1":  clamp(0, 1),
		"LEAKY_RELU":   prepareLeakyRelu,
		"PRELU":        preparePrelu,
		"HARD_SWISH":   prepareHardSwish,
		"ELU":          prepareElu,
		"GELU":         prepareGelu,
	}
}

func prepareRelu(n *Node, low, high float32) (Kernel, error) {
	in, out, err := newSame(n)
	if err != nil {
		return nil, err
	}
	if in.Type != out.Type {
		return nil, invalid("%v becomes %v", in.Type, out.Type)
	}
	if in.Type == graph.Float32 {
		return newUnary[float32, float32](&reluFloat{low, high}, 1), nil
	}
	if err := bothQuantised(in, out); err != nil {
		return nil, err
	}
	switch in.Type {
	case graph.Int8:
		return newUnary(newTable[int8, int8](newRelu[int8](n, in, out, low, high)), 1), nil
	case graph.Uint8:
		return newUnary(newTable[uint8, uint8](newRelu[uint8](n, in, out, low, high)), 1), nil
	case graph.Int16:
		return newUnary[int16, int16](newRelu[int16](n, in, out, low, high), 4), nil
	}
	return nil, unsupported("%v", in.Type)
}

type reluFloat struct{ low, high float32 }

func (k *reluFloat) row(x, out []float32) {
	out = out[:len(x)]
	for i, v := range x {
		out[i] = clampFloat(v, k.low, k.high)
	}
}

// relu rescales and clamps.
type relu[T int8 | uint8 | int16] struct {
	m            multiplier
	zeroIn, zero int32
	low, high    int32
}

func newRelu[T int8 | uint8 | int16](n *Node, in, out *Tensor, low, high float32) *relu[T] {
	s, o := in.Quant.Scale[0], out.Quant.Scale[0]
	k := &relu[T]{m: newMultiplier(float64(s / o)), zeroIn: int32(in.Quant.ZeroPoint(0)), zero: int32(out.Quant.ZeroPoint(0))}
	least, most := integerRange(out.Type)
	if n.Arithmetic == Micro && high == 6 { // which clamps in the scale of the operand
		k.m, o = multiplier{1 << 30, 1}, s
		k.zero = k.zeroIn
	}
	bound := func(x float32) int32 {
		return int32(min(max(math.Round(float64(x/o))+float64(k.zero), float64(least)), float64(most)))
	}
	k.low, k.high = bound(low), bound(high)
	return k
}

func (k *relu[T]) row(x, out []T) {
	out = out[:len(x)]
	for i, v := range x {
		out[i] = T(min(max(k.m.apply(int32(v)-k.zeroIn)+k.zero, k.low), k.high))
	}
}

func prepareLeakyRelu(n *Node) (Kernel, error) {
	in, out, err := newSame(n)
	if err != nil {
		return nil, err
	}
	if in.Type != out.Type {
		return nil, invalid("%v becomes %v", in.Type, out.Type)
	}
	alpha := n.Op.Attributes.Float(0, 0)
	if in.Type == graph.Float32 {
		return newUnary[float32, float32](leakyFloat{alpha}, 1), nil
	}
	if err := bothQuantised(in, out); err != nil {
		return nil, err
	}
	s, o := in.Quant.Scale[0], out.Quant.Scale[0]
	slope := float64(float32(float32(s*alpha) / o))
	if !(math.Abs(slope) < 1<<30 && s/o < 1<<30) {
		return nil, invalid("alpha %g with scales %g and %g", alpha, s, o)
	}
	low, high := integerRange(out.Type)
	k := leaky{minus: slope < 0, alpha: newMultiplier(math.Abs(slope)), identity: newMultiplier(float64(s / o)), low: low, high: high}
	k.zeroIn, k.zero = int32(in.Quant.ZeroPoint(0)), int32(out.Quant.ZeroPoint(0))
	k.share(n, in.Type, s/o, alpha)
	switch in.Type {
	case graph.Int8:
		return newUnary(newTable[int8, int8](&leakyRelu[int8]{k}), 1), nil
	case graph.Uint8:
		return newUnary(newTable[uint8, uint8](&leakyRelu[uint8]{k}), 1), nil
	case graph.Int16:
		return newUnary[int16, int16](&leakyRelu[int16]{k}, 4), nil
	}
	return nil, unsupported("%v", in.Type)
}

type leakyFloat struct{ alpha float32 }

func (k leakyFloat) row(x, out []float32) {
	out = out[:len(x)]
	for i, v := range x {
		if !(v > 0) {
			v *= k.alpha
		}
		out[i] = v
	}
}

// leaky is what a quantised LEAKY_RELU multiplies with.
type leaky struct {
	alpha, identity multiplier
	minus           bool // alpha is below zero
	zeroIn, zero    int32
	low, high       int32
	// XNNPACK's, with eight bits after the point; both 0: none.
	below, above int32
}

// share prepares XNNPACK's arithmetic where it takes the operator.
func (k *leaky) share(n *Node, t graph.DType, ratio, alpha float32) {
	slope := ratio * alpha
	if !n.delegated() || t == graph.Int16 || !(ratio >= 1.0/(1<<8) && ratio <= 1<<7) ||
		!(slope >= -127.99609375 && slope <= 1<<7) {
		return
	}
	k.above = int32(math.RoundToEven(float64(256 * ratio)))
	k.below = int32(math.RoundToEven(float64(256 * slope)))
}

type leakyRelu[T int8 | uint8 | int16] struct{ leaky }

func (k *leakyRelu[T]) row(x, out []T) {
	out = out[:len(x)]
	for i, v := range x {
		d := int32(v) - k.zeroIn
		switch {
		case k.above != 0 && d >= 0:
			d = (d*k.above + 128) >> 8
		case k.above != 0:
			d = (d*k.below + 128) >> 8
		case d >= 0:
			d = k.identity.apply(d)
		case k.minus:
			d = -k.alpha.apply(d)
		default:
			d = k.alpha.apply(d)
		}
		out[i] = T(min(max(d+k.zero, k.low), k.high))
	}
}

func preparePrelu(n *Node) (Kernel, error) {
	p, err := newPair(n)
	if err != nil {
		return nil, err
	}
	if err := convResult(p.out, p.a.Shape...); err != nil {
		return nil, err
	}
	if p.a.Type != p.out.Type {
		return nil, invalid("%v becomes %v", p.a.Type, p.out.Type)
	}
	if p.a.Type == graph.Float32 && p.b.Type == graph.Float32 {
		return newPairwise[float32, float32, float32](p.loops, preluFloat{}, 2), nil
	}
	if err := bothQuantised(p.a, p.b, p.out); err != nil {
		return nil, err
	}
	switch a, b := p.a.Type, p.b.Type; {
	case a == graph.Int8 && b == graph.Int8:
		return newPairwise(p.loops, newPrelu[int8, int8](n, &p), 4), nil
	case a == graph.Uint8 && b == graph.Uint8:
		return newPairwise(p.loops, newPrelu[uint8, uint8](n, &p), 4), nil
	case a == graph.Int16 && b == graph.Int8:
		return newPairwise(p.loops, newPrelu[int16, int8](n, &p), 4), nil
	}
	return nil, unsupported("%v by %v", p.a.Type, p.b.Type)
}

type preluFloat struct{}

func (preluFloat) row(x, alpha, out []float32) {
	for i, v := range x {
		if !(v >= 0) {
			v *= alpha[i]
		}
		out[i] = v
	}
}

type prelu[T, U int8 | uint8 | int16] struct {
	scaled
	identity, slope multiplier
}

func newPrelu[T, U int8 | uint8 | int16](n *Node, p *pair) pairRow[T, U, T] {
	k := &prelu[T, U]{}
	k.zeroA, k.zeroB, k.zero = int32(p.a.Quant.ZeroPoint(0)), int32(p.b.Quant.ZeroPoint(0)), int32(p.out.Quant.ZeroPoint(0))
	k.low, k.high = integerRange(p.out.Type)
	a, b, out := p.scales()
	k.identity, k.slope = newMultiplier(float64(a/out)), newMultiplier(float64(float32(a*b)/out))
	if n.Arithmetic == Micro {
		k.identity, k.slope = newMultiplier(float64(a)/float64(out)), newMultiplier(float64(a)*float64(b)/float64(out))
	}
	return k
}

func (k *prelu[T, U]) row(x []T, alpha []U, out []T) {
	for i, v := range x {
		d := int32(v) - k.zeroA
		if d >= 0 {
			d = k.identity.apply(d)
		} else {
			d = k.slope.apply(d * (int32(alpha[i]) - k.zeroB))
		}
		out[i] = T(k.clamp(d))
	}
}
