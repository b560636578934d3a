package graph

// inPlace says what the kernels of an operator let the planner do with its
// first output.
type inPlace struct {
	operands  uint8 // bit k: it may lie on top of operand k
	unchanged bool  // the bytes stay as they are
}

// tfliteInPlace lists the operators whose registration has such flags.
//
// Source: inplace_operator in tflite/kernels/*.cc of google-ai-edge/LiteRT at
// f67457790c9c.
func tfliteInPlace(op *Op) inPlace {
	switch OpName(op.Code) {
	case "RESHAPE", "SQUEEZE", "EXPAND_DIMS", "BITCAST":
		return inPlace{1, true}
	case "ADD", "SUB", "MUL", "DIV":
		return inPlace{1 | 2, false}
	case "SOFTMAX", "DYNAMIC_UPDATE_SLICE":
		return inPlace{1, false}
	}
	return inPlace{}
}

// scalarBytes is the size up to which a changed tensor is not shared: it may
// be a placeholder.
const scalarBytes = 4

// sharing applies the rule of TFLite's ArenaPlanner::IdentifyInPlaceTensors to
// the letter. It counts the readers of the operand and those of the tensor
// whose memory that uses, but not those of aliases in between: an operator may
// write over an alias that is still to be read.
type sharing struct {
	x      *sub
	counts []int // by tensor: readers, graph outputs and inputs included
	given  []bool
	result []bool
}

// share finds the roots of tensors that lie in the memory of others.
func (b *builder) share(x *sub) {
	s := x.s
	g := sharing{x, make([]int, len(s.Tensors)), make([]bool, len(s.Tensors)), make([]bool, len(s.Tensors))}
	for _, t := range s.Outputs {
		g.counts[t]++
		g.result[t] = true
	}
	for _, t := range s.Inputs {
		g.counts[t]++
		g.given[t] = true
	}
	for t := range s.Tensors {
		if s.Tensors[t].Variable {
			g.counts[t]++
		}
	}
	for i := range s.Ops {
		for _, t := range s.Ops[i].Inputs {
			if t >= 0 {
				g.counts[t]++
			}
		}
	}
	for _, i := range x.ops {
		g.operator(&s.Ops[i])
	}
	b.unshare(x)
}

func (g *sharing) operator(op *Op) {
	may := tfliteInPlace(op)
	if g.x.order.isApart(op.Index) || may.operands == 0 || len(op.Outputs) == 0 {
		return
	}
	out := op.Outputs[0]
	for k := 0; k < min(3, len(op.Inputs)); k++ {
		t := op.Inputs[k]
		if t < 0 || may.operands>>k&1 == 0 || !g.passes(t, out, may.unchanged) {
			continue
		}
		if root := g.x.root[t]; may.unchanged || g.counts[root] <= 1 {
			g.x.root[out] = root
		}
		return // no other operand is tried
	}
}

func (g *sharing) passes(in, out int, unchanged bool) bool {
	x, y := &g.x.s.Tensors[in], &g.x.s.Tensors[out]
	if !unchanged && (x.Bytes != y.Bytes || x.Bytes <= scalarBytes || g.counts[in] > 1) {
		return false
	}
	// Constants, variables and strings are not in the same memory.
	ordinary := !x.Constant && !x.Variable && x.Type != String && y.Type != String
	return ordinary && !g.given[in] && !g.result[out]
}

// unshare undoes sharing with memory that is not in the arena after all, or
// has another size, as the planner does when it allocates. It has counted the
// readers by then, so that such a tensor lives to the end.
func (b *builder) unshare(x *sub) {
	for t, root := range x.root {
		if root == t {
			continue
		}
		if !b.shared(x, t) {
			x.lives[t].end = forever
		}
	}
}

// shared reports whether a tensor lies in the memory of another.
func (b *builder) shared(x *sub, t int) bool {
	root := x.root[t]
	return root != t && x.away[root] == "" && b.bytes(x, &x.s.Tensors[t]) == b.bytes(x, &x.s.Tensors[root])
}
