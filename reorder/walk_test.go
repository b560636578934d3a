package reorder

import (
	"slices"
	"testing"

	"github.com/arenalab/arenalab/graph"
	"pgregory.net/rapid"
)

// randomMemory draws what a random subgraph of up to n operators needs under
// any profile. Bytes are often few, so that ties are many.
func randomMemory(t *rapid.T, n int) *graph.Memory {
	s := randomSubgraph(t, n)
	most := rapid.SampledFrom([]int64{2, 3, 51}).Draw(t, "most")
	for i := range s.Tensors {
		s.Tensors[i].Bytes %= most
	}
	return memoryOf(t, s, rapid.SampledFrom(append(graph.Profiles(), profiles...)).Draw(t, "profile"))
}

// orderTest says in which order a reorderer runs the operators of a subgraph.
type orderTest struct {
	name, order string
	s           *graph.Subgraph
	p           graph.Profile
	want        []int
}

func runOrderTests(t *testing.T, tests []orderTest) {
	for _, test := range tests {
		t.Run(test.order+"/"+test.name, func(t *testing.T) {
			if err := test.s.Link(); err != nil {
				t.Fatal(err)
			}
			list, err := Lookup(test.order)
			if err != nil {
				t.Fatal(err)
			}
			got, err := list[0].Order(t.Context(), memoryOf(t, test.s, test.p), Options{})
			if err != nil || !slices.Equal(got.Ops, test.want) {
				t.Errorf("got %v, %v, want %v", got.Ops, err, test.want)
			}
		})
	}
}

// recursively is postOrder as it is read in books.
func recursively(roots []int, next func(op int) []int) []int {
	var order []int
	var visit func(i int)
	visit = func(i int) {
		if slices.Contains(order, i) {
			return
		}
		for _, k := range next(i) {
			visit(k)
		}
		order = append(order, i)
	}
	for _, i := range roots {
		visit(i)
	}
	return order
}

// follows fails unless the reorderer takes the order of the rule.
func follows(t *rapid.T, r Reorderer, m *graph.Memory, rule []int) {
	order, err := r.Order(t.Context(), m, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Subgraph.CheckOrder(order); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(order.Ops, rule) {
		t.Fatalf("%s runs %v, its rule says %v", order.Name, order.Ops, rule)
	}
}

func after(m *graph.Memory, i int) []int {
	var list []int
	for k, before := range m.Before {
		if slices.Contains(before, i) {
			list = append(list, k)
		}
	}
	return list
}

func TestWalksFollowTheirRules(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := randomMemory(t, 25)
		var first, last []int
		for i := range m.Ops {
			if len(m.Before[i]) == 0 {
				first = append([]int{i}, first...)
			}
			if len(after(m, i)) == 0 {
				last = append(last, i)
			}
		}
		follows(t, depthFirst{}, m, recursively(last, func(i int) []int { return m.Before[i] }))
		forwards := recursively(first, func(i int) []int {
			list := after(m, i)
			slices.Reverse(list)
			return list
		})
		slices.Reverse(forwards)
		follows(t, reversePostorder{}, m, forwards)
	})
}

// Operators wait in vain where nothing leads to them.
func TestPostOrder(t *testing.T) {
	next := [][]int{0: {1, 2}, 1: {3}, 2: {3, 1}, 3: {}, 4: {3}}
	got, err := postOrder(t.Context(), 5, []int{2, 0}, func(i int) []int { return next[i] })
	if want := []int{3, 1, 2, 0}; err != nil || !slices.Equal(got, want) {
		t.Errorf("got %v, %v, want %v", got, err, want)
	}
}
