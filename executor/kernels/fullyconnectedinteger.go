package kernels

import "github.com/arenalab/arenalab/graph"

// integerDense multiplies integers.
type integerDense[T int8 | uint8 | int16] struct {
	packedDense[T]
	scale    *rescale
	biasType graph.DType
	loadBias bool
	out8     []int8 // one of the three is the result
	outU8    []uint8
	out16    []int16
	outType  graph.DType
}

// packedDense packs the rows of the input and multiplies them with weights.
type packedDense[T int8 | uint8 | int16] struct {
	denseShape
	zero    int64
	packing packing
	weights *weights
	work    workspaces[int64]
	inputs  []int64 // packed
	w8      []int8
	w16     []int16
}

func (k *packedDense[T]) prepare(s denseShape, in graph.DType, filter *Tensor) (err error) {
	k.denseShape = s
	if k.weights, err = newWeights(filter); err != nil {
		return err
	}
	k.packing = newPacking(s.rows, mostOf(in, k.zero), k.weights.most())
	k.work.size = k.packing.tile() * channelBlock
	return nil
}

// newIntegerDense prepares a layer of integers. LiteRT rescales 16 bits in
// float64, in its default kernels only if sums have 64, and never if the
// weights have 16 bits too. XNNPACK takes weights of four bits in rows of whole
// bytes.
func newIntegerDense[T int8 | uint8 | int16](n *Node, s denseShape, in, filter, bias, out *Tensor) (Kernel, error) {
	if filter.Quant == nil {
		return nil, invalid("weights without quantisation")
	}
	a := &n.Op.Attributes
	perTensor := len(filter.Quant.Scale) == 1
	wide := wideSums(in, bias, a.Byte(4, 0)) || filter.Type == graph.Int16
	how := rescalingOf(n, in, filter, bias, inFloat64, inFixedUpward)
	if filter.Type == graph.Int16 || n.Arithmetic == Single && in.Type == graph.Int16 && !wide {
		how = inFixed
	}
	if n.Arithmetic == Single && filter.Type == graph.Int4 && filter.Constant != nil && s.depth%2 == 0 {
		how = inFloat32
	}
	scale, err := newRescale(how, wide, perTensor, in, filter, out, s.channels, a.Byte(0, 0))
	if err != nil {
		return nil, err
	}
	if err := scale.prepareBias(bias, s.channels); err != nil {
		return nil, err
	}
	k := &integerDense[T]{scale: scale, outType: out.Type}
	if bias != nil {
		k.biasType, k.loadBias = bias.Type, bias.Constant == nil
	}
	k.zero = in.Quant.ZeroPoint(0)
	return k, k.prepare(s, in.Type, filter)
}

// Run computes the layer.
func (k *integerDense[T]) Run(c *Call) error {
	if k.loadBias {
		k.scale.loadBias(k.biasType, c.In[2])
	}
	switch k.outType {
	case graph.Int8:
		k.out8 = view[int8](c.Out[0])
	case graph.Uint8:
		k.outU8 = c.Out[0]
	default:
		k.out16 = view[int16](c.Out[0])
	}
	if k.rows > 0 {
		k.start(c)
		k.pack(view[T](c.In[0]), nil)
		c.Pool.Do(k, k.channels, k.rows*k.depth)
	}
	return nil
}

// start makes the weights and the memory of a call ready.
func (k *packedDense[T]) start(c *Call) {
	k.w8, k.w16 = k.weights.load(c.In[1])
	k.work.reserve(c.Pool.workers)
	if k.inputs == nil {
		k.inputs = make([]int64, k.packing.rows(k.rows)*k.depth)
	}
}

// pack packs the rows of the input, less the zero point of all or of each.
func (k *packedDense[T]) pack(x []T, each []quantisedRow) {
	zero := k.zero
	for r := range k.rows {
		if each != nil {
			zero = int64(each[r].zero)
		}
		pack(&k.packing, r, k.inputs[r/k.packing.lanes*k.depth:][:k.depth], x[r*k.depth:][:k.depth], zero)
	}
}

// Range computes channels of all rows.
func (k *integerDense[T]) Range(low, high int) {
	m := k.work.take()
	defer k.work.give(m)
	step := k.packing.tile()
	for first := low; first < high; first += channelBlock {
		count := min(channelBlock, high-first)
		for row := 0; row < k.rows; row += step {
			n := min(step, k.rows-row)
			k.tile(m, row, n, first, count)
			for p := range n {
				k.store(m[p*channelBlock:][:count], first, (row+p)*k.channels+first)
			}
		}
	}
}

