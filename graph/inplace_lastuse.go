package graph

import "slices"

// elementwise lists the operators that InPlaceLastUse lets work in place, as
// TFLite names them.
var elementwise = []string{
	"ABS", "ADD", "ADD_N", "BITCAST", "CEIL", "COS", "DIV", "ELU", "EXP", "EXPAND_DIMS", "FLOOR", "FLOOR_DIV",
	"FLOOR_MOD", "GELU", "HARD_SWISH", "LEAKY_RELU", "LOG", "LOGICAL_AND", "LOGICAL_NOT", "LOGICAL_OR", "LOGISTIC",
	"MAXIMUM", "MINIMUM", "MUL", "NEG", "POW", "PRELU", "RELU", "RELU6", "RELU_0_TO_1", "RELU_N1_TO_1", "RESHAPE",
	"ROUND", "RSQRT", "SIN", "SQRT", "SQUARE", "SQUARED_DIFFERENCE", "SQUEEZE", "SUB", "TANH",
}

// elementwiseCustom lists those of operator graphs, which are named as in ONNX.
var elementwiseCustom = []string{"Add", "BatchNormalization", "Clip", "Mul", "Relu", "Sigmoid", "Squeeze", "Sub", "Sum"}

// replaces returns the tensor whose place the first result of an operator may
// take once nothing else needs it, or -1: the first operand of its size.
func (b *builder) replaces(x *sub, op *Op) int {
	list, name := elementwise, OpName(op.Code)
	if op.Code == OpCustom {
		list, name = elementwiseCustom, op.Custom
	}
	if !slices.Contains(list, name) && !slices.Contains(elementwise, name) || len(op.Outputs) == 0 || !b.disposable(x, op.Outputs[0]) {
		return -1
	}
	size := b.bytes(x, &x.s.Tensors[op.Outputs[0]])
	for _, t := range op.Inputs {
		if t < 0 || b.bytes(x, &x.s.Tensors[t]) != size {
			continue
		}
		if b.disposable(x, t) && !slices.Contains(x.s.Outputs, t) &&
			!(b.p.KeepInputs && slices.Contains(x.s.Inputs, t)) {
			return t
		}
		return -1
	}
	return -1
}

// disposable reports whether a tensor is memory of the arena that the order of
// the operators disposes of.
func (b *builder) disposable(x *sub, t int) bool {
	tensor := &x.s.Tensors[t]
	return !tensor.Constant && !tensor.Variable && x.away[t] == "" && b.bytes(x, tensor) > 0 && !tensor.Type.Handle()
}

// succeed finds the results that take the place of an operand that this order
// does not need any longer.
func (b *builder) succeed(x *sub) {
	at := make([]int, len(x.s.Ops))
	for k, i := range x.ops {
		at[i] = k
	}
	for k, i := range x.ops {
		op := &x.s.Ops[i]
		if x.order.isApart(i) {
			continue
		}
		t := b.replaces(x, op)
		if t < 0 {
			continue
		}
		last := true
		for _, r := range x.s.Consumers[t] {
			last = last && at[r] <= k
		}
		if last {
			x.root[op.Outputs[0]] = x.root[t]
		}
	}
}
