package datasets

import (
	"bytes"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/arenalab/arenalab/graph"
	"github.com/arenalab/arenalab/graph/opgraph"
	"github.com/arenalab/arenalab/reorder/proof"
)

// plainMemory returns what the operators need by the profile of the optima.
func plainMemory(t rapid.TB, g *OperatorGraph) *graph.Memory {
	t.Helper()
	p, err := graph.LookupProfile("plain")
	if err != nil {
		t.Fatal(err)
	}
	m, err := graph.NewMemory(g.Model, g.Model.Subgraphs[0], p)
	if err != nil {
		t.Fatal(err)
	}
	if m.Loose != "" {
		t.Fatalf("%s: %s", g.Model.Name, m.Loose)
	}
	return m
}

// checkGraph checks what all generated graphs have in common.
func checkGraph(t rapid.TB, g *OperatorGraph) {
	t.Helper()
	if len(g.Model.Subgraphs) != 1 {
		t.Fatalf("%s: %d subgraphs", g.Model.Name, len(g.Model.Subgraphs))
	}
	s := g.Model.Subgraphs[0]
	fresh := *s
	fresh.Producer, fresh.Consumers, fresh.Before = nil, nil, nil
	if err := fresh.Link(); err != nil { // refuses cycles: stored orders are executable
		t.Fatalf("%s: %v", g.Model.Name, err)
	}
	if !reflect.DeepEqual(&fresh, s) {
		t.Errorf("%s: the subgraph is not linked as it is", g.Model.Name)
	}
	for i := range s.Ops {
		op := &s.Ops[i]
		if op.Code != graph.OpCustom || op.Custom == "" || len(op.Outputs) != 1 || len(op.Inputs) == 0 || op.Index != i {
			t.Errorf("%s: operator %d is %+v", g.Model.Name, i, op)
		}
		for k, x := range op.Inputs {
			if slices.Contains(op.Inputs[:k], x) {
				t.Errorf("%s: operator %d lists tensor %d twice", g.Model.Name, i, x)
			}
		}
	}
	for i, x := range s.Tensors {
		if x.Type != graph.Int8 || x.Bytes <= 0 || x.Index != i {
			t.Errorf("%s: tensor %d is %+v", g.Model.Name, i, x)
		}
		if len(s.Consumers[i]) == 0 && !slices.Contains(s.Outputs, i) && g.Family != "tap-tree" {
			t.Errorf("%s: tensor %d is of no use", g.Model.Name, i)
		}
	}
	if len(s.Outputs) == 0 {
		t.Errorf("%s: no graph output", g.Model.Name)
	}
	if (g.Optimum > 0) != (g.Order != nil) {
		t.Errorf("%s: optimum %d, order of %d", g.Model.Name, g.Optimum, len(g.Order))
	}
	if g.Order != nil {
		if err := s.CheckOrder(graph.Order{Name: "known", Ops: g.Order}); err != nil {
			t.Fatalf("%s: %v", g.Model.Name, err)
		}
		if peak := plainMemory(t, g).Peak(g.Order); peak != g.Optimum {
			t.Errorf("%s: the known order has peak %d, the optimum is %d", g.Model.Name, peak, g.Optimum)
		}
	}
}

func TestGraphFamilies(t *testing.T) {
	seen := map[string]bool{}
	for _, f := range GraphFamilies() {
		if seen[f.Name] || f.Title == "" || f.Meaning == "" {
			t.Errorf("family %q: listed twice or not explained", f.Name)
		}
		seen[f.Name] = true
		if _, ok := LookupGraphFamily(f.Name); !ok {
			t.Errorf("no family %q", f.Name)
		}
		g, err := f.Generate(GraphParams{}, 1)
		if err != nil {
			t.Fatal(err)
		}
		checkGraph(t, g)
		if g.Params != f.Defaults || g.Family != f.Name || g.Seed != 1 || (g.Optimum > 0) != (f.Proof != "") {
			t.Errorf("%s: made %+v, optimum %d", f.Name, g.Params, g.Optimum)
		}
		again, err := f.Generate(GraphParams{}, 1)
		if err != nil || !reflect.DeepEqual(g, again) {
			t.Errorf("%s: two graphs of one seed differ (%v)", f.Name, err)
		}
	}
	if _, ok := LookupGraphFamily("nothing"); ok {
		t.Error("a family that is none")
	}
}

