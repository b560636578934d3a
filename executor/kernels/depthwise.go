package kernels

import "github.com/arenalab/arenalab/graph"

// Depthwise convolutions: every channel of the input has filters of its own,
// the outputs of channel c are those from c*multiplier on. K/depthwise_conv.cc,
// R/depthwiseconv_float.h, R/depthwiseconv_uint8.h and
// R/integer_ops/depthwise_conv.h of google-ai-edge/LiteRT at f67457790c9c. All
// channels of a position are added up at once, tap by tap, which for each of
// them is the order of the reference.

func depthwiseFamily() map[string]prepare {
	return map[string]prepare{"DEPTHWISE_CONV_2D": prepareDepthwise}
}

func prepareDepthwise(n *Node) (Kernel, error) {
	in, filter, bias, out, err := convOperands(n, 4)
	if err != nil {
		return nil, err
	}
	a := &n.Op.Attributes
	s := convShape{batch: in.Shape[0], channels: in.Shape[3], outputs: filter.Shape[3], depth: 1}
	if s.y, err = newConvAxis(in.Shape[1], filter.Shape[1], a.Int(2, 0), a.Int(6, 1), a.Byte(0, 0)); err != nil {
		return nil, err
	}
	if s.x, err = newConvAxis(in.Shape[2], filter.Shape[2], a.Int(1, 0), a.Int(5, 1), a.Byte(0, 0)); err != nil {
		return nil, err
	}
	if s.channels <= 0 || s.outputs <= 0 || s.outputs%s.channels != 0 || filter.Shape[0] != 1 {
		return nil, invalid("filter of shape %v for %d channels", filter.Shape, s.channels)
	}
	if s.outputs > maxChannels {
		return nil, unsupported("%d channels", s.outputs)
	}
	if err := s.check(out); err != nil {
		return nil, err
	}
	if in.Type != out.Type {
		return nil, invalid("%v becomes %v", in.Type, out.Type)
	}
	s.groups = s.channels
	d := depthwise{convShape: s, multiplier: s.outputs / s.channels}
	small := filter.Type == graph.Int8 || filter.Type == graph.Int4
	switch {
	case in.Type == graph.Float32 && filter.Type == graph.Float32:
		return newFloatDepthwise(d, bias, a.Byte(4, 0))
	case in.Type == graph.Float32 && filter.Type == graph.Int8:
		return newHybridDepthwise(n, d, filter, bias, a.Byte(4, 0))
	case in.Type == graph.Uint8 && filter.Type == graph.Uint8:
		return newIntegerDepthwise[uint8](n, d, in, filter, bias, out)
	case in.Type == graph.Int8 && small:
		return newIntegerDepthwise[int8](n, d, in, filter, bias, out)
	case in.Type == graph.Int16 && filter.Type == graph.Int8:
		return newIntegerDepthwise[int16](n, d, in, filter, bias, out)
	}
	return nil, unsupported("depthwise convolution of %v with %v", in.Type, filter.Type)
}

// depthwise is what the kernels share.
type depthwise struct {
	convShape
	multiplier int
}

// rowWork returns the operations of a row of the output.
func (d *depthwise) rowWork() int {
	return 2 * d.convShape.x.out * d.outputs * d.y.filter * d.convShape.x.filter
}

// floatDepthwise convolves float32.
type floatDepthwise struct {
	depthwise
	floatSums
	work      workspaces[float32]
	x, w, out []float32
}

func newFloatDepthwise(d depthwise, bias *Tensor, activation int8) (Kernel, error) {
	sums, err := newFloatSums(bias, d.outputs, activation)
	if err != nil {
		return nil, err
	}
	k := &floatDepthwise{depthwise: d, floatSums: sums}
	k.work.size = d.outputs
	return k, nil
}

// Run computes the convolution.
func (k *floatDepthwise) Run(c *Call) error {
	k.load(c)
	k.x, k.w, k.out = view[float32](c.In[0]), view[float32](c.In[1]), view[float32](c.Out[0])
	if len(k.out) > 0 {
		k.work.reserve(c.Pool.workers)
		c.Pool.Do(k, k.rows(), k.rowWork())
	}
	return nil
}

// Range computes rows of the output.
func (k *floatDepthwise) Range(low, high int) {
	sums := k.work.take()
	defer k.work.give(sums)
	width := k.convShape.x.out
	image := k.y.in * k.convShape.x.in * k.channels
	for row := low; row < high; row++ {
		x := k.x[row/k.y.out*image:][:image]
		for ox := range width {
			k.position(x, row%k.y.out, ox, sums)
			k.finish(sums, 0, k.out[(row*width+ox)*k.outputs:])
		}
	}
}

// position computes the sums of all channels of one position.
func (k *floatDepthwise) position(x []float32, oy, ox int, sums []float32) {
	clear(sums)
	yLow, yHigh, y0 := k.y.taps(oy)
	xLow, xHigh, x0 := k.convShape.x.taps(ox)
	step := k.convShape.x.dilation * k.channels
	for fy := yLow; fy < yHigh; fy++ {
		from := ((y0+fy*k.y.dilation)*k.convShape.x.in+x0)*k.channels + xLow*step
		w := k.w[(fy*k.convShape.x.filter+xLow)*k.outputs:]
		fx := xLow
		for ; k.multiplier == 1 && fx+3 <= xHigh; fx += 3 {
			depthwiseFloat3(sums, x[from:], step, w)
			from, w = from+3*step, w[3*k.outputs:]
		}
		for ; fx < xHigh; fx++ {
			depthwiseFloat(sums, x[from:][:k.channels], w[:k.outputs], k.multiplier)
			from, w = from+step, w[k.outputs:]
		}
	}
}

// depthwiseFloat adds one tap to the sums of all channels.
func depthwiseFloat(sums, x, w []float32, multiplier int) {
	if multiplier == 1 {
		sums, w = sums[:len(x)], w[:len(x)]
		for i, v := range x {
			sums[i] += float32(v * w[i])
		}
		return
	}
	for i, v := range x {
		s, u := sums[i*multiplier:][:multiplier], w[i*multiplier:][:multiplier]
		for m := range s {
			s[m] += float32(v * u[m])
		}
	}
}

// depthwiseFloat3 adds three taps, whose inputs are step apart.
func depthwiseFloat3(sums, x []float32, step int, w []float32) {
	n := len(sums)
	x0, x1, x2 := x[:n], x[step:][:n], x[2*step:][:n]
	w0, w1, w2 := w[:n], w[n:][:n], w[2*n:][:n]
	for i, s := range sums {
		s += float32(x0[i] * w0[i])
		s += float32(x1[i] * w1[i])
		s += float32(x2[i] * w2[i])
		sums[i] = s
	}
}
