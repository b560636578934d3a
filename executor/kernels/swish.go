package kernels

import (
	"math"

	"github.com/arenalab/arenalab/graph"
)

// Activations that bend smoothly: see relu.go for their source. Floats are
// rounded from float64; the C library and XNNPACK may differ in the last bits.

func prepareHardSwish(n *Node) (Kernel, error) {
	in, out, err := newSame(n)
	if err != nil {
		return nil, err
	}
	if in.Type != out.Type {
		return nil, invalid("%v becomes %v", in.Type, out.Type)
	}
	if in.Type == graph.Float32 {
		return newUnary[float32, float32](hardSwishFloat{}, 4), nil
	}
	if err := bothQuantised(in, out); err != nil {
		return nil, err
	}
	switch in.Type {
	case graph.Int8:
		k, err := newHardSwish[int8](in, out)
		if err != nil {
			return nil, err
		}
		return newUnary(newTable[int8, int8](k), 1), nil
	case graph.Uint8:
		k, err := newHardSwish[uint8](in, out)
		if err != nil {
			return nil, err
		}
		return newUnary(newTable[uint8, uint8](k), 1), nil
	}
	return nil, unsupported("%v", in.Type)
}

type hardSwishFloat struct{}

func (hardSwishFloat) row(x, out []float32) {
	out = out[:len(x)]
	for i, v := range x {
		out[i] = float32(v*clampFloat(v+3, 0, 6)) / 6
	}
}

// hardSwish computes in words of 16 bits.
type hardSwish[T int8 | uint8] struct {
	zeroIn, zero, low, high int32
	output, reluish         int32 // multipliers without integer bits
	outputShift             int   // to the right
	reluishShift            int   // to the left, or to the right if below zero
}

func newHardSwish[T int8 | uint8](in, out *Tensor) (*hardSwish[T], error) {
	k := &hardSwish[T]{zeroIn: int32(in.Quant.ZeroPoint(0)), zero: int32(out.Quant.ZeroPoint(0))}
	k.low, k.high = integerRange(out.Type)
	fine := float32(in.Quant.Scale[0] / 128)
	narrow := func(m multiplier) int32 {
		if m.m >= math.MaxInt32-1<<15 {
			return math.MaxInt16
		}
		return (m.m + 1<<15) >> 16
	}
	o := newMultiplier(float64(fine / out.Quant.Scale[0]))
	r := newMultiplier(float64(fine / float32(3.0/32768)))
	if o.shift > 0 {
		return nil, invalid("scales %g and %g", in.Quant.Scale[0], out.Quant.Scale[0])
	}
	k.output, k.outputShift = narrow(o), min(-o.shift, 15)
	k.reluish, k.reluishShift = narrow(r), max(r.shift, -15)
	return k, nil
}

func (k *hardSwish[T]) row(x, out []T) {
	for i, v := range x {
		fine := (int32(v) - k.zeroIn) << 7
		onOutput := fixed16.mul(fixed16.wrap(fine), k.output)
		r := fixed16.wrap(fine)
		if k.reluishShift > 0 {
			r = fixed16.shift(r, k.reluishShift-1)
		}
		r = fixed16.mul(r, k.reluish)
		if k.reluishShift > 0 {
			r = fixed16.shift(r, 1)
		}
		if k.reluishShift < 0 {
			r = shiftRound(r, -k.reluishShift)
		}
		r = (r + 1<<15) >> 1
		y := shiftRound(r*onOutput/(1<<15), k.outputShift)
		out[i] = T(min(max(y+k.zero, k.low), k.high))
	}
}

func prepareElu(n *Node) (Kernel, error) {
	elu := func(x float32) float32 {
		if x < 0 {
			return float32(math.Expm1(float64(x)))
		}
		return x
	}
	if n.Arithmetic == Micro {
		micro := func(x float32) float32 {
			if x < 0 {
				return float32(math.Exp(float64(x))) - 1
			}
			return x
		}
		return prepareFunction(n, elu, micro)
	}
	return prepareFunction(n, elu, elu)
}

func prepareGelu(n *Node) (Kernel, error) {
	gelu := func(x float32) float32 {
		return float32(0.5*x) * float32(math.Erfc(float64(x*float32(-math.Sqrt2/2))))
	}
	if n.Op.Attributes.Bool(0, false) {
		gelu = func(x float32) float32 {
			const k = float32(2 / math.SqrtPi * math.Sqrt2 / 2)
			inner := x + float32(float32(float32(0.044715*x)*x)*x)
			return float32(0.5*x) * (1 + float32(math.Tanh(float64(float32(k*inner)))))
		}
	}
	return prepareFunction(n, gelu, gelu)
}

// prepareFunction returns the kernel of a function of float32, and of the same
// by a table for integers of eight bits.
func prepareFunction(n *Node, plain, quantised func(float32) float32) (Kernel, error) {
	in, out, err := newSame(n)
	if err != nil {
		return nil, err
	}
	if in.Type != out.Type {
		return nil, invalid("%v becomes %v", in.Type, out.Type)
	}
	if in.Type == graph.Float32 {
		return newUnary[float32, float32](functionRow(plain), 30), nil
	}
	if err := bothQuantised(in, out); err != nil {
		return nil, err
	}
	switch in.Type {
	case graph.Int8:
		return newUnary(newTable[int8, int8](newLookup[int8](in, out, quantised)), 1), nil
	case graph.Uint8:
		return newUnary(newTable[uint8, uint8](newLookup[uint8](in, out, quantised)), 1), nil
	}
	return nil, unsupported("%v", in.Type)
}

// functionRow applies a function, for those that cost more than the call.
type functionRow func(float32) float32

func (f functionRow) row(x, out []float32) {
	for i, v := range x {
		out[i] = f(v)
	}
}
