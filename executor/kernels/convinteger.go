package kernels

import "github.com/arenalab/arenalab/graph"

// integerConv convolves integers.
type integerConv[T int8 | uint8 | int16] struct {
	packedConv[T]
	scale    *rescale
	biasType graph.DType
	loadBias bool // it is not constant
	out      []T
}

// packedConv is what convolutions with sums of integers share: the inputs less
// their zero point, packed, times the weights.
type packedConv[T int8 | uint8 | int16] struct {
	convShape
	zero    int64
	packing packing
	weights *weights
	work    workspaces[int64]
	// of the running call
	x   []T
	w8  []int8
	w16 []int16
}

// prepare checks the filter and sets sizes.
func (k *packedConv[T]) prepare(s convShape, in graph.DType, zero int64, filter *Tensor) (err error) {
	k.convShape, k.zero = s, zero
	if k.weights, err = newWeights(filter); err != nil {
		return err
	}
	k.packing = newPacking(s.x.out, mostOf(in, k.zero), k.weights.most())
	k.work.size = tileRows * (s.groups*s.taps() + k.packing.lanes*s.outputs)
	return nil
}

// newIntegerConv prepares a convolution whose input and output are integers.
func newIntegerConv[T int8 | uint8 | int16](n *Node, s convShape, in, filter, bias, out *Tensor) (Kernel, error) {
	ruy := inFixedUpward
	if s.groups > 1 {
		ruy = inFixed
	}
	a := &n.Op.Attributes
	scale, err := newConvScale(n, in, filter, bias, out, s.outputs, a.Byte(3, 0), a.Byte(6, 0), ruy)
	if err != nil {
		return nil, err
	}
	k := &integerConv[T]{scale: scale}
	if bias != nil {
		k.biasType, k.loadBias = bias.Type, bias.Constant == nil
	}
	return k, k.prepare(s, in.Type, in.Quant.ZeroPoint(0), filter)
}

// newConvScale prepares the rescaling of convolutions, in fixed point but where
// XNNPACK computes them. LiteRT hands those of one group to ruy otherwise.
func newConvScale(n *Node, in, filter, bias, out *Tensor, channels int, activation, biasType int8, ruy rescaling) (*rescale, error) {
	return newLayerScale(rescalingOf(n, in, filter, bias, inFixed, ruy), in, filter, bias, out, channels, activation, biasType)
}

// newLayerScale prepares rescaling and bias.
func newLayerScale(how rescaling, in, filter, bias, out *Tensor, channels int, activation, biasType int8) (*rescale, error) {
	scale, err := newRescale(how, wideSums(in, bias, biasType), in.Type == graph.Uint8, in, filter, out, channels, activation)
	if err != nil {
		return nil, err
	}
	return scale, scale.prepareBias(bias, channels)
}

// start makes the operands of a call ready.
func (k *packedConv[T]) start(c *Call, x []T) {
	k.x = x
	k.w8, k.w16 = k.weights.load(c.In[1])
	k.work.reserve(c.Pool.workers)
}

// Run computes the convolution.
func (k *integerConv[T]) Run(c *Call) error {
	if k.loadBias {
		k.scale.loadBias(k.biasType, c.In[2])
	}
	if k.out = view[T](c.Out[0]); len(k.out) > 0 {
		k.start(c, view[T](c.In[0]))
		c.Pool.Do(k, k.rows(), k.convShape.x.out*k.outputs*k.taps())
	}
	return nil
}

// Range computes rows of the output.
func (k *integerConv[T]) Range(low, high int) {
	m := k.work.take()
	defer k.work.give(m)
	width := k.convShape.x.out
	for row := low; row < high; row++ {
		for ox := 0; ox < width; ox += k.packing.tile() {
			n := min(k.packing.tile(), width-ox)
			sums := k.tile(m, row, ox, n, k.zero)
			for p := range n {
				convert(k.scale, sums[p*k.outputs:][:k.outputs], 0, k.out[(row*width+ox+p)*k.outputs:])
			}
		}
	}
}

// tile returns the sums of n positions of a row of the output, position by
// position.
func (k *packedConv[T]) tile(m []int64, row, ox, n int, zero int64) []int64 {
	taps, filters, p := k.taps(), k.outputs/k.groups, &k.packing
	size := k.groups * taps
	rows, sums := m[:tileRows*size], m[tileRows*size:]
	image := k.y.in * k.convShape.x.in * k.channels
	x := k.x[row/k.y.out*image:][:image]
	for i := range n {
		gatherPacked(&k.convShape, x, zero, row%k.y.out, ox+i, rows[i/p.lanes*size:][:size], p, i)
	}
	for g := range k.groups {
		x0, x1 := rows[g*taps:][:taps], rows[size+g*taps:][:taps]
		if n <= p.lanes {
			x1 = nil
		}
		if from := g * filters; k.w8 != nil {
			dotTile(p, x0, x1, k.w8[from*taps:][:filters*taps], sums[from:], k.outputs, filters)
		} else {
			dotTile(p, x0, x1, k.w16[from*taps:][:filters*taps], sums[from:], k.outputs, filters)
		}
	}
	return sums
}
