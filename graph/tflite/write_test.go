package tflite

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"

	flatbuffers "github.com/google/flatbuffers/go"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/arenalab/arenalab/graph"
)

// everything is a file with something in every part of the format.
func everything() *File {
	return &File{
		Description: "all parts",
		Subgraphs: []Subgraph{{
			Name: "main",
			Tensors: []Tensor{
				{Name: "in", Type: graph.Int8, Shape: []int32{1, 2, 2, 1}, Signature: []int32{-1, 2, 2, 1},
					Quant: &Quant{Scale: []float32{0.5}, ZeroPoint: []int64{-3}}},
				{Name: "filter", Type: graph.Int8, Shape: []int32{3, 1, 1, 1}, Data: []byte{1, 2, 3},
					Quant: &Quant{Scale: []float32{0.5, 0.25, 0.125}, ZeroPoint: []int64{0, 0, 0}}},
				{Name: "bias", Type: graph.Int32, Shape: []int32{3}, Data: []byte("abcdefghijkl")},
				{Name: "conv", Type: graph.Int8, Shape: []int32{1, 2, 2, 3},
					Quant: &Quant{Scale: []float32{1}, ZeroPoint: []int64{0}}},
				{Name: "state", Type: graph.Float32, Shape: []int32{4}, Variable: true},
				{Name: "out", Type: graph.Int8, Shape: []int32{1, 2, 2, 3},
					Quant: &Quant{Scale: []float32{1}, ZeroPoint: []int64{0}}},
				{Name: "scalar", Type: graph.Bool},
			},
			Inputs: []int{0}, Outputs: []int{5, 6},
			Ops: []Op{
				{Code: OpConv2D, Inputs: []int{0, 1, 2}, Outputs: []int{3},
					Options: Conv2DOptions{Padding: Valid, StrideW: 2, StrideH: 3, Activation: Relu6}},
				{Code: OpGelu, Inputs: []int{3}, Outputs: []int{5}, Options: GeluOptions{}},
				{Code: graph.OpCustom, Custom: "Mine", Version: 7, Inputs: []int{5, -1, 4}, Outputs: []int{6},
					Intermediates: []int{3}, CustomOptions: []byte("xyz")},
			},
		}, {
			Name:    "callee",
			Tensors: []Tensor{{Name: "t", Type: graph.Float32, Shape: []int32{2}}},
			Inputs:  []int{0}, Outputs: []int{0},
		}},
		Signatures: []Signature{{Key: "serve", Inputs: []graph.NamedTensor{{Name: "x", Tensor: 0}},
			Outputs: []graph.NamedTensor{{Name: "y", Tensor: 5}}}},
		Metadata: []Metadata{{Name: "note", Data: []byte("hello")}},
	}
}

