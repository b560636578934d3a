package datasets

import (
	"fmt"

	"github.com/arenalab/arenalab/graph/tflite"
)

var inception = family{Builder{
	Name:      "inception",
	Title:     "Inception v1 (GoogLeNet)",
	Summary:   "modules of four parallel branches joined by concatenation",
	Reference: "Szegedy et al., Going Deeper with Convolutions, CVPR 2015, arXiv:1409.4842",
	Meaning:   "edge of the image; channels of the stem (64 as published); modules",
	Defaults:  Params{Resolution: 224, Width: 64, Depth: 9, Classes: 1000},
	MaxDepth:  9,
	Int8:      true,
}, drawInception}

// inceptionModule holds the published widths of a module's branches.
type inceptionModule struct {
	one, threeIn, three, fiveIn, five, pool int
	shrink                                  bool // a max pool comes before it
}

var inceptionModules = [...]inceptionModule{
	{64, 96, 128, 16, 32, 32, true},
	{128, 128, 192, 32, 96, 64, false},
	{192, 96, 208, 16, 48, 64, true},
	{160, 112, 224, 24, 64, 64, false},
	{128, 128, 256, 24, 64, 64, false},
	{112, 144, 288, 32, 64, 64, false},
	{256, 160, 320, 32, 128, 128, false},
	{256, 160, 320, 32, 128, 128, true},
	{384, 192, 384, 48, 128, 128, false},
}

func drawInception(m *model, p Params) {
	n := m.subgraph("main")
	wide := func(c int) int { return scaled(c, p.Width, 64) }
	x := n.image(p)
	x = n.conv(x, wide(64), win(7, 2, tflite.Relu))
	x = n.maxPool(x, win(3, 2, tflite.NoActivation))
	x = n.conv(x, wide(64), win(1, 1, tflite.Relu))
	x = n.conv(x, wide(192), win(3, 1, tflite.Relu))
	for i, mod := range inceptionModules[:p.Depth] {
		if mod.shrink {
			x = n.maxPool(x, win(3, 2, tflite.NoActivation))
		}
		n.within(fmt.Sprintf("module%d", i), func() { x = n.inceptionModule(x, mod, wide) })
	}
	n.classify(x, p.Classes)
}

func (n *net) inceptionModule(x value, mod inceptionModule, wide func(int) int) value {
	one := n.conv(x, wide(mod.one), win(1, 1, tflite.Relu))
	three := n.conv(x, wide(mod.threeIn), win(1, 1, tflite.Relu))
	three = n.conv(three, wide(mod.three), win(3, 1, tflite.Relu))
	five := n.conv(x, wide(mod.fiveIn), win(1, 1, tflite.Relu))
	five = n.conv(five, wide(mod.five), win(5, 1, tflite.Relu))
	pool := n.maxPool(x, win(3, 1, tflite.NoActivation))
	pool = n.conv(pool, wide(mod.pool), win(1, 1, tflite.Relu))
	return n.concat(3, one, three, five, pool)
}
