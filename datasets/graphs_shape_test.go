package datasets

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/arenalab/arenalab/graph"
	"github.com/arenalab/arenalab/graph/opgraph"
)

// generate makes a graph of a family for a test.
func generate(t rapid.TB, family string, p GraphParams, seed uint64) *graph.Subgraph {
	t.Helper()
	f, ok := LookupGraphFamily(family)
	if !ok {
		t.Fatalf("no family %q", family)
	}
	g, err := f.Generate(p, seed)
	if err != nil {
		t.Fatal(err)
	}
	checkGraph(t, g)
	return g.Model.Subgraphs[0]
}

// count returns how many operators of a type there are.
func count(s *graph.Subgraph, kind string) (n int) {
	for i := range s.Ops {
		if s.Ops[i].Custom == kind {
			n++
		}
	}
	return n
}

// TestCellNetworks compares two networks with counts made by hand from the
// genotypes: 18 normal and 2 reducing cells, whose inputs take 39 convolutions
// and two factorised reductions.
func TestCellNetworks(t *testing.T) {
	s := generate(t, "nasnet-a", GraphParams{Size: 32, Width: 32, Depth: 6}, 1)
	for kind, want := range map[string]int{
		"Add":         20*5 + 1,
		"Concat":      20 + 2,
		"DWConv":      18*2*5 + 2*2*5,
		"AveragePool": 18*3 + 2*2 + 2*2,
		"MaxPool":     2 * 2,
		"Conv":        1 + 18*10 + 2*10 + 37 + 2*2,
	} {
		if got := count(s, kind); got != want {
			t.Errorf("nasnet-a has %d %s, want %d", got, kind, want)
		}
	}
	if got := s.Tensors[s.Inputs[0]].Bytes; got != 32*32*3*4 {
		t.Errorf("the image has %d bytes", got)
	}
	if got := s.Tensors[s.Outputs[0]].Bytes; got != 10*4 {
		t.Errorf("the logits have %d bytes", got)
	}
	// At ImageNet scale two reductions come first, and the result of the last
	// of the cells is 7 x 7 in size, four times 192 channels deep.
	s = generate(t, "darts-v2", GraphParams{Size: 224, Width: 48, Depth: 4}, 1)
	var joined int64
	for i := range s.Ops {
		if s.Ops[i].Custom == "Concat" {
			joined = s.Tensors[s.Ops[i].Outputs[0]].Bytes
		}
	}
	if joined != 7*7*4*192*4 || count(s, "Concat") != 16+4 {
		t.Errorf("darts-v2 ends with %d bytes, %d concatenations", joined, count(s, "Concat"))
	}
	// Edges that are odd, and no channels to spare.
	for _, family := range []string{"nasnet-a", "amoebanet-a", "pnasnet-5", "darts-v2"} {
		generate(t, family, GraphParams{Size: 67, Width: 4, Depth: 1}, 1)
		generate(t, family, GraphParams{Size: 9, Width: 5, Depth: 2}, 1)
	}
}

// TestNetworksAreLikeOthers: networks of this kind that came from elsewhere have
// as many operators as one of the list, but for one in a hundred.
func TestNetworksAreLikeOthers(t *testing.T) {
	root := os.Getenv("ARENALAB_DATA")
	if root == "" {
		t.Skip("ARENALAB_DATA is not set: no graphs to compare with")
	}
	files, err := filepath.Glob(filepath.Join(root, "graphs", "*.txt"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no graphs (%v)", err)
	}
	compared := 0
	for _, file := range files {
		m, err := opgraph.Read(file)
		if err != nil {
			t.Fatal(err)
		}
		n := len(m.Subgraphs[0].Ops)
		if count(m.Subgraphs[0], "Concat") < 10 {
			continue // no cells
		}
		compared++
		if !slices.ContainsFunc(OperatorGraphs(), func(l ListedGraph) bool { return 100*abs(l.Ops-n) <= n }) {
			t.Errorf("no listed graph is as large as %s, of %d operators", filepath.Base(file), n)
		}
	}
	if compared == 0 {
		t.Error("no networks of cells to compare with")
	}
}

func abs(x int) int { return max(x, -x) }

// TestIrregularCells: the cells of swiftnet-like have the operators that they
// are said to have, besides a stem, three reductions and four of a classifier.
func TestIrregularCells(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		parts := rapid.IntRange(1, 3).Draw(t, "parts")
		s := generate(t, "swiftnet-like", GraphParams{Parts: parts}, rapid.Uint64().Draw(t, "seed"))
		if want := 1 + 3 + parts*(21+19+28) + 4; len(s.Ops) != want {
			t.Errorf("%d operators, want %d", len(s.Ops), want)
		}
	})
}

