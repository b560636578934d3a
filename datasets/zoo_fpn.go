package datasets

import (
	"fmt"

	"github.com/arenalab/arenalab/graph/tflite"
)

var fpn = family{Builder{
	Name:      "fpn-detector",
	Title:     "FPN detector (RetinaNet)",
	Summary:   "a residual backbone, a feature pyramid and two heads on each of its five levels",
	Reference: "Lin et al., Feature Pyramid Networks for Object Detection, CVPR 2017, arXiv:1612.03144; Lin et al., Focal Loss for Dense Object Detection, ICCV 2017, arXiv:1708.02002; heads not shared between levels",
	Meaning:   "edge of the image; channels of the stem (64 as published), the pyramid having four times as many; convolutions per head (4 as published)",
	Defaults:  Params{Resolution: 320, Width: 64, Depth: 4, Classes: 80},
	Int8:      true,
}, drawFPN}

func drawFPN(m *model, p Params) {
	n := m.subgraph("main")
	x := n.residualStem(n.image(p), p.Width)
	var backbone []value // sizes 1/8, 1/16, 1/32
	for stage := range 4 {
		stride := 1
		if stage > 0 {
			stride = 2
		}
		n.within(fmt.Sprintf("stage%d", stage), func() {
			x = n.basicBlock(x, p.Width<<stage, stride)
			x = n.basicBlock(x, p.Width<<stage, 1)
		})
		if stage > 0 {
			backbone = append(backbone, x)
		}
	}
	n.detect(n.pyramid(backbone, 4*p.Width), p)
}

// pyramid merges the levels from the coarsest down and adds two coarser ones.
func (n *net) pyramid(backbone []value, channels int) []value {
	levels := make([]value, len(backbone))
	var above value
	for i := len(backbone) - 1; i >= 0; i-- {
		n.within(fmt.Sprintf("merge%d", i), func() {
			side := n.conv(backbone[i], channels, win(1, 1, tflite.NoActivation))
			if i < len(backbone)-1 {
				side = n.plus(side, n.resize(above, side.height(), side.width(), false), tflite.NoActivation)
			}
			above = side
			levels[i] = n.conv(side, channels, win(3, 1, tflite.NoActivation))
		})
	}
	coarse := n.conv(backbone[len(backbone)-1], channels, win(3, 2, tflite.NoActivation))
	coarser := n.conv(n.relu(coarse), channels, win(3, 2, tflite.NoActivation))
	return append(levels, coarse, coarser)
}

// detect puts a class head and a box head on every level and joins the results
// into one list of anchors each.
func (n *net) detect(levels []value, p Params) {
	const anchors = 9 // per place, as published
	var classes, boxes []value
	head := func(x value, per int) value {
		for range p.Depth {
			x = n.conv(x, x.channels(), win(3, 1, tflite.Relu))
		}
		places := x.height() * x.width()
		x = n.conv(x, anchors*per, win(3, 1, tflite.NoActivation))
		return n.reshape(x, x.batch(), places*anchors, per)
	}
	for i, level := range levels {
		n.within(fmt.Sprintf("classes%d", i), func() { classes = append(classes, head(level, p.Classes)) })
		n.within(fmt.Sprintf("boxes%d", i), func() { boxes = append(boxes, head(level, 4)) })
	}
	n.output(n.sigmoid(n.concat(1, classes...)), n.concat(1, boxes...))
}
