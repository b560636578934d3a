package executor_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/arenalab/arenalab/executor"
	"github.com/arenalab/arenalab/graph"
	"github.com/arenalab/arenalab/lifetime"
)

// A plan that puts the output of an operator over a tensor that a later one
// still reads.
func ExampleProgram_Validate() {
	s := &graph.Subgraph{
		Tensors: []graph.Tensor{
			{Index: 0, Name: "image", Bytes: 100}, {Index: 1, Name: "left", Bytes: 60},
			{Index: 2, Name: "right", Bytes: 60}, {Index: 3, Name: "sum", Bytes: 60},
		},
		Inputs:  []int{0},
		Outputs: []int{3},
		Ops: []graph.Op{
			{Index: 0, Code: 3, Inputs: []int{0}, Outputs: []int{1}},
			{Index: 1, Code: 3, Inputs: []int{0}, Outputs: []int{2}},
			{Index: 2, Code: 0, Inputs: []int{1, 2}, Outputs: []int{3}},
		},
	}
	if err := s.Link(); err != nil {
		fmt.Println(err)
		return
	}
	order, profile := graph.Stored(s), graph.Profile{Name: "mine"}
	lives, err := graph.NewLifetimes(&graph.Model{Name: "example", Subgraphs: []*graph.Subgraph{s}}, s, order, profile)
	if err != nil {
		fmt.Println(err)
		return
	}
	program, err := executor.FromGraph(s, order, lives)
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx := context.Background()
	good := lifetime.NewPlan(lives.Table, []int64{0, 100, 160, 0})
	result, err := program.Validate(ctx, good, executor.Options{})
	fmt.Println(result.Engine, result.Operators, err)

	bad := lifetime.NewPlan(lives.Table, []int64{0, 100, 150, 0})
	_, err = program.Validate(ctx, bad, executor.Options{})
	fmt.Println(err)
	var c *executor.Clobbered
	if errors.As(err, &c) {
		fmt.Println("culprit:", c.Writer.OpName, c.Writer.Name)
	}
	// Output:
	// symbolic 3 <nil>
	// operator 2 ADD reads tensor 1 "left": byte 150 of the arena was overwritten by operator 1 CONV_2D writing tensor 2 "right"
	// culprit: CONV_2D right
}

// A lifetime table that came without a graph.
func ExampleFromTable() {
	table := &lifetime.Table{Buffers: []lifetime.Buffer{
		{Name: "b1", Lower: 0, Upper: 3, Size: 4},
		{Name: "b2", Lower: 3, Upper: 9, Size: 4},
		{Name: "b3", Lower: 0, Upper: 9, Size: 4},
	}}
	program := executor.FromTable(table)
	_, err := program.Validate(context.Background(), lifetime.NewPlan(table, []int64{0, 2, 4}), executor.Options{})
	fmt.Println(err)
	// Output:
	// buffer 2 "b3" lives at step 4: byte 4 of the arena was overwritten by buffer 1 "b2" at step 3
}

// A model is run once in memory of its own. Then its plans are run and compared
// with that.
func ExampleValidator() {
	model := &graph.Model{Name: "views", Subgraphs: []*graph.Subgraph{{
		Tensors: []graph.Tensor{
			{Index: 0, Name: "image", Type: graph.Float32, Shape: []int32{2, 3}, Bytes: 24},
			{Index: 1, Name: "row", Type: graph.Float32, Shape: []int32{6}, Bytes: 24},
			{Index: 2, Name: "column", Type: graph.Float32, Shape: []int32{6, 1}, Bytes: 24},
		},
		Inputs:  []int{0},
		Outputs: []int{2},
		Ops: []graph.Op{
			{Index: 0, Code: 22, Inputs: []int{0}, Outputs: []int{1}}, // RESHAPE
			{Index: 1, Code: 22, Inputs: []int{1}, Outputs: []int{2}},
		},
	}}}
	s := model.Subgraphs[0]
	if err := s.Link(); err != nil {
		fmt.Println(err)
		return
	}
	order := graph.Stored(s)
	lives, err := graph.NewLifetimes(model, s, order, graph.Profile{Name: "mine"})
	if err != nil {
		fmt.Println(err)
		return
	}
	reference := executor.NewReference(model, executor.ReferenceOptions{})
	v, err := executor.NewValidator(model, s, order, lives, executor.ValidatorOptions{Reference: reference})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, offsets := range [][]int64{{0, 24, 0}, {0, 20, 0}} {
		res, err := v.Validate(context.Background(), lifetime.NewPlan(lives.Table, offsets), executor.Options{})
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Println("safe:", res.Engine)
	}
	// Output:
	// safe: kernels
	// operator 0 RESHAPE reads tensor 0 "image": byte 20 of the arena was overwritten by operator 0 RESHAPE writing tensor 1 "row"
}
