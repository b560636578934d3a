package exact_test

import (
	"context"
	"fmt"

	"github.com/arenalab/arenalab/lifetime"
	"github.com/arenalab/arenalab/strategies/exact"
)

// Five bytes are live at most, and yet these buffers need six.
func Example() {
	table := &lifetime.Table{Buffers: []lifetime.Buffer{
		{Name: "a", Lower: 1, Upper: 3, Size: 3},
		{Name: "b", Lower: 2, Upper: 5, Size: 1},
		{Name: "c", Lower: 3, Upper: 4, Size: 2},
		{Name: "d", Lower: 3, Upper: 6, Size: 2},
		{Name: "e", Lower: 4, Upper: 8, Size: 1},
		{Name: "f", Lower: 5, Upper: 6, Size: 2},
		{Name: "g", Lower: 6, Upper: 7, Size: 3},
		{Name: "bystander", Lower: 8, Upper: 9, Size: 4},
	}}
	found, err := exact.Minimize(context.Background(), table, exact.Options{})
	if err != nil {
		panic(err)
	}
	fmt.Println("arena", found.Plan.Arena, "refuted", found.Refuted)

	core, err := exact.FindCore(context.Background(), table, 5, exact.Options{})
	if err != nil {
		panic(err)
	}
	for _, i := range core.Buffers {
		fmt.Print(table.Buffers[i].Name, " ")
	}
	fmt.Println("do not fit into", core.Capacity)
	// Output:
	// arena 6 refuted 5
	// a b c d e f g do not fit into 5
}
