package kernels

import (
	"fmt"
	"math"

	"github.com/arenalab/arenalab/graph"
)

// Functions of one operand: K/elementwise.cc, K/exp.cc, K/neg.cc, K/floor.cc,
// K/ceil.cc, K/round.cc and K/sign.cc of google-ai-edge/LiteRT at f67457790c9c.
// Floats are rounded from float64; the C library and XNNPACK may differ in the
// last bits. Integers of eight bits go through tables, those of 16 bits are
// interpolated between 513 values.

func mathsFamily() map[string]prepare {
	function := func(f func(x float64) float64) prepare {
		return func(n *Node) (Kernel, error) {
			return prepareMath(n, functionRow(func(x float32) float32 { return float32(f(float64(x))) }), nil)
		}
	}
	return map[string]prepare{
		"ABS":         prepareAbs,
		"CEIL":        func(n *Node) (Kernel, error) { return prepareMath(n, mathCeil, nil) },
		"COS":         function(math.Cos),
		"EXP":         prepareExp,
		"FLOOR":       func(n *Node) (Kernel, error) { return prepareMath(n, mathFloor, nil) },
		"LOG":         prepareLog,
		"LOGICAL_NOT": prepareNot,
		"NEG":         prepareNeg,
		"ROUND":       func(n *Node) (Kernel, error) { return prepareMath(n, mathRound, nil) },
		"RSQRT":       prepareRsqrt,
		"SIGN":        prepareSign,
		"SIN":         function(math.Sin),
		"SQRT":        prepareSqrt,
		"SQUARE":      func(n *Node) (Kernel, error) { return prepareMath(n, mathSquare, nil) },
	}
}

// prepareMath returns the kernel of a function of float32, and of another for
// quantised integers if it is not nil.
func prepareMath(n *Node, f unaryRow[float32, float32], quantised func(in, out *Tensor) (Kernel, error)) (Kernel, error) {
	in, out, err := newSame(n)
	if err != nil {
		return nil, err
	}
	if in.Type != out.Type {
		return nil, invalid("%v becomes %v", in.Type, out.Type)
	}
	if in.Type == graph.Float32 {
		return newUnary(f, 10), nil
	}
	if quantised == nil || in.Type != graph.Int8 && in.Type != graph.Int16 {
		return nil, unsupported("%v", in.Type)
	}
	if err := bothQuantised(in, out); err != nil {
		return nil, err
	}
	return quantised(in, out)
}

// cheap is a function that costs less than a call.
type cheap uint8

const (
	mathCeil cheap = iota
	mathFloor
	mathRound
	mathSquare
	mathSqrt
	mathRsqrt
)

func (k cheap) row(x, out []float32) {
	out = out[:len(x)]
	switch k {
	case mathCeil:
		for i, v := range x {
			out[i] = float32(math.Ceil(float64(v)))
		}
	case mathFloor:
		for i, v := range x {
			out[i] = float32(math.Floor(float64(v)))
		}
	case mathRound:
		for i, v := range x {
			out[i] = float32(math.RoundToEven(float64(v)))
		}
	case mathSquare:
		for i, v := range x {
			out[i] = v * v
		}
	case mathSqrt:
		for i, v := range x {
			out[i] = float32(math.Sqrt(float64(v)))
		}
	case mathRsqrt:
		for i, v := range x {
			out[i] = 1 / float32(math.Sqrt(float64(v)))
		}
	}
}

// curve is a function of 16 bits by interpolation.
type curve struct{ table [513]int16 }

func newCurve(in, out *Tensor, f func(float32) float32) Kernel {
	k := &curve{}
	fillCurve(&k.table, in.Quant.Scale[0], 0, out.Quant.Scale[0], f)
	return newUnary[int16, int16](k, 4)
}

func (k *curve) row(x, out []int16) {
	out = out[:len(x)]
	for i, v := range x {
		out[i] = int16(curveAt(&k.table, int32(v)))
	}
}

// lookUp returns the kernel of a function by a table or a curve.
func lookUp(in, out *Tensor, f func(float32) float32) (Kernel, error) {
	if in.Type == graph.Int16 {
		return newCurve(in, out, f), nil
	}
	return newUnary(newTable[int8, int8](newLookup[int8](in, out, f)), 1), nil
}

func prepareExp(n *Node) (Kernel, error) {
	exp := func(x float32) float32 { return float32(math.Exp(float64(x))) }
	return prepareMath(n, functionRow(exp), func(in, out *Tensor) (Kernel, error) { return lookUp(in, out, exp) })
}

