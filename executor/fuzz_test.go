package executor

import (
	"context"
	"testing"

	"github.com/arenalab/arenalab/graph"
	"github.com/arenalab/arenalab/graph/tflite"
)

// tryModel runs what can be run of a model in little memory.
func tryModel(t *testing.T, model *graph.Model) {
	m, err := NewMachine(model, MachineOptions{Workers: 1, MaxBytes: 8 << 20})
	if err != nil {
		return
	}
	defer m.Close()
	for i, s := range model.Subgraphs {
		if m.Work(i) > 3e6 {
			continue
		}
		rec, err := m.Record(context.Background(), i, RecordOptions{Invocations: 2, MaxWork: 10e6})
		if err != nil {
			continue
		}
		for _, p := range graph.Profiles() {
			lt, err := graph.NewLifetimes(model, s, graph.Stored(s), p)
			if err != nil {
				continue
			}
			if a, err := rec.NewArenaRun(graph.Stored(s), lt); err == nil {
				_, _ = a.Run(context.Background(), sweep(lt.Table), RunOptions{})
			}
		}
	}
}

// FuzzMachine: whatever a file says, nothing panics.
func FuzzMachine(f *testing.F) {
	small := func(name string, code int32, in ...tflite.Tensor) {
		file := tflite.File{Subgraphs: []tflite.Subgraph{{Tensors: in, Inputs: []int{0}, Outputs: []int{len(in) - 1}}}}
		var inputs []int
		for i := range len(in) - 1 {
			inputs = append(inputs, i)
		}
		file.Subgraphs[0].Ops = []tflite.Op{{Code: code, Inputs: inputs, Outputs: []int{len(in) - 1}}}
		data, err := file.Encode()
		if err != nil {
			f.Fatalf("%s: %v", name, err)
		}
		f.Add(data)
	}
	image := tflite.Tensor{Name: "in", Type: graph.Float32, Shape: []int32{1, 4, 4, 2}}
	out := tflite.Tensor{Name: "out", Type: graph.Float32, Shape: []int32{1, 4, 4, 2}}
	small("add", tflite.OpAdd, image, image, out)
	small("reshape", tflite.OpReshape, image, tflite.Tensor{Name: "shape", Type: graph.Int32, Shape: []int32{1}, Data: []byte{32, 0, 0, 0}},
		tflite.Tensor{Name: "out", Type: graph.Float32, Shape: []int32{32}})
	small("conv", tflite.OpConv2D, image, tflite.Tensor{Name: "filter", Type: graph.Float32, Shape: []int32{2, 1, 1, 2}, Data: make([]byte, 16)},
		tflite.Tensor{Name: "bias", Type: graph.Float32, Shape: []int32{2}, Data: make([]byte, 8)}, out)
	f.Fuzz(func(t *testing.T, data []byte) {
		if model, err := tflite.Decode(data, "fuzzed"); err == nil {
			tryModel(t, model)
		}
	})
}

// TestBrokenModels runs the broken files that can be read all the same.
func TestBrokenModels(t *testing.T) {
	read := 0
	for _, file := range dataFiles(t, "broken", "*") {
		if model, err := tflite.Read(file); err == nil {
			read++
			tryModel(t, model)
		}
	}
	t.Logf("%d files can be read", read)
}
