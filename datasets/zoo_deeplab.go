package datasets

import "github.com/arenalab/arenalab/graph/tflite"

var deepLabV3 = family{Builder{
	Name:      "deeplab-v3",
	Title:     "DeepLab v3",
	Summary:   "a dilated MobileNet v2 at 1/8 of the size, image-level features, and logits brought back to the size of the image",
	Reference: "Chen et al., Rethinking Atrous Convolution for Semantic Image Segmentation, arXiv:1706.05587, 2017; the model for MobileNet v2 in tensorflow/models research/deeplab, output stride 8",
	Meaning:   "rows of the image; channels of the stem (32 is multiplier 1.0, the network for phones has 0.5); groups of blocks",
	Defaults:  Params{Resolution: 257, Width: 16, Depth: 7, Classes: 21},
	MaxDepth:  7,
	Int8:      true,
}, drawDeepLabV3}

func drawDeepLabV3(m *model, p Params) {
	n := m.subgraph("main")
	// Unlike the classifier's, channels are not rounded to multiples of 8.
	wide := func(c int) int { return max((c*p.Width+16)/32, 1) }
	in := n.image(p)
	x := n.conv(in, wide(32), win(3, 2, tflite.Relu6))
	size := atrous{limit: 8, stride: 2, dilation: 1}
	for _, g := range mobileNetV2Groups[:p.Depth] {
		for i := range g.blocks {
			stride := 1
			if i == 0 {
				stride = g.stride
			}
			down, dilation := size.next(stride)
			x = n.invertedResidual(x, g.expansion, wide(g.channels), win(3, down, tflite.Relu6).dilated(dilation))
		}
	}
	x = n.imageLevel(x, 256)
	x = n.conv(x, p.Classes, win(1, 1, tflite.NoActivation))
	// The first of these keeps the size: the network for several scales of the
	// image has it, and the converter leaves it in.
	x = n.resize(x, x.height(), x.width(), true)
	n.output(n.resize(x, in.height(), in.width(), true))
}

// imageLevel joins features of every place with those of the whole image.
func (n *net) imageLevel(x value, channels int) value {
	one := win(1, 1, tflite.Relu)
	whole := n.conv(n.globalPool(x), channels, one)
	whole = n.resize(whole, x.height(), x.width(), true)
	return n.conv(n.concat(3, whole, n.conv(x, channels, one)), channels, one)
}
