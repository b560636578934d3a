package graph

import "slices"

// DynamicOps lists, in ascending order, the operators that make a tensor whose
// shape or size is computed only when the model runs, because an operand that
// decides the shape is not known before. What such operators feed is not
// listed. LiteRT stops static planning at the first of them, runs that far, and
// plans on from there; a static plan beyond it is a guess at the stored shapes.
//
// An operand counts as known if it is a constant or follows from constants and
// static shapes by operators that LiteRT folds while it prepares a model:
// SHAPE and RANK, and small arithmetic on their results. An operator that
// writes a string is listed too: its bytes are known only at run time.
//
// Called subgraphs are not looked into: whether an IF or WHILE is dynamic
// depends on them, see Model.DynamicOps. A STRIDED_SLICE whose option offset is
// set is taken for one whose option is not.
//
// Source: LiteRT tflite/kernels/*.cc at f67457790c9c, which operands lead to
// SetTensorToDynamic, SetTensorToPersistentRo or kTfLiteOutputShapeNotKnown in
// Prepare. The subgraph must be linked.
func (s *Subgraph) DynamicOps() []int {
	list, _ := s.dynamicOps(nil)
	return list
}

// DynamicOps is Subgraph.DynamicOps for a subgraph of m, and lists the
// operators that call subgraphs as well: IF, WHILE and composites are dynamic
// if what they call has a dynamic operator, an IF too if its branches differ in
// the shape of a result, and a WHILE if its body changes the shape of a value
// it carries. O(size of what the subgraph reaches).
func (m *Model) DynamicOps(subgraph int) []int {
	list, _ := m.dynamicOps(subgraph)
	return list
}

func (m *Model) dynamicOps(subgraph int) (list []int, known []bool) {
	d := dynamics{m: m, state: make([]dynamicState, len(m.Subgraphs))}
	return m.Subgraphs[subgraph].dynamicOps(d.call)
}

// dynamicOps lists dynamic operators, and which tensors are known before the
// model runs; calls, if given, judges operators with callees.
func (s *Subgraph) dynamicOps(calls func(*Op) bool) (list []int, known []bool) {
	known = make([]bool, len(s.Tensors))
	for t := range s.Tensors {
		// An empty tensor that nothing writes is an empty constant.
		known[t] = s.Tensors[t].Constant || s.Tensors[t].Bytes == 0 && s.Producer[t] < 0
	}
	for _, t := range s.Inputs {
		known[t] = s.Tensors[t].Constant
	}
	for i := range s.Ops {
		op := &s.Ops[i]
		if s.dynamic(op, known) || calls != nil && len(op.Callees) > 0 && calls(op) {
			list = append(list, i)
			continue
		}
		if s.folds(op, known) {
			for _, t := range op.Outputs {
				known[t] = true
			}
		}
	}
	return list, known
}

// dynamic reports whether the shape of an output of op is unknown, given which
// tensors' values are known.
func (s *Subgraph) dynamic(op *Op, known []bool) bool {
	for _, t := range op.Outputs {
		if s.Tensors[t].Type == String {
			return true
		}
	}
	name := OpName(op.Code)
	switch name {
	case "UNIQUE", "EMBEDDING_LOOKUP_SPARSE":
		return true // depends on values, even constant ones
	case "READ_VARIABLE":
		// A stored scalar may stand for an unknown rank.
		return len(op.Outputs) > 0 && len(s.Tensors[op.Outputs[0]].Shape) == 0
	case "PAD", "PADV2":
		if t := operand(op, 0); t >= 0 && len(s.Tensors[t].Shape) == 0 {
			return true
		}
	case "SLICE":
		if len(op.Outputs) > 0 && s.settled(op.Outputs[0]) {
			return false // resolved by the stored output shape
		}
		if t := operand(op, 0); t >= 0 && s.Tensors[t].Unknown() {
			return true
		}
	case "TOPK_V2":
		if t := operand(op, 0); t >= 0 && s.Tensors[t].Unknown() {
			return true
		}
	}
	for _, k := range shapeOperands(name) {
		t := operand(op, k)
		if t >= 0 && !known[t] {
			return true
		}
		// These two kernels ask for a constant and take no folded value.
		if t >= 0 && s.Producer[t] >= 0 && (name == "TRANSPOSE_CONV" || name == "DILATE") {
			return true
		}
	}
	return false
}

// settled reports whether the stored shape of a tensor has a rank above 0 and
// no unknown dimension.
func (s *Subgraph) settled(t int) bool {
	return len(s.Tensors[t].Shape) > 0 && !s.Tensors[t].Unknown()
}

// operand returns input k of an operator, or -1 if it has none.
func operand(op *Op, k int) int {
	if k < len(op.Inputs) {
		return op.Inputs[k]
	}
	return -1
}

