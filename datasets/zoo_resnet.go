package datasets

import "github.com/arenalab/arenalab/graph/tflite"

var resNet = family{Builder{
	Name:      "resnet",
	Title:     "ResNet",
	Summary:   "four stages of bottleneck blocks with shortcuts",
	Reference: "He et al., Deep Residual Learning for Image Recognition, CVPR 2016, arXiv:1512.03385",
	Meaning:   "edge of the image; channels of the stem (64 as published); blocks per stage, the published net of 50 layers having 3, 4, 6, 3",
	Defaults:  Params{Resolution: 224, Width: 64, Depth: 3, Classes: 1000},
	Int8:      true,
}, drawResNet}

func drawResNet(m *model, p Params) {
	n := m.subgraph("main")
	x := n.residualStem(n.image(p), p.Width)
	for stage := range 4 {
		for block := range p.Depth {
			stride := 1
			if block == 0 && stage > 0 {
				stride = 2
			}
			x = n.bottleneck(x, p.Width<<stage, stride)
		}
	}
	n.classify(x, p.Classes)
}

// residualStem pads by hand, as converted files do, and shrinks four times.
func (n *net) residualStem(x value, channels int) value {
	w := win(7, 2, tflite.Relu)
	w.padding = tflite.Valid
	x = n.conv(n.pad(x, 3, 3), channels, w)
	return n.maxPool(x, win(3, 2, tflite.NoActivation))
}

func (n *net) bottleneck(in value, channels, stride int) value {
	shortcut := in
	if stride != 1 || in.channels() != 4*channels {
		shortcut = n.conv(in, 4*channels, win(1, stride, tflite.NoActivation))
	}
	x := n.conv(in, channels, win(1, 1, tflite.Relu))
	x = n.conv(x, channels, win(3, stride, tflite.Relu))
	x = n.conv(x, 4*channels, win(1, 1, tflite.NoActivation))
	return n.plus(shortcut, x, tflite.Relu)
}

// basicBlock is the residual block of the shallower nets: two 3x3 convolutions.
func (n *net) basicBlock(in value, channels, stride int) value {
	shortcut := in
	if stride != 1 || in.channels() != channels {
		shortcut = n.conv(in, channels, win(1, stride, tflite.NoActivation))
	}
	x := n.conv(in, channels, win(3, stride, tflite.Relu))
	x = n.conv(x, channels, win(3, 1, tflite.NoActivation))
	return n.plus(shortcut, x, tflite.Relu)
}
