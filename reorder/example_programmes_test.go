package reorder_test

import (
	"context"
	"fmt"

	"github.com/arenalab/arenalab/graph"
	"github.com/arenalab/arenalab/reorder"
)

// Two branches: each makes 8 bytes of one, and then 1 byte of these. Both make
// their 8 bytes first, as stored.
func Example() {
	s := &graph.Subgraph{Inputs: []int{0}, Outputs: []int{5}}
	for i, n := range []int64{1, 8, 8, 1, 1, 1} {
		s.Tensors = append(s.Tensors, graph.Tensor{Index: i, Type: graph.Int8, Bytes: n})
	}
	s.Ops = []graph.Op{
		{Index: 0, Inputs: []int{0}, Outputs: []int{1}},
		{Index: 1, Inputs: []int{0}, Outputs: []int{2}},
		{Index: 2, Inputs: []int{1}, Outputs: []int{3}},
		{Index: 3, Inputs: []int{2}, Outputs: []int{4}},
		{Index: 4, Inputs: []int{3, 4}, Outputs: []int{5}},
	}
	if err := s.Link(); err != nil {
		fmt.Println(err)
		return
	}
	m, err := graph.NewMemory(&graph.Model{Subgraphs: []*graph.Subgraph{s}}, s, graph.Profile{Name: "plain"})
	if err != nil {
		fmt.Println(err)
		return
	}
	list, err := reorder.Lookup("stored,series-parallel,annealing")
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, r := range list {
		order, err := r.Order(context.Background(), m, reorder.Options{})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(order.Name, order.Ops, m.Peak(order.Ops))
	}
	// Output:
	// stored [0 1 2 3 4] 17
	// series-parallel [0 2 1 3 4] 10
	// annealing [1 3 0 2 4] 10
}
