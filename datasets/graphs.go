package datasets

import (
	"fmt"
	"math/rand/v2"

	"github.com/arenalab/arenalab/graph"
)

// OperatorGraph is a generated graph of operators.
type OperatorGraph struct {
	// Model has one subgraph, linked. Its operators are custom operators with
	// the names of ONNX, each with one result; its tensors are rows of bytes.
	Model *graph.Model
	// Optimum is the least peak of live bytes that any order of the operators
	// has by the profile "plain": graph inputs live to their last reader, graph
	// outputs to the end, nothing is computed in place. 0 if it is not known.
	Optimum int64
	// Order is one of that peak; nil if none came with the graph.
	Order []int
	// Family, Params and Seed are what the graph was generated from.
	Family string
	Params GraphParams
	Seed   uint64
}

// GraphParams sizes a graph. Zero means the family's default. What a field
// means for a family is said by its Meaning; one it does not name is not used.
type GraphParams struct{ Size, Width, Depth, Parts int }

// GraphFamily is a seeded generator of operator graphs.
type GraphFamily struct {
	Name      string // kebab-case
	Title     string // one line
	Reference string // where graphs of this kind come from; "" if from here
	Meaning   string // what the parameters are
	Proof     string // why the optimum is known; "" if it is not
	Defaults  GraphParams
	Least     GraphParams // the smallest values
	Most      GraphParams // the largest values
	draw      func(d *draft, p GraphParams, r *rand.Rand)
}

// GraphFamilies returns the families, in the order in which they are explained.
func GraphFamilies() []GraphFamily {
	return []GraphFamily{
		nasNetAGraph(), amoebaNetAGraph(), pnasNet5Graph(), dartsV2Graph(), swiftNetGraph(),
		randWireGraph("ws", "Watts-Strogatz", "WS(4, 0.75)", smallWorld),
		randWireGraph("er", "Erdős-Rényi", "ER(0.2)", erdosRenyi),
		randWireGraph("ba", "Barabási-Albert", "BA(5)", barabasiAlbert),
		layeredGraph("f", "all but the last layer is read", layeredF),
		layeredGraph("l", "results that nothing reads are graph outputs", layeredL),
		layeredGraph("m", "every arc of layered-l turned round, so that there are many graph inputs", layeredM),
		seriesParallelGraph(), inTreeGraph(), fullTreeGraph(), outTreeGraph(), tapTreeGraph(),
		pumpkinGraph(), hillsGraph(), latticeGraph(),
		mergeGraph(), copiesGraph(), plantedGraph(), plantedTreeGraph(),
	}
}

// LookupGraphFamily returns the family of that name.
func LookupGraphFamily(name string) (GraphFamily, bool) {
	for _, f := range GraphFamilies() {
		if f.Name == name {
			return f, true
		}
	}
	return GraphFamily{}, false
}

// Filled returns p with defaults in place of zeros, as Generate takes it.
func (f GraphFamily) Filled(p GraphParams) GraphParams {
	fill := func(v *int, def int) {
		if *v == 0 {
			*v = def
		}
	}
	fill(&p.Size, f.Defaults.Size)
	fill(&p.Width, f.Defaults.Width)
	fill(&p.Depth, f.Defaults.Depth)
	fill(&p.Parts, f.Defaults.Parts)
	return p
}

// mostGraphOps ends the drawing of graphs that nothing could order.
const mostGraphOps = 1 << 18

// Generate returns the graph of the parameters and the seed. It is the same on
// every platform and in every process. Parameters out of range, and more than
// 2^18 operators, are errors.
func (f GraphFamily) Generate(p GraphParams, seed uint64) (*OperatorGraph, error) {
	p = f.Filled(p)
	for _, c := range []struct {
		name               string
		value, least, most int
	}{
		{"size", p.Size, f.Least.Size, f.Most.Size}, {"width", p.Width, f.Least.Width, f.Most.Width},
		{"depth", p.Depth, f.Least.Depth, f.Most.Depth}, {"parts", p.Parts, f.Least.Parts, f.Most.Parts},
	} {
		if c.value < c.least || c.value > c.most {
			return nil, fmt.Errorf("generate %s: %s %d is not in %d..%d", f.Name, c.name, c.value, c.least, c.most)
		}
	}
	d := &draft{}
	f.draw(d, p, newRand(seed, f.Name))
	if d.tooMany || len(d.nodes) > mostGraphOps {
		return nil, fmt.Errorf("generate %s: more than %d operators", f.Name, mostGraphOps)
	}
	g := &OperatorGraph{Optimum: d.optimum, Family: f.Name, Params: p, Seed: seed}
	s, index := d.subgraph()
	if err := s.Link(); err != nil {
		return nil, fmt.Errorf("generate %s: %w", f.Name, err)
	}
	g.Model = &graph.Model{Name: f.Name, Subgraphs: []*graph.Subgraph{s}}
	if d.optimum > 0 {
		g.Order = index
	}
	return g, nil
}
