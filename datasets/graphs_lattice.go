package datasets

import "math/rand/v2"

func latticeGraph() GraphFamily {
	return GraphFamily{
		Name: "lattice",
		Title: "an ensemble of lattices: each calibrates a dozen of the shared features by small operators, " +
			"doubles an outer product with each, and reduces the largest to a number; all numbers are merged",
		Reference: "the kind of network of You et al., Deep Lattice Networks and Partial Monotonic Functions, NIPS 2017, arXiv:1709.06680",
		Meaning:   "parts: lattices; width: features of each; size: features in all; depth: results that are live beside the largest while they are joined",
		Defaults:  GraphParams{Size: 85, Width: 12, Parts: 60},
		Least:     GraphParams{Size: 1, Width: 1, Parts: 1},
		Most:      GraphParams{Size: 1000, Width: 24, Depth: 10, Parts: 2000},
		draw: func(d *draft, p GraphParams, r *rand.Rand) {
			features := make([]int, p.Size)
			for i := range features {
				features[i] = d.input(4)
			}
			for i := range features {
				features[i] = d.op("Cast", 8, features[i])
			}
			outs := make([]int, p.Parts)
			for i := range outs {
				outs[i] = d.lattice(r, features, p)
			}
			merged := d.op("Concat", 240, outs...)
			d.keep(d.op("Add", 4, d.op("MatMul", 4, d.op("Mul", 240, merged))))
		},
	}
}

// lattice draws one of p.Width inputs.
func (d *draft) lattice(r *rand.Rand, features []int, p GraphParams) int {
	wide := []int64{28, 32, 36, 40, 44, 76}
	cells := make([]int, 0, p.Width)
	for _, f := range r.Perm(len(features))[:min(p.Width, len(features))] {
		x := d.op("Gather", wide[r.IntN(len(wide))], features[f])
		y := d.op("Mul", wide[r.IntN(len(wide))], x)
		low := d.op("ReduceSum", 8, y)
		reads := []int{low}
		if r.IntN(3) == 0 {
			reads = append(reads, x)
		}
		x = d.op("Sub", 8, reads...)
		x = d.op("Clip", 8, x)
		cells = append(cells, d.op("Reshape", 8, x))
	}
	top, size := cells[0], int64(8)
	for _, c := range cells[1:] {
		half := d.op("Reshape", size, top)
		size *= 2
		top = d.op("MatMul", size, half, c)
	}
	if p.Depth > 0 {
		beside := []int{top}
		for range p.Depth {
			beside = append(beside, d.op("Mul", size, top))
		}
		top = d.op("Sum", size, beside...)
	}
	weighted := d.op("Mul", size, top)
	return d.op("ReduceSum", 4, d.op("Add", size, weighted, top))
}