// TestWirings counts the edges of the random graphs of RandWire.
func TestWirings(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	edges := func(reads [][]int) (n int) {
		for b, list := range reads {
			for k, a := range list {
				if a >= b || k > 0 && a <= list[k-1] {
					t.Fatalf("node %d reads %v", b, list)
				}
			}
			n += len(list)
		}
		return n
	}
	er := 0
	for range 50 {
		if got := edges(smallWorld(r, 32)); got != 2*32 {
			t.Errorf("WS(4) of 32 nodes has %d edges, want %d", got, 2*32)
		}
		if got := edges(barabasiAlbert(r, 32)); got != 5*(32-5) {
			t.Errorf("BA(5) of 32 nodes has %d edges, want %d", got, 5*(32-5))
		}
		er += edges(erdosRenyi(r, 32))
	}
	if want := 50 * 32 * 31 / 2 / 5; er < want*95/100 || er > want*105/100 {
		t.Errorf("ER(0.2) has %d edges in all, want about %d", er, want)
	}
	// Those who came first have more edges in Barabási and Albert's graphs.
	degree := make([]int, 200)
	for range 20 {
		for b, list := range barabasiAlbert(r, 200) {
			degree[b] += len(list)
			for _, a := range list {
				degree[a]++
			}
		}
	}
	early, late := 0, 0
	for i := range 20 {
		early, late = early+degree[i], late+degree[199-i]
	}
	if early < 2*late {
		t.Errorf("the first 20 of 200 nodes have %d edges, the last 20 %d", early, late)
	}
}

func TestLayers(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 9))
	for _, width := range []int{1, 5, 12} {
		layers := drawLayers(r, 5000, width)
		next := 0
		for _, layer := range layers {
			for _, i := range layer {
				if i != next {
					t.Fatalf("operator %d where %d is due", i, next)
				}
				next++
			}
			if len(layer) > 3*width {
				t.Errorf("width %d: a layer of %d", width, len(layer))
			}
		}
		if want := 5000 / width; next != 5000 || len(layers) < want*85/100 || len(layers) > want*115/100 {
			t.Errorf("width %d: %d operators in %d layers", width, next, len(layers))
		}
	}
}

func TestLayered(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := GraphParams{Size: rapid.IntRange(1, 80).Draw(t, "size"), Width: rapid.IntRange(1, 9).Draw(t, "width")}
		seed := rapid.Uint64().Draw(t, "seed")
		random := func() *rand.Rand { return rand.New(rand.NewPCG(seed, 0)) }
		layers := drawLayers(random(), p.Size, p.Width)
		last := layers[len(layers)-1]

		s := generate(t, "layered-f", p, seed)
		if len(s.Inputs) != 1 || len(s.Ops) != p.Size {
			t.Errorf("layered-f: %d inputs, %d operators", len(s.Inputs), len(s.Ops))
		}
		for i, list := range layeredF(random(), layers) {
			// Arcs reach at most four layers back; all but the last are read.
			if k := layerOf(layers, i); k > 0 && (len(list) == 0 || layerOf(layers, list[0]) < k-4 || layerOf(layers, list[len(list)-1]) >= k) {
				t.Errorf("operator %d of layer %d reads %v", i, k, list)
			}
		}
		for i, readers := range turned(layeredF(random(), layers)) {
			if len(readers) == 0 && !slices.Contains(last, i) {
				t.Errorf("layered-f: nothing reads operator %d", i)
			}
		}

		s = generate(t, "layered-l", p, seed)
		for i := range s.Ops {
			out := s.Ops[i].Outputs[0]
			if (len(s.Consumers[out]) == 0) != slices.Contains(s.Outputs, out) {
				t.Errorf("layered-l: result %d has readers %v", out, s.Consumers[out])
			}
		}

		// M is L with every arc turned round, and every source has its input.
		forward, back := layeredL(random(), layers), layeredM(random(), layers)
		for i, readers := range turned(forward) {
			var want []int
			for _, j := range readers {
				want = append(want, p.Size-1-j)
			}
			got := slices.Clone(back[p.Size-1-i])
			slices.Sort(got)
			slices.Sort(want)
			if !slices.Equal(got, want) {
				t.Errorf("operator %d is read by %v, its image reads %v", i, readers, got)
			}
		}
		s = generate(t, "layered-m", p, seed)
		for _, x := range s.Inputs {
			if c := s.Consumers[x]; len(c) != 1 || s.Tensors[s.Ops[c[0]].Outputs[0]].Bytes != s.Tensors[x].Bytes {
				t.Errorf("layered-m: input %d is read by %v", x, c)
			}
		}
	})
}

func layerOf(layers [][]int, op int) int {
	return slices.IndexFunc(layers, func(l []int) bool { return slices.Contains(l, op) })
}

