package tflite_test

import (
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/arenalab/arenalab/graph"
	"github.com/arenalab/arenalab/graph/tflite"
)

// file encodes a model that adds a constant to its input and doubles the sum.
func file() []byte {
	f := tflite.File{Subgraphs: []tflite.Subgraph{{
		Tensors: []tflite.Tensor{
			{Name: "x", Type: graph.Int8, Shape: []int32{1, 4}},
			{Name: "c", Type: graph.Int8, Shape: []int32{1, 4}, Data: []byte{1, 2, 3, 4}},
			{Name: "sum", Type: graph.Int8, Shape: []int32{1, 4}},
			{Name: "y", Type: graph.Int8, Shape: []int32{1, 4}},
		},
		Inputs:  []int{0},
		Outputs: []int{3},
		Ops: []tflite.Op{
			{Code: tflite.OpAdd, Inputs: []int{0, 1}, Outputs: []int{2}, Options: tflite.AddOptions{}},
			{Code: tflite.OpAdd, Inputs: []int{2, 2}, Outputs: []int{3}, Options: tflite.AddOptions{}},
		},
	}}}
	data, err := f.Encode()
	if err != nil {
		log.Fatal(err)
	}
	return data
}

func ExampleDecode() {
	m, err := tflite.Decode(file(), "adder")
	if err != nil {
		log.Fatal(err)
	}
	for _, s := range m.Subgraphs {
		for _, op := range s.Ops {
			fmt.Println(op.Index, op.Name(), op.Inputs, "->", op.Outputs)
		}
	}
	data, err := m.ReadBuffer(m.Subgraphs[0].Tensors[1].Buffer)
	fmt.Println(data, err)
	// Output:
	// 0 ADD [0 1] -> [2]
	// 1 ADD [2 2] -> [3]
	// [1 2 3 4] <nil>
}

func ExampleDecode_foreign() {
	_, err := tflite.Decode([]byte("%PDF-1.7 and so on"), "paper.pdf")
	fmt.Println(err)
	// Output:
	// paper.pdf: not a TFLite model: identifier "-1.7" instead of "TFL3"
}

func ExampleRead() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "adder.tflite")
	if err := os.WriteFile(path, file(), 0o666); err != nil {
		log.Fatal(err)
	}
	m, err := tflite.Read(path)
	if err != nil {
		log.Fatal(err)
	}
	s := m.Subgraphs[0]
	fmt.Println(m.Name, len(s.Tensors), "tensors", len(s.Ops), "operators")
	fmt.Println("tensor 2 is written by", s.Producer[2], "and read by", s.Consumers[2])
	// Output:
	// adder.tflite 4 tensors 2 operators
	// tensor 2 is written by 0 and read by [1]
}
