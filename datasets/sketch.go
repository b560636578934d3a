package datasets

import (
	"fmt"

	"github.com/arenalab/arenalab/graph"
	"github.com/arenalab/arenalab/graph/tflite"
)

// sketch draws the network without weights and links it as if it had been read
// from a file.
func (f family) sketch(p Params) (*graph.Model, error) {
	m, err := f.drawn(p, true)
	if err != nil {
		return nil, err
	}
	out := &graph.Model{
		Name:        f.Name,
		Version:     tflite.SchemaVersion,
		Description: m.file.Description,
		Buffers:     []graph.Buffer{{}}, // of no data, for all tensors
	}
	for i := range m.file.Subgraphs {
		s, err := sketchSubgraph(&m.file.Subgraphs[i], i)
		if err != nil {
			return nil, fmt.Errorf("%s: subgraph %d: %w", f.Name, i, err)
		}
		out.Subgraphs = append(out.Subgraphs, s)
	}
	for _, s := range m.file.Signatures {
		out.Signatures = append(out.Signatures, graph.Signature(s))
	}
	return out, nil
}

func sketchSubgraph(from *tflite.Subgraph, index int) (*graph.Subgraph, error) {
	s := &graph.Subgraph{Index: index, Name: from.Name, Inputs: from.Inputs, Outputs: from.Outputs}
	computed := make([]bool, len(from.Tensors))
	for _, t := range from.Inputs {
		computed[t] = true
	}
	for i := range from.Ops {
		op := &from.Ops[i]
		for _, t := range op.Outputs {
			computed[t] = true
		}
		s.Ops = append(s.Ops, graph.Op{Index: i, Code: op.Code, Custom: op.Custom, Version: op.Version,
			Inputs: op.Inputs, Outputs: op.Outputs, Intermediates: op.Intermediates, Callees: callees(op), Options: planningOptions(op)})
	}
	for i := range from.Tensors {
		t := &from.Tensors[i]
		bytes, err := graph.Size(t.Type, t.Shape)
		if err != nil {
			return nil, fmt.Errorf("tensor %s: %w", t.Name, err)
		}
		s.Tensors = append(s.Tensors, graph.Tensor{Index: i, Name: t.Name, Type: t.Type, Shape: t.Shape,
			Signature: t.Signature, Bytes: bytes, Variable: t.Variable, Constant: !computed[i] && !t.Variable,
			PerChannel: t.Quant != nil && len(t.Quant.Scale) > 1})
	}
	return s, s.Link()
}

// callees returns the subgraphs that an operator calls.
func callees(op *tflite.Op) []int {
	switch o := op.Options.(type) {
	case tflite.IfOptions:
		return []int{int(o.Then), int(o.Else)}
	case tflite.WhileOptions:
		return []int{int(o.Cond), int(o.Body)}
	}
	return nil
}

// planningOptions returns the options that planning reads.
func planningOptions(op *tflite.Op) graph.OpOptions {
	switch o := op.Options.(type) {
	case tflite.Conv2DOptions:
		return graph.OpOptions{StrideW: o.StrideW, StrideH: o.StrideH,
			DilationW: max(o.DilationW, 1), DilationH: max(o.DilationH, 1)}
	case tflite.BatchMatMulOptions:
		return graph.OpOptions{AdjointX: o.AdjointX, AdjointY: o.AdjointY}
	}
	return graph.OpOptions{}
}