func prepareLog(n *Node) (Kernel, error) {
	log := func(x float32) float32 { return float32(math.Log(float64(x))) }
	return prepareMath(n, functionRow(log), func(in, out *Tensor) (Kernel, error) {
		low, _ := integerRange(out.Type)
		least := float32(low-int32(out.Quant.ZeroPoint(0))) * out.Quant.Scale[0]
		return lookUp(in, out, func(x float32) float32 {
			if x <= 0 {
				return least
			}
			return log(x)
		})
	})
}

// notBelow is a kernel that refuses operands with numbers below a bound.
type notBelow[T int8 | int16] struct {
	Kernel
	bound T
	err   error
}

func newNotBelow[T int8 | int16](k Kernel, in *Tensor) Kernel {
	zero := in.Quant.ZeroPoint(0)
	return &notBelow[T]{k, T(zero), fmt.Errorf("operand below zero (%d)", zero)}
}

// Run checks the operand first.
func (k *notBelow[T]) Run(c *Call) error {
	for _, v := range view[T](c.In[0]) {
		if v < k.bound {
			return k.err
		}
	}
	return k.Kernel.Run(c)
}

func prepareSqrt(n *Node) (Kernel, error) {
	return prepareMath(n, mathSqrt, func(in, out *Tensor) (Kernel, error) {
		low, high := integerRange(out.Type)
		s := sqrtInteger{in.Quant.Scale[0], out.Quant.Scale[0], int32(in.Quant.ZeroPoint(0)), int32(out.Quant.ZeroPoint(0)), low, high}
		if in.Type == graph.Int16 {
			return newNotBelow[int16](newUnary[int16, int16](&sqrtOf[int16]{s}, 5), in), nil
		}
		return newNotBelow[int8](newUnary(newTable[int8, int8](&sqrtOf[int8]{s}), 1), in), nil
	})
}

type sqrtInteger struct {
	scale, outScale         float32
	zeroIn, zero, low, high int32
}

type sqrtOf[T int8 | int16] struct{ sqrtInteger }

func (k *sqrtOf[T]) row(x, out []T) {
	for i, v := range x {
		root := float32(math.Sqrt(float64(float32(k.scale * float32(int32(v)-k.zeroIn)))))
		out[i] = T(min(max(toInt32(math.Trunc(float64(root/k.outScale)))+k.zero, k.low), k.high))
	}
}

func prepareRsqrt(n *Node) (Kernel, error) {
	rsqrt := func(x float32) float32 { return 1 / float32(math.Sqrt(float64(x))) }
	return prepareMath(n, mathRsqrt, func(in, out *Tensor) (Kernel, error) {
		s, o := in.Quant.Scale[0], out.Quant.Scale[0]
		if in.Type == graph.Int16 && n.Arithmetic != Micro {
			return newNotBelow[int16](newCurve(in, out, func(x float32) float32 {
				if x <= 0 {
					return math.MaxInt16 * o
				}
				return rsqrt(x)
			}), in), nil
		}
		real := 1 / float64(float32(float32(math.Sqrt(float64(s)))*o))
		k := rsqrtFixed{zeroIn: int32(in.Quant.ZeroPoint(0)), zero: int32(out.Quant.ZeroPoint(0)), m: newMultiplier(real)}
		if k.m.shift < -11 {
			return nil, unsupported("scales %g and %g", s, o)
		}
		k.low, k.high = integerRange(out.Type)
		if in.Type == graph.Int16 {
			return newNotBelow[int16](newUnary[int16, int16](&rsqrtInteger[int16]{k}, 60), in), nil
		}
		return newNotBelow[int8](newUnary(newTable[int8, int8](&rsqrtInteger[int8]{k}), 1), in), nil
	})
}

// rsqrtFixed is what an RSQRT in fixed point multiplies with.
type rsqrtFixed struct {
	zeroIn, zero, low, high int32
	m                       multiplier
}

type rsqrtInteger[T int8 | int16] struct{ rsqrtFixed }

func (k *rsqrtInteger[T]) row(x, out []T) {
	const extra = 20 // bits, to keep the root an integer
	for i, v := range x {
		d := int32(v) - k.zeroIn
		if d <= 0 { // below zero is refused before
			out[i] = T(k.high)
			continue
		}
		root := inverseSqrt(d)
		root.shift += extra
		y := multiplier{k.m.m, k.m.shift - extra}.apply(root.apply(1)) + k.zero
		out[i] = T(min(max(y, k.low), k.high))
	}
}

