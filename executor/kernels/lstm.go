package kernels

import (
	"math"

	"github.com/arenalab/arenalab/graph"
)

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
	case in.Type == graph.Float32 && weights.Type == graph.Float32:
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

// floatLSTM computes in float32.
type floatLSTM struct {
	*lstm
	micro  bool
	gate   [gates][]float32
	hidden []float32
	cell   activate // of the gate of the cell
	tanh   activate
}

// activate applies a function to numbers in place.
type activate func([]float32)

func newFloatLSTM(n *Node, l *lstm) (Kernel, error) {
	k := &floatLSTM{lstm: l, micro: n.Arithmetic == Micro, hidden: make([]float32, l.cells)}
	for i := range n.In {
		if err := lstmTypes(n, graph.Float32, i); err != nil {
			return nil, err
		}
	}
	for g := range gates {
		k.gate[g] = make([]float32, l.cells)
	}
	k.tanh = func(x []float32) { (&sigmoidFloat{true}).row(x, x) }
	switch l.activation {
	case actTanh:
		k.cell = k.tanh
	case actRelu:
		k.cell = func(x []float32) {
			for i, v := range x {
				x[i] = max(v, 0)
			}
		}
	case actRelu6:
		k.cell = func(x []float32) {
			for i, v := range x {
				x[i] = min(max(v, 0), 6)
			}
		}
	default:
		return nil, unsupported("fused activation %d", l.activation)
	}
	if !k.micro {
		k.tanh = k.cell
	}
	return k, nil
}

// Run computes the steps, one batch after the other.
func (k *floatLSTM) Run(c *Call) error {
	x, y := view[float32](c.In[0]), view[float32](c.Out[0])
	output, state := view[float32](c.In[lstmOutput]), view[float32](c.In[lstmState])
	for b := range k.batches {
		h, s := output[b*k.size:][:k.size], state[b*k.cells:][:k.cells]
		for t := range k.steps {
			k.step(c, x[k.at(b, t, k.input):][:k.input], h, s)
			copy(y[k.at(b, t, k.size):][:k.size], h)
		}
	}
	return nil
}

func (k *floatLSTM) step(c *Call, x, h, s []float32) {
	input, forget := k.gate[gateInput], k.gate[gateForget]
	if !k.coupled {
		k.compute(c, gateInput, x, h, s)
	}
	k.compute(c, gateForget, x, h, s)
	k.compute(c, gateCell, x, h, s)
	for i, v := range k.gate[gateCell] {
		in := 1 - forget[i]
		if !k.coupled {
			in = input[i]
		}
		s[i] = float32(forget[i]*s[i]) + float32(v*in)
		if clip := k.cellClip; clip > 0 {
			s[i] = min(max(s[i], -clip), clip)
		}
	}
	k.compute(c, gateOutput, x, h, s)
	copy(k.hidden, s)
	k.tanh(k.hidden)
	for i, v := range k.gate[gateOutput] {
		k.hidden[i] *= v
	}
	if !k.projected {
		copy(h, k.hidden)
		return
	}
	weights := view[float32](c.In[lstmProjection])
	var bias []float32
	if lstmProjection+1 < len(c.In) {
		bias = view[float32](c.In[lstmProjection+1])
	}
	for r := range h {
		h[r] = dotFloat(k.hidden, weights[r*k.cells:][:k.cells])
		if bias != nil {
			h[r] += bias[r]
		}
		if top := k.outputTop; top > 0 {
			h[r] = min(max(h[r], -top), top)
		}
	}
}

// compute computes a gate.
func (k *floatLSTM) compute(c *Call, g int, x, h, s []float32) {
	weights, recurrent, bias := view[float32](c.In[lstmWeights+g]), view[float32](c.In[lstmRecurrent+g]), view[float32](c.In[lstmBias+g])
	gate := k.gate[g]
	var peephole []float32
	if p := k.peephole[g]; p > 0 {
		peephole = view[float32](c.In[p])
	}
	for r := range gate {
		sum := dotFloat(x, weights[r*k.input:][:k.input])
		if !k.norm {
			sum += bias[r]
		}
		sum += dotFloat(h, recurrent[r*k.size:][:k.size])
		if peephole != nil {
			sum += float32(peephole[r] * s[r])
		}
		gate[r] = sum
	}
	if k.norm {
		normalise(gate)
		for i, w := range view[float32](c.In[lstmNorm+g]) {
			gate[i] = float32(gate[i]*w) + bias[i]
		}
	}
	if g == gateCell {
		k.cell(gate)
	} else {
		(&sigmoidFloat{false}).row(gate, gate)
	}
}

// normalise makes the mean 0 and the variance 1.
func normalise(x []float32) {
	n := float32(len(x))
	var sum, squares float32
	for _, v := range x {
		sum += v
	}
	mean := sum / n
	for _, v := range x {
		d := v - mean
		squares += float32(d * d)
	}
	factor := 1 / float32(math.Sqrt(float64(squares/n+1e-8)))
	for i, v := range x {
		x[i] = (v - mean) * factor
	}
}
