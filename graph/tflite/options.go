package tflite

import flatbuffers "github.com/google/flatbuffers/go"

// Options are the builtin options of an operator: a table of the format's
// BuiltinOptions union.
type Options interface {
	table() optionTable
}

// optionTable is a flat FlatBuffers table: its number in the union, the number
// of its slots in the schema, and what is set.
type optionTable struct {
	kind   byte
	slots  int
	fields []optionField
}

// optionField is the value of one slot. A value equal to the schema's default
// is not written.
type optionField struct {
	slot  int
	value any // int8, int32, bool, float32 or []int32
	def   int32
}

// Padding says how a window meets the edges of its input.
type Padding int8

// The paddings of the format.
const (
	Same  Padding = 0
	Valid Padding = 1
)

// Activation is a function fused into an operator.
type Activation int8

// The fused activations of the format.
const (
	NoActivation Activation = 0
	Relu         Activation = 1
	ReluN1To1    Activation = 2
	Relu6        Activation = 3
	Tanh         Activation = 4
)

// Conv2DOptions belong to CONV_2D. Dilation 0 counts as 1.
type Conv2DOptions struct {
	Padding              Padding
	StrideW, StrideH     int32
	Activation           Activation
	DilationW, DilationH int32
}

func (o Conv2DOptions) table() optionTable {
	return optionTable{1, 7, []optionField{
		{0, int8(o.Padding), 0}, {1, o.StrideW, 0}, {2, o.StrideH, 0}, {3, int8(o.Activation), 0},
		{4, max(o.DilationW, 1), 1}, {5, max(o.DilationH, 1), 1}}}
}

// DepthwiseConv2DOptions belong to DEPTHWISE_CONV_2D. Dilation 0 counts as 1.
type DepthwiseConv2DOptions struct {
	Padding              Padding
	StrideW, StrideH     int32
	DepthMultiplier      int32
	Activation           Activation
	DilationW, DilationH int32
}

func (o DepthwiseConv2DOptions) table() optionTable {
	return optionTable{2, 7, []optionField{
		{0, int8(o.Padding), 0}, {1, o.StrideW, 0}, {2, o.StrideH, 0}, {3, o.DepthMultiplier, 0},
		{4, int8(o.Activation), 0}, {5, max(o.DilationW, 1), 1}, {6, max(o.DilationH, 1), 1}}}
}

// Pool2DOptions belong to AVERAGE_POOL_2D and MAX_POOL_2D.
type Pool2DOptions struct {
	Padding          Padding
	StrideW, StrideH int32
	FilterW, FilterH int32
	Activation       Activation
}

func (o Pool2DOptions) table() optionTable {
	return optionTable{5, 6, []optionField{
		{0, int8(o.Padding), 0}, {1, o.StrideW, 0}, {2, o.StrideH, 0},
		{3, o.FilterW, 0}, {4, o.FilterH, 0}, {5, int8(o.Activation), 0}}}
}

// FullyConnectedOptions belong to FULLY_CONNECTED.
type FullyConnectedOptions struct {
	Activation  Activation
	KeepNumDims bool // the output has the input's leading dimensions
}

func (o FullyConnectedOptions) table() optionTable {
	return optionTable{8, 6, []optionField{{0, int8(o.Activation), 0}, {2, o.KeepNumDims, 0}}}
}

// SoftmaxOptions belong to SOFTMAX.
type SoftmaxOptions struct{ Beta float32 }

func (o SoftmaxOptions) table() optionTable {
	return optionTable{9, 1, []optionField{{0, o.Beta, 0}}}
}

// ConcatenationOptions belong to CONCATENATION.
type ConcatenationOptions struct {
	Axis       int32
	Activation Activation
}

func (o ConcatenationOptions) table() optionTable {
	return optionTable{10, 2, []optionField{{0, o.Axis, 0}, {1, int8(o.Activation), 0}}}
}

// AddOptions belong to ADD.
type AddOptions struct{ Activation Activation }

func (o AddOptions) table() optionTable {
	return optionTable{11, 2, []optionField{{0, int8(o.Activation), 0}}}
}

// SubOptions belong to SUB.
type SubOptions struct{ Activation Activation }

func (o SubOptions) table() optionTable {
	return optionTable{28, 2, []optionField{{0, int8(o.Activation), 0}}}
}

// MulOptions belong to MUL.
type MulOptions struct{ Activation Activation }

func (o MulOptions) table() optionTable {
	return optionTable{21, 1, []optionField{{0, int8(o.Activation), 0}}}
}

// ReducerOptions belong to MEAN and the other reductions.
type ReducerOptions struct{ KeepDims bool }

func (o ReducerOptions) table() optionTable {
	return optionTable{27, 1, []optionField{{0, o.KeepDims, 0}}}
}

// ReshapeOptions belong to RESHAPE; the shape operand says the same.
type ReshapeOptions struct{ Shape []int32 }

func (o ReshapeOptions) table() optionTable {
	return optionTable{17, 1, []optionField{{0, o.Shape, 0}}}
}

// ResizeBilinearOptions belong to RESIZE_BILINEAR.
type ResizeBilinearOptions struct{ AlignCorners, HalfPixelCenters bool }

func (o ResizeBilinearOptions) table() optionTable {
	return optionTable{15, 4, []optionField{{2, o.AlignCorners, 0}, {3, o.HalfPixelCenters, 0}}}
}

// ResizeNearestNeighborOptions belong to RESIZE_NEAREST_NEIGHBOR.
type ResizeNearestNeighborOptions struct{ AlignCorners, HalfPixelCenters bool }

func (o ResizeNearestNeighborOptions) table() optionTable {
	return optionTable{74, 2, []optionField{{0, o.AlignCorners, 0}, {1, o.HalfPixelCenters, 0}}}
}

// writeOptions writes the table and returns where it is.
func writeOptions(b *flatbuffers.Builder, t optionTable) flatbuffers.UOffsetT {
	vectors := make([]flatbuffers.UOffsetT, len(t.fields))
	for i, f := range t.fields {
		if list, ok := f.value.([]int32); ok && len(list) > 0 {
			vectors[i] = writeInts(b, list)
		}
	}
	b.StartObject(t.slots)
	for i, f := range t.fields {
		switch v := f.value.(type) {
		case int8:
			b.PrependInt8Slot(f.slot, v, int8(f.def))
		case int32:
			b.PrependInt32Slot(f.slot, v, f.def)
		case bool:
			b.PrependBoolSlot(f.slot, v, false)
		case float32:
			b.PrependFloat32Slot(f.slot, v, 0)
		case []int32:
			b.PrependUOffsetTSlot(f.slot, vectors[i], 0)
		}
	}
	return b.EndObject()
}