// TestGraphFamilyLimits checks the smallest graphs, and that others are refused.
func TestGraphFamilyLimits(t *testing.T) {
	for _, f := range GraphFamilies() {
		least := f.Least
		for i, v := range []*int{&least.Size, &least.Width, &least.Depth, &least.Parts} {
			def := []int{f.Defaults.Size, f.Defaults.Width, f.Defaults.Depth, f.Defaults.Parts}[i]
			if *v > def {
				t.Errorf("%s: the default %d of field %d is below the least, %d", f.Name, def, i, *v)
			}
		}
		g, err := f.Generate(least, 3)
		if err != nil {
			t.Fatal(err)
		}
		checkGraph(t, g)
		for i, name := range []string{"size", "width", "depth", "parts"} {
			p := f.Defaults
			*[]*int{&p.Size, &p.Width, &p.Depth, &p.Parts}[i] = []int{f.Most.Size, f.Most.Width, f.Most.Depth, f.Most.Parts}[i] + 1
			if _, err := f.Generate(p, 1); err == nil || !strings.Contains(err.Error(), name) {
				t.Errorf("%s: %+v: %v", f.Name, p, err)
			}
		}
	}
	f, _ := LookupGraphFamily("full-tree")
	if _, err := f.Generate(GraphParams{Width: 16, Depth: 900}, 1); err == nil {
		t.Error("a tree of 16^900 leaves")
	}
	f, _ = LookupGraphFamily("merge")
	if _, err := f.Generate(GraphParams{Width: 500, Depth: 500}, 1); err == nil {
		t.Error("half a million operators")
	}
}

// optimum returns the least peak of all orders, from the tensors and not from
// graph.Memory: the least over all sets of operators that can have run.
func optimum(s *graph.Subgraph) int64 {
	n := len(s.Ops)
	live := func(done int, also int) (bytes int64) {
		for x := range s.Tensors {
			p := s.Producer[x]
			if p != also && p >= 0 && done>>p&1 == 0 {
				continue
			}
			need := p == also || slices.Contains(s.Outputs, x)
			for _, c := range s.Consumers[x] {
				need = need || done>>c&1 == 0
			}
			if need {
				bytes += s.Tensors[x].Bytes
			}
		}
		return bytes
	}
	const never = 1 << 62
	best := make([]int64, 1<<n)
	for done := 1; done < len(best); done++ {
		best[done] = never
	}
	for done := range best {
		for i := range n {
			ready := best[done] < never && done>>i&1 == 0
			for _, p := range s.Before[i] {
				ready = ready && done>>p&1 == 1
			}
			if ready {
				next := &best[done|1<<i]
				*next = min(*next, max(best[done], live(done, i)))
			}
		}
	}
	return best[len(best)-1]
}

// TestGraphOptima compares the optima that are known by construction with
// those of all orders.
func TestGraphOptima(t *testing.T) {
	for _, f := range GraphFamilies() {
		if f.Proof == "" {
			continue
		}
		t.Run(f.Name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(5, 5))
			sizes := map[int]int{}
			for range 400 {
				draw := func(least, most, limit int) int {
					if most == 0 {
						return 0
					}
					least = max(least, 1)
					return least + r.IntN(limit-least+1)
				}
				p := GraphParams{
					Size:  draw(f.Least.Size, f.Most.Size, 12),
					Width: draw(f.Least.Width, f.Most.Width, 6),
					Depth: draw(f.Least.Depth, f.Most.Depth, 6),
				}
				if leaves := math.Pow(float64(p.Width), float64(p.Depth)); strings.HasSuffix(f.Name, "-tree") && leaves > 12 {
					continue // too many orders
				}
				g, err := f.Generate(p, r.Uint64())
				if err != nil {
					t.Fatal(err)
				}
				s := g.Model.Subgraphs[0]
				if len(s.Ops) > 13 {
					continue
				}
				sizes[len(s.Ops)]++
				checkGraph(t, g)
				if want := optimum(s); g.Optimum != want {
					t.Errorf("%s %+v seed %d: optimum %d, all orders %d", f.Name, p, g.Seed, g.Optimum, want)
				}
			}
			t.Log("graphs of each size:", sizes)
			if len(sizes) < 3 {
				t.Errorf("graphs of sizes %v only", sizes)
			}
		})
	}
}