func mustEncode(t testing.TB, f *File) []byte {
	t.Helper()
	data, err := f.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestEncodeIsReadBack(t *testing.T) {
	data := mustEncode(t, everything())
	m, err := Decode(data, "all")
	if err != nil {
		t.Fatal(err)
	}
	s := m.Subgraphs[0]
	want := []graph.Op{
		{Index: 0, Code: OpConv2D, Version: 3, Inputs: []int{0, 1, 2}, Outputs: []int{3}},
		{Index: 1, Code: OpGelu, Version: 2, Inputs: []int{3}, Outputs: []int{5}},
		{Index: 2, Code: graph.OpCustom, Custom: "Mine", Version: 7, Inputs: []int{5, -1, 4}, Outputs: []int{6},
			Intermediates: []int{3}},
	}
	for i, op := range s.Ops {
		got := graph.Op{Index: op.Index, Code: op.Code, Custom: op.Custom, Version: op.Version,
			Inputs: op.Inputs, Outputs: op.Outputs, Intermediates: op.Intermediates}
		if len(got.Intermediates) == 0 {
			got.Intermediates = nil
		}
		if diff := cmp.Diff(want[i], got); diff != "" {
			t.Errorf("operator %d (-want +got):\n%s", i, diff)
		}
	}
	for i, w := range everything().Subgraphs[0].Tensors {
		x := s.Tensors[i]
		if x.Name != w.Name || x.Type != w.Type || x.Variable != w.Variable || x.Constant != (w.Data != nil) ||
			fmt.Sprint(x.Shape) != fmt.Sprint(w.Shape) || x.Unknown() != (w.Signature != nil) {
			t.Errorf("tensor %d is %+v, want %+v", i, x, w)
		}
	}
	if m.Description != "all parts" || len(m.Subgraphs) != 2 || m.Subgraphs[1].Name != "callee" {
		t.Errorf("model %q with %d subgraphs", m.Description, len(m.Subgraphs))
	}
	if diff := cmp.Diff(graph.Signature{Key: "serve", Inputs: []graph.NamedTensor{{Name: "x", Tensor: 0}},
		Outputs: []graph.NamedTensor{{Name: "y", Tensor: 5}}}, m.Signatures[0]); diff != "" {
		t.Error(diff)
	}
	if got := bufferBytes(t, m, m.Metadata[0].Buffer); m.Metadata[0].Name != "note" || string(got) != "hello" {
		t.Errorf("metadata %+v holds %q", m.Metadata[0], got)
	}
}

// bufferBytes reads a buffer of a model.
func bufferBytes(t *testing.T, m *graph.Model, buffer int) []byte {
	t.Helper()
	b := m.Buffers[buffer]
	data := make([]byte, b.Size)
	if _, err := m.Weights.ReadAt(data, b.Offset); err != nil && err != io.EOF {
		t.Fatal(err)
	}
	return data
}

// Constants of any size lie on 16-byte boundaries, and as they were given.
func TestConstantsAreAligned(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		f := &File{Description: rapid.StringN(0, 20, -1).Draw(rt, "description")}
		var s Subgraph
		for i, n := range rapid.SliceOfN(rapid.IntRange(1, 70), 1, 8).Draw(rt, "sizes") {
			data := bytes.Repeat([]byte{byte(i + 1)}, n)
			s.Tensors = append(s.Tensors, Tensor{Name: fmt.Sprint(i), Type: graph.Uint8, Shape: []int32{int32(n)}, Data: data})
		}
		f.Subgraphs = []Subgraph{s}
		encoded := mustEncode(t, f)
		if !bytes.Equal(encoded, mustEncode(t, f)) {
			rt.Fatal("two encodings differ")
		}
		m, err := Decode(encoded, "constants")
		if err != nil {
			rt.Fatal(err)
		}
		if m.Buffers[0].Size != 0 {
			rt.Fatal("buffer 0 is not empty")
		}
		for i, x := range m.Subgraphs[0].Tensors {
			if at := m.Buffers[x.Buffer].Offset; at%constantAlign != 0 {
				rt.Fatalf("tensor %d lies at %d", i, at)
			}
			if !bytes.Equal(bufferBytes(t, m, x.Buffer), s.Tensors[i].Data) {
				rt.Fatalf("tensor %d has other data", i)
			}
		}
	})
}

