package datasets

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/arenalab/arenalab/graph/tflite"
)

var randWire = family{Builder{
	Name:      "randwire-ws",
	Title:     "RandWire (WS)",
	Summary:   "three stages wired as Watts-Strogatz random graphs",
	Reference: "Xie et al., Exploring Randomly Wired Neural Networks for Image Recognition, ICCV 2019, arXiv:1904.01569; WS(Depth, 4, 0.75), the small regime",
	Meaning:   "edge of the image; channels of the first stage (78 as published); nodes per stage (32 as published)",
	Defaults:  Params{Resolution: 224, Width: 78, Depth: 32, Classes: 1000},
	Int8:      true,
}, drawRandWire}

func drawRandWire(m *model, p Params) {
	n := m.subgraph("main")
	x := n.image(p)
	x = n.conv(x, max(p.Width/2, 1), win(3, 2, tflite.NoActivation))
	x = n.conv(n.relu(x), p.Width, win(3, 2, tflite.NoActivation))
	wiring := newRand(p.Seed, "wiring") // apart from the weights, which a dry run does not draw
	for stage := range 3 {
		n.within(fmt.Sprintf("stage%d", stage), func() {
			x = n.wired(x, wattsStrogatz(wiring, p.Depth, 4, 0.75), p.Width<<stage)
		})
	}
	x = n.conv(n.relu(x), scaled(1280, min(p.Width, 78), 78), win(1, 1, tflite.Relu))
	n.classify(x, p.Classes)
}

// wired draws a stage: every node is a separable convolution of the weighted
// sum of the nodes it reads. Nodes that read none read the stage's input with
// stride 2; the output is the average of the nodes that none read.
func (n *net) wired(in value, reads [][]int, channels int) value {
	nodes := make([]value, len(reads))
	read := make([]bool, len(reads))
	for i, list := range reads {
		x, stride := in, 2
		if len(list) > 0 {
			sources := make([]value, len(list))
			for j, k := range list {
				sources[j], read[k] = nodes[k], true
			}
			x, stride = n.weighted(sources), 1
		}
		x = n.depthwise(n.relu(x), win(3, stride, tflite.NoActivation))
		nodes[i] = n.conv(x, channels, win(1, 1, tflite.NoActivation))
	}
	var ends []value
	for i, v := range nodes {
		if !read[i] {
			ends = append(ends, v)
		}
	}
	sum := ends[0]
	for _, v := range ends[1:] {
		sum = n.plus(sum, v, tflite.NoActivation)
	}
	if len(ends) == 1 {
		return sum
	}
	share := 1 / float64(len(ends))
	return n.scale(sum, []float32{float32(share)}, share)
}

// weighted sums values, each times a weight between 0 and 1, as the sigmoids
// of the paper give them.
func (n *net) weighted(list []value) value {
	if len(list) == 1 {
		return list[0]
	}
	var sum value
	for i, v := range list {
		w := float64(n.rng.IntN(512)+256) / 1024
		v = n.scale(v, []float32{float32(w)}, w)
		if i == 0 {
			sum = v
		} else {
			sum = n.plus(sum, v, tflite.NoActivation)
		}
	}
	return sum
}

// wattsStrogatz returns a random graph as a list of the lower-numbered nodes
// that each node reads: a ring whose nodes are joined to the k nearest, each
// edge moved to a random node with probability p.
func wattsStrogatz(rng *rand.Rand, count, k int, p float64) [][]int {
	joined := make([][]bool, count)
	for i := range joined {
		joined[i] = make([]bool, count)
	}
	set := func(a, b int, yes bool) { joined[a][b], joined[b][a] = yes, yes }
	k = min(k, count-1)
	for step := 1; step <= k/2; step++ {
		for a := range count {
			set(a, (a+step)%count, true)
		}
	}
	limit := uint64(p * math.MaxUint32)
	for step := 1; step <= k/2; step++ {
		for a := range count {
			if rng.Uint64()>>32 >= limit {
				continue
			}
			b := rng.IntN(count)
			if b != a && !joined[a][b] { // else the edge stays, as on a full node
				set(a, (a+step)%count, false)
				set(a, b, true)
			}
		}
	}
	reads := make([][]int, count)
	for b := range count {
		for a := range b {
			if joined[a][b] {
				reads[b] = append(reads[b], a)
			}
		}
	}
	return reads
}
