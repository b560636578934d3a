package strategies_test

import (
	"cmp"
	"context"
	"fmt"
	"log"
	"slices"

	"github.com/arenalab/arenalab/lifetime"
	"github.com/arenalab/arenalab/strategies"
	"github.com/arenalab/arenalab/strategies/bound"
)

// endFirst is a strategy of one's own: what dies first is placed first, each
// buffer at the lowest offset that is clear of those placed before.
type endFirst struct{}

func (endFirst) Info() strategies.Info {
	return strategies.Info{
		Name:       "end-first",
		Title:      "Earliest end first",
		Summary:    "in order of last use, at the lowest offset that is free",
		Reference:  "this example",
		Complexity: "O(n^3)",
		RowOrder:   true,
	}
}

func (endFirst) Plan(ctx context.Context, t *lifetime.Table, o strategies.Options) (*lifetime.Plan, error) {
	t = lifetime.WithAlign(t, o.Align)
	order := make([]int, len(t.Buffers))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(t.Buffers[i].Upper, t.Buffers[j].Upper) })
	offsets := make([]int64, len(t.Buffers))
	for k, i := range order {
		b := &t.Buffers[i]
		if b.Fixed != nil {
			return nil, fmt.Errorf("buffer %q: fixed offsets are not supported", b.Name)
		}
		for moved := true; moved && ctx.Err() == nil; {
			moved = false
			for _, j := range order[:k] {
				c := &t.Buffers[j]
				if b.Overlaps(c) && offsets[i] < offsets[j]+c.Size && offsets[j] < offsets[i]+b.Size {
					offsets[i] = lifetime.AlignUp(offsets[j]+c.Size, b.Alignment())
					moved = true
				}
			}
		}
	}
	return lifetime.NewPlan(t, offsets), ctx.Err()
}

// A strategy from another package, registered, stands beside the built-in ones.
func ExampleRegister() {
	strategies.Register(endFirst{})

	t := &lifetime.Table{Name: "small", Buffers: []lifetime.Buffer{
		{Name: "image", Size: 200, Lower: 0, Upper: 5},
		{Name: "conv1", Size: 200, Lower: 1, Upper: 3},
		{Name: "conv2", Size: 300, Lower: 2, Upper: 5},
		{Name: "pool", Size: 100, Lower: 3, Upper: 6},
		{Name: "sum", Size: 200, Lower: 4, Upper: 6},
		{Name: "upsample", Size: 500, Lower: 5, Upper: 7},
	}}
	fmt.Println("proven", bound.Lower(t, 0).Value)
	list, err := strategies.Lookup("end-first,first-fit,best-fit,greedy-size,litert,naive,tflm")
	if err != nil {
		log.Fatal(err)
	}
	for _, s := range list {
		plan, err := s.Plan(context.Background(), t, strategies.Options{})
		if err != nil {
			log.Fatal(err)
		}
		if err := lifetime.Check(t, plan); err != nil {
			log.Fatal(err)
		}
		fmt.Println(s.Info().Name, plan.Arena)
	}
	// Output:
	// proven 800
	// end-first 900
	// first-fit 1400
	// best-fit 1400
	// greedy-size 800
	// litert 800
	// naive 1500
	// tflm 1000
}
