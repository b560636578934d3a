package kernels

import "github.com/arenalab/arenalab/graph"

// Long short-term memory: K/unidirectional_sequence_lstm.cc, K/lstm.cc and
// K/lstm_eval.cc of google-ai-edge/LiteRT at f67457790c9c, and
// M/kernels/lstm_eval.h of tensorflow/tflite-micro at 90b983c. Each step
// computes four gates from the input and the last output, and with them the
// state of the cells and the output. Batches do not depend on one another.

func lstmFamily() map[string]prepare {
	return map[string]prepare{
		"LSTM":                         func(n *Node) (Kernel, error) { return prepareLSTM(n, false) },
		"UNIDIRECTIONAL_SEQUENCE_LSTM": func(n *Node) (Kernel, error) { return prepareLSTM(n, true) },
	}
}

// Gates, in the order of operands.
const (
	gateInput = iota
	gateForget
	gateCell
	gateOutput
	gates
)

// Operands of the first gate, or the only ones of their kind.
const (
	lstmWeights    = 1
	lstmRecurrent  = 5
	lstmPeephole   = 9 // of all gates but that of the cell
	lstmBias       = 12
	lstmProjection = 16
	lstmOutput     = 18 // variables
	lstmState      = 19
	lstmNorm       = 20
)

// lstm is what all of them have.
type lstm struct {
	batches, steps      int
	input, cells, size  int  // elements of a step: of the input, the gates and the output
	major               bool // the runtime computes a step of all batches at once
	coupled, norm       bool // no gate of the input; gates are normalised
	projected           bool
	peephole            [gates]int // operand, 0 for none
	cellClip, outputTop float32    // 0 for none
	activation          int8
}

func prepareLSTM(n *Node, sequence bool) (Kernel, error) {
	l, err := newLSTM(n, sequence)
	if err != nil {
		return nil, err
	}
	in, weights := n.In[0], n.In[lstmWeights+gateOutput]
	switch {
	case in.Type == graph.Float32 && (weights.Type == graph.Float32 || weights.Type == graph.Int8 && n.Arithmetic != Micro):
		return newFloatLSTM(n, l)
	case in.Type == graph.Int8 && weights.Type == graph.Int8 && (len(n.Mid) == 5 || n.Arithmetic == Micro):
		return newIntegerLSTM(n, l)
	}
	return nil, unsupported("input of %v, weights of %v, %d intermediate tensors", in.Type, weights.Type, len(n.Mid))
}

func newLSTM(n *Node, sequence bool) (*lstm, error) {
	in, err := n.in(0)
	if err != nil {
		return nil, err
	}
	weights, err := n.in(lstmWeights + gateOutput)
	if err != nil {
		return nil, err
	}
	recurrent, err := n.in(lstmRecurrent + gateOutput)
	if err != nil {
		return nil, err
	}
	rank := len(in.Shape)
	if rank != 2 && (rank != 3 || !sequence) || len(weights.Shape) != 2 || len(recurrent.Shape) != 2 {
		return nil, invalid("input of shape %v, weights of %v and %v", in.Shape, weights.Shape, recurrent.Shape)
	}
	a := &n.Op.Attributes
	l := &lstm{batches: in.Shape[0], steps: 1, input: in.Shape[rank-1], cells: weights.Shape[0], size: recurrent.Shape[1]}
	l.activation, l.cellClip, l.outputTop = a.Byte(0, 0), a.Float(1, 0), a.Float(2, 0)
	if !(l.cellClip >= 0) || !(l.outputTop >= 0) {
		return nil, invalid("clipped to %g and %g", l.cellClip, l.outputTop)
	}
	l.major = !sequence
	if rank == 3 {
		l.steps, l.major = in.Shape[1], a.Bool(3, false)
		if l.major {
			l.batches, l.steps = in.Shape[1], in.Shape[0]
		}
	}
	if !sequence && a.Byte(3, 0) != 0 || sequence && a.Bool(5, false) {
		return nil, unsupported("other kind of kernel")
	}
	l.coupled = n.optional(lstmWeights+gateInput) == nil
	l.projected = n.optional(lstmProjection) != nil
	l.norm = n.optional(lstmNorm+gateForget) != nil
	if l.cells == 0 || !l.projected && l.cells != l.size {
		return nil, invalid("%d cells make %d numbers", l.cells, l.size)
	}
	if l.coupled && n.Arithmetic == Micro || (l.projected || l.norm || n.optional(lstmPeephole+2) != nil) && n.Arithmetic == Micro {
		return nil, unsupported("variant of the operator")
	}
	if err := working(l.cells, l.size); err != nil {
		return nil, err
	}
	return l, l.checkAll(n)
}

// checkAll makes sure that the operands are there and have their shapes.
func (l *lstm) checkAll(n *Node) error {
	for g := range gates {
		if l.coupled && g == gateInput {
			continue
		}
		if err := l.check(n, lstmWeights+g, l.cells, l.input); err != nil {
			return err
		}
		if err := l.check(n, lstmRecurrent+g, l.cells, l.size); err != nil {
			return err
		}
		if err := l.check(n, lstmBias+g, l.cells); err != nil {
			return err
		}
		if l.norm {
			if err := l.check(n, lstmNorm+g, l.cells); err != nil {
				return err
			}
		}
		if g == gateCell || n.optional(lstmPeephole+2) == nil {
			continue
		}
		l.peephole[g] = lstmPeephole + min(g, 2)
		if err := l.check(n, l.peephole[g], l.cells); err != nil {
			return err
		}
	}
	if l.projected {
		if err := l.check(n, lstmProjection, l.size, l.cells); err != nil {
			return err
		}
	}
	if n.optional(lstmProjection+1) != nil {
		if err := l.check(n, lstmProjection+1, l.size); err != nil {
			return err
		}
	}
	out, err := n.out(0)
	if err != nil {
		return err
	}
	for k, want := range map[int]int{lstmOutput: l.batches * l.size, lstmState: l.batches * l.cells} {
		if t, err := n.in(k); err != nil || t.Elements() != want || t.Constant != nil {
			return invalid("operand %d is not a state of %d elements", k, want)
		}
	}
	if state := n.In[lstmOutput]; out.Type != n.In[0].Type || state.Type != out.Type || out.Elements() != l.batches*l.steps*l.size {
		return invalid("%v of shape %v becomes %v of shape %v, state of %v", n.In[0].Type, n.In[0].Shape, out.Type, out.Shape, state.Type)
	}
	return nil
}

// check makes sure that an operand has a shape.
func (l *lstm) check(n *Node, k int, shape ...int) error {
	t, err := n.in(k)
	if err != nil {
		return err
	}
	same := len(t.Shape) == len(shape)
	for i := range shape {
		same = same && t.Shape[i] == shape[i]
	}
	if !same {
		return invalid("operand %d has shape %v, not %v", k, t.Shape, shape)
	}
	return nil
}

// types makes sure that operands, those that are there, have a type.
func lstmTypes(n *Node, t graph.DType, operands ...int) error {
	for _, k := range operands {
		if o := n.optional(k); o != nil && o.Type != t {
			return unsupported("operand %d of %v", k, o.Type)
		}
	}
	return nil
}

// at returns where a step of a batch lies in the input or the output, in
// elements.
func (l *lstm) at(batch, step, size int) int {
	if l.major {
		return (step*l.batches + batch) * size
	}
	return (batch*l.steps + step) * size
}
