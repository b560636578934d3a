package tflite

import (
	"errors"
	"fmt"

	"github.com/arenalab/arenalab/graph"
)

// check reports the first fault that would make the file unreadable.
func (f *File) check() error {
	if len(f.Subgraphs) == 0 {
		return errors.New("model has no subgraph")
	}
	for i := range f.Subgraphs {
		if err := f.Subgraphs[i].check(); err != nil {
			return fmt.Errorf("subgraph %d %q: %w", i, f.Subgraphs[i].Name, err)
		}
	}
	for i, s := range f.Signatures {
		if s.Subgraph < 0 || s.Subgraph >= len(f.Subgraphs) {
			return fmt.Errorf("signature %d %q: subgraph %d is out of range", i, s.Key, s.Subgraph)
		}
		tensors := len(f.Subgraphs[s.Subgraph].Tensors)
		for _, list := range [][]graph.NamedTensor{s.Inputs, s.Outputs} {
			for _, n := range list {
				if n.Tensor < 0 || n.Tensor >= tensors {
					return fmt.Errorf("signature %d %q: tensor %d of %q is out of range", i, s.Key, n.Tensor, n.Name)
				}
			}
		}
	}
	_, err := f.bytesNeeded()
	return err
}

func (s *Subgraph) check() error {
	for i := range s.Tensors {
		if err := s.Tensors[i].check(); err != nil {
			return fmt.Errorf("tensor %d %q: %w", i, s.Tensors[i].Name, err)
		}
	}
	within := func(list []int, lowest int, what string) error {
		for i, t := range list {
			if t < lowest || t >= len(s.Tensors) {
				return fmt.Errorf("%s %d: tensor index %d is out of range (%d tensors)", what, i, t, len(s.Tensors))
			}
		}
		return nil
	}
	err := errors.Join(within(s.Inputs, 0, "graph input"), within(s.Outputs, 0, "graph output"))
	for i := range s.Ops {
		op := &s.Ops[i]
		if op.Code < 0 || op.Version < 0 {
			return fmt.Errorf("operator %d: code %d version %d is negative", i, op.Code, op.Version)
		}
		if fault := errors.Join(within(op.Inputs, -1, "input"), within(op.Outputs, 0, "output"),
			within(op.Intermediates, -1, "intermediate")); fault != nil {
			return fmt.Errorf("operator %d (code %d): %w", i, op.Code, fault)
		}
	}
	return err
}

func (t *Tensor) check() error {
	if !t.Type.Known() {
		return fmt.Errorf("type %d is unknown", t.Type)
	}
	bytes, err := graph.Size(t.Type, t.Shape)
	if err != nil {
		return err
	}
	switch {
	case t.Signature != nil && len(t.Signature) != len(t.Shape):
		return fmt.Errorf("signature %v and shape %v differ in rank", t.Signature, t.Shape)
	case len(t.Data) > 0 && t.Variable:
		return errors.New("a variable has no data in the file")
	case len(t.Data) > 0 && bytes != graph.NoSize && int64(len(t.Data)) != bytes:
		return fmt.Errorf("%d bytes of data for %v of shape %v, which needs %d", len(t.Data), t.Type, t.Shape, bytes)
	}
	if q := t.Quant; q != nil {
		return q.check(t.Shape)
	}
	return nil
}

func (q *Quant) check(shape []int32) error {
	n := len(q.Scale)
	switch {
	case n == 0 || n != len(q.ZeroPoint):
		return fmt.Errorf("%d scales and %d zero points", n, len(q.ZeroPoint))
	case n == 1:
		return nil
	case q.Axis < 0 || q.Axis >= len(shape):
		return fmt.Errorf("quantised dimension %d is out of range for shape %v", q.Axis, shape)
	case int(shape[q.Axis]) != n:
		return fmt.Errorf("%d scales for dimension %d of shape %v", n, q.Axis, shape)
	}
	return nil
}

// opVersion returns the version of the operator that the runtime needs for the
// types and options used, after its own version rules.
func opVersion(s *Subgraph, op *Op) int {
	quantised := false
	for _, list := range [][]int{op.Inputs, op.Outputs} {
		for _, t := range list {
			quantised = quantised || t >= 0 && s.Tensors[t].Type == graph.Int8
		}
	}
	switch o := op.Options.(type) {
	case ResizeBilinearOptions:
		if o.HalfPixelCenters {
			return 3
		}
	case ResizeNearestNeighborOptions:
		if o.HalfPixelCenters {
			return 3
		}
	case FullyConnectedOptions:
		switch {
		case len(op.Inputs) < 3 || op.Inputs[2] < 0:
			return 6
		case o.KeepNumDims:
			return 5
		}
	}
	if !quantised {
		return 1
	}
	switch op.Code {
	case OpConv2D, OpDepthwiseConv2D:
		return 3
	case OpFullyConnected:
		return 4
	case OpReshape, OpIf, OpWhile:
		return 1
	case OpQuantize:
		if len(op.Inputs) > 0 && op.Inputs[0] >= 0 && s.Tensors[op.Inputs[0]].Type != graph.Int8 {
			return 1
		}
	}
	return 2
}
