package datasets

import "github.com/arenalab/arenalab/graph/tflite"

var mobileNetV1 = family{Builder{
	Name:      "mobilenet-v1",
	Title:     "MobileNet v1",
	Summary:   "a chain of depthwise separable convolutions",
	Reference: "Howard et al., MobileNets: Efficient Convolutional Neural Networks for Mobile Vision Applications, arXiv:1704.04861, 2017",
	Meaning:   "edge of the image; channels of the stem (32 is multiplier 1.0); separable blocks",
	Defaults:  Params{Resolution: 224, Width: 32, Depth: 13, Classes: 1001},
	MaxDepth:  13,
	Int8:      true,
}, drawMobileNetV1}

// mobileNetV1Blocks holds the published separable blocks.
var mobileNetV1Blocks = [...]struct{ channels, stride int }{
	{64, 1}, {128, 2}, {128, 1}, {256, 2}, {256, 1}, {512, 2}, {512, 1}, {512, 1},
	{512, 1}, {512, 1}, {512, 1}, {1024, 2}, {1024, 1}}

func drawMobileNetV1(m *model, p Params) {
	n := m.subgraph("main")
	x := n.image(p)
	x = n.conv(x, scaled(32, p.Width, 32), win(3, 2, tflite.Relu6))
	for _, b := range mobileNetV1Blocks[:p.Depth] {
		x = n.depthwise(x, win(3, b.stride, tflite.Relu6))
		x = n.conv(x, scaled(b.channels, p.Width, 32), win(1, 1, tflite.Relu6))
	}
	x = n.globalPool(x)
	n.output(n.softmax(n.dense(x, p.Classes, tflite.NoActivation, logitGain)))
}

var mobileNetV2 = family{Builder{
	Name:      "mobilenet-v2",
	Title:     "MobileNet v2",
	Summary:   "inverted residuals: a narrow trunk that widens sixfold inside each block",
	Reference: "Sandler et al., MobileNetV2: Inverted Residuals and Linear Bottlenecks, CVPR 2018, arXiv:1801.04381",
	Meaning:   "edge of the image; channels of the stem (32 is multiplier 1.0); groups of blocks",
	Defaults:  Params{Resolution: 224, Width: 32, Depth: 7, Classes: 1001},
	MaxDepth:  7,
	Int8:      true,
}, drawMobileNetV2}

// mobileNetV2Groups holds the published groups of inverted residuals; the
// stride is that of the first block of a group.
var mobileNetV2Groups = [...]struct{ expansion, channels, blocks, stride int }{
	{1, 16, 1, 1}, {6, 24, 2, 2}, {6, 32, 3, 2}, {6, 64, 4, 2}, {6, 96, 3, 1}, {6, 160, 3, 2}, {6, 320, 1, 1}}

func drawMobileNetV2(m *model, p Params) {
	n := m.subgraph("main")
	x := n.image(p)
	x = n.conv(x, scaled(32, p.Width, 32), win(3, 2, tflite.Relu6))
	for _, g := range mobileNetV2Groups[:p.Depth] {
		for i := range g.blocks {
			stride := 1
			if i == 0 {
				stride = g.stride
			}
			x = n.invertedResidual(x, g.expansion, scaled(g.channels, p.Width, 32), win(3, stride, tflite.Relu6))
		}
	}
	// Below multiplier 1 the published nets keep 1280 channels here.
	x = n.conv(x, scaled(1280, p.Width, 32), win(1, 1, tflite.Relu6))
	n.classify(x, p.Classes)
}

// invertedResidual widens, filters each channel by the window and narrows again,
// adding its input if the shapes allow.
func (n *net) invertedResidual(in value, expansion, channels int, filter window) value {
	x := in
	if expansion > 1 {
		x = n.conv(x, expansion*in.channels(), win(1, 1, tflite.Relu6))
	}
	x = n.depthwise(x, filter)
	x = n.conv(x, channels, win(1, 1, tflite.NoActivation))
	if filter.down == 1 && channels == in.channels() {
		x = n.plus(in, x, tflite.NoActivation)
	}
	return x
}
