package datasets

import "github.com/arenalab/arenalab/graph/tflite"

var blazeFace = family{Builder{
	Name:      "blazeface",
	Title:     "BlazeFace",
	Summary:   "residual depthwise blocks that gain a few channels each, and anchors at two sizes",
	Reference: "Bazarevsky et al., BlazeFace: Sub-millisecond Neural Face Detection on Mobile GPUs, arXiv:1907.05047, 2019; the network for front cameras in google-ai-edge/mediapipe, which has single blocks only",
	Meaning:   "rows of the image; channels of the stem (24 as published); blocks",
	Defaults:  Params{Resolution: 128, Width: 24, Depth: 16, Classes: 1},
	MaxDepth:  16,
	Int8:      true,
}, drawBlazeFace}

var blazeFaceBlocks = [...]struct{ channels, stride int }{
	{24, 1}, {28, 1}, {32, 2}, {36, 1}, {42, 1}, {48, 2}, {56, 1}, {64, 1},
	{72, 1}, {80, 1}, {88, 1}, {96, 2}, {96, 1}, {96, 1}, {96, 1}, {96, 1}}

func drawBlazeFace(m *model, p Params) {
	n := m.subgraph("main")
	// A few channels more or less matter here: they are not rounded to 8.
	wide := func(c int) int { return max((c*p.Width+12)/24, 1) }
	x := n.conv(n.image(p), wide(24), win(5, 2, tflite.Relu))
	fine := x // features of twice the size
	for _, b := range blazeFaceBlocks[:p.Depth] {
		if b.stride > 1 {
			fine = x
		}
		x = n.blazeBlock(x, wide(b.channels), b.stride)
	}
	const boxNumbers = 16 // a box and six key points
	n.output(n.anchors(fine, x, boxNumbers), n.anchors(fine, x, p.Classes))
}

// blazeBlock filters each channel, mixes them, and adds its input, shrunk and
// padded with channels of zeros where the shapes differ.
func (n *net) blazeBlock(in value, channels, stride int) value {
	x := n.depthwise(in, win(3, stride, tflite.NoActivation))
	x = n.conv(x, channels, win(1, 1, tflite.NoActivation))
	if stride > 1 {
		in = n.maxPool(in, win(2, stride, tflite.NoActivation))
	}
	if more := channels - in.channels(); more > 0 {
		in = n.padChannels(in, more)
	}
	return n.plus(in, x, tflite.Relu)
}

// padChannels adds channels of zeros behind those of an image.
func (n *net) padChannels(in value, more int) value {
	paddings := n.ints("paddings", 0, 0, 0, 0, 0, 0, 0, int32(more))
	n.sub().Tensors[paddings].Shape = []int32{4, 2}
	out := n.ranged("pad", in.spatial(in.height(), in.width(), in.channels()+more), in.signal, in.quant)
	n.op(tflite.OpPad, tflite.PadOptions, []int{in.id, paddings}, out)
	return out
}

// anchors predicts that many numbers for each of two anchors a place of the
// fine image and six of the coarse one.
func (n *net) anchors(fine, coarse value, numbers int) value {
	head := func(x value, each int) value {
		y := n.conv(x, each*numbers, win(1, 1, tflite.NoActivation))
		return n.reshape(y, y.batch(), y.height()*y.width()*each, numbers)
	}
	return n.concat(1, head(fine, 2), head(coarse, 6))
}
