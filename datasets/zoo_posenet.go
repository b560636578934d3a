package datasets

import "github.com/arenalab/arenalab/graph/tflite"

var poseNet = family{Builder{
	Name:      "posenet",
	Title:     "PoseNet",
	Summary:   "a MobileNet v1 at 1/16 of the size with heads for key points, offsets and the edges between them",
	Reference: "Papandreou et al., PersonLab: Person Pose Estimation and Instance Segmentation, ECCV 2018, arXiv:1803.08225; the MobileNet v1 network for several persons of TensorFlow.js and TensorFlow Lite",
	Meaning:   "rows of the image, with 257 columns for 353 rows; channels of the stem (32 is multiplier 1.0, that of TensorFlow Lite 0.75); separable blocks",
	Defaults:  Params{Resolution: 353, Columns: 257, Width: 24, Depth: 13, Classes: 17},
	MaxDepth:  13,
	Int8:      true,
}, drawPoseNet}

func drawPoseNet(m *model, p Params) {
	n := m.subgraph("main")
	x := n.conv(n.image(p), scaled(32, p.Width, 32), win(3, 2, tflite.Relu6))
	size := atrous{limit: 16, stride: 2, dilation: 1}
	for _, b := range mobileNetV1Blocks[:p.Depth] {
		// Below multiplier 1 the last two blocks neither shrink nor widen.
		channels, stride := b.channels, b.stride
		if p.Width < 32 && channels > 512 {
			channels, stride = 512, 1
		}
		down, dilation := size.next(stride)
		x = n.depthwise(x, win(3, down, tflite.Relu6).dilated(dilation))
		x = n.conv(x, scaled(channels, p.Width, 32), win(1, 1, tflite.Relu6))
	}
	// Key points are the nodes of a tree.
	head := func(channels int) value { return n.conv(x, max(channels, 1), win(1, 1, tflite.NoActivation)) }
	points, edges := p.Classes, p.Classes-1
	heat, offsets := head(points), head(2*points)
	n.output(heat, offsets, n.concat(3, head(2*edges), head(2*edges)))
}
