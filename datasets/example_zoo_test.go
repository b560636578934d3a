package datasets_test

import (
	"fmt"

	"github.com/arenalab/arenalab/datasets"
	"github.com/arenalab/arenalab/graph/tflite"
)

// A network at another size than the embedded one.
func ExampleLookup() {
	builder, _ := datasets.Lookup("mobilenet-v1")
	data, err := builder.Build(datasets.Params{Resolution: 128, Width: 8, Classes: 10, Quantized: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	model, err := tflite.Decode(data, builder.Name)
	if err != nil {
		fmt.Println(err)
		return
	}
	main := model.Subgraphs[0]
	input := main.Tensors[main.Inputs[0]]
	fmt.Println(len(main.Ops), "operators,", input.Type, input.Shape)
	// Output: 30 operators, int8 [1 128 128 3]
}
