package datasets

import (
	"fmt"
	"math"

	"github.com/arenalab/arenalab/graph"
	"github.com/arenalab/arenalab/graph/tflite"
)

var transformer = family{Builder{
	Name:      "transformer",
	Title:     "Transformer encoder",
	Summary:   "self-attention and feed-forward layers, layer normalisation in elementary operators",
	Reference: "Vaswani et al., Attention Is All You Need, NeurIPS 2017, arXiv:1706.03762; normalisation before each part",
	Meaning:   "tokens, given as embeddings; channels of a token, with a head for every 32; layers",
	Defaults:  Params{Resolution: 128, Width: 256, Depth: 4, Classes: 2},
	Sequence:  true,
}, drawTransformer}

func drawTransformer(m *model, p Params) {
	n := m.subgraph("main")
	x := n.input(p.Batch, p.Resolution, p.Width)
	for layer := range p.Depth {
		n.within(fmt.Sprintf("layer%d/attention", layer), func() {
			x = n.plus(x, n.attention(n.layerNorm(x), max(p.Width/32, 1)), tflite.NoActivation)
		})
		n.within(fmt.Sprintf("layer%d/feed", layer), func() {
			y := n.dense(n.layerNorm(x), 4*p.Width, tflite.NoActivation, 1)
			x = n.plus(x, n.dense(n.gelu(y), p.Width, tflite.NoActivation, 1), tflite.NoActivation)
		})
	}
	n.output(n.softmax(n.dense(n.layerNorm(x), p.Classes, tflite.NoActivation, logitGain)))
}

// attention draws self-attention of that many heads, which divide the channels
// as well as they can.
func (n *net) attention(x value, heads int) value {
	for x.channels()%heads != 0 {
		heads--
	}
	batch, tokens, size := x.shape[0], x.shape[1], x.channels()/heads
	parts := n.split(n.dense(x, 3*x.channels(), tflite.NoActivation, 1), 2, 3)
	for i, y := range parts {
		parts[i] = n.transpose(n.reshape(y, batch, tokens, heads, size), 0, 2, 1, 3)
	}
	q, k, v := parts[0], parts[1], parts[2]
	scores := n.matmul(q, k, true, []int{batch, heads, tokens, tokens}, signal{dev: math.Sqrt(float64(size))})
	shrink := 1 / math.Sqrt(float64(size))
	weights := n.softmax(n.scale(scores, []float32{float32(shrink)}, shrink))
	y := n.matmul(weights, v, false, v.shape, signal{dev: coarse(1.6 / math.Sqrt(float64(tokens)))})
	y = n.reshape(n.transpose(y, 0, 2, 1, 3), batch, tokens, x.channels())
	return n.dense(y, x.channels(), tflite.NoActivation, 1)
}

func (n *net) matmul(a, b value, adjointB bool, shape []int, s signal) value {
	out := n.tensor("matmul", shape, s)
	n.op(tflite.OpBatchMatMul, tflite.BatchMatMulOptions{AdjointY: adjointB}, []int{a.id, b.id}, out)
	return out
}

func (n *net) gelu(in value) value {
	out := n.tensor("gelu", in.shape, in.signal.rectified())
	n.op(tflite.OpGelu, tflite.GeluOptions{Approximate: true}, []int{in.id}, out)
	return out
}

// layerNorm is what converters make of a layer normalisation: ten operators
// over the tokens.
func (n *net) layerNorm(x value) value {
	row := []int{x.shape[0], x.shape[1], 1}
	axis := n.ints("axis", 2)
	reduce := func(v value) value {
		out := n.tensor("mean", row, linearSignal)
		n.op(tflite.OpMean, tflite.ReducerOptions{KeepDims: true}, []int{v.id, axis}, out)
		return out
	}
	binary := func(code int32, o tflite.Options, a, b value, shape []int) value {
		out := n.tensor("norm", shape, linearSignal)
		n.op(code, o, []int{a.id, b.id}, out)
		return out
	}
	gains := n.uniform(x.channels())
	for i := range gains {
		gains[i] = 1 + gains[i]/4
	}
	gain := n.constant("gain", gains, x.channels())
	shift := n.constant("shift", n.uniform(x.channels()), x.channels())
	epsilon := n.constant("epsilon", []float32{1e-5})

	mean := reduce(x)
	deviation := binary(tflite.OpSquaredDifference, tflite.SquaredDifferenceOptions, x, mean, x.shape)
	variance := binary(tflite.OpAdd, tflite.AddOptions{}, reduce(deviation), epsilon, row)
	inverse := n.tensor("rsqrt", row, linearSignal)
	n.op(tflite.OpRsqrt, nil, []int{variance.id}, inverse)
	factor := binary(tflite.OpMul, tflite.MulOptions{}, inverse, gain, x.shape)
	scaled := binary(tflite.OpMul, tflite.MulOptions{}, x, factor, x.shape)
	offset := binary(tflite.OpMul, tflite.MulOptions{}, mean, factor, x.shape)
	rest := binary(tflite.OpSub, tflite.SubOptions{}, shift, offset, x.shape)
	return binary(tflite.OpAdd, tflite.AddOptions{}, scaled, rest, x.shape)
}

// less adds a comparison of two single numbers, giving one bool.
func (n *net) less(a, b int) value {
	v := value{id: n.add("less", nil, tflite.Tensor{Type: graph.Bool})}
	n.op(tflite.OpLess, tflite.LessOptions, []int{a, b}, v)
	return v
}
