package kernels

import "github.com/arenalab/arenalab/graph"

// integerSpread convolves integers.
type integerSpread[T int8 | uint8 | int16] struct {
	spread
	zero     int64
	packing  packing
	weights  *weights
	scale    *rescale
	biasType graph.DType
	loadBias bool
	constant bool // the weights, once they are in order
	work     workspaces[int64]
	w8       []int8 // in order, if weights have eight bits
	w16      []int16
	in, out  []T
}

func newIntegerSpread[T int8 | uint8 | int16](n *Node, s spread, in, filter, bias, out *Tensor) (Kernel, error) {
	a := &n.Op.Attributes
	ruy := inFixed
	if in.Type == graph.Uint8 {
		ruy = inFixedUpward
	}
	how := rescalingOf(n, in, filter, bias, inFixed, ruy)
	if how == inFloat32 && !s.delegated(a.Byte(0, 0)) {
		how = ruy
	}
	scale, err := newLayerScale(how, in, filter, bias, out, s.outputs, a.Byte(3, 0), a.Byte(4, 0))
	if err != nil {
		return nil, err
	}
	k := &integerSpread[T]{spread: s, scale: scale, zero: in.Quant.ZeroPoint(0), constant: filter.Constant != nil}
	if bias != nil {
		k.biasType, k.loadBias = bias.Type, bias.Constant == nil
	}
	if k.weights, err = newWeights(filter); err != nil {
		return nil, err
	}
	k.packing = newPacking((s.x.in+s.x.stride-1)/s.x.stride, mostOf(in.Type, k.zero), k.weights.most())
	k.work.size = tileRows * (s.most + k.packing.lanes*s.outputs)
	return k, nil
}

// delegated reports whether XNNPACK takes the convolution: unless the inputs, as
// far apart as the strides say, leave an end of the output to itself.
func (s *spread) delegated(padding int8) bool {
	short := func(a *convAxis) bool { return (a.out-1)*a.stride+a.filter < a.in }
	return padding != paddingSame || !short(&s.y) && !short(&s.x)
}

// Run computes the convolution.
func (k *integerSpread[T]) Run(c *Call) error {
	if k.dynamic && !k.planned(c.In[0]) {
		return ErrDynamic
	}
	if k.loadBias {
		k.scale.loadBias(k.biasType, c.In[3])
	}
	if k.w8 == nil && k.w16 == nil || !k.constant {
		k.order(c.In[1])
	}
	if k.in, k.out = view[T](c.In[2]), view[T](c.Out[0]); len(k.out) > 0 {
		k.work.reserve(c.Pool.workers)
		c.Pool.Do(k, k.batch*k.y.in, k.x.in*k.outputs*k.phases[0].taps())
	}
	return nil
}

// order puts the weights in the order of phases.
func (k *integerSpread[T]) order(data []byte) {
	w8, w16 := k.weights.load(data)
	if w8 != nil {
		if k.w8 == nil {
			k.w8 = make([]int8, len(w8))
		}
		reorder(&k.spread, k.w8, w8)
		return
	}
	if k.w16 == nil {
		k.w16 = make([]int16, len(w16))
	}
	reorder(&k.spread, k.w16, w16)
}

// Range computes rows of the output, phase by phase.
func (k *integerSpread[T]) Range(low, high int) {
	m := k.work.take()
	defer k.work.give(m)
	image := k.y.out * k.x.out * k.depth
	for row := low; row < high; row++ {
		x := k.in[row/k.y.in*image:][:image]
		oy := row%k.y.in + k.y.pad
		for px := range k.x.stride {
			p := &k.phases[oy%k.y.stride*k.x.stride+px]
			first := (px - k.x.pad%k.x.stride + k.x.stride) % k.x.stride
			for ox := first; ox < k.x.in; ox += k.packing.tile() * k.x.stride {
				k.tile(p, x, m, oy/k.y.stride, ox, row)
			}
		}
	}
}

// tile computes some positions of a phase, from ox on.
func (k *integerSpread[T]) tile(p *phase, x []T, m []int64, qy, ox, row int) {
	taps, pack := p.taps(), &k.packing
	rows, sums := m[:tileRows*taps], m[tileRows*k.most:]
	n := min(pack.tile(), (k.x.in-ox+k.x.stride-1)/k.x.stride)
	for i := range n {
		gatherPacked(&p.convShape, x, k.zero, qy, (ox+k.x.pad)/k.x.stride+i, rows[i/pack.lanes*taps:][:taps], pack, i)
	}
	x0, x1 := rows[:taps], rows[taps:]
	if n <= pack.lanes {
		x1 = nil
	}
	if k.w8 != nil {
		dotTile(pack, x0, x1, k.w8[p.weights:][:k.outputs*taps], sums, k.outputs, k.outputs)
	} else {
		dotTile(pack, x0, x1, k.w16[p.weights:][:k.outputs*taps], sums, k.outputs, k.outputs)
	}
	for i := range n {
		convert(k.scale, sums[i*k.outputs:][:k.outputs], 0, k.out[(row*k.x.in+ox+i*k.x.stride)*k.outputs:])
	}
}