// TestGraphEncoding: the text format holds all of a graph.
func TestGraphEncoding(t *testing.T) {
	for _, f := range GraphFamilies() {
		g, err := f.Generate(GraphParams{}, 2)
		if err != nil {
			t.Fatal(err)
		}
		var text bytes.Buffer
		if err := opgraph.Encode(&text, g.Model); err != nil {
			t.Fatalf("%s: %v", f.Name, err)
		}
		m, err := opgraph.Decode(&text, f.Name)
		if err != nil {
			t.Fatalf("%s: %v", f.Name, err)
		}
		a, b := m.Subgraphs[0], g.Model.Subgraphs[0]
		a.Name = b.Name // which the text has not
		if !reflect.DeepEqual(a, b) {
			t.Errorf("%s: read otherwise than written", f.Name)
		}
	}
}

// TestMixedOrders: the stored order of graphs with a known one is another.
func TestMixedOrders(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for _, f := range GraphFamilies() {
		g, err := f.Generate(GraphParams{}, r.Uint64())
		if err != nil {
			t.Fatal(err)
		}
		if g.Order != nil && slices.IsSorted(g.Order) {
			t.Errorf("%s: stored in the known order", f.Name)
		}
	}
}

// TestKnownOptimaInPlace: where the optimum is known by construction, nothing
// could be computed in place, so that it is the optimum of "plain-inplace" too.
func TestKnownOptimaInPlace(t *testing.T) {
	p, err := graph.LookupProfile("plain-inplace")
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range OperatorGraphs() {
		f, _ := LookupGraphFamily(l.Family)
		if f.Proof == "" || l.Ops > 1000 {
			continue
		}
		g, err := l.Build()
		if err != nil {
			t.Fatal(err)
		}
		m, err := graph.NewMemory(g.Model, g.Model.Subgraphs[0], p)
		if err != nil {
			t.Fatal(err)
		}
		for i := range m.Ops {
			if m.Ops[i].Replaces >= 0 {
				t.Errorf("%s: operator %d may take the place of an operand", l.Name, i)
			}
		}
	}
}

// TestKnownOptimaHaveBounds proves optima of graphs too large for trying all
// orders, where the reason has the form of a bound.
func TestKnownOptimaHaveBounds(t *testing.T) {
	leaves := func(s *graph.Subgraph) (list []int) {
		for i := range s.Ops {
			if len(s.Consumers[s.Ops[i].Outputs[0]]) == 0 {
				list = append(list, i)
			}
		}
		return list
	}
	folds := func(s *graph.Subgraph) (list []int) {
		for i := range s.Ops {
			if s.Ops[i].Custom == "MatMul" {
				list = append(list, i)
			}
		}
		return list
	}
	for _, c := range []struct {
		family string
		params GraphParams
		bound  func(s *graph.Subgraph) *proof.Bound
	}{
		{"planted", GraphParams{Size: 3000, Width: 30}, func(s *graph.Subgraph) *proof.Bound {
			return &proof.Bound{Kind: proof.Operator, Op: len(s.Ops) - 1}
		}},
		{"planted-tree", GraphParams{Size: 3000, Width: 30}, func(s *graph.Subgraph) *proof.Bound {
			return &proof.Bound{Kind: proof.Operator, Op: len(s.Ops) - 1}
		}},
		{"out-tree", GraphParams{Size: 3000, Width: 5}, func(*graph.Subgraph) *proof.Bound {
			return &proof.Bound{Kind: proof.Ends, Last: true}
		}},
		{"tap-tree", GraphParams{Width: 3, Depth: 4}, func(s *graph.Subgraph) *proof.Bound {
			return &proof.Bound{Kind: proof.Set, Ops: leaves(s)}
		}},
		// The top of a hill of one doubling is at the way down.
		{"hills", GraphParams{Width: 40, Depth: 1}, func(s *graph.Subgraph) *proof.Bound {
			return &proof.Bound{Kind: proof.Set, Last: true, Ops: folds(s)}
		}},
		{"hills", GraphParams{Width: 40, Depth: 8}, func(s *graph.Subgraph) *proof.Bound {
			b := &proof.Bound{Kind: proof.Set, Last: true}
			for _, i := range folds(s) {
				b.Ops = append(b.Ops, s.Producer[s.Ops[i].Inputs[0]])
			}
			slices.Sort(b.Ops)
			return b
		}},
	} {
		f, _ := LookupGraphFamily(c.family)
		g, err := f.Generate(c.params, 8)
		if err != nil {
			t.Fatal(err)
		}
		b := c.bound(g.Model.Subgraphs[0])
		b.Value = g.Optimum
		if err := proof.Check(plainMemory(t, g), b); err != nil {
			t.Errorf("%s %+v: %v", c.family, c.params, err)
		}
		checkGraph(t, g) // the order has no more
	}
}
