package kernels

import (
	"math"

	"github.com/arenalab/arenalab/graph"
)

// integerLSTM computes with weights and numbers of eight bits, gates and states
// of 16: "8x8_16". A gate has three integer bits before its activation.
type integerLSTM struct {
	*lstm
	gate    [gates][]int16
	hidden  []int8
	fixed   [gates]lstmGate
	zero    int32 // of hidden numbers
	output  int32 // zero point of the output
	scale   multiplier
	project multiplier
	bias    []int32 // of the projection
	integer int     // integer bits of the state
	batch   int     // that is computed
	clip    int32
	top     int32

	// TFLite-Micro rescales twice and takes its functions from a table.
	micro        bool
	forget, last multiplier
	sigmoid      *sigmoid16
	tanh, state  *sigmoid16
}

// lstmGate is what a gate is computed with.
type lstmGate struct {
	input, recurrent, peephole multiplier
	inputBias, recurrentBias   []int32 // zero points included
	norm                       multiplier
	guard                      int32 // for a variance of zero
}

func newIntegerLSTM(n *Node, l *lstm) (Kernel, error) {
	k := &integerLSTM{lstm: l, micro: n.Arithmetic == Micro, hidden: make([]int8, l.cells)}
	if err := lstmScales(n); err != nil {
		return nil, err
	}
	if l.activation != actTanh {
		return nil, unsupported("fused activation %d", l.activation)
	}
	power, ok := powerOfTwo(n.In[lstmState].Quant.Scale[0])
	k.integer = 15 + power
	if !ok || k.integer < 0 || k.integer > 4 {
		return nil, unsupported("state of scale %g", n.In[lstmState].Quant.Scale[0])
	}
	if l.size > l.cells && n.optional(lstmPeephole+2) != nil {
		return nil, unsupported("peepholes of %d cells that make %d numbers", l.cells, l.size)
	}
	for g := range gates {
		k.gate[g] = make([]int16, l.cells)
		if l.coupled && g == gateInput {
			continue
		}
		if err := k.prepareGate(n, g, power); err != nil {
			return nil, err
		}
	}
	k.clip = int32(min(l.cellClip/n.In[lstmState].Quant.Scale[0], math.MaxInt16))
	k.top = int32(min(l.outputTop/n.Out[0].Quant.Scale[0], math.MaxInt8))
	k.output = int32(n.In[lstmOutput].Quant.ZeroPoint(0))
	if k.micro {
		k.prepareMicro(n, power)
		return k, nil
	}
	hidden := n.Mid[4]
	if !oneScale(hidden) {
		return nil, invalid("hidden numbers without a scale")
	}
	scale := hidden.Quant.Scale[0]
	k.zero = int32(hidden.Quant.ZeroPoint(0))
	k.scale = newMultiplier(float64(float32(math.Ldexp(1, -15) / float64(scale) * math.Ldexp(1, -15))))
	if l.projected {
		weights := n.In[lstmProjection]
		k.project = newMultiplier(float64(float32(weights.Quant.Scale[0]*scale) / n.In[lstmOutput].Quant.Scale[0]))
		k.bias = foldZero(weights, n.optional(lstmProjection+1), k.zero)
	}
	return k, nil
}

// oneScale reports whether a tensor has one scale that is a number.
func oneScale(t *Tensor) bool {
	return t != nil && t.Quant != nil && len(t.Quant.Scale) == 1 && t.Quant.Scale[0] > 0 && t.Quant.Scale[0] <= math.MaxFloat32
}

// lstmScales makes sure that types fit and that constants and scales are there.
func lstmScales(n *Node) error {
	scaled := []int{0, lstmOutput, lstmState, lstmProjection, lstmPeephole, lstmPeephole + 1, lstmPeephole + 2}
	for g := range gates {
		scaled = append(scaled, lstmWeights+g, lstmRecurrent+g, lstmNorm+g)
	}
	for _, i := range scaled {
		if t := n.optional(i); t != nil && !oneScale(t) {
			return invalid("operand %d has no single scale", i)
		}
	}
	if !oneScale(n.Out[0]) {
		return invalid("result without a scale")
	}
	for g := range gates {
		if err := lstmTypes(n, graph.Int8, lstmWeights+g, lstmRecurrent+g, lstmProjection, lstmOutput); err != nil {
			return err
		}
		if err := lstmTypes(n, graph.Int16, lstmState, lstmNorm+g, lstmPeephole+min(g, 2)); err != nil {
			return err
		}
		if err := lstmTypes(n, graph.Int32, lstmBias+g, lstmProjection+1); err != nil {
			return err
		}
		for _, i := range []int{lstmWeights + g, lstmRecurrent + g, lstmBias + g, lstmProjection, lstmProjection + 1} {
			if t := n.optional(i); t != nil && t.Constant == nil {
				return unsupported("operand %d computed at run time", i)
			}
		}
	}
	return nil
}

