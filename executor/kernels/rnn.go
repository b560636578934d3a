package kernels

import "github.com/arenalab/arenalab/graph"

// Plain recurrent layers in float32: RnnBatchStep in
// tflite/kernels/internal/kernel_utils.cc, and K/basic_rnn.cc and
// K/unidirectional_sequence_rnn.cc, of google-ai-edge/LiteRT at f67457790c9c.

func rnnFamily() map[string]prepare {
	return map[string]prepare{
		"RNN":                         func(n *Node) (Kernel, error) { return prepareRNN(n, false) },
		"UNIDIRECTIONAL_SEQUENCE_RNN": func(n *Node) (Kernel, error) { return prepareRNN(n, true) },
	}
}

// rnn uses only the sizes of lstm.
type rnn struct {
	lstm
	tanh      bool
	low, high float32
}

func prepareRNN(n *Node, sequence bool) (Kernel, error) {
	var in [5]*Tensor
	for i := range in {
		var err error
		if in[i], err = n.in(i); err != nil {
			return nil, err
		}
		if in[i].Type != graph.Float32 {
			return nil, unsupported("operand %d of %v", i, in[i].Type)
		}
	}
	out, err := n.out(0)
	if err != nil {
		return nil, err
	}
	x, weights, recurrent, bias, state := in[0], in[1], in[2], in[3], in[4]
	rank := 2
	k := &rnn{}
	activation := n.Op.Attributes.Byte(0, 0)
	if sequence {
		rank = 3
		k.major, activation = n.Op.Attributes.Bool(0, false), n.Op.Attributes.Byte(1, 0)
	}
	if len(x.Shape) != rank || len(weights.Shape) != 2 {
		return nil, invalid("input of shape %v, weights of shape %v", x.Shape, weights.Shape)
	}
	k.batches, k.steps, k.input, k.size = x.Shape[0], 1, x.Shape[rank-1], weights.Shape[0]
	if sequence {
		k.steps = x.Shape[1]
		if k.major {
			k.batches, k.steps = x.Shape[1], x.Shape[0]
		}
	}
	for _, check := range []error{
		convResult(weights, k.size, k.input), convResult(recurrent, k.size, k.size), convResult(bias, k.size),
		convResult(state, k.batches, k.size), convResult(out, append(append([]int(nil), x.Shape[:rank-1]...), k.size)...),
	} {
		if check != nil {
			return nil, check
		}
	}
	if state.Constant != nil || out.Type != graph.Float32 {
		return nil, invalid("state is constant, or result of %v", out.Type)
	}
	if k.tanh = activation == actTanh; k.tanh {
		activation = 0
	}
	k.low, k.high, err = floatClamp(activation)
	return k, err
}

// Run computes the steps, one batch after the other.
func (k *rnn) Run(c *Call) error {
	x, weights, recurrent := view[float32](c.In[0]), view[float32](c.In[1]), view[float32](c.In[2])
	bias, state, out := view[float32](c.In[3]), view[float32](c.In[4]), view[float32](c.Out[0])
	for b := range k.batches {
		h := state[b*k.size:][:k.size]
		for t := range k.steps {
			row, y := x[k.at(b, t, k.input):][:k.input], out[k.at(b, t, k.size):][:k.size]
			for r := range y {
				sum := bias[r] + dotFloat(row, weights[r*k.input:][:k.input])
				sum += dotFloat(h, recurrent[r*k.size:][:k.size])
				y[r] = min(max(sum, k.low), k.high)
			}
			if k.tanh {
				(&sigmoidFloat{true}).row(y, y)
			}
			copy(h, y)
		}
	}
	return nil
}
