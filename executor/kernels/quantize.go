package kernels

import (
	"math"

	"github.com/arenalab/arenalab/graph"
)

// From floats to integers and from one scale to another: K/quantize.cc,
// R/quantize.h and R/requantize.h of google-ai-edge/LiteRT at f67457790c9c. What
// the default runtime computes of eight bits is XNNPACK's: floats are multiplied
// by the reciprocal of the scale and rounded half to even, integers multiplied
// by the ratio of scales with eight bits after the point. From int8 to uint8 and
// back it computes sixteen at a time, with another rounding than the rest.

func quantizeFamily() map[string]prepare {
	return map[string]prepare{"QUANTIZE": prepareQuantize, "DEQUANTIZE": prepareDequantize}
}

func prepareQuantize(n *Node) (Kernel, error) {
	in, out, err := newSame(n)
	if err != nil {
		return nil, err
	}
	if out.Quant == nil {
		return nil, invalid("%v without quantisation", out.Type)
	}
	if in.Type == graph.Float32 {
		return newQuantize(n, out)
	}
	if in.Quant == nil || !positive(in.Quant.Scale) || len(in.Quant.Scale) > 1 || !positive(out.Quant.Scale) || len(out.Quant.Scale) > 1 {
		return nil, invalid("from %v to %v", in.Type, out.Type)
	}
	switch in.Type {
	case graph.Int8:
		return newRequantize[int8](n, in, out)
	case graph.Uint8:
		return newRequantize[uint8](n, in, out)
	case graph.Int16:
		return newRequantize[int16](n, in, out)
	case graph.Int32:
		return newRequantize[int32](n, in, out)
	}
	return nil, unsupported("%v", in.Type)
}

// positive reports whether scales can be divided by.
func positive(scales []float32) bool {
	for _, s := range scales {
		if !(s > 0 && s <= math.MaxFloat32) {
			return false
		}
	}
	return len(scales) > 0
}

func newQuantize(n *Node, out *Tensor) (Kernel, error) {
	if !positive(out.Quant.Scale) {
		return nil, invalid("scales %v", out.Quant.Scale)
	}
	for i := range out.Quant.Scale {
		if z := out.Quant.ZeroPoint(i); z != int64(int32(z)) {
			return nil, invalid("zero point %d", z)
		}
	}
	low, high := integerRange(out.Type)
	even := n.delegated()
	switch out.Type {
	case graph.Int8:
		return newChannels(out, out.Quant, func(scale float32, zero int32) unaryRow[float32, int8] {
			return &quantize[int8]{scale, zero, low, high, even}
		})
	case graph.Uint8:
		return newChannels(out, out.Quant, func(scale float32, zero int32) unaryRow[float32, uint8] {
			return &quantize[uint8]{scale, zero, low, high, even}
		})
	case graph.Int16:
		return newChannels(out, out.Quant, func(scale float32, zero int32) unaryRow[float32, int16] {
			return &quantize[int16]{scale, zero, low, high, false}
		})
	}
	return nil, unsupported("%v", out.Type)
}

// quantize makes integers of floats.
type quantize[R int8 | uint8 | int16] struct {
	scale           float32
	zero, low, high int32
	even            bool // as XNNPACK rounds
}

func (k *quantize[R]) row(x []float32, out []R) {
	out = out[:len(x)]
	if k.even {
		inverse := 1 / k.scale
		for i, v := range x {
			out[i] = R(nearestEven(v*inverse, k.low-k.zero, k.high-k.zero) + k.zero)
		}
		return
	}
	for i, v := range x {
		out[i] = R(min(max(toInt32(math.Round(float64(v/k.scale)))+k.zero, k.low), k.high))
	}
}

// toInt32 converts as x86 does: what does not fit becomes the least number.
func toInt32(x float64) int32 {
	if !(x >= math.MinInt32 && x <= math.MaxInt32) {
		return math.MinInt32
	}
	return int32(x)
}

// newRequantize chooses by the type of the result.
func newRequantize[A int8 | uint8 | int16 | int32](n *Node, in, out *Tensor) (Kernel, error) {
	switch out.Type {
	case graph.Int8:
		return requantizeTo[A, int8](n, in, out, math.MinInt8, math.MaxInt8)
	case graph.Uint8:
		return requantizeTo[A, uint8](n, in, out, 0, math.MaxUint8)
	case graph.Int16:
		return requantizeTo[A, int16](n, in, out, math.MinInt16, math.MaxInt16)
	case graph.Int32:
		return requantizeTo[A, int32](n, in, out, math.MinInt32, math.MaxInt32)
	}
	return nil, unsupported("%v", out.Type)
}

