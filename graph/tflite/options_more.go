package tflite

// BatchMatMulOptions belong to BATCH_MATMUL: adjoint means transposed.
type BatchMatMulOptions struct{ AdjointX, AdjointY bool }

func (o BatchMatMulOptions) table() optionTable {
	return optionTable{101, 3, []optionField{{0, o.AdjointX, 0}, {1, o.AdjointY, 0}}}
}

// SequenceLSTMOptions belong to UNIDIRECTIONAL_SEQUENCE_LSTM. A clip of 0
// clips nothing.
type SequenceLSTMOptions struct {
	Activation         Activation // of cell input and output, usually Tanh
	CellClip, ProjClip float32
	TimeMajor          bool // input is [time, batch, features], else [batch, time, features]
}

func (o SequenceLSTMOptions) table() optionTable {
	return optionTable{71, 6, []optionField{
		{0, int8(o.Activation), 0}, {1, o.CellClip, 0}, {2, o.ProjClip, 0}, {3, o.TimeMajor, 0}}}
}

// IfOptions belong to IF. The numbers are indices of subgraphs.
type IfOptions struct{ Then, Else int32 }

func (o IfOptions) table() optionTable {
	return optionTable{92, 2, []optionField{{0, o.Then, 0}, {1, o.Else, 0}}}
}

// WhileOptions belong to WHILE. The numbers are indices of subgraphs.
type WhileOptions struct{ Cond, Body int32 }

func (o WhileOptions) table() optionTable {
	return optionTable{93, 2, []optionField{{0, o.Cond, 0}, {1, o.Body, 0}}}
}

// SplitOptions belong to SPLIT, whose first input is the axis.
type SplitOptions struct{ Splits int32 }

func (o SplitOptions) table() optionTable {
	return optionTable{35, 1, []optionField{{0, o.Splits, 0}}}
}

// StridedSliceOptions belong to STRIDED_SLICE: bit i of a mask speaks of
// dimension i.
type StridedSliceOptions struct{ BeginMask, EndMask, EllipsisMask, NewAxisMask, ShrinkAxisMask int32 }

func (o StridedSliceOptions) table() optionTable {
	return optionTable{32, 6, []optionField{{0, o.BeginMask, 0}, {1, o.EndMask, 0},
		{2, o.EllipsisMask, 0}, {3, o.NewAxisMask, 0}, {4, o.ShrinkAxisMask, 0}}}
}

// GeluOptions belong to GELU: the approximation is the one by tanh.
type GeluOptions struct{ Approximate bool }

func (o GeluOptions) table() optionTable {
	return optionTable{116, 1, []optionField{{0, o.Approximate, 0}}}
}

// EmptyOptions are options without a field, by their number in the union.
type EmptyOptions byte

// The empty options of operators that have a table nevertheless.
const (
	PadOptions               EmptyOptions = 22
	TransposeOptions         EmptyOptions = 26
	DequantizeOptions        EmptyOptions = 38
	LessOptions              EmptyOptions = 41
	SquaredDifferenceOptions EmptyOptions = 76
	QuantizeOptions          EmptyOptions = 89
)

func (o EmptyOptions) table() optionTable { return optionTable{kind: byte(o)} }
