package datasets

import (
	"github.com/arenalab/arenalab/graph/tflite"
)

// plus adds two values, one of which may be broadcast.
func (n *net) plus(a, b value, act tflite.Activation) value {
	out := n.tensor("add", a.shape, a.signal.plus(b.signal).activated(act))
	n.op(tflite.OpAdd, tflite.AddOptions{Activation: act}, []int{a.id, b.id}, out)
	return out
}

// scale multiplies by a constant per channel, or by one number.
func (n *net) scale(in value, factors []float32, by float64) value {
	shape := []int{in.channels()}
	if len(factors) == 1 || in.channels() == 1 {
		shape = nil
	}
	c := n.constant("factor", factors, shape...)
	out := n.tensor("mul", in.shape, in.signal.times(by))
	n.op(tflite.OpMul, tflite.MulOptions{}, []int{in.id, c.id}, out)
	return out
}

// normalise is an inference-time batch normalisation that could not be folded
// into a convolution: MUL and ADD of a constant per channel, with a rectifier.
func (n *net) normalise(in value) value {
	factors, shifts := n.uniform(in.channels()), n.uniform(in.channels())
	for i := range factors {
		factors[i] = float32(float64(1+float32(0.2*factors[i])) / in.signal.dev)
		shifts[i] = float32(float64(biasSize*shifts[i]) - in.signal.mean/in.signal.dev)
	}
	scaled := n.scale(in, factors, 1/in.signal.dev)
	c := n.constant("shift", shifts, in.channels())
	out := n.tensor("add", in.shape, linearSignal.rectified())
	n.op(tflite.OpAdd, tflite.AddOptions{Activation: tflite.Relu}, []int{scaled.id, c.id}, out)
	return out
}

// concat joins values along a dimension, requantised to one range.
func (n *net) concat(axis int, list ...value) value {
	if len(list) == 1 {
		return list[0]
	}
	q := covering(list)
	shape := append([]int(nil), list[0].shape...)
	shape[axis] = 0
	ids := make([]int, len(list))
	for i, v := range list {
		shape[axis] += v.shape[axis]
		ids[i] = n.requantise(v, q).id
	}
	out := n.ranged("concat", shape, joined(list), q)
	n.op(tflite.OpConcatenation, tflite.ConcatenationOptions{Axis: int32(axis)}, ids, out)
	return out
}

// requantise brings an int8 value into the range.
func (n *net) requantise(in value, q quant) value {
	if !n.int8 || in.quant == q {
		return in
	}
	out := n.ranged("quantize", in.shape, in.signal, q)
	n.op(tflite.OpQuantize, tflite.QuantizeOptions, []int{in.id}, out)
	return out
}

// pad adds zeros around an image.
func (n *net) pad(in value, before, after int) value {
	b, a := int32(before), int32(after)
	paddings := n.ints("paddings", 0, 0, b, a, b, a, 0, 0)
	n.sub().Tensors[paddings].Shape = []int32{4, 2}
	out := n.ranged("pad", in.spatial(in.height()+before+after, in.width()+before+after, in.channels()), in.signal, in.quant)
	n.op(tflite.OpPad, tflite.PadOptions, []int{in.id, paddings}, out)
	return out
}

// reshape gives a value another shape of the same size.
func (n *net) reshape(in value, shape ...int) value {
	list := make([]int32, len(shape))
	for i, d := range shape {
		list[i] = int32(d)
	}
	operand := n.ints("shape", list...)
	out := n.ranged("reshape", shape, in.signal, in.quant)
	n.op(tflite.OpReshape, tflite.ReshapeOptions{Shape: list}, []int{in.id, operand}, out)
	return out
}

// transpose permutes dimensions.
func (n *net) transpose(in value, order ...int) value {
	shape, list := make([]int, len(order)), make([]int32, len(order))
	for i, d := range order {
		shape[i], list[i] = in.shape[d], int32(d)
	}
	operand := n.ints("order", list...)
	out := n.ranged("transpose", shape, in.signal, in.quant)
	n.op(tflite.OpTranspose, tflite.TransposeOptions, []int{in.id, operand}, out)
	return out
}

// resize brings an image to another size, by the nearest pixel or bilinearly.
func (n *net) resize(in value, h, w int, bilinear bool) value {
	size := n.ints("size", int32(h), int32(w))
	out := n.ranged("resize", in.spatial(h, w, in.channels()), in.signal, in.quant)
	if bilinear {
		n.op(tflite.OpResizeBilinear, tflite.ResizeBilinearOptions{HalfPixelCenters: true}, []int{in.id, size}, out)
	} else {
		n.op(tflite.OpResizeNearestNeighbor, tflite.ResizeNearestNeighborOptions{HalfPixelCenters: true}, []int{in.id, size}, out)
	}
	return out
}

// split cuts a value into equal parts along a dimension.
func (n *net) split(in value, axis, parts int) []value {
	operand := n.scalar("axis", int32(axis))
	shape := append([]int(nil), in.shape...)
	shape[axis] /= parts
	list := make([]value, parts)
	for i := range list {
		list[i] = n.ranged("split", shape, in.signal, in.quant)
	}
	n.op(tflite.OpSplit, tflite.SplitOptions{Splits: int32(parts)}, []int{operand, in.id}, list...)
	return list
}

// slice cuts the window [from, from+size) out of every dimension.
func (n *net) slice(in value, from, size []int) value {
	begin, end, step := make([]int32, len(from)), make([]int32, len(from)), make([]int32, len(from))
	for i := range from {
		begin[i], end[i], step[i] = int32(from[i]), int32(from[i]+size[i]), 1
	}
	ids := []int{in.id, n.ints("begin", begin...), n.ints("end", end...), n.ints("step", step...)}
	out := n.ranged("slice", size, in.signal, in.quant)
	n.op(tflite.OpStridedSlice, tflite.StridedSliceOptions{}, ids, out)
	return out
}

// scaled returns the channels of a layer that has them for a network of
// standard width: in steps of 8 as long as there are so many, at least 1.
func scaled(channels, width, standard int) int {
	c := channels * width
	if c >= 8*standard {
		return (c + 4*standard) / (8 * standard) * 8
	}
	return max((c+standard/2)/standard, 1)
}
