package datasets

import (
	"fmt"

	"github.com/arenalab/arenalab/graph/tflite"
)

var denseNet = family{Builder{
	Name:      "densenet",
	Title:     "DenseNet",
	Summary:   "every layer reads the concatenation of all before it in its block",
	Reference: "Huang et al., Densely Connected Convolutional Networks, CVPR 2017, arXiv:1608.06993",
	Meaning:   "edge of the image; growth: channels that each layer adds (32 as published); layers per block, the published net of 121 layers having 6, 12, 24, 16",
	Defaults:  Params{Resolution: 224, Width: 32, Depth: 6, Classes: 1000},
	Int8:      true,
}, drawDenseNet}

func drawDenseNet(m *model, p Params) {
	const blocks = 4
	n := m.subgraph("main")
	x := n.residualStem(n.image(p), 2*p.Width)
	for block := range blocks {
		n.within(fmt.Sprintf("block%d", block), func() {
			for range p.Depth {
				y := n.conv(n.normalise(x), 4*p.Width, win(1, 1, tflite.Relu))
				y = n.conv(y, p.Width, win(3, 1, tflite.NoActivation))
				x = n.concat(3, x, y)
			}
			if block < blocks-1 {
				x = n.conv(n.normalise(x), max(x.channels()/2, 1), win(1, 1, tflite.NoActivation))
				x = n.avgPool(x, win(2, 2, tflite.NoActivation))
			}
		})
	}
	n.classify(n.normalise(x), p.Classes)
}
