package datasets

import (
	"math/rand/v2"
	"slices"
)

// layeredGraph makes random graphs in layers: operators of 1 to 3 operands,
// four fifths of them from the layer before, the others from the four before.
func layeredGraph(key, title string, wiring func(r *rand.Rand, layers [][]int) [][]int) GraphFamily {
	return GraphFamily{
		Name:     "layered-" + key,
		Title:    "random layers: " + title,
		Meaning:  "size: operators; width: operators of a layer on average",
		Defaults: GraphParams{Size: 100, Width: 5},
		Least:    GraphParams{Size: 1, Width: 1},
		Most:     GraphParams{Size: 100_000, Width: 1000},
		draw: func(d *draft, p GraphParams, r *rand.Rand) {
			layers := drawLayers(r, p.Size, p.Width)
			d.wire(r, wiring(r, layers), key == "m")
		},
	}
}

// drawLayers deals out the operators to layers, whose sizes vary by a quarter.
func drawLayers(r *rand.Rand, count, width int) [][]int {
	var layers [][]int
	for next := 0; next < count; {
		// The sum of twelve uniform numbers is normal enough, and the same on
		// every machine.
		bell := -6000
		for range 12 {
			bell += r.IntN(1001)
		}
		size := min(count-next, max(1, width+width*bell/4000))
		layer := make([]int, size)
		for i := range layer {
			layer[i] = next + i
		}
		layers = append(layers, layer)
		next += size
	}
	return layers
}

// layeredL returns, by operator, the operators that it reads.
func layeredL(r *rand.Rand, layers [][]int) [][]int {
	var reads [][]int
	for k, layer := range layers {
		for range layer {
			var list []int
			for range 1 + r.IntN(3) {
				if k == 0 {
					break
				}
				from := k - 1
				if r.IntN(5) == 0 {
					from = max(0, k-4) + r.IntN(k-max(0, k-4))
				}
				list = append(list, layers[from][r.IntN(len(layers[from]))])
			}
			slices.Sort(list)
			reads = append(reads, slices.Compact(list))
		}
	}
	return reads
}

func layeredF(r *rand.Rand, layers [][]int) [][]int {
	reads := layeredL(r, layers)
	read := make([]bool, len(reads))
	for _, list := range reads {
		for _, i := range list {
			read[i] = true
		}
	}
	for k := range len(layers) - 1 {
		for _, i := range layers[k] {
			if !read[i] {
				to := layers[k+1][r.IntN(len(layers[k+1]))]
				reads[to] = append(reads[to], i)
			}
		}
	}
	for _, list := range reads {
		slices.Sort(list)
	}
	return reads
}

func layeredM(r *rand.Rand, layers [][]int) [][]int {
	forward := layeredL(r, layers)
	n := len(forward)
	reads := make([][]int, n)
	for i := n - 1; i >= 0; i-- {
		for _, j := range forward[i] {
			reads[n-1-j] = append(reads[n-1-j], n-1-i)
		}
	}
	return reads
}

// wire draws an operator for every list, of a result of 1 to 100 KiB. Those
// that read none read a graph input: all the same small one, or each one of
// its own, as large as its result.
func (d *draft) wire(r *rand.Rand, reads [][]int, own bool) {
	sizes, values := make([]int64, len(reads)), make([]int, len(reads))
	for i := range sizes {
		sizes[i] = kib(r, 100)
	}
	shared := -1
	for i, list := range reads {
		operands := make([]int, 0, len(list))
		for _, j := range list {
			operands = append(operands, values[j])
		}
		if len(list) == 0 {
			if shared < 0 || own {
				bytes := int64(1 << 10)
				if own {
					bytes = sizes[i]
				}
				shared = d.input(bytes)
			}
			operands = append(operands, shared)
		}
		values[i] = d.op("Conv", sizes[i], operands...)
	}
	d.keepUnread()
}