// shapeOperands returns the inputs whose values decide the output shape of a
// builtin operator.
func shapeOperands(name string) []int {
	switch name {
	case "BROADCAST_TO", "DILATE", "EXPAND_DIMS", "MIRROR_PAD", "ONE_HOT", "PAD", "PADV2",
		"RESHAPE", "RESIZE_BILINEAR", "RESIZE_NEAREST_NEIGHBOR", "RFFT2D", "SPARSE_TO_DENSE", "TILE",
		"TOPK_V2", "TRANSPOSE", "ARG_MAX", "ARG_MIN",
		"MEAN", "SUM", "REDUCE_PROD", "REDUCE_MAX", "REDUCE_MIN", "REDUCE_ANY", "REDUCE_ALL":
		return []int{1}
	case "CONV_3D_TRANSPOSE", "FILL", "RANDOM_STANDARD_NORMAL", "RANDOM_UNIFORM", "SPLIT", "TRANSPOSE_CONV", "WHERE":
		return []int{0}
	case "NON_MAX_SUPPRESSION_V4", "NON_MAX_SUPPRESSION_V5", "SCATTER_ND":
		return []int{2}
	case "MULTINOMIAL", "SEGMENT_SUM":
		return []int{0, 1}
	case "BATCH_TO_SPACE_ND", "SPACE_TO_BATCH_ND", "SLICE", "SPLIT_V",
		"UNSORTED_SEGMENT_MAX", "UNSORTED_SEGMENT_MIN", "UNSORTED_SEGMENT_PROD", "UNSORTED_SEGMENT_SUM":
		return []int{1, 2}
	case "RANGE":
		return []int{0, 1, 2}
	case "STRIDED_SLICE":
		return []int{1, 2, 3}
	}
	return nil
}

// folds reports whether LiteRT computes the outputs of op while it prepares
// the model, given which tensors' values are known.
func (s *Subgraph) folds(op *Op, known []bool) bool {
	switch name := OpName(op.Code); name {
	case "SHAPE", "RANK":
		return true // of shapes alone
	case "REDUCE_PROD":
		const most = 8 // larger results are left to the arena
		if len(op.Outputs) == 0 {
			return false
		}
		t := &s.Tensors[op.Outputs[0]]
		if t.Type.Bits() == 0 || t.Bytes*8 > most*t.Type.Bits() {
			return false
		}
	case "BROADCAST_ARGS", "CONCATENATION", "GATHER", "MUL", "RANGE", "RESHAPE", "STRIDED_SLICE", "TILE":
	default:
		return false
	}
	for _, t := range op.Inputs {
		if t >= 0 && !known[t] {
			return false
		}
	}
	return true
}

// dynamics finds out which subgraphs have dynamic operators, each once.
type dynamics struct {
	m     *Model
	state []dynamicState
}

type dynamicState uint8

const (
	unvisited dynamicState = iota
	static
	dynamic
)

func (d *dynamics) subgraph(i int) bool {
	if d.state[i] == unvisited {
		d.state[i] = static // ends a recursion, which readers refuse anyway
		if list, _ := d.m.Subgraphs[i].dynamicOps(d.call); len(list) > 0 {
			d.state[i] = dynamic
		}
	}
	return d.state[i] == dynamic
}

func (d *dynamics) call(op *Op) bool {
	switch c := op.Callees; {
	case op.Code == OpCallOnce:
		return false // its subgraph has no results
	case op.Code == OpWhile && len(c) == 2:
		return d.subgraph(c[1]) || !keepsShapes(d.m.Subgraphs[c[1]])
	case op.Code == OpIf && len(c) == 2:
		then, other := d.m.Subgraphs[c[0]], d.m.Subgraphs[c[1]]
		return d.subgraph(c[0]) || d.subgraph(c[1]) || !sameShapes(then, then.Outputs, other, other.Outputs)
	}
	for _, c := range op.Callees {
		if d.subgraph(c) {
			return true
		}
	}
	return false
}

// sameShapes reports whether pairs of tensors have equal shapes.
func sameShapes(s *Subgraph, a []int, r *Subgraph, b []int) bool {
	for i := range min(len(a), len(b)) {
		if !slices.Equal(s.Tensors[a[i]].Shape, r.Tensors[b[i]].Shape) {
			return false
		}
	}
	return true
}

// keepsShapes reports whether a loop body returns the shapes it is given. Like
// LiteRT, it lets a scalar pass for a tensor of one element and back.
func keepsShapes(body *Subgraph) bool {
	for i := range min(len(body.Inputs), len(body.Outputs)) {
		p, q := body.Tensors[body.Inputs[i]].Shape, body.Tensors[body.Outputs[i]].Shape
		if !slices.Equal(p, q) && leading(p)+leading(q) != 1 {
			return false
		}
	}
	return true
}

func leading(shape []int32) int32 {
	if len(shape) == 0 {
		return 0
	}
	return shape[0]
}
