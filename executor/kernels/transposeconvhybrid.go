package kernels

// hybridSpread convolves float32 with integer weights: every image is quantised
// around a zero point, and every product is scaled back before it is added
// (reference_ops::HybridTransposeConv).
type hybridSpread struct {
	spread
	floatSums
	scales    []float32 // one for each channel, or one
	weights   *weights
	one       packing
	work      workspaces[int64]
	constant  bool   // the weights
	w         []int8 // in order
	quantised []int8
	images    []quantisedRow
	out       []float32
}

func newHybridSpread(n *Node, s spread, filter, bias *Tensor) (Kernel, error) {
	if n.Arithmetic == Micro {
		return nil, unsupported("float32 with weights of %v", filter.Type)
	}
	sums, err := newFloatSums(bias, s.outputs, n.Op.Attributes.Byte(3, 0))
	if err != nil {
		return nil, err
	}
	k := &hybridSpread{spread: s, floatSums: sums, one: newPacking(1, 1, 1), constant: filter.Constant != nil}
	if k.weights, err = newWeights(filter); err != nil {
		return nil, err
	}
	if k.scales = filter.Quant.Scale; k.weights.copied || len(k.scales) != 1 && len(k.scales) != s.outputs {
		return nil, unsupported("%d scales and zero point %d for %d channels", len(k.scales), k.weights.zero, s.outputs)
	}
	k.work.size = s.most
	return k, nil
}

// Run computes the convolution.
func (k *hybridSpread) Run(c *Call) error {
	if k.dynamic && !k.planned(c.In[0]) {
		return ErrDynamic
	}
	if k.hasBias {
		k.bias = view[float32](c.In[3])
	}
	x, w := view[float32](c.In[2]), view[int8](c.In[1])
	if k.out = view[float32](c.Out[0]); len(k.out) == 0 {
		return nil
	}
	if k.quantised == nil {
		k.quantised, k.images = make([]int8, len(x)), make([]quantisedRow, k.batch)
	}
	if k.w == nil || !k.constant {
		if k.w == nil {
			k.w = make([]int8, len(w))
		}
		reorder(&k.spread, k.w, w)
	}
	size := len(x) / k.batch
	for b := range k.images {
		k.images[b] = quantiseAsymmetric(x[b*size:][:size], k.quantised[b*size:][:size])
	}
	k.work.reserve(c.Pool.workers)
	c.Pool.Do(k, k.batch*k.y.in, k.x.in*k.outputs*k.phases[0].taps())
	return nil
}

// Range computes rows of the output.
func (k *hybridSpread) Range(low, high int) {
	m := k.work.take()
	defer k.work.give(m)
	size := k.y.out * k.x.out * k.depth
	for row := low; row < high; row++ {
		b := row / k.y.in
		x, image := k.quantised[b*size:][:size], k.images[b]
		for ox := range k.x.in {
			oy, px := row%k.y.in+k.y.pad, ox+k.x.pad
			p := &k.phases[oy%k.y.stride*k.x.stride+px%k.x.stride]
			taps := p.taps()
			gatherPacked(&p.convShape, x, int64(image.zero), oy/k.y.stride, px/k.x.stride, m[:taps], &k.one, 0)
			out := k.out[(row*k.x.in+ox)*k.outputs:][:k.outputs]
			for oc := range out {
				scale, sum := k.scales[min(oc, len(k.scales)-1)], float32(0)
				for i, w := range k.w[p.weights+oc*taps:][:taps] {
					sum += float32(float32(float32(m[i]*int64(w))*scale) * image.scale)
				}
				out[oc] = sum
			}
			k.finish(out, 0, out)
		}
	}
}
