package kernels

import (
	"math"

	"github.com/arenalab/arenalab/graph"
)

// floatLSTM computes in float32.
type floatLSTM struct {
	*lstm
	lstmWeighing
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
	for g := range gates {
		if err := lstmTypes(n, graph.Float32, lstmBias+g, lstmNorm+g, lstmProjection+1, lstmOutput, lstmState); err != nil {
			return nil, err
		}
	}
	if err := k.prepare(n, l); err != nil {
		return nil, err
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
	k.take(&k.row, x)
	k.take(&k.last, h)
	if !k.coupled {
		k.compute(c, gateInput, s)
	}
	k.compute(c, gateForget, s)
	k.compute(c, gateCell, s)
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
	k.compute(c, gateOutput, s)
	copy(k.hidden, s)
	k.tanh(k.hidden)
	for i, v := range k.gate[gateOutput] {
		k.hidden[i] *= v
	}
	if !k.projected {
		copy(h, k.hidden)
		return
	}
	clear(h)
	if lstmProjection+1 < len(c.In) {
		copy(h, view[float32](c.In[lstmProjection+1]))
	}
	k.take(&k.inner, k.hidden)
	k.add(c, lstmProjection, &k.inner, h)
	if top := k.outputTop; top > 0 {
		for i, v := range h {
			h[i] = min(max(v, -top), top)
		}
	}
}

// compute computes a gate.
func (k *floatLSTM) compute(c *Call, g int, s []float32) {
	gate, bias := k.gate[g], view[float32](c.In[lstmBias+g])
	clear(gate)
	if !k.norm {
		copy(gate, bias)
	}
	k.add(c, lstmWeights+g, &k.row, gate)
	k.add(c, lstmRecurrent+g, &k.last, gate)
	if p := k.peephole[g]; p > 0 {
		k.peep(c, p, s, gate)
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
