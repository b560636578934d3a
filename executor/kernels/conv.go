package kernels

import "github.com/arenalab/arenalab/graph"

// Convolutions over images: K/conv.cc, R/conv.h and R/integer_ops/conv.h of
// google-ai-edge/LiteRT at f67457790c9c. A filter sees the channels of one
// group. Float sums go over rows, columns and channels of the filter in this
// order, the bias last. Departure: where weights are not finite, taps outside
// the image give NaN, for they count as zeros here.

func convFamily() map[string]prepare {
	return map[string]prepare{"CONV_2D": prepareConv2D}
}

// maxChannels bounds the channels of a result, for each of which a kernel keeps
// a few numbers.
const maxChannels = 1 << 20

// maxTaps bounds what goes into one element of a result, for which there is
// working memory.
const maxTaps = 1 << 24

func prepareConv2D(n *Node) (Kernel, error) {
	in, filter, bias, out, err := convOperands(n, 4)
	if err != nil {
		return nil, err
	}
	a := &n.Op.Attributes
	s := convShape{batch: in.Shape[0], channels: in.Shape[3], outputs: filter.Shape[0], depth: filter.Shape[3]}
	if s.y, err = newConvAxis(in.Shape[1], filter.Shape[1], a.Int(2, 0), a.Int(5, 1), a.Byte(0, 0)); err != nil {
		return nil, err
	}
	if s.x, err = newConvAxis(in.Shape[2], filter.Shape[2], a.Int(1, 0), a.Int(4, 1), a.Byte(0, 0)); err != nil {
		return nil, err
	}
	if s.channels <= 0 || s.depth <= 0 || s.channels%s.depth != 0 {
		return nil, invalid("filter over %d of %d channels", s.depth, s.channels)
	}
	s.groups = s.channels / s.depth
	if s.outputs <= 0 || s.outputs%s.groups != 0 {
		return nil, invalid("%d filters in %d groups", s.outputs, s.groups)
	}
	if s.outputs > maxChannels || s.groups*s.taps() > maxTaps {
		return nil, unsupported("filter of shape %v", filter.Shape)
	}
	if err := s.check(out); err != nil {
		return nil, err
	}
	if in.Type != out.Type {
		return nil, invalid("%v becomes %v", in.Type, out.Type)
	}
	return newConv(n, s, in, filter, bias, out)
}

// newConv chooses the kernel by element types.
func newConv(n *Node, s convShape, in, filter, bias, out *Tensor) (Kernel, error) {
	a := &n.Op.Attributes
	switch {
	case in.Type == graph.Float32 && filter.Type == graph.Float32:
		return newFloatConv(s, bias, a.Byte(3, 0))
	case in.Type == graph.Float32 && (filter.Type == graph.Int8 || filter.Type == graph.Int4):
		return newHybridConv(n, s, filter, bias, a.Byte(3, 0))
	case in.Type == graph.Uint8 && filter.Type == graph.Uint8:
		return newIntegerConv[uint8](n, s, in, filter, bias, out)
	case in.Type == graph.Int8 && (filter.Type == graph.Int8 || filter.Type == graph.Int4):
		return newIntegerConv[int8](n, s, in, filter, bias, out)
	case in.Type == graph.Int16 && (filter.Type == graph.Int8 || filter.Type == graph.Int4):
		return newIntegerConv[int16](n, s, in, filter, bias, out)
	}
	return nil, unsupported("convolution of %v with %v", in.Type, filter.Type)
}

// floatConv convolves float32.
type floatConv struct {
	convShape
	floatSums
	work workspaces[float32]
	// of the running call
	x, w, out []float32
}

// floatSums is what happens to a float sum: the bias is added, then it is
// clamped.
type floatSums struct {
	hasBias   bool
	bias      []float32
	low, high float32
}

// newFloatSums checks the bias and the fused activation of float layers.
func newFloatSums(bias *Tensor, channels int, activation int8) (floatSums, error) {
	var f floatSums
	var err error
	if f.low, f.high, err = floatClamp(activation); err != nil {
		return f, err
	}
	if f.hasBias = bias != nil; f.hasBias && (bias.Type != graph.Float32 || bias.Elements() != channels) {
		return f, invalid("bias of %v and shape %v for %d channels", bias.Type, bias.Shape, channels)
	}
	return f, nil
}

// load reads the bias of a call. Without one, sums are added to zero, which
// makes no difference but to the sign of zero.
func (f *floatSums) load(c *Call) {
	if f.hasBias {
		f.bias = view[float32](c.In[2])
	}
}

// finish writes sums of consecutive channels.
func (f *floatSums) finish(sums []float32, first int, out []float32) {
	out = out[:len(sums)]
	low, high := f.low, f.high
	var none [1]float32
	bias, step := none[:], 0
	if f.hasBias {
		bias, step = f.bias[first:], 1
	}
	for i, v := range sums {
		out[i] = clampFloat(v+bias[i*step], low, high)
	}
}

// clampFloat is ActivationFunctionWithMinMax: it lets NaN pass.
func clampFloat(v, low, high float32) float32 {
	if v < low {
		v = low
	}
	if high < v {
		v = high
	}
	return v
}

func newFloatConv(s convShape, bias *Tensor, activation int8) (Kernel, error) {
	sums, err := newFloatSums(bias, s.outputs, activation)
	if err != nil {
		return nil, err
	}
	k := &floatConv{convShape: s, floatSums: sums}
	k.work.size = 4 * (s.groups*s.taps() + s.outputs)
	return k, nil
}

// Run computes the convolution.
func (k *floatConv) Run(c *Call) error {
	k.load(c)
	k.x, k.w, k.out = view[float32](c.In[0]), view[float32](c.In[1]), view[float32](c.Out[0])
	if len(k.out) > 0 {
		k.work.reserve(c.Pool.workers)
		c.Pool.Do(k, k.rows(), k.convShape.x.out*k.outputs*k.taps())
	}
	return nil
}

// Range computes rows of the output, four positions at a time.
func (k *floatConv) Range(low, high int) {
	m := k.work.take()
	defer k.work.give(m)
	size, taps, filters := k.groups*k.taps(), k.taps(), k.outputs/k.groups
	rows, sums := m[:4*size], m[4*size:]
	image := k.y.in * k.convShape.x.in * k.channels
	width := k.convShape.x.out
	plain := k.y.filter*k.convShape.x.filter == 1 && k.convShape.x.stride == 1 && k.groups == 1 && k.convShape.x.pad == 0
	for row := low; row < high; row++ {
		x := k.x[row/k.y.out*image:][:image]
		oy := row % k.y.out
		for ox := 0; ox < width; ox += 4 {
			n := min(4, width-ox)
			tile := rows
			if from := (oy*k.y.stride*k.convShape.x.in + ox) * k.channels; plain && n == 4 {
				tile = x[from:][:4*size]
			} else {
				for p := range n {
					gatherFloat(&k.convShape, x, oy, ox+p, rows[p*size:][:size])
				}
			}
			for g := range k.groups {
				w := k.w[g*filters*taps:][:filters*taps]
				if n == 4 && k.groups == 1 {
					dotFloatTile(tile, taps, w, sums, k.outputs, filters)
					continue
				}
				for p := range n {
					dotFloatRow(tile[p*size+g*taps:][:taps], w, sums[p*k.outputs+g*filters:][:filters])
				}
			}
			for p := range n {
				k.finish(sums[p*k.outputs:][:k.outputs], 0, k.out[(row*width+ox+p)*k.outputs:])
			}
		}
	}
}
