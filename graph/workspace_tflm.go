package graph

// Working memory of TFLite-Micro's reference kernels, that is what their
// Prepare functions ask RequestScratchBufferInArena for.
//
// Source: tensorflow/lite/micro/kernels and signal/micro/kernels of
// tensorflow/tflite-micro at 90b983c2b3f1.

// tflmBytes is the size of a tensor in TFLite-Micro: int4 is not packed, and
// a handle of a resource is an int32.
func tflmBytes(t *Tensor) int64 {
	switch t.Type {
	case Int4:
		return t.elements()
	case Resource:
		return times(t.elements(), 4)
	}
	return t.Bytes
}

func tflmRequests(s *Subgraph, op *Op, _ []bool) ([]request, bool) {
	o := operands{s, op}
	sizes, ok := tflmSizes(o)
	list := make([]request, len(sizes))
	for i, n := range sizes {
		list[i] = request{bytes: n, slot: i}
	}
	return list, ok
}

func tflmSizes(o operands) (sizes []int64, ok bool) {
	in, out := o.in(0), o.out(0)
	if in == nil || out == nil {
		return nil, true
	}
	switch o.op.Name() {
	case "CONV_2D", "DEPTHWISE_CONV_2D", "FULLY_CONNECTED":
		if w := o.in(1); w.is(Int4) {
			return []int64{w.elements()}, true // unpacked
		}
	case "TRANSPOSE_CONV":
		return tflmTransposeConv(o), true
	case "SVDF":
		if filters := o.in(1); filters != nil {
			sizes = append(sizes, times(4, in.dim(0), filters.dim(0)))
			if in.is(Int8) {
				sizes = append(sizes, times(4, out.elements()))
			}
		}
	case "UNIDIRECTIONAL_SEQUENCE_LSTM":
		if cell := o.in(lstmCellState); cell != nil {
			return []int64{cell.Bytes, cell.Bytes, cell.Bytes, cell.Bytes}, true
		}
	case "MEAN", "SUM", "REDUCE_MAX", "REDUCE_MIN", "REDUCE_ALL":
		return tflmReduce(o), true
	case "MIRROR_PAD":
		n := times(4, int64(len(in.Shape)))
		return []int64{n, n}, true
	case "ADD_N":
		if out.is(Float32, Int8) {
			return []int64{times(8, int64(len(o.op.Inputs)))}, true // a pointer for each
		}
	case "CUSTOM:SignalRfft":
		// The spectrum has half the length and one more complex numbers.
		if length := out.dim(-1) - 2; length > 0 {
			return []int64{length * elementBytes(in)}, true
		}
	case "CUSTOM:TFLite_Detection_PostProcess":
		return tflmDetection(o)
	}
	return sizes, true
}

// tflmDetection: what the selection of boxes sorts, with room for the boxes
// that are kept again for each detection.
func tflmDetection(o operands) ([]int64, bool) {
	boxes, scores, most := o.in(0).dim(1), o.in(1), int64(o.op.Options.Detections)
	if most == 0 || scores == nil {
		return nil, false
	}
	each, kept := times(4, boxes), times(4, most, boxes)
	return []int64{
		boxes, times(4, 4, boxes), times(4, scores.dim(1), scores.dim(2)),
		each, each, kept, kept, each, kept,
		times(4, max(int64(o.op.Options.Classes), most), boxes),
		times(4, min(boxes, most), boxes),
	}, true
}

func tflmTransposeConv(o operands) (sizes []int64) {
	in, bias, out := o.in(2), o.in(3), o.out(0)
	switch {
	case in.is(Int8):
		sizes = append(sizes, times(4, out.elements()))
	case in.is(Int16):
		sizes = append(sizes, times(8, out.elements()))
		if bias.is(Int16) {
			sizes = append(sizes, times(8, bias.elements()))
		}
	}
	return sizes
}

func tflmReduce(o operands) (sizes []int64) {
	in, axis, out := o.in(0), o.in(1), o.out(0)
	if axis == nil {
		return nil
	}
	index, axes := times(4, int64(len(in.Shape))), times(4, axis.elements())
	switch o.op.Name() {
	case "MEAN", "SUM":
		if in.is(Int8, Int16) {
			sizes = append(sizes, times(4, out.elements()))
		}
	}
	return append(sizes, index, axes)
}

func elementBytes(t *Tensor) int64 { return (t.Type.Bits() + 7) / 8 }
