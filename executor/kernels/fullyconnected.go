package kernels

import "github.com/arenalab/arenalab/graph"

// Fully connected layers: every row of the input times every row of weights.
// K/fully_connected.cc, R/fully_connected.h and R/integer_ops/fully_connected.h
// of google-ai-edge/LiteRT at f67457790c9c, whose reference kernels rescale
// integers in float64. Sparse and shuffled weights are not computed.

func fullyConnectedFamily() map[string]prepare {
	return map[string]prepare{"FULLY_CONNECTED": prepareFullyConnected}
}

// channelBlock is how many channels are computed for all rows before the next,
// so that their weights stay in the cache.
const channelBlock = 64

// denseShape is rows*depth times channels*depth.
type denseShape struct {
	rows, depth, channels int
}

func prepareFullyConnected(n *Node) (Kernel, error) {
	in, err := n.in(0)
	if err != nil {
		return nil, err
	}
	filter, err := n.in(1)
	if err != nil {
		return nil, err
	}
	out, err := n.out(0)
	if err != nil {
		return nil, err
	}
	if len(filter.Shape) != 2 || filter.Shape[0] <= 0 || filter.Shape[1] <= 0 || in.Elements()%filter.Shape[1] != 0 {
		return nil, invalid("input of shape %v and weights of shape %v", in.Shape, filter.Shape)
	}
	s := denseShape{in.Elements() / filter.Shape[1], filter.Shape[1], filter.Shape[0]}
	if d := len(out.Shape); d == 0 || out.Shape[d-1] != s.channels || out.Elements() != s.rows*s.channels {
		return nil, invalid("result of shape %v for %d rows of %d channels", out.Shape, s.rows, s.channels)
	}
	if s.channels > maxChannels || s.depth > maxTaps {
		return nil, unsupported("weights of shape %v", filter.Shape)
	}
	a := &n.Op.Attributes
	if format := a.Byte(1, 0); format != 0 {
		return nil, unsupported("weights in format %d", format)
	}
	if a.Byte(0, 0) > actRelu6 {
		return nil, unsupported("fused activation %d", a.Byte(0, 0))
	}
	bias := n.optional(2)
	packed := filter.Type == graph.Int8 || filter.Type == graph.Int4 || filter.Type == graph.Int2
	switch {
	case in.Type == graph.Float32 && filter.Type == graph.Float32 && out.Type == graph.Float32:
		return newFloatDense(s, bias, a.Byte(0, 0))
	case in.Type == graph.Float32 && packed && out.Type == graph.Float32:
		return newHybridDense(n, s, filter, bias)
	case in.Type == graph.Uint8 && filter.Type == graph.Uint8 && (out.Type == graph.Uint8 || out.Type == graph.Int16):
		return newIntegerDense[uint8](n, s, in, filter, bias, out)
	case in.Type == graph.Int8 && packed && out.Type == graph.Int8:
		return newIntegerDense[int8](n, s, in, filter, bias, out)
	case in.Type == graph.Int16 && (packed || filter.Type == graph.Int16) && out.Type == graph.Int16:
		return newIntegerDense[int16](n, s, in, filter, bias, out)
	}
	return nil, unsupported("%v times %v gives %v", in.Type, filter.Type, out.Type)
}

// floatDense multiplies float32.
type floatDense struct {
	denseShape
	floatSums
	work      workspaces[float32]
	x, w, out []float32
}

func newFloatDense(s denseShape, bias *Tensor, activation int8) (Kernel, error) {
	sums, err := newFloatSums(bias, s.channels, activation)
	if err != nil {
		return nil, err
	}
	k := &floatDense{denseShape: s, floatSums: sums}
	k.work.size = 4 * channelBlock
	return k, nil
}

// Run computes the layer.
func (k *floatDense) Run(c *Call) error {
	k.load(c)
	k.x, k.w, k.out = view[float32](c.In[0]), view[float32](c.In[1]), view[float32](c.Out[0])
	if len(k.out) > 0 {
		k.work.reserve(c.Pool.workers)
		c.Pool.Do(k, k.channels, k.rows*k.depth)
	}
	return nil
}

// Range computes channels of all rows, four rows at a time.
func (k *floatDense) Range(low, high int) {
	sums := k.work.take()
	defer k.work.give(sums)
	for first := low; first < high; first += channelBlock {
		count := min(channelBlock, high-first)
		w := k.w[first*k.depth:][:count*k.depth]
		for row := 0; row < k.rows; {
			n := 1
			if x := k.x[row*k.depth:]; row+4 <= k.rows {
				n = 4
				dotFloatTile(x, k.depth, w, sums, channelBlock, count)
			} else {
				dotFloatRow(x[:k.depth], w, sums[:count])
			}
			for p := range n {
				k.finish(sums[p*channelBlock:][:count], first, k.out[(row+p)*k.channels+first:])
			}
			row += n
		}
	}
}
