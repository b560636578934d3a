package graph

// Working memory of TFLite's reference kernels on one thread, that is the
// temporaries that their Prepare functions add to the node.
//
// Source: tflite/kernels of google-ai-edge/LiteRT at f67457790c9c.

// Operands of LSTM and UNIDIRECTIONAL_SEQUENCE_LSTM.
const (
	lstmInputToInput  = 1
	lstmInputToOutput = 4
	lstmRecurrentOut  = 8
	lstmProjection    = 16
	lstmOutputState   = 18
	lstmCellState     = 19
	lstmBasicOperands = 5 // of the kernel without peepholes and projection
)

// tfliteBytes is the size of a tensor in TFLite: the handle of a variable is
// an int32, if it is in an arena at all.
func tfliteBytes(t *Tensor) int64 {
	if t.Type == Resource {
		return times(t.elements(), 4)
	}
	return t.Bytes
}

// tfliteAdded says how many tensors a kernel adds to the subgraph, when it is
// made and when it is prepared, needed or not: their numbers decide ties.
func tfliteAdded(s *Subgraph, op *Op) (made, prepared int) {
	switch op.Name() {
	case "LSTM":
		if len(op.Inputs) == lstmBasicOperands {
			return 0, 0
		}
		return 21, 0
	case "UNIDIRECTIONAL_SEQUENCE_LSTM":
		return 12, 0
	case "SVDF", "RNN", "UNIDIRECTIONAL_SEQUENCE_RNN":
		return 6, 0
	case "BIDIRECTIONAL_SEQUENCE_RNN":
		return 9, 0
	case "BIDIRECTIONAL_SEQUENCE_LSTM":
		return 19, 0
	case "CUSTOM:UnidirectionalSequenceGru", "STABLEHLO_REDUCE_WINDOW":
		return 2, 0
	case "ADD_N":
		return 1, 0
	case "CUSTOM:TFLite_Detection_PostProcess":
		return 2, 0
	case "FULLY_CONNECTED":
		return 0, 6
	case "BATCH_MATMUL":
		return 0, 7
	case "MEAN", "SUM", "REDUCE_PROD", "REDUCE_MAX", "REDUCE_MIN", "REDUCE_ANY", "REDUCE_ALL":
		return 0, 4
	}
	list, _ := tfliteRequests(s, op, nil)
	return 0, len(list)
}

// temporaries collects requests.
type temporaries []request

func (t *temporaries) add(where place, factors ...int64) {
	*t = append(*t, request{bytes: times(factors...), where: where, slot: len(*t)})
}

func tfliteRequests(s *Subgraph, op *Op, known []bool) (list []request, ok bool) {
	o, t := operands{s, op}, temporaries{}
	if o.in(0) == nil || o.out(0) == nil {
		return nil, true
	}
	switch op.Name() {
	case "CONV_2D":
		t.conv(o)
	case "DEPTHWISE_CONV_2D":
		if in := o.in(0); in.is(Float32) && o.in(1).is(Int8, Uint8) {
			t.add(inArena, in.elements())
			t.add(inArena, 4, in.dim(0))
			t.add(inArena, 4, in.dim(0))
		}
	case "FULLY_CONNECTED":
		t.fullyConnected(o)
		// Then there is a ledger too, persistent, whose size is not known here.
		return t, !hybrid(o.in(0), o.in(1)) || !o.in(1).Sparse
	case "BATCH_MATMUL":
		t.batchMatMul(o)
	case "TRANSPOSE_CONV":
		t.transposeConv(o)
	case "MEAN", "SUM", "REDUCE_PROD", "REDUCE_MAX", "REDUCE_MIN", "REDUCE_ANY", "REDUCE_ALL":
		t.reduce(o, known)
	case "ADD_N":
		t.add(inArena, elementBytes(o.in(0)), o.in(0).elements())
	case "SVDF":
		t.svdf(o)
	case "LSTM":
		if len(op.Inputs) != lstmBasicOperands {
			t.lstm(o, 0)
		}
	case "UNIDIRECTIONAL_SEQUENCE_LSTM":
		t.lstm(o, 16)
	case "RNN", "UNIDIRECTIONAL_SEQUENCE_RNN":
		t.rnn(o)
	case "BIDIRECTIONAL_SEQUENCE_RNN":
		t.bidirectionalRNN(o)
	case "BIDIRECTIONAL_SEQUENCE_LSTM":
		t.bidirectionalLSTM(o)
	case "CUSTOM:UnidirectionalSequenceGru":
		t.gru(o)
	case "RFFT2D":
		t.fourier(o, false, known)
	case "CUSTOM:IRFFT2D":
		t.fourier(o, true, known)
	case "CUSTOM:Roll":
		t.roll(o)
	case "CUSTOM:TFLite_Detection_PostProcess":
		if all(o.in(1)) {
			t.add(inArena, 4, 4, o.in(0).dim(1))
			t.add(inArena, 4, o.in(1).dim(1), o.in(1).dim(2))
		}
	case "STABLEHLO_REDUCE_WINDOW":
		return nil, false // depends on options of its own
	}
	return t, true
}

// conv: hybrid convolutions quantise their input on the fly, and unroll it
// unless windows are single elements.
func (t *temporaries) conv(o operands) {
	in, w, out := o.in(0), o.in(1), o.out(0)
	if !in.is(Float32) || !w.is(Uint8, Int8, Int4) {
		return
	}
	p := o.op.Options
	if p.StrideW != 1 || p.StrideH != 1 || p.DilationW != 1 || p.DilationH != 1 || w.dim(1) != 1 || w.dim(2) != 1 {
		t.add(inArena, out.product(0, 3), w.product(1, 4))
	}
	groups := int64(1)
	if d := w.dim(3); d > 0 {
		groups = in.dim(3) / d
	}
	rows := times(in.product(0, 3), groups)
	t.add(inArena, in.elements())
	t.add(inArena, 4, rows)
	t.add(inArena, 4, w.dim(0), out.product(0, 3))
	if w.PerChannel && !w.is(Uint8) {
		t.add(inArena, 4, rows)
		t.add(persistent, 4, w.dim(0))
	}
}

