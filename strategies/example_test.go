package strategies_test

import (
	"context"
	"fmt"
	"log"

	"github.com/arenalab/arenalab/lifetime"
	"github.com/arenalab/arenalab/strategies"
	"github.com/arenalab/arenalab/strategies/bound"
)

// smaller is a strategy of one's own: it plans with two others and keeps the
// smaller arena.
type smaller struct{ one, other strategies.Strategy }

func (smaller) Info() strategies.Info {
	return strategies.Info{Name: "smaller", Title: "The smaller of two", Summary: "plans twice, keeps the smaller arena", RowOrder: true}
}

func (s smaller) Plan(ctx context.Context, t *lifetime.Table, o strategies.Options) (*lifetime.Plan, error) {
	p, err := s.one.Plan(ctx, t, o)
	if err != nil {
		return nil, err
	}
	q, err := s.other.Plan(ctx, t, o)
	if err == nil && q.Arena < p.Arena {
		p = q
	}
	return p, err
}

// A strategy from another package, registered, stands beside the built-in ones.
func ExampleRegister() {
	pair, err := strategies.Lookup("first-fit,tflm")
	if err != nil {
		log.Fatal(err)
	}
	strategies.Register(smaller{pair[0], pair[1]})

	t := &lifetime.Table{Name: "small", Buffers: []lifetime.Buffer{
		{Name: "image", Size: 200, Lower: 0, Upper: 5},
		{Name: "conv1", Size: 200, Lower: 1, Upper: 3},
		{Name: "conv2", Size: 300, Lower: 2, Upper: 5},
		{Name: "pool", Size: 100, Lower: 3, Upper: 6},
		{Name: "sum", Size: 200, Lower: 4, Upper: 6},
		{Name: "upsample", Size: 500, Lower: 5, Upper: 7},
	}}
	fmt.Println("proven", bound.Lower(t, 0).Value)
	list, err := strategies.Lookup("first-fit,litert,smaller,tflm")
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
	// first-fit 1400
	// litert 800
	// smaller 1000
	// tflm 1000
}
