package datasets

import (
	"fmt"

	"github.com/arenalab/arenalab/graph/tflite"
)

var uNet = family{Builder{
	Name:      "unet",
	Title:     "U-Net",
	Summary:   "an encoder and a decoder with a long skip connection at every size",
	Reference: "Ronneberger et al., U-Net: Convolutional Networks for Biomedical Image Segmentation, MICCAI 2015, arXiv:1505.04597; padded, upsampling bilinear",
	Meaning:   "edge of the image; channels of the first level (64 as published); levels below the first",
	Defaults:  Params{Resolution: 256, Width: 64, Depth: 4, Classes: 2},
	MaxDepth:  10,
	Int8:      true,
}, drawUNet}

func drawUNet(m *model, p Params) {
	n := m.subgraph("main")
	x := n.image(p)
	double := func(c int) {
		x = n.conv(x, c, win(3, 1, tflite.Relu))
		x = n.conv(x, c, win(3, 1, tflite.Relu))
	}
	var skips []value
	for level := range p.Depth {
		n.within(fmt.Sprintf("down%d", level), func() {
			double(p.Width << level)
			skips = append(skips, x)
			x = n.maxPool(x, win(2, 2, tflite.NoActivation))
		})
	}
	n.within("bottom", func() { double(p.Width << p.Depth) })
	for level := p.Depth - 1; level >= 0; level-- {
		n.within(fmt.Sprintf("up%d", level), func() {
			skip := skips[level]
			x = n.resize(x, skip.height(), skip.width(), true)
			x = n.conv(x, p.Width<<level, win(2, 1, tflite.Relu))
			x = n.concat(3, skip, x)
			double(p.Width << level)
		})
	}
	x = n.conv(x, p.Classes, win(1, 1, tflite.NoActivation))
	n.output(n.sigmoid(x))
}
