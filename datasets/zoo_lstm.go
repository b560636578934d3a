package datasets

import (
	"fmt"
	"math"

	"github.com/arenalab/arenalab/graph"
	"github.com/arenalab/arenalab/graph/tflite"
)

var lstm = family{Builder{
	Name:      "lstm",
	Title:     "LSTM",
	Summary:   "stacked recurrent layers whose state stays from one run to the next",
	Reference: "Hochreiter and Schmidhuber, Long Short-Term Memory, Neural Computation 9(8), 1997",
	Meaning:   "time steps of a run; features and units; layers",
	Defaults:  Params{Resolution: 32, Width: 128, Depth: 2, Classes: 30},
	Sequence:  true,
}, drawLSTM}

func drawLSTM(m *model, p Params) {
	n := m.subgraph("main")
	x := n.input(p.Batch, p.Resolution, p.Width)
	for layer := range p.Depth {
		n.within(fmt.Sprintf("layer%d", layer), func() { x = n.lstm(x, p.Width) })
	}
	n.output(n.softmax(n.dense(x, p.Classes, tflite.NoActivation, 4*logitGain)))
}

// lstm draws a layer without peepholes, projection or layer normalisation: the
// inputs of the operator that belong to these are left out.
func (n *net) lstm(x value, units int) value {
	features := x.channels()
	inputs := make([]int, 24)
	for i := range inputs {
		inputs[i] = -1
	}
	inputs[0] = x.id
	matrix := func(name string, fan int, power float64) int {
		list := n.uniform(units * fan)
		scaleRows(list, units, func(i int) int { return i / fan }, power)
		return n.floats(name, list, units, fan)
	}
	const gates = 4 // input, forget, cell, output
	for g := range gates {
		inputs[1+g] = matrix("input_weights", features, 1/x.signal.power())
		inputs[5+g] = matrix("recurrent_weights", units, 1)
		bias := n.uniform(units)
		if g == 1 { // the usual start: remember
			for i := range bias {
				bias[i] += 1
			}
		}
		inputs[12+g] = n.floats("bias", bias, units)
	}
	state := tflite.Tensor{Type: graph.Float32, Variable: true}
	inputs[18] = n.add("output_state", []int{x.batch(), units}, state)
	inputs[19] = n.add("cell_state", []int{x.batch(), units}, state)
	out := n.tensor("lstm", []int{x.batch(), x.shape[1], units}, signal{dev: coarse(math.Sqrt(0.1))})
	n.op(tflite.OpUnidirectionalSequenceLSTM, tflite.SequenceLSTMOptions{Activation: tflite.Tanh}, inputs, out)
	return out
}
