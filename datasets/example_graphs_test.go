package datasets_test

import (
	"fmt"

	"github.com/arenalab/arenalab/datasets"
	"github.com/arenalab/arenalab/graph"
)

// A graph whose least peak is known because of how it is made.
func ExampleLookupGraphFamily() {
	family, _ := datasets.LookupGraphFamily("planted")
	g, err := family.Generate(datasets.GraphParams{Size: 300, Width: 12}, 7)
	if err != nil {
		fmt.Println(err)
		return
	}
	profile, err := graph.LookupProfile("plain")
	if err != nil {
		fmt.Println(err)
		return
	}
	main := g.Model.Subgraphs[0]
	memory, err := graph.NewMemory(g.Model, main, profile)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(len(main.Ops), "operators")
	fmt.Println("stored order:", memory.Peak(graph.Stored(main).Ops))
	fmt.Println("known order:", memory.Peak(g.Order), "optimum:", g.Optimum)
	// Output:
	// 300 operators
	// stored order: 2903967
	// known order: 1048576 optimum: 1048576
}
