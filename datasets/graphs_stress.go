package datasets

import (
	"cmp"
	"math/rand/v2"
	"slices"
)

// The families here are hard for searches that run at once what costs nothing:
// for long, nothing does.

func mergeGraph() GraphFamily {
	return GraphFamily{
		Name: "merge",
		Title: "chains of hills, each lower than the one before and leaving more behind; the order of all hills decides, " +
			"and nothing is freed until one operator joins the chains",
		Meaning: "width: chains; depth: hills of a chain",
		Proof: "a hill is best left at once, since every result of a chain at rest is smaller and what the others hold only grows; " +
			"neighbouring hills may be exchanged until all fall, which the chains allow",
		Defaults: GraphParams{Width: 8, Depth: 6},
		Least:    GraphParams{Width: 1, Depth: 1},
		Most:     GraphParams{Width: 500, Depth: 500},
		draw:     drawMerge,
	}
}

func drawMerge(d *draft, p GraphParams, r *rand.Rand) {
	const in, grain = 64, 16
	type hill struct {
		chain int
		large int64
	}
	// What a chain holds rises by 1 to 8 grains a hill, so that the foot of
	// every hill is lower than this.
	floor := int64(8*grain) * int64(p.Depth)
	hills := make([]hill, 0, p.Width*p.Depth)
	steps := r.Perm(p.Width * p.Depth)
	for i, step := range steps {
		hills = append(hills, hill{i % p.Width, floor + grain*int64(1+step)})
	}
	slices.SortFunc(hills, func(a, b hill) int { return cmp.Compare(b.large, a.large) })
	x := d.input(in)
	at, held := make([]int, p.Width), make([]int64, p.Width) // by chain: its result, and its size
	for i := range at {
		at[i] = x
	}
	var sum int64
	for _, h := range hills {
		rise := grain * (1 + r.Int64N(8))
		next := held[h.chain] + rise
		at[h.chain] = d.op("Conv", next, d.op("Conv", h.large, at[h.chain]))
		// On the way up the large result lies beside what the chain held, on the
		// way down beside what it holds from then on, which is more.
		d.optimum = max(d.optimum, in+sum-held[h.chain]+h.large+next)
		sum += rise
		held[h.chain] = next
	}
	d.keep(d.op("Concat", grain, append(at, x)...)) // reads x, which is live throughout
	d.mix(r)
}

func copiesGraph() GraphFamily {
	return GraphFamily{
		Name:     "copies",
		Title:    "copies of one random graph in layers side by side, joined at the end: every state has many twins",
		Meaning:  "parts: copies; size: operators of each; width: operators of a layer on average",
		Defaults: GraphParams{Size: 20, Width: 3, Parts: 5},
		Least:    GraphParams{Size: 1, Width: 1, Parts: 1},
		Most:     GraphParams{Size: 1000, Width: 100, Parts: 250},
		draw: func(d *draft, p GraphParams, r *rand.Rand) {
			reads := layeredF(r, drawLayers(r, p.Size, p.Width))
			sizes := make([]int64, p.Size)
			for i := range sizes {
				sizes[i] = kib(r, 100)
			}
			x := d.input(1 << 10)
			var ends []int
			for range p.Parts {
				first := len(d.nodes)
				for i, list := range reads {
					operands := make([]int, 0, len(list))
					for _, j := range list {
						operands = append(operands, d.nodes[first+j].out)
					}
					if len(list) == 0 {
						operands = append(operands, x)
					}
					d.op("Conv", sizes[i], operands...)
				}
				var tops []int
				for _, node := range d.nodes[first:] {
					if !d.values[node.out].read {
						tops = append(tops, node.out)
					}
				}
				ends = append(ends, d.op("Concat", 1<<10, tops...))
			}
			d.keep(d.op("Concat", 1<<10, ends...))
			d.mix(r)
		},
	}
}
