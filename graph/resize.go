package graph

import (
	"math"
	"slices"
)

// resizer finds results that TFLite gives another size than the file says, for
// operators whose kernels compute it from their operands whatever the file
// says: arithmetic, which broadcasts and takes over the type of its second
// operand, concatenation, LSTM, the selection of detected boxes, and what follows. Where the file is consistent that changes
// nothing. Other operators are taken at the file's word.
//
// Source: Prepare of tflite/kernels/{add,sub,mul,div,concatenation,lstm,
// unidirectional_sequence_lstm,detection_postprocess}.cc of
// google-ai-edge/LiteRT at f67457790c9c.
type resizer struct {
	s     *Subgraph
	sizes map[int]int64 // by tensor, where they differ
	now   map[int]typed
}

type typed struct {
	dtype DType
	shape []int32
}

// resize returns the sizes that are not those of the file, by tensor.
func (x *sub) resize() map[int]int64 {
	r := resizer{x.s, map[int]int64{}, map[int]typed{}}
	for _, i := range x.ops {
		op := &x.s.Ops[i]
		if len(op.Outputs) == 0 {
			continue
		}
		if op.Options.Detections > 0 {
			r.detection(op)
		} else if to, ok := r.result(op); ok {
			r.set(op.Outputs[0], to)
		}
	}
	return r.sizes
}

// set gives a tensor the type and shape that a kernel computes.
func (r *resizer) set(t int, to typed) {
	out := &r.s.Tensors[t]
	if was, plain := r.of(t); !plain || was.dtype == to.dtype && slices.Equal(was.shape, to.shape) {
		return
	}
	if n, err := Size(to.dtype, to.shape); err == nil && n != NoSize && out.Bytes != NoSize {
		r.now[t] = to
		if n != out.Bytes {
			r.sizes[t] = n
		}
	}
}

// detection: the results of TFLite_Detection_PostProcess follow from its
// options: boxes, classes, scores and their number.
func (r *resizer) detection(op *Op) {
	n := int64(op.Options.Detections) * int64(op.Options.DetectionClasses)
	if n > math.MaxInt32 {
		return // the runtime counts in 32 bits
	}
	each := []int32{1, int32(n)}
	for k, shape := range [][]int32{{1, int32(n), 4}, each, each, {1}} {
		if k < len(op.Outputs) {
			r.set(op.Outputs[k], typed{Float32, shape})
		}
	}
}

// of returns type and shape of a tensor. It reports false if the tensor is
// absent or does not have the bytes of its shape: a model that was not read
// from a file may give bytes alone.
func (r *resizer) of(t int) (typed, bool) {
	if t < 0 {
		return typed{}, false
	}
	if to, ok := r.now[t]; ok {
		return to, true
	}
	x := &r.s.Tensors[t]
	n, err := Size(x.Type, x.Shape)
	return typed{x.Type, x.Shape}, err == nil && n == x.Bytes
}

// result returns type and shape of the first output of an operator, if its
// kernel decides them.
func (r *resizer) result(op *Op) (to typed, ok bool) {
	first, ok := r.of(operand(op, 0))
	if !ok {
		return typed{}, false
	}
	switch OpName(op.Code) {
	case "ADD", "SUB", "MUL", "DIV":
		second, ok := r.of(operand(op, 1))
		if !ok {
			return typed{}, false
		}
		shape, ok := broadcast(first.shape, second.shape)
		return typed{second.dtype, shape}, ok
	case "CONCATENATION":
		shape, ok := r.concatenated(op)
		return typed{r.s.Tensors[op.Outputs[0]].Type, shape}, ok
	case "QUANTIZE", "DEQUANTIZE", "CAST", "RELU", "RELU6", "LOGISTIC", "TANH", "SOFTMAX":
		// Only passes on what became of its operand.
		_, changed := r.now[op.Inputs[0]]
		return typed{r.s.Tensors[op.Outputs[0]].Type, first.shape}, changed
	case "LSTM", "UNIDIRECTIONAL_SEQUENCE_LSTM":
		w := operand(op, lstmRecurrentOut)
		if len(op.Inputs) == lstmBasicOperands || w < 0 || len(first.shape) == 0 {
			return typed{}, false
		}
		shape := slices.Clone(first.shape)
		shape[len(shape)-1] = int32(r.s.Tensors[w].dim(1))
		return typed{r.s.Tensors[op.Outputs[0]].Type, shape}, true
	}
	return typed{}, false
}

// concatenated returns the shape of the operands one after the other. The axis
// is that in which they differ; if they do not, the file is believed.
func (r *resizer) concatenated(op *Op) ([]int32, bool) {
	var shape []int32
	axis := -1
	for k := range op.Inputs {
		x, ok := r.of(op.Inputs[k])
		if !ok || k > 0 && len(x.shape) != len(shape) {
			return nil, false
		}
		if k == 0 {
			shape = slices.Clone(x.shape)
		}
		for i, d := range x.shape {
			if d == shape[i] {
				continue
			}
			if axis >= 0 && axis != i {
				return nil, false
			}
			axis = i
		}
	}
	if axis < 0 {
		return nil, false
	}
	sum := int64(0)
	for _, t := range op.Inputs {
		x, _ := r.of(t)
		sum += int64(x.shape[axis])
	}
	shape[axis] = int32(sum)
	return shape, sum <= math.MaxInt32
}

// broadcast returns the shape of an operation on tensors of two shapes.
func broadcast(a, b []int32) ([]int32, bool) {
	if len(a) < len(b) {
		a, b = b, a
	}
	out := slices.Clone(a)
	for i := range b {
		k := len(a) - len(b) + i
		switch {
		case a[k] == 1:
			out[k] = b[i]
		case b[i] != 1 && b[i] != a[k]:
			return nil, false
		}
	}
	return out, true
}
