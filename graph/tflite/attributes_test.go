package tflite_test

import (
	"slices"
	"testing"

	"github.com/arenalab/arenalab/graph"
	"github.com/arenalab/arenalab/graph/tflite"
)

func TestAttributesAndQuantisation(t *testing.T) {
	quant := &tflite.Quant{Scale: []float32{0.5, 0.25}, ZeroPoint: []int64{3, -4}, Axis: 1}
	f := tflite.File{Subgraphs: []tflite.Subgraph{{
		Tensors: []tflite.Tensor{
			{Name: "in", Type: graph.Float32, Shape: []int32{1, 4, 4, 2}},
			{Name: "filter", Type: graph.Float32, Shape: []int32{2, 3, 3, 2}, Data: make([]byte, 144)},
			{Name: "conv", Type: graph.Float32, Shape: []int32{1, 2, 2, 2}},
			{Name: "out", Type: graph.Int8, Shape: []int32{4, 2}, Quant: quant},
		},
		Inputs: []int{0}, Outputs: []int{3},
		Ops: []tflite.Op{
			{Code: tflite.OpConv2D, Inputs: []int{0, 1}, Outputs: []int{2},
				Options: tflite.Conv2DOptions{Padding: tflite.Valid, StrideW: 2, StrideH: 3, Activation: tflite.Relu6}},
			{Code: tflite.OpReshape, Inputs: []int{2}, Outputs: []int{3}, Options: tflite.ReshapeOptions{Shape: []int32{4, 2}}},
		},
	}}}
	data, err := f.Encode()
	if err != nil {
		t.Fatal(err)
	}
	m, err := tflite.Decode(data, "test")
	if err != nil {
		t.Fatal(err)
	}
	s := m.Subgraphs[0]
	conv := &s.Ops[0].Attributes
	if conv.Kind != 1 || conv.Byte(0, 0) != 1 || conv.Int(1, 0) != 2 || conv.Int(2, 0) != 3 || conv.Byte(3, 0) != 3 ||
		conv.Int(4, 1) != 1 || conv.Int(99, 7) != 7 || conv.Float(50, 2) != 2 || !conv.Bool(60, true) {
		t.Errorf("options of CONV_2D: %+v", conv)
	}
	if got := s.Ops[1].Attributes.Ints(0); !slices.Equal(got, []int32{4, 2}) {
		t.Errorf("shape of RESHAPE: %v", got)
	}
	q := s.Tensors[3].Quant
	if q == nil || !slices.Equal(q.Scale, quant.Scale) || q.ZeroPoint(0) != 3 || q.ZeroPoint(1) != -4 || q.Axis != 1 {
		t.Errorf("quantisation %+v", q)
	}
	if s.Tensors[0].Quant != nil {
		t.Error("a tensor without scales is quantised")
	}
}