func (t *temporaries) fullyConnected(o operands) {
	in, w := o.in(0), o.in(1)
	if !in.is(Float32) || !w.is(Uint8, Int8, Int4, Int2) || w.dim(1) == 0 {
		return
	}
	units, batch := w.dim(0), in.elements()/w.dim(1)
	t.add(inArena, in.elements())
	t.add(inArena, 4, batch)
	t.add(inArena, 4, units, batch)
	t.add(inArena, 4, batch)
	t.add(persistent, 4, units)
	if w.Sparse {
		t.add(onHeap, 0) // the ledger
	}
}

// batchMatMul: room for both operands transposed, needed or not.
func (t *temporaries) batchMatMul(o operands) {
	x, y := o.in(0), o.in(1)
	if !all(y) {
		return
	}
	where := inArena
	if y.Constant {
		where = persistent
	}
	t.add(inArena, x.Bytes)
	t.add(where, y.Bytes)
	if !x.is(Float32) || !y.is(Int8) {
		return
	}
	rows, units := x.dim(-2), y.dim(-1)
	if o.op.Options.AdjointX {
		rows = x.dim(-1)
	}
	if o.op.Options.AdjointY {
		units = y.dim(-2)
	}
	batches := x.product(0, len(x.Shape)-2)
	t.add(inArena, x.elements())
	t.add(inArena, 4, batches, rows)
	t.add(inArena, 4, units, rows)
	t.add(inArena, 4, batches, rows)
	t.add(persistent, 4, y.product(0, len(y.Shape)-2), units)
}

func (t *temporaries) transposeConv(o operands) {
	w, in := o.in(1), o.in(2)
	switch {
	case in.is(Uint8, Int8, Int16):
		t.add(onHeap, 0)
	case in.is(Float32) && w.is(Int8) && in.dim(3) > 0:
		rows := in.elements() / in.dim(3)
		t.add(inArena, in.elements())
		t.add(inArena, 4, rows)
		t.add(inArena, 4, rows)
	}
}

func (t *temporaries) reduce(o operands, known []bool) {
	in, axis, out := o.in(0), o.in(1), o.out(0)
	if axis == nil {
		return
	}
	fixed := func(x *Tensor) bool { return x.Constant || known != nil && known[x.Index] }
	t.add(inArena, 4, int64(len(in.Shape)))
	if fixed(axis) {
		t.add(inArena, 4, axis.elements())
	} else {
		t.add(onHeap, 0)
	}
	switch o.op.Name() {
	case "MEAN", "SUM", "REDUCE_PROD":
		width := int64(4)
		if in.is(Int32, Int64) {
			width = 8
		}
		if fixed(axis) {
			t.add(inArena, width, out.elements())
			break
		}
		fallthrough
	default:
		t.add(onHeap, 0)
	}
	if fixed(in) {
		t.add(inArena, 4, int64(len(in.Shape)))
	} else {
		t.add(onHeap, 0)
	}
}

func (t *temporaries) svdf(o operands) {
	in, w, wt, out := o.in(0), o.in(1), o.in(2), o.out(0)
	if !all(w, wt) {
		return
	}
	batch, filters := in.dim(0), w.dim(0)
	t.add(inArena, 4, batch, filters)
	switch {
	case in.is(Int8):
		t.add(inArena, 4, out.elements())
	case in.is(Float32) && w.is(Uint8, Int8):
		t.add(inArena, in.elements())
		t.add(inArena, 4, batch)
		t.add(persistent, 4, wt.elements())
		t.add(inArena, 4, batch)
		t.add(persistent, 4, filters)
	}
}

// lstm: extra is the room that a kernel leaves behind its gates.
func (t *temporaries) lstm(o operands, extra int64) {
	in, w, outState, cellState := o.in(0), o.in(lstmInputToOutput), o.in(lstmOutputState), o.in(lstmCellState)
	if !all(w, outState, cellState) || w.dim(0) == 0 {
		return
	}
	cell := w.dim(0)
	batch := cellState.elements() / cell
	if in.is(Int8) {
		widths := []int64{2, 2, 2, 2, 1, 4}
		if len(o.op.Intermediates) == 12 {
			widths = []int64{1, 1, 2, 2, 2, 2, 2, 2}
		}
		for _, width := range widths {
			t.add(inArena, width, batch, cell)
		}
		return
	}
	gates := int64(5)
	if o.in(lstmInputToInput) == nil {
		gates = 4
	}
	t.add(inArena, 4, batch, times(gates, cell)+extra)
	if !w.is(Uint8, Int8) {
		return
	}
	t.add(inArena, in.elements())
	t.add(inArena, outState.elements())
	t.add(inArena, cellState.elements())
	for range 3 {
		t.add(inArena, 4, batch) // scaling factors
	}
	t.add(inArena, 4, cell)
	t.add(inArena, 4, cell, batch)
	for range 2 {
		t.add(inArena, 4, batch) // zero points
	}
	rows := 2*gates - 2
	if r := o.in(lstmRecurrentOut); o.in(lstmProjection) != nil && r != nil {
		rows += (r.dim(1) + cell - 1) / cell
	}
	t.add(persistent, 4, rows, cell)
}
