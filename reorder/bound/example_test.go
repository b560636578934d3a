package bound_test

import (
	"context"
	"fmt"

	"github.com/arenalab/arenalab/graph"
	"github.com/arenalab/arenalab/reorder/bound"
	"github.com/arenalab/arenalab/reorder/proof"
)

// Three branches over hills of 9 bytes leave 2, 3 and 4 bytes behind. One of
// them comes last, and finds what two others left.
func ExampleFinder_Prove() {
	m := &graph.Memory{Values: []graph.Value{{Size: 1, Maker: -1}}}
	add := func(size int64, reads ...int) int {
		v, x := len(m.Ops), len(m.Values)
		var before []int
		for _, r := range reads {
			m.Values[r].Readers = append(m.Values[r].Readers, v)
			if u := m.Values[r].Maker; u >= 0 {
				before = append(before, u)
			}
		}
		m.Ops = append(m.Ops, graph.MemoryOp{Reads: reads, Makes: []int{x}, Replaces: -1})
		m.Values = append(m.Values, graph.Value{Size: size, Maker: v})
		m.Before = append(m.Before, before)
		return x
	}
	a := add(2, add(9, 0))
	b := add(3, add(9, 0))
	c := add(4, add(9, 0))
	m.Values[add(1, a, b, c)].Kept = true

	f, err := bound.New(m)
	if err != nil {
		fmt.Println(err)
		return
	}
	order := []int{4, 5, 2, 3, 0, 1, 6}
	fmt.Println("peak", m.Peak(order))
	x := f.Prove(context.Background(), order, bound.Options{})
	fmt.Println(x.Bound.Text(m))
	fmt.Println("checked:", proof.Check(m, x.Bound) == nil)
	// Output:
	// peak 18
	// 18 bytes: that much is live at whichever of 3 operators (1, 3, 5) is last of them to run
	// checked: true
}
