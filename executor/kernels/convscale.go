package kernels

import (
	"math"

	"github.com/arenalab/arenalab/graph"
)

// The fused activations of the schema.
const (
	actNone      = 0
	actRelu      = 1
	actReluN1To1 = 2
	actRelu6     = 3
	actTanh      = 4
	actSignBit   = 5
)

// floatClamp is CalculateActivationRange for float32: the clamp of a fused
// activation. Hyperbolic tangent and sign bit are not clamps and do nothing.
func floatClamp(activation int8) (low, high float32, err error) {
	switch activation {
	case actRelu:
		return 0, math.MaxFloat32, nil
	case actReluN1To1:
		return -1, 1, nil
	case actRelu6:
		return 0, 6, nil
	case actNone, actTanh, actSignBit:
		return -math.MaxFloat32, math.MaxFloat32, nil
	}
	return 0, 0, invalid("fused activation %d", activation)
}

// integerRange returns the least and greatest value of an element type.
func integerRange(t graph.DType) (low, high int32) {
	switch t {
	case graph.Uint8:
		return 0, math.MaxUint8
	case graph.Int16:
		return math.MinInt16, math.MaxInt16
	}
	return math.MinInt8, math.MaxInt8
}

// integerClamp is CalculateActivationRangeQuantized.
func integerClamp(activation int8, out *Tensor) (low, high int32, err error) {
	if activation < actNone || activation > actSignBit {
		return 0, 0, invalid("fused activation %d", activation)
	}
	low, high = integerRange(out.Type)
	from, to, _ := floatClamp(activation)
	scale, zero := out.Quant.Scale[0], float64(out.Quant.ZeroPoint(0))
	quantise := func(x float32) float64 { return zero + math.Round(float64(x/scale)) }
	if from > -math.MaxFloat32 {
		low = int32(min(max(float64(low), quantise(from)), float64(high)))
	}
	if to < math.MaxFloat32 {
		high = int32(max(min(float64(high), quantise(to)), float64(low)))
	}
	return low, high, nil
}

// rescaling is how sums become results.
type rescaling uint8

const (
	inFixed       rescaling = iota // in fixed point, with the roundings of the multiplier
	inFixedUpward                  // the same, but the second takes halves upwards, as ruy does
	inFloat64                      // rounded half away from zero
	inFloat32                      // rounded half to even, as XNNPACK does
)

// rescalingOf returns how a runtime rescales layers. LiteRT's default kernels
// are XNNPACK's where it takes a layer: eight bits, nothing but the input
// computed. Others are multiplied by ruy, if it can. Departure: of depthwise
// convolutions with weights of four bits, some channels round otherwise, by how
// many fit a vector.
func rescalingOf(n *Node, in, filter, bias *Tensor, reference, ruy rescaling) rescaling {
	switch {
	case n.Arithmetic == Micro:
		return inFixed
	case n.Arithmetic == Reference || in.Type == graph.Int16:
		return reference
	case filter.Type.Bits() == 8 && filter.Constant != nil && (bias == nil || bias.Constant != nil):
		return inFloat32
	}
	return ruy
}

// rescale turns sums of products, channel by channel, into results.
type rescale struct {
	how       rescaling
	wide      bool         // sums have 64 bits, else they wrap at 32
	fixed     []fixedScale // one for each channel, as all of these
	double    []float64
	single    []float32
	zero      int32
	low, high int32
	bias      []int64 // nil: none
}

// newRescale prepares the rescaling of so many channels. The scales of the
// filter may be one or one for each channel; perTensor says that the product of
// scales is rounded to float32, as LiteRT does for layers without channels of
// their own.
func newRescale(how rescaling, wide, perTensor bool, in, filter, out *Tensor, channels int, activation int8) (*rescale, error) {
	if in.Quant == nil || filter.Quant == nil || out.Quant == nil {
		return nil, invalid("integers without quantisation")
	}
	if err := quantised(in); err != nil {
		return nil, err
	}
	if err := quantised(out); err != nil {
		return nil, err
	}
	scales := filter.Quant.Scale
	if len(scales) != 1 && len(scales) != channels {
		return nil, invalid("%d scales for %d channels", len(scales), channels)
	}
	r := &rescale{
		how: how, wide: wide, zero: int32(out.Quant.ZeroPoint(0)),
		fixed: make([]fixedScale, channels), double: make([]float64, channels), single: make([]float32, channels),
	}
	s, o := in.Quant.Scale[0], out.Quant.Scale[0]
	for c := range channels {
		f := scales[min(c, len(scales)-1)]
		r.double[c] = float64(s) * float64(f) / float64(o)
		r.single[c] = float32(s*f) / o
		real := r.double[c]
		if perTensor {
			real = float64(float32(s*f)) / float64(o)
		}
		if !(real >= 0 && r.double[c] <= math.MaxInt32) {
			return nil, invalid("scales %g * %g / %g", s, f, o)
		}
		q := newMultiplier(real)
		if r.wide && q.shift >= 8 {
			return nil, unsupported("multiplier %g of sums of 64 bits", real)
		}
		r.fixed[c] = newFixedScale(q, wide, how == inFixedUpward)
	}
	var err error
	r.low, r.high, err = integerClamp(activation, out)
	return r, err
}

