package tflite

import (
	"math"

	"github.com/arenalab/arenalab/graph"
	"github.com/arenalab/arenalab/graph/tflite/internal/schema"
)

// options returns the options of an operator that planning reads. If builtin
// options are missing, they are taken to be the schema's defaults.
func options(code int32, custom string, raw *schema.Operator) graph.OpOptions {
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
	case graph.OpCustom:
		if custom == detectionPostProcess {
			return detectionOptions(flexBuffer(raw.CustomOptionsBytes()))
		}
	}
	return graph.OpOptions{}
}

// detectionPostProcess is the custom operator at the end of SSD models.
const detectionPostProcess = "TFLite_Detection_PostProcess"

// detectionOptions returns the options of that operator, or none if they are
// not what the runtimes take.
func detectionOptions(b flexBuffer) graph.OpOptions {
	var out graph.OpOptions
	for key, to := range map[string]*int32{
		"max_detections": &out.Detections, "max_classes_per_detection": &out.DetectionClasses, "num_classes": &out.Classes,
	} {
		n, ok := b.number(key)
		if !ok || n < 1 || n > math.MaxInt32 {
			return graph.OpOptions{}
		}
		*to = int32(n)
	}
	return out
}
