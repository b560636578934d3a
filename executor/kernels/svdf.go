package kernels

import "github.com/arenalab/arenalab/graph"

// Singular value decomposition filters: R/svdf.h and K/svdf.cc of
// google-ai-edge/LiteRT at f67457790c9c, M/kernels/svdf_common.cc of
// tensorflow/tflite-micro at 90b983c. Each filter makes one number of the
// input, remembers the last of them, and weighs what it remembers; a few filters
// are added up to a unit.

func svdfFamily() map[string]prepare {
	return map[string]prepare{"SVDF": prepareSVDF}
}

// svdf is what all of them have.
type svdf struct {
	batches, input, filters, memory, rank int
}

func prepareSVDF(n *Node) (Kernel, error) {
	var in [5]*Tensor
	for i := range in {
		var err error
		if in[i], err = n.in(i); err != nil && i != 3 {
			return nil, err
		}
	}
	out, err := n.out(0)
	if err != nil {
		return nil, err
	}
	x, feature, time, bias, state := in[0], in[1], in[2], in[3], in[4]
	if len(x.Shape) != 2 || len(feature.Shape) != 2 || len(time.Shape) != 2 {
		return nil, invalid("shapes %v, %v and %v", x.Shape, feature.Shape, time.Shape)
	}
	k := svdf{x.Shape[0], x.Shape[1], feature.Shape[0], time.Shape[1], int(n.Op.Attributes.Int(0, 0))}
	if k.rank < 1 || k.filters%k.rank != 0 || k.memory < 1 || feature.Shape[1] != k.input || time.Shape[0] != k.filters {
		return nil, invalid("%d filters of rank %d, shapes %v, %v and %v", k.filters, k.rank, x.Shape, feature.Shape, time.Shape)
	}
	units := k.filters / k.rank
	if bias != nil && (len(bias.Shape) != 1 || bias.Shape[0] < units) {
		return nil, invalid("bias of shape %v for %d units", bias.Shape, units)
	}
	if state.Elements() != k.batches*k.filters*k.memory || state.Constant != nil {
		return nil, invalid("state of shape %v", state.Shape)
	}
	if err := convResult(out, k.batches, units); err != nil {
		return nil, err
	}
	floats := bias == nil || bias.Type == graph.Float32
	for _, t := range []*Tensor{x, state, out} {
		floats = floats && t.Type == graph.Float32
	}
	if floats {
		return newFloatSVDF(n, k, feature, time)
	}
	if state.Type == graph.Int8 && n.Arithmetic == Micro {
		return newIntegerSVDF[int8](k, x, feature, time, bias, state, out)
	}
	return newIntegerSVDF[int16](k, x, feature, time, bias, state, out)
}

type svdfFloat struct {
	svdf
	low, high float32
	micro     bool // begins sums with the bias

	// If weights are integers, the input is quantised by the range of its numbers.
	hybrid, asymmetric bool
	scale              float32
	sums               []int32   // of the rows of weights, if asymmetric
	time               []float32 // weights
	numbers            []int8
}

func newFloatSVDF(n *Node, s svdf, feature, time *Tensor) (Kernel, error) {
	k := &svdfFloat{svdf: s, micro: n.Arithmetic == Micro, hybrid: feature.Type == graph.Int8, asymmetric: n.Op.Attributes.Bool(2, false)}
	var err error
	if k.low, k.high, err = floatClamp(n.Op.Attributes.Byte(1, 0)); err != nil {
		return nil, err
	}
	if feature.Type != time.Type || !k.hybrid && feature.Type != graph.Float32 || k.hybrid && n.Arithmetic == Micro {
		return nil, unsupported("weights of %v and %v", feature.Type, time.Type)
	}
	if !k.hybrid {
		return k, nil
	}
	if !oneScale(feature) || !oneScale(time) {
		return nil, invalid("weights have no single scale")
	}
	if feature.Constant == nil || time.Constant == nil {
		return nil, unsupported("weights computed at run time")
	}
	if err := working(s.input); err != nil {
		return nil, err
	}
	k.scale, k.sums, k.numbers = feature.Quant.Scale[0], foldZero(feature, nil, 1), make([]int8, s.input)
	for _, v := range view[int8](time.Constant)[:time.Elements()] {
		k.time = append(k.time, float32(v)*time.Quant.Scale[0])
	}
	return k, nil
}

// latest computes the numbers that filters make of an input.
func (k *svdfFloat) latest(c *Call, x, memory []float32) {
	if !k.hybrid {
		feature := view[float32](c.In[1])
		for f := range k.filters {
			memory[(f+1)*k.memory-1] = dotFloat(x, feature[f*k.input:][:k.input])
		}
		return
	}
	feature, row := view[int8](c.In[1]), quantisedRow{}
	if k.asymmetric {
		row = quantiseAsymmetric(x, k.numbers)
	} else {
		row = quantiseSymmetric(x, k.numbers)
	}
	scale := row.scale * k.scale
	for f := range k.filters {
		dot := dotBytes(k.numbers, feature[f*k.input:][:k.input]) - row.zero*k.sums[f]
		memory[(f+1)*k.memory-1] = float32(dot) * scale
	}
}

// remember moves the numbers of all filters on by one. The first of each takes
// the last of the next, which is then overwritten.
func remember[T number](state []T) {
	if len(state) > 0 {
		copy(state, state[1:])
	}
}

// Run computes.
func (k *svdfFloat) Run(c *Call) error {
	x, time := view[float32](c.In[0]), k.time
	if !k.hybrid {
		time = view[float32](c.In[2])
	}
	state, out := view[float32](c.In[4]), view[float32](c.Out[0])
	bias := view[float32](c.In[3])
	remember(state)
	for b := range k.batches {
		row, memory := x[b*k.input:][:k.input], state[b*k.filters*k.memory:]
		k.latest(c, row, memory)
		for u := range k.filters / k.rank {
			var sum float32
			if bias != nil && k.micro {
				sum = bias[u]
			}
			for f := u * k.rank; f < (u+1)*k.rank; f++ {
				sum += dotFloat(time[f*k.memory:][:k.memory], memory[f*k.memory:][:k.memory])
			}
			if bias != nil && !k.micro {
				sum += bias[u]
			}
			out[b*k.filters/k.rank+u] = min(max(sum, k.low), k.high)
		}
	}
	return nil
}