// quantised makes sure that a tensor of integers has one scale, above zero, and
// a zero point that is one of its numbers: 0 for 16 bits.
func quantised(t *Tensor) error {
	low, high := integerRange(t.Type)
	if t.Type == graph.Int16 {
		low, high = 0, 0
	}
	if z := t.Quant.ZeroPoint(0); z < int64(low) || z > int64(high) {
		return invalid("zero point %d of %v", z, t.Type)
	}
	if s := t.Quant.Scale[0]; len(t.Quant.Scale) != 1 || !(s > 0 && s <= math.MaxFloat32) {
		return invalid("scales %v of %v", t.Quant.Scale, t.Type)
	}
	return nil
}

// wideSums reports whether a layer of 16-bit integers adds up 64 bits: unless
// its bias, or where it has none the option for it, has 32.
func wideSums(in, bias *Tensor, biasType int8) bool {
	if in.Type != graph.Int16 {
		return false
	}
	if bias != nil {
		return bias.Type != graph.Int32
	}
	return graph.DType(biasType) != graph.Int32
}

// convert rescales the sums of consecutive channels, the first of which is
// given, into elements of a result.
func convert[T int8 | uint8 | int16](r *rescale, sums []int64, first int, out []T) {
	out = out[:len(sums)]
	if r.bias != nil {
		bias := r.bias[first:][:len(sums)]
		for i := range sums {
			sums[i] += bias[i]
		}
	}
	switch {
	case r.how == inFloat32:
		r.convertSingle(sums, first)
	case r.how == inFloat64:
		r.convertDouble(sums, first)
	case r.wide:
		fixed := r.fixed[first:][:len(sums)]
		for i := range fixed {
			f := &fixed[i]
			sums[i] = (sums[i]*f.m + f.round) >> (f.first & 63)
		}
	default:
		fixed := r.fixed[first:][:len(sums)]
		for i := range fixed {
			sums[i] = fixed[i].apply(int32(sums[i]))
		}
	}
	zero, low, high := r.zero, r.low, r.high
	for i, v := range sums {
		out[i] = T(min(max(int32(v)+zero, low), high))
	}
}

// fixedScale is a multiplier with its roundings laid out: the first shift of
// the product and, for sums of 32 bits, the second.
type fixedScale struct {
	m, round           int64
	half, away         int64 // away: -1 if the second rounds halves away from zero
	left, first, right uint8
}

// newFixedScale prepares a multiplication of sums of 32 bits, as multiplier's
// apply does it, or of 64, as applyWide.
func newFixedScale(q multiplier, wide, upward bool) fixedScale {
	if wide {
		m := int64(math.MaxInt16)
		if q.m < 0x7FFF0000 {
			m = (int64(q.m) + 1<<15) >> 16
		}
		return fixedScale{m: m, round: 1 << (14 - q.shift), first: uint8(15 - q.shift)}
	}
	f := fixedScale{m: int64(q.m), round: 1 << 30, first: 31, left: uint8(max(q.shift, 0)), right: uint8(max(-q.shift, 0))}
	f.half = 1 << f.right >> 1
	if f.right > 0 && !upward {
		f.away = -1
	}
	return f
}

// apply multiplies a sum of 32 bits. The nudge of the doubled product, less by
// one for negative ones and then cut off, comes to rounding halves upward.
func (f *fixedScale) apply(x int32) int64 {
	v := (int64(x<<(f.left&31))*f.m + f.round) >> 31
	return (v + f.half + v>>63&f.away) >> (f.right & 63)
}

// convertDouble rescales in float64. What does not fit becomes the least
// int32, as on x86.
func (r *rescale) convertDouble(sums []int64, first int) {
	for i, m := range r.double[first:][:len(sums)] {
		sum := sums[i]
		if !r.wide {
			sum = int64(int32(sum))
		}
		v := math.Round(float64(sum) * m)
		if !(v >= math.MinInt32 && v <= math.MaxInt32) {
			v = math.MinInt32
		}
		sums[i] = int64(v)
	}
}

// convertSingle rescales in float32. Adding 1.5*2^23 to a small number leaves
// its nearest integer, half to even, in the low bits.
func (r *rescale) convertSingle(sums []int64, first int) {
	const magic = 3 << 22
	low, high := float32(r.low-r.zero), float32(r.high-r.zero)
	for i, m := range r.single[first:][:len(sums)] {
		v := float32(float32(int32(sums[i])) * m)
		v = min(max(v, low), high) + magic
		sums[i] = int64(int32(math.Float32bits(v)) - int32(math.Float32bits(magic)))
	}
}

// loadBias reads a bias into r.bias, which was made for it.
func (r *rescale) loadBias(t graph.DType, data []byte) {
	if t == graph.Int64 {
		copy(r.bias, view[int64](data))
		return
	}
	for i, b := range view[int32](data)[:len(r.bias)] {
		r.bias[i] = int64(b)
	}
}

// prepareBias checks the bias of integer layers and loads it if it is constant.
func (r *rescale) prepareBias(bias *Tensor, channels int) error {
	if bias == nil {
		return nil
	}
	if bias.Elements() != channels {
		return invalid("bias of shape %v for %d channels", bias.Shape, channels)
	}
	if bias.Type != graph.Int32 && (bias.Type != graph.Int64 || !r.wide) {
		return invalid("bias of %v", bias.Type)
	}
	r.bias = make([]int64, channels)
	if bias.Constant != nil {
		r.loadBias(bias.Type, bias.Constant)
	}
	return nil
}