// turned returns the readers of operators whose operands are given.
func turned(reads [][]int) [][]int {
	readers := make([][]int, len(reads))
	for i, list := range reads {
		for _, j := range list {
			readers[j] = append(readers[j], i)
		}
	}
	return readers
}

// TestSeriesParallel reduces graphs: arcs side by side become one, and so do
// two in a row; what is left of a series-parallel graph is one arc.
func TestSeriesParallel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := GraphParams{Size: rapid.IntRange(1, 60).Draw(t, "size"), Width: rapid.IntRange(2, 6).Draw(t, "width")}
		s := generate(t, "series-parallel", p, rapid.Uint64().Draw(t, "seed"))
		if len(s.Ops) != p.Size || len(s.Inputs) != 1 || len(s.Outputs) != 1 {
			t.Fatalf("%d operators, %d inputs, %d outputs", len(s.Ops), len(s.Inputs), len(s.Outputs))
		}
		type arc struct{ from, to int }
		arcs := map[arc]bool{} // of operators; -1 is the source
		for i := range s.Ops {
			for _, x := range s.Ops[i].Inputs {
				arcs[arc{s.Producer[x], i}] = true
			}
		}
		for x := range s.Tensors {
			if len(s.Consumers[x]) > p.Width {
				t.Errorf("%d operators read tensor %d, %d may", len(s.Consumers[x]), x, p.Width)
			}
		}
		for again := true; again; {
			again = false
			for i := range s.Ops {
				var in, out []arc
				for a := range arcs {
					if a.to == i {
						in = append(in, a)
					}
					if a.from == i {
						out = append(out, a)
					}
				}
				if len(in) == 1 && len(out) == 1 {
					delete(arcs, in[0])
					delete(arcs, out[0])
					arcs[arc{in[0].from, out[0].to}] = true
					again = true
				}
			}
		}
		if len(arcs) != 1 {
			t.Errorf("%d arcs are left: %v", len(arcs), arcs)
		}
	})
}

// TestTrees: in in-trees everything is read once, but for the input; in
// out-trees everything reads one.
func TestTrees(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := GraphParams{Size: rapid.IntRange(2, 60).Draw(t, "size"), Width: rapid.IntRange(1, 5).Draw(t, "width")}
		for _, family := range []string{"in-tree", "planted-tree"} {
			s := generate(t, family, p, rapid.Uint64().Draw(t, "seed"))
			for i := range s.Ops {
				readers := len(s.Consumers[s.Ops[i].Outputs[0]])
				if len(s.Ops) != p.Size || readers > 1 || family == "in-tree" && len(s.Ops[i].Inputs) > p.Width {
					t.Errorf("%s: operator %d of %d: %d readers, %d operands", family, i, len(s.Ops), readers, len(s.Ops[i].Inputs))
				}
			}
		}
		s := generate(t, "out-tree", p, rapid.Uint64().Draw(t, "seed"))
		for i := range s.Ops {
			if readers := s.Consumers[s.Ops[i].Outputs[0]]; len(s.Ops) != p.Size || len(s.Ops[i].Inputs) != 1 || len(readers) > p.Width {
				t.Errorf("out-tree: operator %d of %d: %d readers", i, len(s.Ops), len(readers))
			}
		}
	})
}

// TestLattice: the ensemble has the size that its description gives.
func TestLattice(t *testing.T) {
	for _, beside := range []int{0, 2} {
		s := generate(t, "lattice", GraphParams{Depth: beside}, 1)
		one := 12*6 + 11*2 + 3
		if beside > 0 {
			one += beside + 1
		}
		if want := 85 + 60*one + 4; len(s.Ops) != want || len(s.Inputs) != 85 {
			t.Errorf("%d operators, %d inputs; want %d, 85", len(s.Ops), len(s.Inputs), want)
		}
		var most int64
		for _, x := range s.Tensors {
			most = max(most, x.Bytes)
		}
		if most != 8<<11 {
			t.Errorf("the largest result has %d bytes", most)
		}
	}
}

// TestPlantedIsFull: many operators of planted graphs fill the room, in the
// order that they were drawn in.
func TestPlantedIsFull(t *testing.T) {
	for _, family := range []string{"planted", "planted-tree"} {
		f, _ := LookupGraphFamily(family)
		g, err := f.Generate(GraphParams{Size: 200, Width: 10}, 4)
		if err != nil {
			t.Fatal(err)
		}
		full := 0
		for _, bytes := range plainMemory(t, g).Live(g.Order) {
			if bytes == plantedRoom {
				full++
			}
		}
		if full < 20 {
			t.Errorf("%s: %d of 200 operators fill the room", family, full)
		}
	}
}
