package kernels

import "github.com/arenalab/arenalab/graph"

// integerDepthwise convolves integers.
type integerDepthwise[T int8 | uint8 | int16] struct {
	depthwiseSums[T]
	scale    *rescale
	biasType graph.DType
	loadBias bool
	out      []T
}

// depthwiseSums computes sums of integers.
type depthwiseSums[T int8 | uint8 | int16] struct {
	depthwise
	zero    int64
	weights *weights
	work    workspaces[int64]
	// of the running call
	x   []T
	w8  []int8
	w16 []int16
}

func (k *depthwiseSums[T]) prepare(d depthwise, zero int64, filter *Tensor) (err error) {
	k.depthwise, k.zero = d, zero
	k.work.size = d.outputs
	k.weights, err = newWeights(filter)
	return err
}

func newIntegerDepthwise[T int8 | uint8 | int16](n *Node, d depthwise, in, filter, bias, out *Tensor) (Kernel, error) {
	const wide = 0 // sums of 16-bit inputs have 64 bits, unless the bias has 32
	scale, err := newConvScale(n, in, filter, bias, out, d.outputs, n.Op.Attributes.Byte(4, 0), wide, inFixed)
	if err != nil {
		return nil, err
	}
	k := &integerDepthwise[T]{scale: scale}
	if bias != nil {
		k.biasType, k.loadBias = bias.Type, bias.Constant == nil
	}
	return k, k.prepare(d, in.Quant.ZeroPoint(0), filter)
}

// start makes the operands of a call ready.
func (k *depthwiseSums[T]) start(c *Call, x []T) {
	k.x = x
	k.w8, k.w16 = k.weights.load(c.In[1])
	k.work.reserve(c.Pool.workers)
}

// Run computes the convolution.
func (k *integerDepthwise[T]) Run(c *Call) error {
	if k.loadBias {
		k.scale.loadBias(k.biasType, c.In[2])
	}
	if k.out = view[T](c.Out[0]); len(k.out) > 0 {
		k.start(c, view[T](c.In[0]))
		c.Pool.Do(k, k.rows(), k.rowWork())
	}
	return nil
}

// Range computes rows of the output.
func (k *integerDepthwise[T]) Range(low, high int) {
	sums := k.work.take()
	defer k.work.give(sums)
	width := k.convShape.x.out
	for row := low; row < high; row++ {
		for ox := range width {
			k.position(row, ox, k.zero, sums)
			convert(k.scale, sums, 0, k.out[(row*width+ox)*k.outputs:])
		}
	}
}

// position computes the sums of all channels of one position.
func (k *depthwiseSums[T]) position(row, ox int, zero int64, sums []int64) {
	image := k.y.in * k.convShape.x.in * k.channels
	x := k.x[row/k.y.out*image:][:image]
	if k.w8 != nil {
		depthwisePosition(&k.depthwise, x, k.w8, row%k.y.out, ox, zero, sums)
	} else {
		depthwisePosition(&k.depthwise, x, k.w16, row%k.y.out, ox, zero, sums)
	}
}

func depthwisePosition[T int8 | uint8 | int16, W int8 | int16](k *depthwise, x []T, weights []W, oy, ox int, zero int64, sums []int64) {
	clear(sums)
	yLow, yHigh, y0 := k.y.taps(oy)
	xLow, xHigh, x0 := k.x.taps(ox)
	step := k.x.dilation * k.channels
	for fy := yLow; fy < yHigh; fy++ {
		from := ((y0+fy*k.y.dilation)*k.x.in+x0)*k.channels + xLow*step
		w := weights[(fy*k.x.filter+xLow)*k.outputs:]
		fx := xLow
		for ; k.multiplier == 1 && fx+3 <= xHigh; fx += 3 {
			depthwiseTaps3(sums, x[from:], step, w, zero)
			from, w = from+3*step, w[3*k.outputs:]
		}
		for ; fx < xHigh; fx++ {
			depthwiseTap(sums, x[from:][:k.channels], w[:k.outputs], zero, k.multiplier)
			from, w = from+step, w[k.outputs:]
		}
	}
}

// depthwiseTap adds one tap to the sums of all channels.
func depthwiseTap[T int8 | uint8 | int16, W int8 | int16](sums []int64, x []T, w []W, zero int64, multiplier int) {
	if multiplier == 1 {
		sums, w = sums[:len(x)], w[:len(x)]
		for i, v := range x {
			sums[i] += (int64(v) - zero) * int64(w[i])
		}
		return
	}
	for i, v := range x {
		s, u := sums[i*multiplier:][:multiplier], w[i*multiplier:][:multiplier]
		for m := range s {
			s[m] += (int64(v) - zero) * int64(u[m])
		}
	}
}

// depthwiseTaps3 adds three taps, whose inputs are step apart.
func depthwiseTaps3[T int8 | uint8 | int16, W int8 | int16](sums []int64, x []T, step int, w []W, zero int64) {
	n := len(sums)
	x0, x1, x2 := x[:n], x[step:][:n], x[2*step:][:n]
	w0, w1, w2 := w[:n], w[n:][:n], w[2*n:][:n]
	for i, s := range sums {
		s += (int64(x0[i]) - zero) * int64(w0[i])
		s += (int64(x1[i]) - zero) * int64(w1[i])
		s += (int64(x2[i]) - zero) * int64(w2[i])
		sums[i] = s
	}
}

// hybridDepthwise convolves float32 with integer weights: every image is
// quantised around a zero point.
type hybridDepthwise struct {
	depthwiseSums[int8]
	floatSums
	scales    []float32
	quantised []int8
	images    []quantisedRow
	out       []float32
}

func newHybridDepthwise(n *Node, d depthwise, filter, bias *Tensor, activation int8) (Kernel, error) {
	if n.Arithmetic == Micro {
		return nil, unsupported("float32 with weights of %v", filter.Type)
	}
	sums, err := newFloatSums(bias, d.outputs, activation)
	if err != nil {
		return nil, err
	}
	k := &hybridDepthwise{floatSums: sums}
	if err := k.prepare(d, 0, filter); err != nil {
		return nil, err
	}
	if k.scales = filter.Quant.Scale; len(k.scales) != d.outputs {
		return nil, invalid("%d scales for %d channels", len(k.scales), d.outputs)
	}
	return k, nil
}

// Run computes the convolution.
func (k *hybridDepthwise) Run(c *Call) error {
	k.floatSums.load(c)
	x := view[float32](c.In[0])
	if k.out = view[float32](c.Out[0]); len(k.out) == 0 {
		return nil
	}
	if k.quantised == nil {
		k.quantised, k.images = make([]int8, len(x)), make([]quantisedRow, k.batch)
	}
	size := len(x) / k.batch
	for b := range k.images {
		k.images[b] = quantiseAsymmetric(x[b*size:][:size], k.quantised[b*size:][:size])
	}
	k.start(c, k.quantised)
	c.Pool.Do(k, k.rows(), k.rowWork())
	return nil
}

// Range computes rows of the output.
func (k *hybridDepthwise) Range(low, high int) {
	sums := k.work.take()
	defer k.work.give(sums)
	width := k.convShape.x.out
	for row := low; row < high; row++ {
		image := k.images[row/k.y.out]
		for ox := range width {
			k.position(row, ox, int64(image.zero), sums)
			out := k.out[(row*width+ox)*k.outputs:][:len(sums)]
			for i, s := range sums {
				v := float32(int32(s)) * float32(k.scales[i]*image.scale)
				if k.hasBias {
					v = float32(v) + k.bias[i]
				}
				out[i] = clampFloat(v, k.low, k.high)
			}
		}
	}
}
