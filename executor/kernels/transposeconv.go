package kernels

import "github.com/arenalab/arenalab/graph"

// Transposed convolutions: every input is spread over the output by the filter.
// K/transpose_conv.cc, R/transpose_conv.h and R/integer_ops/transpose_conv.h of
// google-ai-edge/LiteRT at f67457790c9c. An output position meets only the taps
// of its phase, its place between two strides. For each phase they make an
// ordinary convolution of stride 1 with the taps in reverse, which adds up in
// the order in which the reference spreads.

func transposeConvFamily() map[string]prepare {
	return map[string]prepare{"TRANSPOSE_CONV": prepareTransposeConv}
}

// phase is the convolution of the output positions at one place between two
// strides.
type phase struct {
	convShape
	weights int // where its weights begin among those of all phases
}

// spread is a transposed convolution as its phases, those of a row of strides
// after another.
type spread struct {
	batch, outputs int
	y, x           convAxis // of the convolution that this one is the transpose of
	depth          int
	phases         []phase
	most           int // taps of a phase, times channels
	// The shape operand, compared with the result if it is not constant.
	shape   []int
	dynamic bool
}

// maxPhases bounds the phases of a transposed convolution.
const maxPhases = 1 << 12

func prepareTransposeConv(n *Node) (Kernel, error) {
	shape, err := n.in(0)
	if err != nil {
		return nil, err
	}
	filter, err := n.in(1)
	if err != nil {
		return nil, err
	}
	in, err := n.in(2)
	if err != nil {
		return nil, err
	}
	out, err := n.out(0)
	if err != nil {
		return nil, err
	}
	s, err := newSpread(n, in, filter, out)
	if err != nil {
		return nil, err
	}
	if shape.Type != graph.Int32 || shape.Elements() != 4 {
		return nil, invalid("output shape of %v and shape %v", shape.Type, shape.Shape)
	}
	if s.shape = out.Shape; n.Arithmetic != Micro { // which does not look at it
		if s.dynamic = shape.Constant == nil; !s.dynamic && !s.planned(shape.Constant) {
			return nil, invalid("result has shape %v, not %v", out.Shape, view[int32](shape.Constant)[:4])
		}
	}
	bias, a := n.optional(3), &n.Op.Attributes
	switch {
	case in.Type != out.Type:
		return nil, invalid("%v becomes %v", in.Type, out.Type)
	case in.Type == graph.Float32 && filter.Type == graph.Float32:
		return newFloatSpread(s, filter, bias, a.Byte(3, 0))
	case in.Type == graph.Float32 && filter.Type == graph.Int8:
		return newHybridSpread(n, s, filter, bias)
	case in.Type == graph.Uint8 && filter.Type == graph.Uint8:
		return newIntegerSpread[uint8](n, s, in, filter, bias, out)
	case in.Type == graph.Int8 && filter.Type == graph.Int8:
		return newIntegerSpread[int8](n, s, in, filter, bias, out)
	case in.Type == graph.Int16 && filter.Type == graph.Int8:
		return newIntegerSpread[int16](n, s, in, filter, bias, out)
	}
	return nil, unsupported("transposed convolution of %v with %v", in.Type, filter.Type)
}

// newSpread finds the phases.
func newSpread(n *Node, in, filter, out *Tensor) (s spread, err error) {
	if len(in.Shape) != 4 || len(filter.Shape) != 4 || len(out.Shape) != 4 {
		return s, invalid("input of shape %v, filter of shape %v, result of shape %v", in.Shape, filter.Shape, out.Shape)
	}
	a := &n.Op.Attributes
	s = spread{batch: in.Shape[0], outputs: filter.Shape[0], depth: filter.Shape[3]}
	if s.y, err = newConvAxis(out.Shape[1], filter.Shape[1], a.Int(2, 0), 1, a.Byte(0, 0)); err != nil {
		return s, err
	}
	if s.x, err = newConvAxis(out.Shape[2], filter.Shape[2], a.Int(1, 0), 1, a.Byte(0, 0)); err != nil {
		return s, err
	}
	if in.Shape[1] != s.y.out || in.Shape[2] != s.x.out || in.Shape[3] != s.depth || s.depth <= 0 ||
		out.Shape[0] != s.batch || out.Shape[3] != s.outputs || s.outputs <= 0 {
		return s, invalid("input of shape %v, filter of shape %v, result of shape %v", in.Shape, filter.Shape, out.Shape)
	}
	taps := func(a *convAxis, at int) int { return (max(a.filter-at, 0) + a.stride - 1) / a.stride }
	if s.y.stride > maxPhases || s.x.stride > maxPhases || s.y.stride*s.x.stride > maxPhases || s.outputs > maxChannels ||
		taps(&s.y, 0)*taps(&s.x, 0)*s.depth > maxTaps {
		return s, unsupported("filter of shape %v, strides of %d and %d", filter.Shape, s.y.stride, s.x.stride)
	}
	weights := 0
	for py := range s.y.stride {
		for px := range s.x.stride {
			p := phase{weights: weights}
			p.convShape = convShape{batch: s.batch, channels: s.depth, outputs: s.outputs, groups: 1, depth: s.depth}
			ny, nx := taps(&s.y, py), taps(&s.x, px)
			p.y = convAxis{in: s.y.out, filter: ny, stride: 1, dilation: 1, pad: ny - 1}
			p.x = convAxis{in: s.x.out, filter: nx, stride: 1, dilation: 1, pad: nx - 1}
			s.most = max(s.most, ny*nx*s.depth)
			weights += s.outputs * ny * nx * s.depth
			s.phases = append(s.phases, p)
		}
	}
	return s, nil
}