func prepareAbs(n *Node) (Kernel, error) {
	in, out, err := newSame(n)
	if err != nil {
		return nil, err
	}
	if in.Type != out.Type {
		return nil, invalid("%v becomes %v", in.Type, out.Type)
	}
	switch {
	case in.Type == graph.Float32:
		return newUnary[float32, float32](absFloat{}, 1), nil
	case in.Type == graph.Int32:
		return newUnary[int32, int32](absWhole[int32]{}, 1), nil
	case in.Type == graph.Int16 && in.Quant == nil:
		return newUnary[int16, int16](absWhole[int16]{}, 1), nil
	case in.Type != graph.Int8 && in.Type != graph.Int16:
		return nil, unsupported("%v", in.Type)
	}
	if err := bothQuantised(in, out); err != nil {
		return nil, err
	}
	s, o := in.Quant.Scale[0], out.Quant.Scale[0]
	a := absScaled{plain: s == o, m: newMultiplier(float64(s / o)), zeroIn: int32(in.Quant.ZeroPoint(0)), zero: int32(out.Quant.ZeroPoint(0))}
	a.low, a.high = integerRange(out.Type)
	if in.Type == graph.Int16 {
		return newUnary[int16, int16](&absInteger[int16]{a}, 4), nil
	}
	return newUnary(newTable[int8, int8](&absInteger[int8]{a}), 1), nil
}

type absFloat struct{}

func (absFloat) row(x, out []float32) {
	out = out[:len(x)]
	for i, v := range x {
		out[i] = float32(math.Abs(float64(v)))
	}
}

type absWhole[T int16 | int32] struct{}

func (absWhole[T]) row(x, out []T) {
	for i, v := range x {
		out[i] = max(v, -v)
	}
}

type absScaled struct {
	plain                   bool // the scales are the same
	m                       multiplier
	zeroIn, zero, low, high int32
}

type absInteger[T int8 | int16] struct{ absScaled }

func (k *absInteger[T]) row(x, out []T) {
	for i, v := range x {
		d := int32(v) - k.zeroIn
		d = max(d, -d)
		if !k.plain {
			d = k.m.apply(d)
		}
		out[i] = T(min(max(d+k.zero, k.low), k.high))
	}
}

func prepareNeg(n *Node) (Kernel, error) {
	in, out, err := newSame(n)
	if err != nil {
		return nil, err
	}
	if in.Type != out.Type {
		return nil, invalid("%v becomes %v", in.Type, out.Type)
	}
	switch in.Type {
	case graph.Float32:
		return newUnary[float32, float32](negate[float32]{}, 1), nil
	case graph.Int8:
		return newUnary[int8, int8](negate[int8]{}, 1), nil
	case graph.Int16:
		return newUnary[int16, int16](negate[int16]{}, 1), nil
	case graph.Int32:
		return newUnary[int32, int32](negate[int32]{}, 1), nil
	case graph.Int64:
		return newUnary[int64, int64](negate[int64]{}, 1), nil
	}
	return nil, unsupported("%v", in.Type)
}

type negate[T number] struct{}

func (negate[T]) row(x, out []T) {
	out = out[:len(x)]
	for i, v := range x {
		out[i] = -v
	}
}

func prepareSign(n *Node) (Kernel, error) {
	in, out, err := newSame(n)
	if err != nil {
		return nil, err
	}
	if in.Type != out.Type {
		return nil, invalid("%v becomes %v", in.Type, out.Type)
	}
	switch in.Type {
	case graph.Float32:
		return newUnary[float32, float32](signOf[float32]{}, 1), nil
	case graph.Float64:
		return newUnary[float64, float64](signOf[float64]{}, 1), nil
	case graph.Int32:
		return newUnary[int32, int32](signOf[int32]{}, 1), nil
	}
	return nil, unsupported("%v", in.Type)
}

type signOf[T float32 | float64 | int32] struct{}

func (signOf[T]) row(x, out []T) {
	for i, v := range x {
		switch {
		case v > 0:
			v = 1
		case v < 0:
			v = -1
		case v == 0: // else it is no number
			v = 0
		}
		out[i] = v
	}
}

func prepareNot(n *Node) (Kernel, error) {
	in, out, err := newSame(n)
	if err != nil {
		return nil, err
	}
	if in.Type != graph.Bool || out.Type != graph.Bool {
		return nil, invalid("%v becomes %v", in.Type, out.Type)
	}
	return newUnary[uint8, uint8](not{}, 1), nil
}

type not struct{}

func (not) row(x, out []uint8) {
	out = out[:len(x)]
	for i, v := range x {
		out[i] = 0
		if v == 0 {
			out[i] = 1
		}
	}
}
