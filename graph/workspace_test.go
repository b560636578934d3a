package graph

import (
	"fmt"
	"strings"
	"testing"
)

// operation is an operator on tensors given as "type:2x3"; "c" in front makes
// a constant, "-" an absent operand.
func operation(t *testing.T, name, in, out string) (*Subgraph, *Op) {
	t.Helper()
	s := &Subgraph{}
	tensor := func(word string) int {
		if word == "-" {
			return -1
		}
		x := Tensor{Index: len(s.Tensors), Name: word, Constant: word[0] == 'c'}
		kind, dims, _ := strings.Cut(strings.TrimPrefix(word, "c"), ":")
		for d := range DType(len(dtypes)) {
			if d.String() == kind {
				x.Type = d
			}
		}
		for _, w := range strings.Split(dims, "x") {
			var n int32
			if k, _ := fmt.Sscan(w, &n); k == 1 {
				x.Shape = append(x.Shape, n)
			}
		}
		x.Bytes, _ = Size(x.Type, x.Shape)
		s.Tensors = append(s.Tensors, x)
		return x.Index
	}
	op := Op{Options: OpOptions{StrideW: 1, StrideH: 1, DilationW: 1, DilationH: 1}}
	if code, ok := OpCode(name); ok {
		op.Code = code
	} else {
		op.Code, op.Custom = OpCustom, name
	}
	for _, w := range strings.Fields(in) {
		op.Inputs = append(op.Inputs, tensor(w))
	}
	for _, w := range strings.Fields(out) {
		op.Outputs = append(op.Outputs, tensor(w))
	}
	s.Ops = []Op{op}
	return s, &s.Ops[0]
}

// TestWorkspaceSizes states the formulas by example: bytes, with P after what
// is persistent and H after what is not planned.
func TestWorkspaceSizes(t *testing.T) {
	lstm := "float32:2x7x3 - cfloat32:4x3 cfloat32:4x3 cfloat32:4x3 - cfloat32:4x5 cfloat32:4x5 cfloat32:4x5" +
		" - - - - cfloat32:4 cfloat32:4 cfloat32:4 - - float32:2x5 float32:2x4"
	for _, test := range []struct{ kernels, name, in, out, want string }{
		{KernelsTFLite, "CONV_2D", "float32:1x8x8x4 cfloat32:6x3x3x4", "float32:1x8x8x6", ""},
		{KernelsTFLite, "CONV_2D", "float32:1x8x8x4 cint8:6x1x1x4", "float32:1x8x8x6", "256 256 1536"},
		{KernelsTFLite, "CONV_2D", "float32:1x8x8x4 cint8:6x3x3x4", "float32:1x8x8x6", "2304 256 256 1536"},
		{KernelsTFLite, "DEPTHWISE_CONV_2D", "float32:2x8x8x4 cint8:1x3x3x4", "float32:2x8x8x4", "512 8 8"},
		{KernelsTFLite, "FULLY_CONNECTED", "int8:2x10 cint8:5x10", "int8:2x5", ""},
		{KernelsTFLite, "FULLY_CONNECTED", "float32:2x10 cint8:5x10", "float32:2x5", "20 8 40 8 20P"},
		{KernelsTFLite, "BATCH_MATMUL", "float32:2x3x4 float32:2x4x5", "float32:2x3x5", "96 160"},
		{KernelsTFLite, "BATCH_MATMUL", "float32:2x3x4 cfloat32:4x5", "float32:2x3x5", "96 80P"},
		{KernelsTFLite, "BATCH_MATMUL", "float32:2x3x4 int8:4x5", "float32:2x3x5", "96 20 24 24 60 24 20P"},
		{KernelsTFLite, "TRANSPOSE_CONV", "cint32:4 cint8:6x3x3x4 int8:1x8x8x4", "int8:1x16x16x6", "0H"},
		{KernelsTFLite, "MEAN", "float32:1x8x8x4 cint32:2", "float32:1x4", "16 8 16 0H"},
		{KernelsTFLite, "MEAN", "float32:1x8x8x4 int32:2", "float32:1x4", "16 0H 0H 0H"},
		{KernelsTFLite, "SUM", "int32:8x4 cint32:1", "int32:4", "8 4 32 0H"},
		{KernelsTFLite, "REDUCE_MAX", "float32:8x4 cint32:1", "float32:4", "8 4 0H 0H"},
		{KernelsTFLite, "ADD_N", "float32:4x4 float32:4x4 float32:4x4", "float32:4x4", "64"},
		{KernelsTFLite, "SVDF", "int8:1x4 cint8:8x4 cint16:8x10 cint32:4 int16:1x80", "int8:1x4", "32 16"},
		{KernelsTFLite, "SVDF", "float32:1x4 cfloat32:8x4 cfloat32:8x10 cfloat32:4 float32:1x80", "float32:1x4", "32"},
		{KernelsTFLite, "UNIDIRECTIONAL_SEQUENCE_LSTM", lstm, "float32:2x7x5", "256"},
		{KernelsTFLite, "LSTM", lstm, "float32:2x5", "128"},
		{KernelsTFLite, "RFFT2D", "float32:4x8 cint32:2", "complex64:4x5", "16 32 32 320"},
		{KernelsTFLite, "RFFT2D", "float32:4x8 int32:2", "complex64:4x5", "0H 0H 0H 0H"},
		{KernelsTFLite, "IRFFT2D", "complex64:4x5 cint32:2", "float32:4x8", "16 32 32 320"},
		{KernelsTFLite, "Roll", "float32:3x4 cint32:2 cint32:2", "float32:3x4", "48"},
		{KernelsTFLite, "Roll", "float32:3x4 cint32:1 cint32:1", "float32:3x4", ""},
		{KernelsTFLite, "UnidirectionalSequenceGru", "float32:7x2x3 float32:2x5", "float32:7x2x5", "80 64"},
		{KernelsTFLite, "RNN", "float32:2x3 cint8:5x3 cint8:5x5 cfloat32:5 float32:2x5", "float32:2x5", "6 10 8 40 8 40P"},
		{KernelsTFLite, "RNN", "float32:2x3 cfloat32:5x3 cfloat32:5x5 cfloat32:5 float32:2x5", "float32:2x5", ""},
		{KernelsTFLite, "STABLEHLO_REDUCE_WINDOW", "float32:4x4 cfloat32:1", "float32:2x2", "?"},
		{KernelsTFLM, "CONV_2D", "int8:1x8x8x4 cint8:6x3x3x4", "int8:1x8x8x6", ""},
		{KernelsTFLM, "CONV_2D", "int8:1x8x8x4 cint4:6x3x3x4", "int8:1x8x8x6", "216"},
		{KernelsTFLM, "TRANSPOSE_CONV", "cint32:4 cint8:6x3x3x4 int8:1x8x8x4", "int8:1x16x16x6", "6144"},
		{KernelsTFLM, "TRANSPOSE_CONV", "cint32:4 cint8:6x3x3x4 int16:1x8x8x4 cint16:6", "int16:1x16x16x6", "12288 48"},
		{KernelsTFLM, "SVDF", "int8:1x4 cint8:8x4 cint16:8x10 cint32:4 int16:1x80", "int8:1x4", "32 16"},
		{KernelsTFLM, "UNIDIRECTIONAL_SEQUENCE_LSTM", lstm, "float32:2x7x5", "32 32 32 32"},
		{KernelsTFLM, "MEAN", "int8:1x8x8x4 cint32:2", "int8:1x4", "16 16 8"},
		{KernelsTFLM, "MEAN", "float32:1x8x8x4 cint32:2", "float32:1x4", "16 8"},
		{KernelsTFLM, "MIRROR_PAD", "int8:1x8x8x4 cint32:4x2", "int8:1x10x10x4", "16 16"},
		{KernelsTFLM, "ADD_N", "int8:4x4 int8:4x4 int8:4x4", "int8:4x4", "24"},
		{KernelsTFLM, "SignalRfft", "int16:1x512", "int16:1x514", "1024"},
		{KernelsTFLM, "TFLite_Detection_PostProcess", "float32:1x9x4 float32:1x9x3 cfloat32:9x4", "float32:1x3x4", "?"},
		{KernelsTFLM, "RELU", "int8:4", "int8:4", ""},
	} {
		s, op := operation(t, test.name, test.in, test.out)
		list, ok := kernelsOf(test.kernels).requests(s, op, nil)
		var got []string
		for i, r := range list {
			if r.slot != i {
				t.Errorf("%s %s: request %d has slot %d", test.kernels, test.name, i, r.slot)
			}
			got = append(got, fmt.Sprint(r.bytes)+map[place]string{persistent: "P", onHeap: "H"}[r.where])
		}
		if !ok {
			got = append(got, "?")
		}
		if g := strings.Join(got, " "); g != test.want {
			t.Errorf("%s %s %s: got %s, want %s", test.kernels, test.name, test.in, g, test.want)
		}
	}
}

