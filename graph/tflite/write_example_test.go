package tflite_test

import (
	"fmt"

	"github.com/arenalab/arenalab/graph"
	"github.com/arenalab/arenalab/graph/tflite"
)

// A model that doubles four numbers.
func ExampleFile_Encode() {
	four := []int32{4}
	file := tflite.File{Subgraphs: []tflite.Subgraph{{
		Name: "main",
		Tensors: []tflite.Tensor{
			{Name: "x", Type: graph.Float32, Shape: four},
			{Name: "twice", Type: graph.Float32, Shape: four},
		},
		Inputs:  []int{0},
		Outputs: []int{1},
		Ops:     []tflite.Op{{Code: tflite.OpAdd, Options: tflite.AddOptions{}, Inputs: []int{0, 0}, Outputs: []int{1}}},
	}}}
	data, err := file.Encode()
	if err != nil {
		fmt.Println(err)
		return
	}
	model, err := tflite.Decode(data, "twice")
	if err != nil {
		fmt.Println(err)
		return
	}
	main := model.Subgraphs[0]
	fmt.Println(main.Ops[0].Name(), main.Tensors[1].Name, main.Tensors[1].Bytes, "bytes")
	// Output: ADD twice 16 bytes
}
