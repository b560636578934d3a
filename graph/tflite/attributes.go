package tflite

import (
	"github.com/arenalab/arenalab/graph"
	"github.com/arenalab/arenalab/graph/tflite/internal/schema"
)

// options returns the builtin options of an operator that planning reads. If
// they are missing, they are taken to be the schema's defaults.
func options(code int32, raw *schema.Operator) graph.OpOptions {
	var found schema.Opaque
	switch code {
	case graph.OpConv2D:
		out := graph.OpOptions{DilationW: 1, DilationH: 1}
		if raw.BuiltinOptionsType() == schema.UnionConv2DOptions && raw.BuiltinOptions(&found) != nil {
			var o schema.Conv2DOptions
			o.Init(found.Table().Bytes, found.Table().Pos)
			out.StrideW, out.StrideH = o.StrideW(), o.StrideH()
			out.DilationW, out.DilationH = o.DilationWFactor(), o.DilationHFactor()
		}
		return out
	case graph.OpBatchMatMul:
		if raw.BuiltinOptionsType() == schema.UnionBatchMatMulOptions && raw.BuiltinOptions(&found) != nil {
			var o schema.BatchMatMulOptions
			o.Init(found.Table().Bytes, found.Table().Pos)
			return graph.OpOptions{AdjointX: o.AdjX(), AdjointY: o.AdjY()}
		}
	}
	return graph.OpOptions{}
}
