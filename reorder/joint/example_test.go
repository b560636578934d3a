package joint_test

import (
	"context"
	"fmt"
	"log"
	"strings"

	"github.com/arenalab/arenalab/graph"
	"github.com/arenalab/arenalab/graph/opgraph"
	"github.com/arenalab/arenalab/lifetime"
	"github.com/arenalab/arenalab/reorder"
	"github.com/arenalab/arenalab/reorder/joint"
	"github.com/arenalab/arenalab/strategies"
)

// Two branches that shrink before they meet: one after the other they need less
// than side by side, as they are stored.
const branches = `
i image 4
t wide1 8
t wide2 8
t thin1 1
t thin2 1
o sum 2
n Conv expand1 wide1 image
n Conv expand2 wide2 image
n Conv shrink1 thin1 wide1
n Conv shrink2 thin2 wide2
n Concat join sum thin1 thin2
`

// own places buffers with offsets of our own.
func own(ctx context.Context, t *lifetime.Table, enough int64) (*lifetime.Plan, error) {
	return strategies.Fit(ctx, t, enough, 3000)
}

func ExampleSolve() {
	model, err := opgraph.Decode(strings.NewReader(branches), "branches")
	if err != nil {
		log.Fatal(err)
	}
	plain, err := graph.LookupProfile("plain")
	if err != nil {
		log.Fatal(err)
	}
	memory, err := graph.NewMemory(model, model.Subgraphs[0], plain)
	if err != nil {
		log.Fatal(err)
	}
	r, err := joint.Solve(context.Background(), memory, joint.Own(own, nil), reorder.Options{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("as stored:", r.Stored)
	fmt.Println("reordered:", r.Arena, "optimal:", r.Optimal)
	// Output:
	// as stored: 20
	// reordered: 13 optimal: true
}

func ExampleNew() {
	list, err := strategies.Lookup("tflm")
	if err != nil {
		log.Fatal(err)
	}
	plan := func(ctx context.Context, t *lifetime.Table, _ int64) (*lifetime.Plan, error) {
		return list[0].Plan(ctx, t, strategies.Options{})
	}
	evaluator := func() joint.Evaluator {
		e, _ := strategies.NewEvaluator("tflm") // there is one
		return e
	}
	tflm := joint.New(joint.For("tflm", plan, evaluator, true))
	model, err := opgraph.Decode(strings.NewReader(branches), "branches")
	if err != nil {
		log.Fatal(err)
	}
	profile, err := graph.LookupProfile("tflm")
	if err != nil {
		log.Fatal(err)
	}
	memory, err := graph.NewMemory(model, model.Subgraphs[0], profile)
	if err != nil {
		log.Fatal(err)
	}
	order, err := tflm.Order(context.Background(), memory, reorder.Options{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(order.Name, memory.Peak(order.Ops))
	// Output: for-tflm 48
}
