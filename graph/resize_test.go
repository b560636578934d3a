package graph

import (
	"fmt"
	"strings"
	"testing"
)

// TestResize: where the file is wrong about results, TFLite's kernels compute
// other sizes, and what follows takes them over.
func TestResize(t *testing.T) {
	for _, test := range []struct {
		name  string
		lines []string // an operator of tensors of int32, as program has them
		want  string   // tensors with other sizes
	}{
		{"consistent", []string{"CONCATENATION a:1 b:2 > c:3", "RELU c > d:3"}, ""},
		{"concatenation", []string{"CONCATENATION a:1 b:2 > c:1", "RELU c > d:1", "TANH d > e:1"}, "c 12 d 12 e 12"},
		{"concatenation of many", []string{"CONCATENATION a:4 b:4 c:5 > x:2"}, "x 52"},
		{"equal operands: the axis is not known", []string{"CONCATENATION a:2 b:2 > c:2"}, ""},
		{"broadcast", []string{"ADD a:1 b:5 > c:1"}, "c 20"},
		{"two in a row", []string{"ADD a:1 b:5 > c:1", "CONCATENATION c d:1 > e:2"}, "c 20 e 24"},
		{"not an operator that computes shapes", []string{"EXP a:5 > b:1"}, ""},
		{"shapes that do not fit", []string{"ADD a:2 b:5 > c:1"}, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := program(t, test.lines...)
			if got := resized(s); got != test.want {
				t.Errorf("%q, want %q", got, test.want)
			}
		})
	}
}

// TestResizeOfDetection: all four results follow from options.
func TestResizeOfDetection(t *testing.T) {
	for _, test := range []struct {
		most, each int32
		want       string
	}{
		{10, 2, "float32:9 320 float32:9 80 float32:9 80 float32:2 4"},
		{0, 2, ""},
		{1 << 30, 1 << 30, ""}, // more than the runtime can count
	} {
		s, op := operation(t, detectionPostProcess, "float32:1x9x4 float32:1x9x3 cfloat32:9x4", "float32:9 float32:9 float32:9 float32:2")
		op.Options.Detections, op.Options.DetectionClasses = test.most, test.each
		if got := resized(s); got != test.want {
			t.Errorf("%d detections: %q, want %q", test.most, got, test.want)
		}
	}
}

const detectionPostProcess = "TFLite_Detection_PostProcess"

// resized lists the tensors of the subgraph that get another size.
func resized(s *Subgraph) string {
	sizes := (&sub{s: s, ops: Stored(s).Ops}).resize()
	var out []string
	for i := range s.Tensors {
		if n, ok := sizes[i]; ok {
			out = append(out, fmt.Sprint(s.Tensors[i].Name, " ", n))
		}
	}
	return strings.Join(out, " ")
}