// store writes sums of consecutive channels, rescaled.
func (k *integerDense[T]) store(sums []int64, first, at int) {
	switch k.outType {
	case graph.Int8:
		convert(k.scale, sums, first, k.out8[at:])
	case graph.Uint8:
		convert(k.scale, sums, first, k.outU8[at:])
	default:
		convert(k.scale, sums, first, k.out16[at:])
	}
}

// tile computes the sums of n rows for some channels: those of a row begin
// channelBlock after those of the one before.
func (k *packedDense[T]) tile(sums []int64, row, n, first, count int) {
	p := &k.packing
	x := k.inputs[row/p.lanes*k.depth:]
	var x1 []int64
	if n > p.lanes {
		x1 = x[k.depth:][:k.depth]
	}
	if k.w8 != nil {
		dotTile(p, x[:k.depth], x1, k.w8[first*k.depth:][:count*k.depth], sums, channelBlock, count)
	} else {
		dotTile(p, x[:k.depth], x1, k.w16[first*k.depth:][:count*k.depth], sums, channelBlock, count)
	}
}

// hybridDense multiplies float32 with integer weights: every row is quantised
// by the range of its numbers, the sums are scaled back and added to the bias.
type hybridDense struct {
	packedDense[int8]
	floatSums
	asymmetric bool
	scales     []float32
	quantised  []int8
	each       []quantisedRow
	out        []float32
}

func newHybridDense(n *Node, s denseShape, filter, bias *Tensor) (Kernel, error) {
	if n.Arithmetic == Micro {
		return nil, unsupported("float32 with weights of %v", filter.Type)
	}
	sums, err := newFloatSums(bias, s.channels, n.Op.Attributes.Byte(0, 0))
	if err != nil {
		return nil, err
	}
	k := &hybridDense{floatSums: sums, asymmetric: n.Op.Attributes.Bool(3, false)}
	k.zero = farthestZero
	if err := k.prepare(s, graph.Int8, filter); err != nil {
		return nil, err
	}
	if k.weights.copied {
		return nil, unsupported("weights with a zero point")
	}
	if k.scales = filter.Quant.Scale; len(k.scales) != 1 && len(k.scales) != s.channels {
		return nil, invalid("%d scales for %d channels", len(k.scales), s.channels)
	}
	return k, nil
}

// Run computes the layer.
func (k *hybridDense) Run(c *Call) error {
	k.floatSums.load(c)
	x := view[float32](c.In[0])
	if k.out = view[float32](c.Out[0]); len(k.out) == 0 {
		return nil
	}
	if k.quantised == nil {
		k.quantised, k.each = make([]int8, len(x)), make([]quantisedRow, k.rows)
	}
	for r := range k.each {
		from, to := x[r*k.depth:][:k.depth], k.quantised[r*k.depth:][:k.depth]
		if k.asymmetric {
			k.each[r] = quantiseAsymmetric(from, to)
		} else {
			k.each[r] = quantiseSymmetric(from, to)
		}
	}
	k.start(c)
	k.pack(k.quantised, k.each)
	c.Pool.Do(k, k.channels, k.rows*k.depth)
	return nil
}

// Range computes channels of all rows.
func (k *hybridDense) Range(low, high int) {
	m := k.work.take()
	defer k.work.give(m)
	step := k.packing.tile()
	for first := low; first < high; first += channelBlock {
		count := min(channelBlock, high-first)
		for row := 0; row < k.rows; row += step {
			n := min(step, k.rows-row)
			k.tile(m, row, n, first, count)
			for p := range n {
				k.scaleBack(m[p*channelBlock:][:count], first, k.each[row+p].scale, k.out[(row+p)*k.channels+first:])
			}
		}
	}
}

// scaleBack writes what the sums of consecutive channels stand for.
func (k *hybridDense) scaleBack(sums []int64, first int, scale float32, out []float32) {
	out = out[:len(sums)]
	for i, s := range sums {
		v := float32(float32(int32(s)) * float32(scale*k.scales[min(first+i, len(k.scales)-1)]))
		if k.hasBias {
			v += k.bias[first+i]
		}
		out[i] = clampFloat(v, k.low, k.high)
	}
}
