package kernels

import "github.com/arenalab/arenalab/graph"

// lstmWeighing multiplies rows of floats with weights: floats, or integers, for
// which the rows are quantised by the range of their numbers ("hybrid"). Rows of
// zeros give zeros either way.
type lstmWeighing struct {
	hybrid, asymmetric bool
	scale              [lstmNorm]float32 // by operand
	sums               [lstmNorm][]int32 // of the rows of weights, if asymmetric
	row, last, inner   lstmNumbers
}

// lstmNumbers are a row, and what it is quantised to.
type lstmNumbers struct {
	x   []float32
	q   []int8
	row quantisedRow
}

// prepare looks at the weights.
func (w *lstmWeighing) prepare(n *Node, l *lstm) error {
	weights := []int{lstmProjection, lstmPeephole, lstmPeephole + 1, lstmPeephole + 2}
	for g := range gates {
		weights = append(weights, lstmWeights+g, lstmRecurrent+g)
	}
	kind := n.In[lstmWeights+gateOutput].Type
	if err := lstmTypes(n, kind, weights...); err != nil {
		return err
	}
	w.hybrid = kind == graph.Int8
	if !w.hybrid {
		return nil
	}
	w.asymmetric = n.Op.Attributes.Bool(4, false)
	for _, i := range weights {
		t := n.optional(i)
		if t == nil {
			continue
		}
		if !oneScale(t) {
			return invalid("operand %d has no single scale", i)
		}
		w.scale[i] = t.Quant.Scale[0]
		if !w.asymmetric || len(t.Shape) != 2 {
			continue
		}
		if t.Constant == nil {
			return unsupported("operand %d computed at run time", i)
		}
		w.sums[i] = foldZero(t, nil, 1)
	}
	w.row.q, w.last.q, w.inner.q = make([]int8, l.input), make([]int8, l.size), make([]int8, l.cells)
	return nil
}

// take sets a row.
func (w *lstmWeighing) take(to *lstmNumbers, x []float32) {
	switch to.x = x; {
	case !w.hybrid:
	case w.asymmetric:
		to.row = quantiseAsymmetric(x, to.q)
	default:
		to.row = quantiseSymmetric(x, to.q)
	}
}

// add adds the products of a row and an operand to sums.
func (w *lstmWeighing) add(c *Call, operand int, x *lstmNumbers, sums []float32) {
	n := len(x.x)
	if !w.hybrid {
		weights := view[float32](c.In[operand])
		for r := range sums {
			sums[r] += dotFloat(x.x, weights[r*n:][:n])
		}
		return
	}
	weights, scale := view[int8](c.In[operand]), w.scale[operand]*x.row.scale
	for r := range sums {
		dot := dotBytes(x.q, weights[r*n:][:n])
		if w.asymmetric {
			dot -= x.row.zero * w.sums[operand][r]
		}
		sums[r] += float32(float32(dot) * scale)
	}
}

// peep adds the products of the state and the weights of a peephole.
func (w *lstmWeighing) peep(c *Call, operand int, state, sums []float32) {
	if !w.hybrid {
		for i, v := range view[float32](c.In[operand]) {
			sums[i] += float32(v * state[i])
		}
		return
	}
	for i, v := range view[int8](c.In[operand]) {
		sums[i] += float32(float32(float32(v)*w.scale[operand]) * state[i])
	}
}
