package datasets

import "math/rand/v2"

// swiftCells are the operators of the three cells of SwiftNet, as counted by
// SERENITY.
var swiftCells = [...]int{21, 19, 28}

// swiftNetGraph makes cells of the size and kind of SwiftNet's. Their wiring
// was published as a picture only, so that here it is random.
func swiftNetGraph() GraphFamily {
	return GraphFamily{
		Name:  "swiftnet-like",
		Title: "three irregular cells of 21, 19 and 28 operators, as SwiftNet has, wired at random, and repeated",
		Reference: "Cheng et al., SwiftNet: Using Graph Propagation as Meta-knowledge to Search Highly Representative " +
			"Neural Architectures, arXiv:1906.08305, 2019; cell sizes: Ahn et al., Ordering Chaos: Memory-Aware " +
			"Scheduling of Irregularly Wired Neural Networks for Edge Devices, MLSys 2020",
		Meaning:  "size: edge of the image; width: channels of the first cell; parts: how often the three cells are repeated",
		Defaults: GraphParams{Size: 224, Width: 32, Parts: 1},
		Least:    GraphParams{Size: 8, Width: 4, Parts: 1},
		Most:     GraphParams{Size: 1024, Width: 1024, Parts: 1000},
		draw: func(d *draft, p GraphParams, r *rand.Rand) {
			drawSwiftNet(planes{d}, p, r)
		},
	}
}

func drawSwiftNet(d planes, p GraphParams, r *rand.Rand) {
	edge, classes := p.Size, 10
	image := plane{d.input(planeBytes(p.Size, 3)), p.Size, 3}
	if p.Size > cifarEdge {
		edge, classes = halfEdge(edge), 1000
	}
	x := d.to("Conv", edge, p.Width/4, image) // few, so that the cells decide
	channels := p.Width
	for _, count := range swiftCells {
		x = d.to("MaxPool", halfEdge(x.edge), x.channels, x)
		for range p.Parts {
			x = d.irregular(x, count, channels, r)
		}
		channels *= 2
	}
	d.classify(x, classes)
}

// irregular draws a cell: convolutions, pointwise and depthwise, that each read
// one of the last few values, or several joined, and at the end one that reads
// all that nothing else has read.
func (d planes) irregular(in plane, count, channels int, r *rand.Rand) plane {
	const reach = 8
	first := len(d.nodes)
	list := []plane{d.to("Conv", in.edge, channels, in)}
	pick := func() plane { return list[len(list)-1-r.IntN(min(len(list), reach))] }
	for len(d.nodes)-first < count-2 {
		if len(list) > 3 && r.IntN(3) == 0 && len(d.nodes)-first < count-3 {
			a, b := pick(), pick()
			if a.value != b.value {
				list = append(list, d.to("Conv", in.edge, channels, d.concat([]plane{a, b})))
				continue
			}
		}
		if x := pick(); r.IntN(2) == 0 {
			list = append(list, d.same("DWConv", x))
		} else {
			list = append(list, d.to("Conv", in.edge, channels, x))
		}
	}
	var ends []plane
	for _, x := range list {
		if !d.values[x.value].read {
			ends = append(ends, x)
		}
	}
	return d.to("Conv", in.edge, channels, d.concat(ends))
}