func (k *integerLSTM) prepareGate(n *Node, g, power int) error {
	scale := func(operand int) float32 { return n.In[operand].Quant.Scale[0] }
	step := float32(math.Ldexp(1, -12))
	f := &k.fixed[g]
	bias := n.In[lstmBias+g]
	if k.norm {
		mid := n.Mid[g]
		if !oneScale(mid) {
			return invalid("intermediate tensor %d has no scale", g)
		}
		step, bias = mid.Quant.Scale[0], nil
		coefficients := scale(lstmNorm + g)
		f.norm = newMultiplier(float64(coefficients))
		f.guard = max(1, int32(min(10000*coefficients, 1<<30)))
	}
	weights, recurrent := n.In[lstmWeights+g], n.In[lstmRecurrent+g]
	f.input = newMultiplier(float64(float32(scale(lstmWeights+g)*scale(0)) / step))
	f.recurrent = newMultiplier(float64(float32(scale(lstmRecurrent+g)*scale(lstmOutput)) / step))
	f.inputBias = foldZero(weights, bias, -int32(n.In[0].Quant.ZeroPoint(0)))
	f.recurrentBias = foldZero(recurrent, nil, -int32(n.In[lstmOutput].Quant.ZeroPoint(0)))
	if p := k.peephole[g]; p > 0 {
		f.peephole = newMultiplier(float64(float32(math.Ldexp(1, power) * float64(scale(p)) / float64(step))))
	}
	return nil
}

// foldZero adds a zero point times the rows of weights to a bias, which may be
// nil.
func foldZero(weights, bias *Tensor, zero int32) []int32 {
	rows, columns := weights.Shape[0], weights.Shape[1]
	out := make([]int32, rows)
	if bias != nil {
		copy(out, view[int32](bias.Constant))
	}
	w := view[int8](weights.Constant)
	for r := range out {
		var sum int32
		for _, v := range w[r*columns:][:columns] {
			sum += int32(v)
		}
		out[r] += sum * zero
	}
	return out
}

func (k *integerLSTM) prepareMicro(n *Node, power int) {
	unit, state := math.Ldexp(1, -15), math.Ldexp(1, power)
	q := n.In[lstmOutput].Quant
	k.zero = k.output
	k.scale = newMultiplier(unit * unit / float64(q.Scale[0]))
	k.forget = newMultiplier(unit * state / state)
	k.last = newMultiplier(unit * unit / state)
	k.sigmoid, k.tanh, k.state = &sigmoid16{m: 3}, &sigmoid16{m: 3, tanh: true}, &sigmoid16{tanh: true}
	if left := k.integer - 3; left >= 0 {
		k.state.m = 3 << left
	} else {
		k.state.m, k.state.shift = 3, -left
	}
	for _, s := range []*sigmoid16{k.sigmoid, k.tanh, k.state} {
		fillSigmoid(&s.curve)
	}
}

// Run computes the steps, one batch after the other.
func (k *integerLSTM) Run(c *Call) error {
	x, y := view[int8](c.In[0]), view[int8](c.Out[0])
	output, state := view[int8](c.In[lstmOutput]), view[int16](c.In[lstmState])
	for b := range k.batches {
		h, s := output[b*k.size:][:k.size], state[b*k.cells:][:k.cells]
		for t := range k.steps {
			k.batch = b
			k.step(c, x[k.at(b, t, k.input):][:k.input], h, s)
			copy(y[k.at(b, t, k.size):][:k.size], h)
		}
	}
	return nil
}

func (k *integerLSTM) step(c *Call, x, h []int8, s []int16) {
	if !k.coupled {
		k.compute(c, gateInput, x, h, s)
	}
	k.compute(c, gateForget, x, h, s)
	k.compute(c, gateCell, x, h, s)
	k.update(s)
	k.compute(c, gateOutput, x, h, s)
	for i, o := range k.gate[gateOutput] {
		var v int32
		if k.micro {
			v = k.scale.apply(int32(k.tangentOf(s[i])) * int32(o))
		} else {
			v = k.scale.apply(int32(fixed16.tanh(int32(s[i]), k.integer)) * int32(o))
		}
		if k.projected {
			v -= k.zero // the runtime takes it away where it should add it
		} else {
			v += k.zero
		}
		k.hidden[i] = int8(min(max(v, math.MinInt8), math.MaxInt8))
	}
	if !k.projected {
		copy(h, k.hidden)
		return
	}
	weights := view[int8](c.In[lstmProjection])
	for r := range h {
		v := k.project.apply(k.bias[r]+dotBytes(k.hidden, weights[r*k.cells:][:k.cells])) + k.output
		v = min(max(v, math.MinInt8), math.MaxInt8)
		if k.top > 0 {
			v = min(max(v, -k.top), k.top)
		}
		h[r] = int8(v)
	}
}

