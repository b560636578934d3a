package datasets

import (
	"fmt"

	"github.com/arenalab/arenalab/graph/tflite"
)

var inceptionV3 = family{Builder{
	Name:      "inception-v3",
	Title:     "Inception v3",
	Summary:   "modules of up to four branches, with large convolutions factored into small ones",
	Reference: "Szegedy et al., Rethinking the Inception Architecture for Computer Vision, CVPR 2016, arXiv:1512.00567; as in tensorflow/models research/slim",
	Meaning:   "rows of the image; channels of the stem (32 as published); modules",
	Defaults:  Params{Resolution: 299, Width: 32, Depth: 11, Classes: 1001},
	MinSize:   75,
	MaxDepth:  11,
	Int8:      true,
}, drawInceptionV3}

// drawing is where an Inception v3 is drawn: with widths for its size.
type drawing struct {
	*net
	wide func(int) int
}

func drawInceptionV3(m *model, p Params) {
	n := drawing{m.subgraph("main"), func(c int) int { return scaled(c, p.Width, 32) }}
	x := n.image(p)
	x = n.conv(x, n.wide(32), win(3, 2, tflite.Relu).valid())
	x = n.conv(x, n.wide(32), win(3, 1, tflite.Relu).valid())
	x = n.conv(x, n.wide(64), win(3, 1, tflite.Relu))
	x = n.maxPool(x, win(3, 2, tflite.NoActivation).valid())
	x = n.conv(x, n.wide(80), win(1, 1, tflite.Relu))
	x = n.conv(x, n.wide(192), win(3, 1, tflite.Relu).valid())
	x = n.maxPool(x, win(3, 2, tflite.NoActivation).valid())
	for i := range p.Depth {
		n.within(fmt.Sprintf("module%d", i), func() { x = n.module(x, i) })
	}
	x = n.conv(n.globalPool(x), p.Classes, win(1, 1, tflite.NoActivation))
	n.output(n.softmax(n.reshape(x, x.batch(), p.Classes)))
}

// module draws one of the published eleven.
func (n drawing) module(x value, i int) value {
	switch {
	case i < 3:
		return n.square(x, []int{32, 64, 64}[i])
	case i == 3:
		return n.concat(3,
			n.branch(x, step{3, 3, 384, 2}),
			n.branch(x, step{1, 1, 64, 1}, step{3, 3, 96, 1}, step{3, 3, 96, 2}),
			n.maxPool(x, win(3, 2, tflite.NoActivation).valid()))
	case i < 8:
		return n.rows(x, []int{128, 160, 160, 192}[i-4])
	case i == 8:
		return n.concat(3,
			n.branch(x, step{1, 1, 192, 1}, step{3, 3, 320, 2}),
			n.branch(x, step{1, 1, 192, 1}, step{1, 7, 192, 1}, step{7, 1, 192, 1}, step{3, 3, 192, 2}),
			n.maxPool(x, win(3, 2, tflite.NoActivation).valid()))
	}
	return n.forked(x)
}

// step is a convolution of a branch: rows and columns of its window, channels
// and stride. With stride 2 it has no padding.
type step struct{ h, w, channels, stride int }

func (n drawing) branch(x value, steps ...step) value {
	for _, s := range steps {
		w := window{h: s.h, w: s.w, down: s.stride, across: s.stride, act: tflite.Relu}
		if s.stride > 1 {
			w = w.valid()
		}
		x = n.conv(x, n.wide(s.channels), w)
	}
	return x
}

// pooled is the branch that averages first.
func (n drawing) pooled(x value, channels int) value {
	return n.branch(n.avgPool(x, win(3, 1, tflite.NoActivation)), step{1, 1, channels, 1})
}

func (n drawing) square(x value, pool int) value {
	return n.concat(3,
		n.branch(x, step{1, 1, 64, 1}),
		n.branch(x, step{1, 1, 48, 1}, step{5, 5, 64, 1}),
		n.branch(x, step{1, 1, 64, 1}, step{3, 3, 96, 1}, step{3, 3, 96, 1}),
		n.pooled(x, pool))
}

// rows factors a window of 7x7 into rows and columns, with c channels between.
func (n drawing) rows(x value, c int) value {
	return n.concat(3,
		n.branch(x, step{1, 1, 192, 1}),
		n.branch(x, step{1, 1, c, 1}, step{1, 7, c, 1}, step{7, 1, 192, 1}),
		n.branch(x, step{1, 1, c, 1}, step{7, 1, c, 1}, step{1, 7, c, 1}, step{7, 1, c, 1}, step{1, 7, 192, 1}),
		n.pooled(x, 192))
}

// forked ends two branches in a row and a column side by side.
func (n drawing) forked(x value) value {
	fork := func(x value) value {
		return n.concat(3, n.branch(x, step{1, 3, 384, 1}), n.branch(x, step{3, 1, 384, 1}))
	}
	return n.concat(3,
		n.branch(x, step{1, 1, 320, 1}),
		fork(n.branch(x, step{1, 1, 384, 1})),
		fork(n.branch(x, step{1, 1, 448, 1}, step{3, 3, 384, 1})),
		n.pooled(x, 192))
}