// TestDetectionWorkspace: of TFLite_Detection_PostProcess, whose needs follow
// from options.
func TestDetectionWorkspace(t *testing.T) {
	s, op := operation(t, "TFLite_Detection_PostProcess", "float32:1x9x4 float32:1x9x3 cfloat32:9x4", "float32:1x20x4 float32:1x20 float32:1x20 float32:1")
	op.Options.Detections, op.Options.DetectionClasses, op.Options.Classes = 10, 2, 2
	for kernels, want := range map[string]string{
		KernelsTFLite: "[144 108]",
		KernelsTFLM:   "[9 144 108 36 36 360 360 36 360 360 324]",
	} {
		list, ok := kernelsOf(kernels).requests(s, op, nil)
		var got []int64
		for _, r := range list {
			got = append(got, r.bytes)
		}
		if fmt.Sprint(got) != want || !ok {
			t.Errorf("%s: %v, known %v; want %s", kernels, got, ok, want)
		}
	}
}

// TestWorkspaceOfHostileShapes: sizes do not overflow, tables of them are
// refused.
func TestWorkspaceOfHostileShapes(t *testing.T) {
	const huge = "2000000000x2000000000x2000000000x2000000000"
	for _, name := range []string{"CONV_2D", "FULLY_CONNECTED", "BATCH_MATMUL", "MEAN", "SVDF", "ADD_N", "TRANSPOSE_CONV",
		"RNN", "BIDIRECTIONAL_SEQUENCE_RNN", "RFFT2D", "UnidirectionalSequenceGru", "Roll", "TFLite_Detection_PostProcess"} {
		s, op := operation(t, name, "float32:"+huge+" cint8:"+huge+" float32:"+huge, "float32:"+huge)
		for _, kernels := range []string{KernelsTFLite, KernelsTFLM} {
			list, _ := kernelsOf(kernels).requests(s, op, nil)
			for _, r := range list {
				if r.bytes < 0 || r.bytes > MaxBytes {
					t.Errorf("%s %s: %d bytes", kernels, name, r.bytes)
				}
			}
		}
	}
}
