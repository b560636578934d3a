package datasets

import "math/rand/v2"

func inTreeGraph() GraphFamily {
	return GraphFamily{
		Name: "in-tree", Title: "a random tree whose every result is read once, on the way to one graph output",
		Reference: "the trees of Liu, An Application of Generalized Tree Pebbling to Sparse Matrix Factorization, " +
			"SIAM J. Algebraic Discrete Methods 8(3), 1987",
		Meaning:  "size: operators; width: most operands",
		Defaults: GraphParams{Size: 100, Width: 4},
		Least:    GraphParams{Size: 1, Width: 1},
		Most:     GraphParams{Size: 100_000, Width: 100},
		draw: func(d *draft, p GraphParams, r *rand.Rand) {
			// A random tree from the root, drawn from the leaves: operators whose
			// number is larger come first.
			children := randomTree(r, p.Size, p.Width)
			values := make([]int, p.Size)
			x := d.input(treeInput)
			for i := p.Size - 1; i >= 0; i-- {
				var reads []int
				for _, c := range children[i] {
					reads = append(reads, values[c])
				}
				if len(reads) == 0 {
					reads = []int{x}
				}
				values[i] = d.op("Conv", kib(r, 100), reads...)
			}
			d.keepUnread()
			d.mix(r)
		},
	}
}

// randomTree returns the children of every node, all of a larger number.
// Parents are among those that have room for a child, often a recent one.
func randomTree(r *rand.Rand, count, most int) [][]int {
	children := make([][]int, count)
	open := []int{0}
	for i := 1; i < count; i++ {
		k := r.IntN(len(open))
		if r.IntN(2) == 0 {
			k = max(k, r.IntN(len(open)))
		}
		p := open[k]
		if children[p] = append(children[p], i); len(children[p]) == most {
			open = append(open[:k], open[k+1:]...)
		}
		open = append(open, i)
	}
	return children
}

// treeUnit is the size of every result of a full tree.
const treeUnit = 1 << 10

// treeInput is the size of what the leaves of in-trees and the root of out-trees
// read.
const treeInput = 64

// fullTree returns the parameters of families of full trees.
func fullTree(f GraphFamily, leastWidth int) GraphFamily {
	f.Defaults = GraphParams{Width: 2, Depth: 6}
	f.Least = GraphParams{Width: leastWidth, Depth: 1}
	f.Most = GraphParams{Width: 16, Depth: 1000}
	return f
}

// grows reports whether a full tree has more operators than a graph may have.
func grows(p GraphParams) bool {
	total, layer := 1, 1
	for range p.Depth {
		layer *= p.Width
		if total += layer; total > mostGraphOps {
			return true
		}
	}
	return false
}

func fullTreeGraph() GraphFamily {
	return fullTree(GraphFamily{
		Name: "full-tree", Title: "a full in-tree of equal results",
		Reference: "Sethi and Ullman, The Generation of Optimal Code for Arithmetic Expressions, JACM 17(4), 1970",
		Meaning:   "width: operands of an operator; depth: arcs from leaf to root",
		Proof: "each subtree of the root holds s(depth-1) results at some moment; at the last of these moments each of the " +
			"others has begun and holds one at least, so that s(depth) = s(depth-1) + width - 1, and s(1) = width + 1",
		draw: func(d *draft, p GraphParams, r *rand.Rand) {
			if d.tooMany = grows(p); d.tooMany {
				return
			}
			x := d.input(treeInput)
			var node func(above int) int
			node = func(above int) int {
				reads := make([]int, 0, p.Width+1)
				for range p.Width {
					if above < p.Depth {
						reads = append(reads, node(above+1))
					}
				}
				if above == 0 || above == p.Depth {
					reads = append(reads, x) // the root too, so that it is live throughout
				}
				return d.op("Conv", treeUnit, reads...)
			}
			d.keep(node(0))
			d.optimum = treeInput + treeUnit*int64((p.Width-1)*p.Depth+2)
			d.mix(r)
		},
	}, 1)
}

func tapTreeGraph() GraphFamily {
	return fullTree(GraphFamily{
		Name: "tap-tree", Title: "a full out-tree of equal results, of which all readers share one; what the leaves make is read by nothing, but one is a graph output",
		Meaning: "width: readers of a result; depth: arcs from root to leaf",
		Proof: "when the first leaf runs, each result on the way to it is live, or all its readers have run and one beside " +
			"the way, of whose leaves none has run, has left a live one: depth results, and its own",
		draw: func(d *draft, p GraphParams, r *rand.Rand) {
			if d.tooMany = grows(p); d.tooMany {
				return
			}
			var last int
			var node func(depth, read int)
			node = func(depth, read int) {
				last = d.op("Conv", treeUnit, read)
				if result := last; depth < p.Depth {
					for range p.Width {
						node(depth+1, result)
					}
				}
			}
			node(0, d.input(treeInput))
			d.keep(last)
			d.optimum = treeUnit * int64(p.Depth+1)
			d.mix(r)
		},
	}, 2)
}

func outTreeGraph() GraphFamily {
	return GraphFamily{
		Name: "out-tree", Title: "a random tree whose leaves are graph outputs, at least twice as large as other results",
		Meaning: "size: operators; width: most readers of a result",
		Proof: "when the last leaf runs, all graph outputs are live and what it reads; depth first with the leaf that reads " +
			"least at the end is never above, since each result still to be read can be laid to the account of a leaf still to run",
		Defaults: GraphParams{Size: 100, Width: 4},
		Least:    GraphParams{Size: 1, Width: 1},
		Most:     GraphParams{Size: 100_000, Width: 100},
		draw:     drawOutTree,
	}
}

func drawOutTree(d *draft, p GraphParams, r *rand.Rand) {
	const most = 32 // KiB of a result that is not a leaf's
	children := randomTree(r, p.Size, p.Width)
	sizes, parent := make([]int64, p.Size), make([]int, p.Size)
	var leaves int64
	for i, list := range children {
		sizes[i] = kib(r, most)
		if len(list) == 0 {
			sizes[i] += (2*most - 1) << 10
			leaves += sizes[i]
		}
		for _, c := range list {
			parent[c] = i
		}
	}
	least, at := int64(treeInput), 0 // of what leaves read
	if p.Size > 1 {
		least = 1 << 62
	}
	for i, list := range children {
		if len(list) == 0 && i > 0 && sizes[parent[i]] < least {
			least, at = sizes[parent[i]], i
		}
	}
	onWay := make([]bool, p.Size) // to the leaf that comes last
	for i := at; i > 0; i = parent[i] {
		onWay[i] = true
	}
	values := make([]int, p.Size)
	type visit struct{ node, read int }
	stack := []visit{{0, d.input(treeInput)}}
	for len(stack) > 0 {
		v := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		values[v.node] = d.op("Conv", sizes[v.node], v.read)
		for _, last := range []bool{true, false} { // what is pushed first comes last
			for _, c := range children[v.node] {
				if onWay[c] == last {
					stack = append(stack, visit{c, values[v.node]})
				}
			}
		}
	}
	d.keepUnread()
	d.optimum = leaves + least
	d.mix(r)
}
