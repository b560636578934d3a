package datasets

import "math/rand/v2"

// randWireGraph makes networks of random wiring: in each stage a node sums what
// it reads and convolves it; nodes that read none read the result of the stage
// before, and the mean of those that none reads is the result.
func randWireGraph(key, title, model string, wiring func(r *rand.Rand, nodes int) [][]int) GraphFamily {
	return GraphFamily{
		Name:  "randwire-" + key,
		Title: "RandWire: stages wired as " + title + " random graphs, " + model,
		Reference: "Xie et al., Exploring Randomly Wired Neural Networks for Image Recognition, ICCV 2019, " +
			"arXiv:1904.01569; without the classifier, nodes without any edge not ruled out",
		Meaning:  "size: edge of the image; width: channels of the first stage; depth: nodes of a stage; parts: stages",
		Defaults: GraphParams{Size: 224, Width: 78, Depth: 32, Parts: 1},
		Least:    GraphParams{Size: 8, Width: 2, Depth: 1, Parts: 1},
		Most:     GraphParams{Size: 1024, Width: 1024, Depth: 1000, Parts: 8},
		draw: func(d *draft, p GraphParams, r *rand.Rand) {
			drawWired(planes{d}, p, func() [][]int { return wiring(r, p.Depth) })
		},
	}
}

func drawWired(d planes, p GraphParams, wiring func() [][]int) {
	image := plane{d.input(planeBytes(p.Size, 3)), p.Size, 3}
	x := d.to("Conv", halfEdge(p.Size), p.Width/2, image)
	x = d.to("Conv", halfEdge(x.edge), p.Width, d.same("Relu", x))
	for stage := range p.Parts {
		x = d.wired(x, wiring(), p.Width<<stage)
	}
	d.keep(x.value)
}

func (d planes) wired(in plane, reads [][]int, channels int) plane {
	nodes := make([]plane, len(reads))
	for i, list := range reads {
		x, edge := in, halfEdge(in.edge)
		if len(list) > 0 {
			sources := make([]plane, len(list))
			for j, k := range list {
				sources[j] = nodes[k]
			}
			if x = sources[0]; len(list) > 1 {
				x = d.same("WSum", sources...)
			}
		}
		x = d.to("DWConv", edge, x.channels, d.same("Relu", x))
		nodes[i] = d.to("Conv", edge, channels, x)
	}
	var ends []plane
	for _, x := range nodes {
		if !d.values[x.value].read {
			ends = append(ends, x)
		}
	}
	return d.same("Mean", ends...)
}

func smallWorld(r *rand.Rand, nodes int) [][]int { return wattsStrogatz(r, nodes, 4, 0.75) }

// erdosRenyi joins any two nodes with probability 1/5.
func erdosRenyi(r *rand.Rand, nodes int) [][]int {
	reads := make([][]int, nodes)
	for b := range nodes {
		for a := range b {
			if r.IntN(5) == 0 {
				reads[b] = append(reads[b], a)
			}
		}
	}
	return reads
}

// barabasiAlbert starts with five nodes and lets each further one read five,
// each with a probability in proportion to the edges it has.
func barabasiAlbert(r *rand.Rand, nodes int) [][]int {
	const m = 5
	reads := make([][]int, nodes)
	var ends []int // of all edges: a node is listed once for each
	for b := m; b < nodes; b++ {
		read := make([]bool, b)
		for count := 0; count < m; {
			a := count // the first to come reads all there are
			if b > m {
				a = ends[r.IntN(len(ends))]
			}
			if !read[a] {
				read[a] = true
				count++
			}
		}
		for a, yes := range read {
			if yes {
				reads[b] = append(reads[b], a)
				ends = append(ends, a, b)
			}
		}
	}
	return reads
}
