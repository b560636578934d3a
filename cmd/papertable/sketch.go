package main

import (
	"slices"

	"github.com/arenalab/arenalab/graph"
	"github.com/arenalab/arenalab/graph/tflite"
)

// sketch is the main subgraph of a network, whose operators may be merged.
type sketch struct {
	*graph.Subgraph
}

// replace lets all readers of a tensor read others in its place, and drops the
// operator that made it.
func (s *sketch) replace(op int, by []int) {
	made := s.Ops[op].Outputs[0]
	s.Ops = slices.Delete(s.Ops, op, op+1)
	for i := range s.Ops {
		o := &s.Ops[i]
		o.Index = i
		for k := len(o.Inputs) - 1; k >= 0; k-- {
			if o.Inputs[k] == made {
				o.Inputs = slices.Replace(slices.Clone(o.Inputs), k, k+1, by...)
			}
		}
	}
}

// dropResizes removes resizes to the size that the image has.
func dropResizes(s *sketch) {
	for i := len(s.Ops) - 1; i >= 0; i-- {
		op := &s.Ops[i]
		if op.Code != tflite.OpResizeBilinear || slices.Contains(s.Outputs, op.Outputs[0]) {
			continue
		}
		if slices.Equal(s.Tensors[op.Inputs[0]].Shape, s.Tensors[op.Outputs[0]].Shape) {
			s.replace(i, op.Inputs[:1])
		}
	}
}

// mergeConcatenations lets a concatenation that only another one reads be part
// of that.
func mergeConcatenations(s *sketch) {
	for i := len(s.Ops) - 1; i >= 0; i-- {
		op := &s.Ops[i]
		if op.Code != tflite.OpConcatenation {
			continue
		}
		readers := 0
		inner := true
		for k := range s.Ops {
			if slices.Contains(s.Ops[k].Inputs, op.Outputs[0]) {
				readers++
				inner = inner && s.Ops[k].Code == tflite.OpConcatenation
			}
		}
		if readers == 1 && inner {
			s.replace(i, op.Inputs)
		}
	}
}

// roundChannels makes the last dimension of every tensor a multiple of four.
func roundChannels(s *sketch) {
	for i := range s.Tensors {
		t := &s.Tensors[i]
		if n := len(t.Shape); n > 0 && t.Shape[n-1] > 0 {
			c := int64(t.Shape[n-1])
			t.Bytes = t.Bytes / c * ((c + 3) / 4 * 4)
		}
	}
}
