package datasets

import "fmt"

// ListedGraph is an operator graph of the list: how it is made, and what is
// known of it.
type ListedGraph struct {
	Name   string
	Family string // of GraphFamilies
	Params GraphParams
	Seed   uint64
	Ops    int
	// Optimum is that of the graph, in bytes; 0 if it is not known. It is known
	// by construction if the family has a proof. Otherwise a search has proven
	// it: testdata/graph_proofs.jsonl holds an order and a bound, which tests
	// check.
	Optimum int64
}

// Build makes the graph.
func (l ListedGraph) Build() (*OperatorGraph, error) {
	f, ok := LookupGraphFamily(l.Family)
	if !ok {
		return nil, fmt.Errorf("graph %s: no family %q", l.Name, l.Family)
	}
	g, err := f.Generate(l.Params, l.Seed)
	if err != nil {
		return nil, fmt.Errorf("graph %s: %w", l.Name, err)
	}
	g.Model.Name, g.Optimum = l.Name, l.Optimum
	return g, nil
}

// OperatorGraphs returns a list of graphs to try orders on, family by family.
func OperatorGraphs() []ListedGraph {
	list := listedNetworks()
	for _, family := range []string{"layered-f", "layered-l", "layered-m"} {
		for _, size := range []int{50, 100, 250, 500, 1000} {
			for _, width := range []int{5, 8, 12} {
				for seed := uint64(1); seed <= 2 && (size > 50 || width == 5); seed++ {
					list = append(list, ListedGraph{
						Name: fmt.Sprintf("%s-%d-%d-%d", family, size, width, seed), Family: family,
						Params: GraphParams{Size: size, Width: width}, Seed: seed, Ops: size,
					})
				}
			}
		}
	}
	list = append(list, listedShapes()...)
	built, proven := builtOptima(), provenOptima()
	for i := range list {
		l := &list[i]
		l.Optimum = max(built[l.Name], proven[l.Name])
	}
	return list
}

func listedNetworks() []ListedGraph {
	return []ListedGraph{
		{Name: "nasnet-a-cifar", Family: "nasnet-a", Params: GraphParams{Size: 32, Width: 32, Depth: 6}, Seed: 1, Ops: 880},
		{Name: "nasnet-a-imagenet", Family: "nasnet-a", Params: GraphParams{Size: 224, Width: 44, Depth: 4}, Seed: 1, Ops: 724},
		{Name: "amoebanet-a-cifar", Family: "amoebanet-a", Params: GraphParams{Size: 32, Width: 36, Depth: 6}, Seed: 1, Ops: 786},
		{Name: "amoebanet-a-imagenet", Family: "amoebanet-a", Params: GraphParams{Size: 224, Width: 50, Depth: 4}, Seed: 1, Ops: 656},
		{Name: "pnasnet-5-cifar", Family: "pnasnet-5", Params: GraphParams{Size: 32, Width: 36, Depth: 6}, Seed: 1, Ops: 1016},
		{Name: "pnasnet-5-imagenet", Family: "pnasnet-5", Params: GraphParams{Size: 224, Width: 54, Depth: 3}, Seed: 1, Ops: 705},
		{Name: "darts-v2-cifar", Family: "darts-v2", Params: GraphParams{Size: 32, Width: 36, Depth: 6}, Seed: 1, Ops: 802},
		{Name: "darts-v2-imagenet", Family: "darts-v2", Params: GraphParams{Size: 224, Width: 48, Depth: 4}, Seed: 1, Ops: 592},
		{Name: "swiftnet-like-cifar", Family: "swiftnet-like", Params: GraphParams{Size: 32, Width: 16, Parts: 1}, Seed: 1, Ops: 76},
		{Name: "swiftnet-like-imagenet", Family: "swiftnet-like", Params: GraphParams{Size: 224, Width: 32, Parts: 1}, Seed: 1, Ops: 76},
		{Name: "swiftnet-like-long", Family: "swiftnet-like", Params: GraphParams{Size: 224, Width: 32, Parts: 5}, Seed: 1, Ops: 348},
		{Name: "randwire-ws-16", Family: "randwire-ws", Params: GraphParams{Size: 224, Width: 78, Depth: 16, Parts: 1}, Seed: 1, Ops: 63},
		{Name: "randwire-ws-24", Family: "randwire-ws", Params: GraphParams{Size: 224, Width: 78, Depth: 24, Parts: 1}, Seed: 1, Ops: 88},
		{Name: "randwire-ws-32", Family: "randwire-ws", Params: GraphParams{Size: 224, Width: 78, Depth: 32, Parts: 1}, Seed: 1, Ops: 120},
		{Name: "randwire-ws-32x3", Family: "randwire-ws", Params: GraphParams{Size: 224, Width: 78, Depth: 32, Parts: 3}, Seed: 1, Ops: 351},
		{Name: "randwire-ws-64", Family: "randwire-ws", Params: GraphParams{Size: 224, Width: 78, Depth: 64, Parts: 1}, Seed: 1, Ops: 230},
		{Name: "randwire-er-16", Family: "randwire-er", Params: GraphParams{Size: 224, Width: 78, Depth: 16, Parts: 1}, Seed: 1, Ops: 58},
		{Name: "randwire-er-24", Family: "randwire-er", Params: GraphParams{Size: 224, Width: 78, Depth: 24, Parts: 1}, Seed: 1, Ops: 88},
		{Name: "randwire-er-32", Family: "randwire-er", Params: GraphParams{Size: 224, Width: 78, Depth: 32, Parts: 1}, Seed: 1, Ops: 119},
		{Name: "randwire-er-32x3", Family: "randwire-er", Params: GraphParams{Size: 224, Width: 78, Depth: 32, Parts: 3}, Seed: 1, Ops: 359},
		{Name: "randwire-er-64", Family: "randwire-er", Params: GraphParams{Size: 224, Width: 78, Depth: 64, Parts: 1}, Seed: 1, Ops: 247},
		{Name: "randwire-ba-16", Family: "randwire-ba", Params: GraphParams{Size: 224, Width: 78, Depth: 16, Parts: 1}, Seed: 1, Ops: 63},
		{Name: "randwire-ba-24", Family: "randwire-ba", Params: GraphParams{Size: 224, Width: 78, Depth: 24, Parts: 1}, Seed: 1, Ops: 95},
		{Name: "randwire-ba-32", Family: "randwire-ba", Params: GraphParams{Size: 224, Width: 78, Depth: 32, Parts: 1}, Seed: 1, Ops: 127},
		{Name: "randwire-ba-32x3", Family: "randwire-ba", Params: GraphParams{Size: 224, Width: 78, Depth: 32, Parts: 3}, Seed: 1, Ops: 375},
		{Name: "randwire-ba-64", Family: "randwire-ba", Params: GraphParams{Size: 224, Width: 78, Depth: 64, Parts: 1}, Seed: 1, Ops: 255},
	}
}

