package executor

import (
	"fmt"
	"slices"

	"github.com/arenalab/arenalab/executor/kernels"
	"github.com/arenalab/arenalab/graph"
)

// InPlaceError says that a table puts a result of an operator on top of an
// operand of it although the operator cannot work in place.
type InPlaceError struct {
	Subgraph, Op    int
	OpName          string
	Operand, Result int // tensors
	Buffer          int // position in the table
	Reason          string
}

// Error implements error.
func (e *InPlaceError) Error() string {
	s := Site{Subgraph: e.Subgraph, Op: e.Op, OpName: e.OpName}
	return fmt.Sprintf("%s cannot work in place: tensor %d on top of tensor %d in buffer %d: %s",
		s.actor(), e.Result, e.Operand, e.Buffer, e.Reason)
}

// elementwise lists operators that compute element i of their result from
// element i of an operand of the same size, or from what they have read of it
// before, so that a kernel can be written that works in place, whether or not
// there is one here. The last are names of ONNX, as operator graphs have them.
var elementwise = []string{
	"ABS", "ADD", "ADD_N", "BITCAST", "CEIL", "COS", "DIV", "DYNAMIC_UPDATE_SLICE", "ELU", "EXP", "EXPAND_DIMS", "FLOOR", "FLOOR_DIV",
	"FLOOR_MOD", "GELU", "HARD_SWISH", "LEAKY_RELU", "LOG", "LOGICAL_AND", "LOGICAL_NOT", "LOGICAL_OR", "LOGISTIC",
	"MAXIMUM", "MINIMUM", "MUL", "NEG", "POW", "PRELU", "RELU", "RELU6", "RELU_0_TO_1", "RELU_N1_TO_1", "RESHAPE",
	"ROUND", "RSQRT", "SIN", "SOFTMAX", "SQRT", "SQUARE", "SQUARED_DIFFERENCE", "SQUEEZE", "SUB", "TANH",
	"Add", "BatchNormalization", "Clip", "Mul", "Relu", "Sigmoid", "Squeeze", "Sub", "Sum",
}

// firstOnly lists operators whose other operands are not read element by
// element.
var firstOnly = []string{"BITCAST", "DYNAMIC_UPDATE_SLICE", "EXPAND_DIMS", "RESHAPE", "SOFTMAX", "SQUEEZE"}

// CheckInPlace makes sure that results lie on top of operands only where the
// operator can work in place: its first result, over an operand of the same
// size, of an operator that works element by element or whose kernel here says
// it can (kernels.InPlace). Whether the operand is still needed is not looked
// at: that is what runs find out. It returns an *InPlaceError. O(size of the
// table and of its operators).
func CheckInPlace(m *graph.Model, lt *graph.Lifetimes) error {
	for b, ref := range lt.Refs {
		if len(ref.Tensors) < 2 {
			continue
		}
		for _, r := range ref.Tensors {
			if r.Subgraph < 0 || r.Subgraph >= len(m.Subgraphs) || r.Tensor < 0 || r.Tensor >= len(m.Subgraphs[r.Subgraph].Tensors) {
				continue
			}
			if err := checkInPlace(m.Subgraphs[r.Subgraph], lt, b, r.Tensor); err != nil {
				return err
			}
		}
	}
	return nil
}

func checkInPlace(s *graph.Subgraph, lt *graph.Lifetimes, b, out int) error {
	if s.Producer[out] < 0 {
		return nil
	}
	op := &s.Ops[s.Producer[out]]
	e := &InPlaceError{Subgraph: s.Index, Op: op.Index, OpName: op.Name(), Result: out, Buffer: b}
	for _, t := range op.Inputs {
		if t < 0 || !slices.Contains(lt.Refs[b].Tensors, graph.TensorRef{Subgraph: s.Index, Tensor: t}) {
			continue
		}
		e.Operand = t
		switch {
		case op.Outputs[0] != out:
			e.Reason = "it is not the first result"
		case s.Tensors[t].Bytes != s.Tensors[out].Bytes:
			e.Reason = fmt.Sprintf("%d bytes over %d", s.Tensors[out].Bytes, s.Tensors[t].Bytes)
		case !kernels.InPlace(e.OpName) && !inPlaceName(op):
			e.Reason = "it does not compute element by element"
		case slices.Contains(firstOnly, e.OpName) && t != op.Inputs[0]:
			e.Reason = "it is not the first operand"
		}
	}
	if e.Reason == "" {
		return nil
	}
	return e
}

func inPlaceName(op *graph.Op) bool {
	name := op.Name()
	if op.Code == graph.OpCustom {
		name = op.Custom
	}
	return slices.Contains(elementwise, name)
}