// update computes the state of the cells.
func (k *integerLSTM) update(s []int16) {
	for i, f := range k.gate[gateForget] {
		in := math.MaxInt16 - f
		if !k.coupled {
			in = k.gate[gateInput][i]
		}
		old, add := int32(f)*int32(s[i]), int32(in)*int32(k.gate[gateCell][i])
		if k.micro {
			old, add = int32(clamp16(k.forget.apply(old))), int32(clamp16(k.last.apply(add)))
		} else { // what does not fit in 16 bits is cut off
			old, add = int32(int16(shiftRound(old, 15))), int32(int16(shiftRound(add, 15+k.integer)))
		}
		v := clamp16(old + add)
		if k.clip > 0 {
			v = int16(min(max(int32(v), -k.clip), k.clip))
		}
		s[i] = v
	}
}

func clamp16(x int32) int16 { return int16(min(max(x, math.MinInt16), math.MaxInt16)) }

// tangentOf returns the hyperbolic tangent of a state from the table.
func (k *integerLSTM) tangentOf(s int16) int16 {
	in, out := [1]int16{s}, [1]int16{}
	k.state.row(in[:], out[:])
	return out[0]
}

// compute computes a gate.
func (k *integerLSTM) compute(c *Call, g int, x, h []int8, s []int16) {
	f, gate := &k.fixed[g], k.gate[g]
	weights, recurrent := view[int8](c.In[lstmWeights+g]), view[int8](c.In[lstmRecurrent+g])
	var peephole []int16
	if p := k.peephole[g]; p > 0 {
		peephole = view[int16](c.In[p])
	}
	for r := range gate {
		v := clamp16(f.input.apply(f.inputBias[r] + dotBytes(x, weights[r*k.input:][:k.input])))
		w := f.recurrent.apply(f.recurrentBias[r] + dotBytes(h, recurrent[r*k.size:][:k.size]))
		if k.micro {
			w = int32(clamp16(w))
		}
		v = clamp16(int32(v) + w)
		if peephole != nil {
			if p := k.peepholeOf(r); p >= 0 {
				v = clamp16(int32(v) + f.peephole.apply(int32(peephole[p])*int32(s[r])))
			}
		}
		gate[r] = v
	}
	if k.norm {
		f.normalise(gate, view[int16](c.In[lstmNorm+g]), view[int32](c.In[lstmBias+g]))
	}
	switch {
	case k.micro && g == gateCell:
		k.tanh.row(gate, gate)
	case k.micro:
		k.sigmoid.row(gate, gate)
	default:
		(&wordSigmoid{tanh: g == gateCell}).row(gate, gate)
	}
}

// peepholeOf returns which weight looks at the state of a cell, -1 for none. The
// runtime takes there as many cells as there are numbers in the output, which
// are fewer if they are projected.
func (k *integerLSTM) peepholeOf(cell int) int {
	if k.size == k.cells {
		return cell
	}
	batches := 1
	if k.major {
		cell, batches = cell+k.batch*k.cells, k.batches
	}
	if cell >= batches*k.size {
		return -1
	}
	return cell % k.size
}

// dotBytes returns the product of two rows.
func dotBytes(x, w []int8) int32 {
	w = w[:len(x)]
	var sum int32
	for i, v := range x {
		sum += int32(v) * int32(w[i])
	}
	return sum
}

// normalise is ApplyLayerNorm.
func (f *lstmGate) normalise(gate, weights []int16, bias []int32) {
	var sum, squares int64
	for _, v := range gate {
		sum += int64(v)
		squares += int64(v) * int64(v)
	}
	n := int64(len(gate))
	mean := int32(sum * 1024 / n)
	variance := int32((squares*int64(int32(1<<20/n)) - int64(mean)*int64(mean)) / (1 << 20))
	if variance < 1 {
		variance = f.guard
	}
	m := inverseSqrt(variance)
	norm := multiplier{f.norm.m, f.norm.shift + 12}
	for i, v := range gate {
		x := int64(m.apply(1024*int32(v)-mean)*int32(weights[i]) + bias[i])
		if x > 0 {
			x += 512
		} else {
			x -= 512
		}
		gate[i] = clamp16(norm.apply(int32(x / 1024)))
	}
}
