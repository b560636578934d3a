package datasets

import "math/rand/v2"

// The networks of architecture search, as lists of float32 operators without
// batch normalisation where a convolution takes it in.

// cifarEdge is the largest image that is taken without the two reductions that
// networks for ImageNet begin with.
const cifarEdge = 64

func cellGraph(name, title, reference string, g genotype) GraphFamily {
	return GraphFamily{
		Name: name, Title: title, Reference: reference,
		Meaning: "size: edge of the image, up to 64 at CIFAR scale, else at that of ImageNet; " +
			"width: channels of the first run of cells; depth: normal cells in each of three runs",
		Defaults: GraphParams{Size: 32, Width: 32, Depth: 6},
		Least:    GraphParams{Size: 8, Width: 4, Depth: 1},
		Most:     GraphParams{Size: 1024, Width: 1024, Depth: 1000},
		draw: func(d *draft, p GraphParams, _ *rand.Rand) {
			drawCellGraph(d, g, p)
		},
	}
}

func nasNetAGraph() GraphFamily {
	return cellGraph("nasnet-a", "NASNet-A: cells of five two-branch nodes, whose older input is part of the result",
		nasNetA.Reference, nasNetAGenotype)
}

func amoebaNetAGraph() GraphFamily {
	return cellGraph("amoebanet-a", "AmoebaNet-A: cells found by evolution, deeper inside", amoebaNetA.Reference, amoebaNetAGenotype)
}

func pnasNet5Graph() GraphFamily {
	return cellGraph("pnasnet-5", "PNASNet-5: one cell, which reduces too", pnasNet5.Reference, pnasNet5Genotype)
}

func dartsV2Graph() GraphFamily {
	return cellGraph("darts-v2", "DARTS V2: cells found by differentiable search", dartsV2.Reference, dartsV2Genotype)
}

// plane is an image of float32: a value, its edge, its channels.
type plane struct{ value, edge, channels int }

func planeBytes(edge, channels int) int64 { return 4 * int64(edge) * int64(edge) * int64(channels) }

// planes draws operators on images.
type planes struct{ *draft }

// to adds an operator whose result has another edge and other channels.
func (d planes) to(kind string, edge, channels int, from ...plane) plane {
	reads := make([]int, len(from))
	for i, f := range from {
		reads[i] = f.value
	}
	return plane{d.op(kind, planeBytes(edge, channels), reads...), edge, channels}
}

// same adds an operator whose result is like its first operand.
func (d planes) same(kind string, from ...plane) plane {
	return d.to(kind, from[0].edge, from[0].channels, from...)
}

func (d planes) concat(list []plane) plane {
	channels := 0
	for _, x := range list {
		channels += x.channels
	}
	return d.to("Concat", list[0].edge, channels, list...)
}

func halfEdge(edge int) int { return (edge + 1) / 2 }

// drawCellGraph draws a stem of one convolution, for large images two
// reductions, three runs of cells with a reduction between, and a classifier.
func drawCellGraph(into *draft, g genotype, p GraphParams) {
	d := planes{into}
	image := plane{d.input(planeBytes(p.Size, 3)), p.Size, 3}
	classes, edge := 10, p.Size
	if p.Size > cifarEdge {
		classes, edge = 1000, halfEdge(p.Size)
	}
	x := d.to("Conv", edge, 32, image)
	s := cellStack{planes: d, before: x, last: x}
	if p.Size > cifarEdge {
		s.cell(g.reduce, p.Width/4, 2)
		s.cell(g.reduce, p.Width/2, 2)
	}
	channels := p.Width
	for run := range 3 {
		if run > 0 {
			channels *= 2
			s.cell(g.reduce, channels, 2)
		}
		for range p.Depth {
			s.cell(g.normal, channels, 1)
		}
	}
	d.classify(d.same("Relu", s.last), classes)
}

// classify draws what gives the logits, which are the graph output.
func (d planes) classify(x plane, classes int) {
	x = d.to("GlobalAveragePool", 1, x.channels, x)
	x = d.same("Squeeze", x)
	x = d.to("MatMul", 1, classes, x)
	d.keep(d.same("Add", x).value)
}

// cellStack draws cell after cell; each reads the two before it.
type cellStack struct {
	planes
	before, last plane
}

func (s *cellStack) cell(c cell, channels, stride int) {
	last := s.to("Conv", s.last.edge, channels, s.same("Relu", s.last))
	before := last
	switch {
	case s.before.value == s.last.value: // the first cell
	case s.before.edge != s.last.edge:
		before = s.halve(s.before, channels)
	default:
		before = s.to("Conv", s.before.edge, channels, s.same("Relu", s.before))
	}
	list := []plane{before, last}
	for _, nd := range c.nodes {
		list = append(list, s.same("Add", s.edge(nd.a, list, stride), s.edge(nd.b, list, stride)))
	}
	joined := make([]plane, len(c.concat))
	for i, state := range c.concat {
		joined[i] = list[state]
	}
	s.before, s.last = s.last, s.concat(joined)
}

// edge draws the operation of an edge of the cell; only what reads the inputs
// of the cell has its stride.
func (s *cellStack) edge(e edge, list []plane, stride int) plane {
	x := list[e.from]
	if e.from > 1 {
		stride = 1
	}
	edge, c := x.edge, x.channels
	if stride == 2 {
		edge = halfEdge(edge)
	}
	separable := func(x plane, edge int) plane {
		return s.same("Conv", s.to("DWConv", edge, c, s.same("Relu", x)))
	}
	switch e.op {
	case sep3, sep5, sep7:
		return separable(separable(x, edge), edge)
	case dil3:
		return separable(x, edge)
	case conv7:
		// 1x7 with a stride across, then 7x1 with one down.
		x = s.same("Relu", x)
		wide := plane{s.op("Conv", 4*int64(x.edge)*int64(edge)*int64(c), x.value), edge, c}
		return s.to("Conv", edge, c, wide)
	case avgPool:
		return s.to("AveragePool", edge, c, x)
	case maxPool:
		return s.to("MaxPool", edge, c, x)
	}
	if stride == 1 {
		return x // skip
	}
	return s.halve(x, c)
}

// halve is the factorised reduction: half of the channels from the image, half
// from the image shifted by a pixel. One channel has no halves.
func (s *cellStack) halve(x plane, channels int) plane {
	half := halfEdge(x.edge)
	x = s.same("Relu", x)
	if channels < 2 {
		return s.to("Conv", half, channels, x)
	}
	even := s.to("Conv", half, channels/2, s.to("AveragePool", half, x.channels, x))
	shifted := s.to("Slice", x.edge, x.channels, s.to("Pad", x.edge+1, x.channels, x))
	odd := s.to("Conv", half, channels-channels/2, s.to("AveragePool", half, x.channels, shifted))
	return s.same("BatchNormalization", s.concat([]plane{even, odd}))
}