func requantizeTo[A, R int8 | uint8 | int16 | int32](n *Node, in, out *Tensor, low, high int32) (Kernel, error) {
	s, o := in.Quant.Scale[0], out.Quant.Scale[0]
	k := &requantize[A, R]{m: newMultiplier(float64(s) / float64(o)), low: low, high: high}
	zeroIn, zero := in.Quant.ZeroPoint(0), out.Quant.ZeroPoint(0)
	if zeroIn != int64(int32(zeroIn)) || zero != int64(int32(zero)) {
		return nil, invalid("zero points %d and %d", zeroIn, zero)
	}
	k.zeroIn, k.zero = int32(zeroIn), int32(zero)
	ratio := s / o
	eight := func(t graph.DType) bool { return t == graph.Int8 || t == graph.Uint8 }
	if n.delegated() && in.Type == out.Type && eight(in.Type) && ratio >= 1.0/(1<<8) && ratio <= 1<<7 {
		k.eighths = int32(math.RoundToEven(float64(256 * ratio)))
	}
	var up *requantize[A, R]
	if n.Arithmetic == Single && in.Type != out.Type && eight(in.Type) && eight(out.Type) {
		c := *k
		c.up, up = true, &c
	}
	switch op := any(k).(type) { // those of eight bits by table
	case unaryRow[int8, R]:
		return eightRows(op, any(up)), nil
	case unaryRow[uint8, R]:
		return eightRows(op, any(up)), nil
	}
	return newUnary[A, R](k, 4), nil
}

// eightRows makes tables; up, if it is not nil, is what is computed sixteen at a
// time.
func eightRows[A int8 | uint8, R number](op unaryRow[A, R], up any) Kernel {
	rest := newTable(op)
	if o, ok := up.(*requantize[int8, uint8]); ok && o != nil {
		return newUnary(unaryRow[A, R](&sixteens[A, R]{newTable(up.(unaryRow[A, R])), rest}), 1)
	}
	if o, ok := up.(*requantize[uint8, int8]); ok && o != nil {
		return newUnary(unaryRow[A, R](&sixteens[A, R]{newTable(up.(unaryRow[A, R])), rest}), 1)
	}
	return newUnary(unaryRow[A, R](rest), 1)
}

// sixteens has tables for whole groups of sixteen numbers and for what is left.
type sixteens[A int8 | uint8, R number] struct{ groups, rest *table[A, R] }

func (k *sixteens[A, R]) row(x []A, out []R) {
	n := len(x) &^ 15
	k.groups.row(x[:n], out)
	k.rest.row(x[n:], out[n:])
}

// requantize goes from one scale to another.
type requantize[A, R int8 | uint8 | int16 | int32] struct {
	m            multiplier
	zeroIn, zero int32
	low, high    int32
	eighths      int32 // XNNPACK's multiplier, with eight bits after the point; 0: none
	up           bool  // the second of two roundings takes halves up
}

func (k *requantize[A, R]) row(x []A, out []R) {
	out = out[:len(x)]
	for i, v := range x {
		d := int32(v) - k.zeroIn
		switch {
		case k.eighths != 0:
			d = (d*k.eighths + 128) >> 8
		case k.up && k.m.shift < 0:
			d = (doublingHighMul(d, k.m.m) + 1<<(-k.m.shift-1)) >> -k.m.shift
		default:
			d = k.m.apply(d)
		}
		out[i] = R(min(max(d+k.zero, k.low), k.high))
	}
}

// channels is the kernel of an operator of one operand that has an operation of
// its own for each index of a dimension.
type channels[A, R number] struct {
	ops   []unaryRow[A, R]
	inner int // elements that lie together
	x     []A
	out   []R
}

// newChannels makes the kernel of the scales of a tensor.
func newChannels[A, R number](t *Tensor, q *graph.Quant, op func(scale float32, zero int32) unaryRow[A, R]) (Kernel, error) {
	if len(q.Scale) == 1 {
		return newUnary(op(q.Scale[0], int32(q.ZeroPoint(0))), 3), nil
	}
	if len(t.Shape) == 0 || t.Shape[q.Axis] != len(q.Scale) {
		return nil, invalid("%d scales along dimension %d of shape %v", len(q.Scale), q.Axis, t.Shape)
	}
	k := &channels[A, R]{inner: 1}
	for _, d := range t.Shape[q.Axis+1:] {
		k.inner *= d
	}
	for i, s := range q.Scale {
		k.ops = append(k.ops, op(s, int32(q.ZeroPoint(i))))
	}
	return k, nil
}

// Run computes the operator.
func (k *channels[A, R]) Run(c *Call) error {
	k.x, k.out = view[A](c.In[0]), view[R](c.Out[0])
	if len(k.out) > 0 {
		c.Pool.Do(k, len(k.out)/k.inner, 3*k.inner)
	}
	return nil
}

// Range computes rows of elements that lie together.
func (k *channels[A, R]) Range(low, high int) {
	for r := low; r < high; r++ {
		k.ops[r%len(k.ops)].row(k.x[r*k.inner:][:k.inner], k.out[r*k.inner:][:k.inner])
	}
}
