package datasets

import (
	"fmt"

	"github.com/arenalab/arenalab/graph/tflite"
)

const cellMeaning = "edge of the image; channels of the first cells' operations; normal cells between reductions"

var nasNetA = family{Builder{
	Name:      "nasnet-a",
	Title:     "NASNet-A",
	Summary:   "searched cells of five two-branch nodes, joined by concatenation",
	Reference: "Zoph et al., Learning Transferable Architectures for Scalable Image Recognition, CVPR 2018, arXiv:1707.07012",
	Meaning:   cellMeaning,
	Defaults:  Params{Resolution: 224, Width: 44, Depth: 4, Classes: 1000},
	Int8:      true,
}, func(m *model, p Params) { m.stackCells(nasNetAGenotype, p) }}

var amoebaNetA = family{Builder{
	Name:      "amoebanet-a",
	Title:     "AmoebaNet-A",
	Summary:   "cells found by evolution, deeper inside than NASNet's",
	Reference: "Real et al., Regularized Evolution for Image Classifier Architecture Search, AAAI 2019, arXiv:1802.01548",
	Meaning:   cellMeaning,
	Defaults:  Params{Resolution: 224, Width: 50, Depth: 4, Classes: 1000},
	Int8:      true,
}, func(m *model, p Params) { m.stackCells(amoebaNetAGenotype, p) }}

var pnasNet5 = family{Builder{
	Name:      "pnasnet-5",
	Title:     "PNASNet-5",
	Summary:   "one cell found by progressive search, used both to keep and to halve the size",
	Reference: "Liu et al., Progressive Neural Architecture Search, ECCV 2018, arXiv:1712.00559",
	Meaning:   cellMeaning,
	Defaults:  Params{Resolution: 224, Width: 54, Depth: 3, Classes: 1000},
	Int8:      true,
}, func(m *model, p Params) { m.stackCells(pnasNet5Genotype, p) }}

var dartsV2 = family{Builder{
	Name:      "darts-v2",
	Title:     "DARTS V2",
	Summary:   "cells found by differentiable search, many of whose states outlive them",
	Reference: "Liu et al., DARTS: Differentiable Architecture Search, ICLR 2019, arXiv:1806.09055",
	Meaning:   "edge of the image; channels of the first cells' operations; cells in all, two of them reductions",
	Defaults:  Params{Resolution: 224, Width: 48, Depth: 14, Classes: 1000},
	Int8:      true,
}, drawDARTS}

// stackCells is the network of the NASNet paper: a stem of one convolution and
// two reductions, then three runs of normal cells with reductions between.
func (m *model) stackCells(g genotype, p Params) {
	n := m.subgraph("main")
	x := n.image(p)
	x = n.conv(x, min(32, 2*p.Width), win(3, 2, tflite.NoActivation))
	s := states{n: n, before: x, last: x}
	s.cell(g.reduce, max(p.Width/4, 1), 2)
	s.cell(g.reduce, max(p.Width/2, 1), 2)
	for run := range 3 {
		if run > 0 {
			s.cell(g.reduce, p.Width<<run, 2)
		}
		for range p.Depth {
			s.cell(g.normal, p.Width<<run, 1)
		}
	}
	n.classify(n.relu(s.last), p.Classes)
}

func drawDARTS(m *model, p Params) {
	n := m.subgraph("main")
	x := n.image(p)
	x = n.conv(x, max(p.Width/2, 1), win(3, 2, tflite.Relu))
	before := n.conv(x, p.Width, win(3, 2, tflite.NoActivation))
	last := n.conv(n.relu(before), p.Width, win(3, 2, tflite.NoActivation))
	s := states{n: n, before: before, last: last}
	channels := p.Width
	for i := range p.Depth {
		if p.Depth > 2 && (i == p.Depth/3 || i == 2*p.Depth/3) {
			channels *= 2
			s.cell(dartsV2Genotype.reduce, channels, 2)
		} else {
			s.cell(dartsV2Genotype.normal, channels, 1)
		}
	}
	n.classify(s.last, p.Classes)
}

// states are the two values that a cell reads.
type states struct {
	n            *net
	before, last value
	cells        int
}

// cell draws a cell and moves on: its output is the last state.
func (s *states) cell(c cell, channels, stride int) {
	n := s.n
	n.within(fmt.Sprintf("cell%d", s.cells), func() {
		list := []value{s.before, s.last}
		if s.before.height() != s.last.height() {
			list[0] = n.halve(n.relu(s.before), channels)
		} else {
			list[0] = n.conv(n.relu(s.before), channels, win(1, 1, tflite.NoActivation))
		}
		list[1] = n.conv(n.relu(s.last), channels, win(1, 1, tflite.NoActivation))
		apply := func(e edge) value {
			if e.from < 2 {
				return n.cellOp(e.op, list[e.from], stride)
			}
			return n.cellOp(e.op, list[e.from], 1)
		}
		for _, nd := range c.nodes {
			list = append(list, n.plus(apply(nd.a), apply(nd.b), tflite.NoActivation))
		}
		joined := make([]value, len(c.concat))
		for i, state := range c.concat {
			joined[i] = list[state]
		}
		s.before, s.last = s.last, n.concat(3, joined...)
	})
	s.cells++
}

// cellOp draws an operation that keeps the channels.
func (n *net) cellOp(op cellOp, x value, stride int) value {
	c := x.channels()
	separable := func(x value, k, stride, dilation int) value {
		w := win(k, stride, tflite.NoActivation)
		w.dilation = dilation
		return n.conv(n.depthwise(n.relu(x), w), c, win(1, 1, tflite.NoActivation))
	}
	switch op {
	case sep3:
		return separable(separable(x, 3, stride, 1), 3, 1, 1)
	case sep5:
		return separable(separable(x, 5, stride, 1), 5, 1, 1)
	case sep7:
		return separable(separable(x, 7, stride, 1), 7, 1, 1)
	case dil3:
		return separable(x, 3, stride, 2)
	case conv7:
		x = n.conv(n.relu(x), c, window{h: 1, w: 7, down: 1, across: stride})
		return n.conv(x, c, window{h: 7, w: 1, down: stride, across: 1})
	case avgPool:
		return n.avgPool(x, win(3, stride, tflite.NoActivation))
	case maxPool:
		return n.maxPool(x, win(3, stride, tflite.NoActivation))
	}
	if stride == 1 {
		return x // skip
	}
	return n.halve(n.relu(x), c)
}

// halve is the factorised reduction of the search papers: two convolutions of
// stride 2, one of them on the image shifted by a pixel, each giving half of
// the channels.
func (n *net) halve(x value, channels int) value {
	w := win(1, 2, tflite.NoActivation)
	if channels < 2 {
		return n.conv(x, channels, w)
	}
	even := n.conv(x, channels/2, w)
	shifted := n.slice(n.pad(x, 0, 1), []int{0, 1, 1, 0}, x.shape)
	odd := n.conv(shifted, channels-channels/2, w)
	return n.concat(3, even, odd)
}