func listedShapes() []ListedGraph {
	return []ListedGraph{
		{Name: "series-parallel-30", Family: "series-parallel", Params: GraphParams{Size: 30, Width: 3}, Seed: 1, Ops: 30},
		{Name: "series-parallel-100", Family: "series-parallel", Params: GraphParams{Size: 100, Width: 4}, Seed: 1, Ops: 100},
		{Name: "series-parallel-300", Family: "series-parallel", Params: GraphParams{Size: 300, Width: 5}, Seed: 1, Ops: 300},
		{Name: "series-parallel-1000", Family: "series-parallel", Params: GraphParams{Size: 1000, Width: 5}, Seed: 1, Ops: 1000},
		{Name: "in-tree-100", Family: "in-tree", Params: GraphParams{Size: 100, Width: 4}, Seed: 1, Ops: 100},
		{Name: "in-tree-1000", Family: "in-tree", Params: GraphParams{Size: 1000, Width: 4}, Seed: 1, Ops: 1000},
		{Name: "in-tree-5000", Family: "in-tree", Params: GraphParams{Size: 5000, Width: 4}, Seed: 1, Ops: 5000},
		{Name: "full-tree-2-5", Family: "full-tree", Params: GraphParams{Width: 2, Depth: 5}, Seed: 1, Ops: 63},
		{Name: "full-tree-3-6", Family: "full-tree", Params: GraphParams{Width: 3, Depth: 6}, Seed: 1, Ops: 1093},
		{Name: "full-tree-2-10", Family: "full-tree", Params: GraphParams{Width: 2, Depth: 10}, Seed: 1, Ops: 2047},
		{Name: "out-tree-100", Family: "out-tree", Params: GraphParams{Size: 100, Width: 4}, Seed: 1, Ops: 100},
		{Name: "out-tree-1000", Family: "out-tree", Params: GraphParams{Size: 1000, Width: 4}, Seed: 1, Ops: 1000},
		{Name: "out-tree-5000", Family: "out-tree", Params: GraphParams{Size: 5000, Width: 4}, Seed: 1, Ops: 5000},
		{Name: "tap-tree-2-5", Family: "tap-tree", Params: GraphParams{Width: 2, Depth: 5}, Seed: 1, Ops: 63},
		{Name: "tap-tree-4-5", Family: "tap-tree", Params: GraphParams{Width: 4, Depth: 5}, Seed: 1, Ops: 1365},
		{Name: "tap-tree-2-10", Family: "tap-tree", Params: GraphParams{Width: 2, Depth: 10}, Seed: 1, Ops: 2047},
		{Name: "pumpkin-12", Family: "pumpkin", Params: GraphParams{Width: 12}, Seed: 1, Ops: 26},
		{Name: "pumpkin-50", Family: "pumpkin", Params: GraphParams{Width: 50}, Seed: 1, Ops: 102},
		{Name: "pumpkin-400", Family: "pumpkin", Params: GraphParams{Width: 400}, Seed: 1, Ops: 802},
		{Name: "hills-8-6", Family: "hills", Params: GraphParams{Width: 8, Depth: 6}, Seed: 1, Ops: 57},
		{Name: "hills-30-10", Family: "hills", Params: GraphParams{Width: 30, Depth: 10}, Seed: 1, Ops: 331},
		{Name: "hills-400-14", Family: "hills", Params: GraphParams{Width: 400, Depth: 14}, Seed: 1, Ops: 6001},
		{Name: "lattice-6", Family: "lattice", Params: GraphParams{Size: 20, Width: 6, Parts: 6}, Seed: 1, Ops: 318},
		{Name: "lattice-60", Family: "lattice", Params: GraphParams{Size: 85, Width: 12, Parts: 60}, Seed: 1, Ops: 5909},
		{Name: "lattice-60-wide", Family: "lattice", Params: GraphParams{Size: 85, Width: 12, Depth: 2, Parts: 60}, Seed: 1, Ops: 6089},
		{Name: "merge-6-4", Family: "merge", Params: GraphParams{Width: 6, Depth: 4}, Seed: 1, Ops: 49},
		{Name: "merge-8-6", Family: "merge", Params: GraphParams{Width: 8, Depth: 6}, Seed: 1, Ops: 97},
		{Name: "merge-12-10", Family: "merge", Params: GraphParams{Width: 12, Depth: 10}, Seed: 1, Ops: 241},
		{Name: "merge-40-40", Family: "merge", Params: GraphParams{Width: 40, Depth: 40}, Seed: 1, Ops: 3201},
		{Name: "copies-3-12", Family: "copies", Params: GraphParams{Size: 12, Width: 3, Parts: 3}, Seed: 1, Ops: 40},
		{Name: "copies-5-20", Family: "copies", Params: GraphParams{Size: 20, Width: 3, Parts: 5}, Seed: 1, Ops: 106},
		{Name: "copies-12-40", Family: "copies", Params: GraphParams{Size: 40, Width: 3, Parts: 12}, Seed: 1, Ops: 493},
		{Name: "planted-50", Family: "planted", Params: GraphParams{Size: 50, Width: 6}, Seed: 1, Ops: 50},
		{Name: "planted-100", Family: "planted", Params: GraphParams{Size: 100, Width: 8}, Seed: 1, Ops: 100},
		{Name: "planted-300", Family: "planted", Params: GraphParams{Size: 300, Width: 12}, Seed: 1, Ops: 300},
		{Name: "planted-1000", Family: "planted", Params: GraphParams{Size: 1000, Width: 20}, Seed: 1, Ops: 1000},
		{Name: "planted-6000", Family: "planted", Params: GraphParams{Size: 6000, Width: 40}, Seed: 1, Ops: 6000},
		{Name: "planted-tree-100", Family: "planted-tree", Params: GraphParams{Size: 100, Width: 8}, Seed: 1, Ops: 100},
		{Name: "planted-tree-1000", Family: "planted-tree", Params: GraphParams{Size: 1000, Width: 20}, Seed: 1, Ops: 1000},
		{Name: "planted-tree-6000", Family: "planted-tree", Params: GraphParams{Size: 6000, Width: 40}, Seed: 1, Ops: 6000},
	}
}

// LookupOperatorGraph returns the graph of that name.
func LookupOperatorGraph(name string) (ListedGraph, bool) {
	for _, l := range OperatorGraphs() {
		if l.Name == name {
			return l, true
		}
	}
	return ListedGraph{}, false
}