func TestEncodeRefuses(t *testing.T) {
	for want, spoil := range map[string]func(*File){
		"model has no subgraph":                         func(f *File) { f.Subgraphs = nil },
		`subgraph 0 "main": tensor 1 "filter": 2 bytes`: func(f *File) { f.Subgraphs[0].Tensors[1].Data = []byte{1, 2} },
		"dimension 0 is negative":                       func(f *File) { f.Subgraphs[0].Tensors[0].Shape[0] = -1 },
		"type 99 is unknown":                            func(f *File) { f.Subgraphs[0].Tensors[0].Type = 99 },
		"differ in rank":                                func(f *File) { f.Subgraphs[0].Tensors[0].Signature = []int32{1} },
		"variable has no data":                          func(f *File) { f.Subgraphs[0].Tensors[2].Variable = true },
		"3 scales and 1 zero points":                    func(f *File) { f.Subgraphs[0].Tensors[1].Quant.ZeroPoint = []int64{0} },
		"0 scales and 0 zero points":                    func(f *File) { f.Subgraphs[0].Tensors[1].Quant = &Quant{} },
		"quantised dimension 4 is out of range":         func(f *File) { f.Subgraphs[0].Tensors[1].Quant.Axis = 4 },
		"3 scales for dimension 1":                      func(f *File) { f.Subgraphs[0].Tensors[1].Quant.Axis = 1 },
		"graph input 0: tensor index 7 is out of range": func(f *File) { f.Subgraphs[0].Inputs[0] = 7 },
		"graph output 1: tensor index -1":               func(f *File) { f.Subgraphs[0].Outputs[1] = -1 },
		"operator 0 (code 3): input 2: tensor index 9":  func(f *File) { f.Subgraphs[0].Ops[0].Inputs[2] = 9 },
		"operator 2 (code 32): output 0: tensor index":  func(f *File) { f.Subgraphs[0].Ops[2].Outputs[0] = -1 },
		"operator 1: code -4":                           func(f *File) { f.Subgraphs[0].Ops[1].Code = -4 },
		`signature 0 "serve": subgraph 2`:               func(f *File) { f.Signatures[0].Subgraph = 2 },
		`signature 0 "serve": tensor 5 of "y"`:          func(f *File) { f.Signatures[0].Subgraph = 1 },
	} {
		f := everything()
		spoil(f)
		if _, err := f.Encode(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

func TestEncodeRefusesFilesAbove2GiB(t *testing.T) {
	const size = 64 << 20
	data := make([]byte, size)
	f := &File{Subgraphs: []Subgraph{{}}}
	for range 32 {
		f.Subgraphs[0].Tensors = append(f.Subgraphs[0].Tensors, Tensor{Type: graph.Int8, Shape: []int32{size}, Data: data})
	}
	if _, err := f.Encode(); err == nil || !strings.Contains(err.Error(), "2 GiB") {
		t.Errorf("%v, want a word about 2 GiB", err)
	}
}

// The codes of this package against the operator names.
func TestCodesHaveTheirNames(t *testing.T) {
	for code, name := range map[int32]string{
		OpAdd: "ADD", OpAveragePool2D: "AVERAGE_POOL_2D", OpConcatenation: "CONCATENATION", OpConv2D: "CONV_2D",
		OpDepthwiseConv2D: "DEPTHWISE_CONV_2D", OpDequantize: "DEQUANTIZE", OpFullyConnected: "FULLY_CONNECTED",
		OpLogistic: "LOGISTIC", OpMaxPool2D: "MAX_POOL_2D", OpMul: "MUL", OpRelu: "RELU", OpRelu6: "RELU6",
		OpReshape: "RESHAPE", OpResizeBilinear: "RESIZE_BILINEAR", OpSoftmax: "SOFTMAX", OpTanh: "TANH", OpPad: "PAD",
		OpTranspose: "TRANSPOSE", OpMean: "MEAN", OpSub: "SUB",
		OpUnidirectionalSequenceLSTM: "UNIDIRECTIONAL_SEQUENCE_LSTM", OpStridedSlice: "STRIDED_SLICE", OpSplit: "SPLIT",
		OpLess: "LESS", OpRsqrt: "RSQRT", OpResizeNearestNeighbor: "RESIZE_NEAREST_NEIGHBOR",
		OpSquaredDifference: "SQUARED_DIFFERENCE", OpQuantize: "QUANTIZE", OpIf: "IF", OpWhile: "WHILE",
		OpBatchMatMul: "BATCH_MATMUL", OpGelu: "GELU",
	} {
		if got := graph.OpName(code); got != name {
			t.Errorf("code %d is %s, want %s", code, got, name)
		}
	}
}

// slots reads a table back by slot number, apart from the code that writes it:
// the values of the slots that are set, each read with the width given.
func slots(data []byte, table flatbuffers.Table, widths string) string {
	var b strings.Builder
	for i, w := range widths {
		at := table.Offset(flatbuffers.VOffsetT(4 + 2*i))
		if at == 0 {
			b.WriteString("- ")
			continue
		}
		pos := table.Pos + flatbuffers.UOffsetT(at)
		switch w {
		case 'b':
			fmt.Fprintf(&b, "%d ", int8(data[pos]))
		case 'i':
			fmt.Fprintf(&b, "%d ", flatbuffers.GetInt32(data[pos:]))
		case 'f':
			fmt.Fprintf(&b, "%g ", math.Float32frombits(flatbuffers.GetUint32(data[pos:])))
		case 'v':
			start := pos + flatbuffers.GetUOffsetT(data[pos:])
			fmt.Fprintf(&b, "[%d:%d] ", flatbuffers.GetUint32(data[start:]), flatbuffers.GetInt32(data[start+4:]))
		}
	}
	return strings.TrimSpace(b.String())
}

// The slots are those of the tables in the public schema.
func TestOptionsAreInTheirSlots(t *testing.T) {
	for _, tc := range []struct {
		options Options
		kind    byte
		widths  string // b byte, i int, f float, v vector; one a slot
		want    string
	}{
		{Conv2DOptions{Valid, 2, 3, Relu6, 4, 5}, 1, "biibii", "1 2 3 3 4 5"},
		{Conv2DOptions{StrideW: 1, StrideH: 1, DilationH: 2}, 1, "biibii", "- 1 1 - - 2"},
		{DepthwiseConv2DOptions{Valid, 2, 3, 4, Relu, 5, 6}, 2, "biiibii", "1 2 3 4 1 5 6"},
		{Pool2DOptions{Valid, 2, 3, 4, 5, Relu}, 5, "biiiib", "1 2 3 4 5 1"},
		{FullyConnectedOptions{Tanh, true}, 8, "bbb", "4 - 1"},
		{SoftmaxOptions{1.5}, 9, "f", "1.5"},
		{ConcatenationOptions{3, ReluN1To1}, 10, "ib", "3 2"},
		{AddOptions{Relu}, 11, "bb", "1 -"},
		{ResizeBilinearOptions{true, true}, 15, "iibb", "- - 1 1"},
		{ReshapeOptions{[]int32{7, 8}}, 17, "v", "[2:7]"},
		{MulOptions{Relu}, 21, "b", "1"},
		{PadOptions, 22, "", ""},
		{TransposeOptions, 26, "", ""},
		{ReducerOptions{true}, 27, "b", "1"},
		{SubOptions{Relu}, 28, "bb", "1 -"},
		{StridedSliceOptions{1, 2, 3, 4, 5}, 32, "iiiii", "1 2 3 4 5"},
		{SplitOptions{3}, 35, "i", "3"},
		{SequenceLSTMOptions{Tanh, 1.5, 2.5, true}, 71, "bffb", "4 1.5 2.5 1"},
		{ResizeNearestNeighborOptions{true, true}, 74, "bb", "1 1"},
		{IfOptions{1, 2}, 92, "ii", "1 2"},
		{WhileOptions{1, 2}, 93, "ii", "1 2"},
		{BatchMatMulOptions{true, true}, 101, "bb", "1 1"},
		{GeluOptions{true}, 116, "b", "1"},
	} {
		table := tc.options.table()
		b := flatbuffers.NewBuilder(0)
		b.Finish(writeOptions(b, table))
		data := b.FinishedBytes()
		got := slots(data, flatbuffers.Table{Bytes: data, Pos: flatbuffers.GetUOffsetT(data)}, tc.widths)
		if table.kind != tc.kind || got != tc.want {
			t.Errorf("%#v: table %d with slots %s, want %d with %s", tc.options, table.kind, got, tc.kind, tc.want)
		}
	}
}

func TestOpVersions(t *testing.T) {
	f32, i8 := Tensor{Type: graph.Float32}, Tensor{Type: graph.Int8}
	s := &Subgraph{Tensors: []Tensor{f32, i8}}
	for _, tc := range []struct {
		op   Op
		want int
	}{
		{Op{Code: OpConv2D, Inputs: []int{0}}, 1},
		{Op{Code: OpConv2D, Inputs: []int{1}}, 3},
		{Op{Code: OpDepthwiseConv2D, Inputs: []int{1}}, 3},
		{Op{Code: OpAdd, Inputs: []int{1, 1}}, 2},
		{Op{Code: OpReshape, Inputs: []int{1}}, 1},
		{Op{Code: OpQuantize, Inputs: []int{0}, Outputs: []int{1}}, 1},
		{Op{Code: OpQuantize, Inputs: []int{1}, Outputs: []int{1}}, 2},
		{Op{Code: OpFullyConnected, Inputs: []int{1, 1, 0}, Options: FullyConnectedOptions{}}, 4},
		{Op{Code: OpFullyConnected, Inputs: []int{0, 0, 0}, Options: FullyConnectedOptions{KeepNumDims: true}}, 5},
		{Op{Code: OpFullyConnected, Inputs: []int{0, 0, -1}, Options: FullyConnectedOptions{}}, 6},
		{Op{Code: OpResizeBilinear, Inputs: []int{0}, Options: ResizeBilinearOptions{HalfPixelCenters: true}}, 3},
		{Op{Code: OpIf, Inputs: []int{1}}, 1},
	} {
		if got := opVersion(s, &tc.op); got != tc.want {
			t.Errorf("%s %+v: version %d, want %d", graph.OpName(tc.op.Code), tc.op, got, tc.want)
		}
	}
}
