package tflite

import (
	"math"
	"slices"

	"github.com/arenalab/arenalab/graph"
	"github.com/arenalab/arenalab/graph/tflite/internal/schema"
	"github.com/arenalab/arenalab/graph/tflite/internal/verify"
	flatbuffers "github.com/google/flatbuffers/go"
)

// vectorOptions lists the fields of options that are vectors: by the number of
// the table in the union, those of the fields and the bytes of an element.
var vectorOptions = map[uint8][]struct{ field, size int }{
	17:  {{0, 4}},         // ReshapeOptions.new_shape
	30:  {{0, 4}},         // SqueezeOptions.squeeze_dims
	111: {{0, 1}, {1, 1}}, // VarHandleOptions.container, shared_name
	115: {{0, 4}},         // BucketizeOptions.boundaries
}

// attributes copies the builtin options of an operator. They are not part of
// what is verified before: what leads out of the file is left out.
func (r *subgraphReader) attributes(raw *schema.Operator) graph.Attributes {
	var a graph.Attributes
	var found schema.Opaque
	switch {
	case raw.BuiltinOptionsType() != 0 && raw.BuiltinOptions(&found) != nil:
		a.Kind = raw.BuiltinOptionsType()
	case raw.BuiltinOptions2Type() != 0 && raw.BuiltinOptions2(&found) != nil:
		a.Kind2 = raw.BuiltinOptions2Type()
	default:
		return a
	}
	data, pos := found.Table().Bytes, int64(found.Table().Pos)
	inside := func(at, n int64) bool { return at >= 0 && n >= 0 && at+n <= int64(len(data)) }
	if !inside(pos, 4) {
		return a
	}
	vtable := pos - int64(flatbuffers.GetInt32(data[pos:]))
	if !inside(vtable, 4) {
		return a
	}
	length, extent := int64(flatbuffers.GetUint16(data[vtable:])), int64(flatbuffers.GetUint16(data[vtable+2:]))
	if length < 4 || !inside(vtable, length) || !inside(pos, extent) || !r.copies(length+extent) {
		return a
	}
	a.Table = slices.Clone(data[pos : pos+extent])
	a.At = make([]uint16, (length-4)/2)
	for i := range a.At {
		a.At[i] = flatbuffers.GetUint16(data[vtable+4+2*int64(i):])
	}
	for _, v := range vectorOptions[a.Kind] {
		if v.field >= len(a.At) || a.At[v.field] == 0 {
			continue
		}
		at := pos + int64(a.At[v.field])
		if !inside(at, 4) {
			return a
		}
		at += int64(flatbuffers.GetUint32(data[at:]))
		if !inside(at, 4) {
			return a
		}
		n := int64(flatbuffers.GetUint32(data[at:])) * int64(v.size)
		if inside(at+4, n) && r.copies(n) {
			if a.Lists == nil {
				a.Lists = map[int][]byte{}
			}
			a.Lists[v.field] = slices.Clone(data[at+4 : at+4+n])
		}
	}
	return a
}

// copies counts bytes that are copied from options, and reports whether they
// are not more than the file warrants.
func (d *decoder) copies(n int64) bool {
	if d.copied+n > verify.Budget(len(d.data)) {
		return false
	}
	d.copied += n
	return true
}

// customOptions copies the options of a custom operator.
func (d *decoder) customOptions(raw *schema.Operator) []byte {
	b := raw.CustomOptionsBytes()
	if len(b) == 0 || !d.copies(int64(len(b))) {
		return nil
	}
	return slices.Clone(b)
}

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