// planned reports whether a shape operand says what was planned.
func (s *spread) planned(shape []byte) bool {
	for i, d := range view[int32](shape)[:4] {
		if int(d) != s.shape[i] {
			return false
		}
	}
	return true
}

// reorder copies weights phase by phase: those of a channel one after another,
// the taps of a phase from the last to the first.
func reorder[W number](s *spread, to, from []W) {
	for py := range s.y.stride {
		for px := range s.x.stride {
			p := &s.phases[py*s.x.stride+px]
			at := p.weights
			for oc := range s.outputs {
				for j := p.y.filter - 1; j >= 0; j-- {
					for i := p.x.filter - 1; i >= 0; i-- {
						fy, fx := py+j*s.y.stride, px+i*s.x.stride
						copy(to[at:at+s.depth], from[((oc*s.y.filter+fy)*s.x.filter+fx)*s.depth:])
						at += s.depth
					}
				}
			}
		}
	}
}

// floatSpread convolves float32.
type floatSpread struct {
	spread
	floatSums
	work     workspaces[float32]
	constant bool      // the weights
	w        []float32 // in order
	in, out  []float32
}

func newFloatSpread(s spread, filter, bias *Tensor, activation int8) (Kernel, error) {
	sums, err := newFloatSums(bias, s.outputs, activation)
	if err != nil {
		return nil, err
	}
	k := &floatSpread{spread: s, floatSums: sums, constant: filter.Constant != nil}
	k.work.size = 4 * (s.most + s.outputs)
	return k, nil
}

// Run computes the convolution.
func (k *floatSpread) Run(c *Call) error {
	if k.dynamic && !k.planned(c.In[0]) {
		return ErrDynamic
	}
	if k.hasBias {
		k.bias = view[float32](c.In[3])
	}
	if w := view[float32](c.In[1]); k.w == nil || !k.constant {
		if k.w == nil {
			k.w = make([]float32, len(w))
		}
		reorder(&k.spread, k.w, w)
	}
	if k.in, k.out = view[float32](c.In[2]), view[float32](c.Out[0]); len(k.out) > 0 {
		k.work.reserve(c.Pool.workers)
		c.Pool.Do(k, k.batch*k.y.in, k.x.in*k.outputs*k.phases[0].taps())
	}
	return nil
}

// Range computes rows of the output, phase by phase.
func (k *floatSpread) Range(low, high int) {
	m := k.work.take()
	defer k.work.give(m)
	image := k.y.out * k.x.out * k.depth
	for row := low; row < high; row++ {
		x := k.in[row/k.y.in*image:][:image]
		oy := row%k.y.in + k.y.pad
		for px := range k.x.stride {
			p := &k.phases[oy%k.y.stride*k.x.stride+px]
			first := (px - k.x.pad%k.x.stride + k.x.stride) % k.x.stride
			for ox := first; ox < k.x.in; ox += 4 * k.x.stride {
				k.tile(p, x, m, oy/k.y.stride, ox, row)
			}
		}
	}
}

// tile computes up to four positions of a phase, from ox on.
func (k *floatSpread) tile(p *phase, x, m []float32, qy, ox, row int) {
	taps := p.taps()
	rows, sums := m[:4*taps], m[4*k.most:]
	n := min(4, (k.x.in-ox+k.x.stride-1)/k.x.stride)
	for i := range n {
		gatherFloat(&p.convShape, x, qy, (ox+k.x.pad)/k.x.stride+i, rows[i*taps:][:taps])
	}
	w := k.w[p.weights:][:k.outputs*taps]
	if n == 4 {
		dotFloatTile(rows, taps, w, sums, k.outputs, k.outputs)
	}
	for i := range n {
		if s := sums[i*k.outputs:][:k.outputs]; n < 4 {
			dotFloatRow(rows[i*taps:][:taps], w, s)
		}
		k.finish(sums[i*k.outputs:][:k.outputs], 0, k.out[(row*k.x.in+ox+i*k.x.stride)*k.outputs:])
	}
}
