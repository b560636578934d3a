package graph

// Working memory of TFLite's recurrent kernels other than LSTM and SVDF, and of
// its Fourier transforms.
//
// Source: basic_rnn.cc, unidirectional_sequence_rnn.cc,
// bidirectional_sequence_{rnn,lstm}.cc, unidirectional_sequence_gru.cc,
// rfft2d.cc, irfft2d.cc and roll.cc in tflite/kernels of google-ai-edge/LiteRT
// at f67457790c9c.

// hybrid reports whether a kernel quantises its input on the fly.
func hybrid(in, weights *Tensor) bool { return in.is(Float32) && weights.is(Int8, Uint8) }

// rnn: of RNN and UNIDIRECTIONAL_SEQUENCE_RNN.
func (t *temporaries) rnn(o operands) {
	in, w, state := o.in(0), o.in(1), o.in(4)
	if !hybrid(in, w) || !all(state) {
		return
	}
	batch, units := state.dim(0), w.dim(0)
	t.add(inArena, in.elements())
	t.add(inArena, state.elements())
	t.add(inArena, 4, batch) // scaling factors
	t.add(inArena, 4, units, batch)
	t.add(inArena, 4, batch) // zero points
	t.add(persistent, 4, 2, units)
}

// bidirectionalRNN: the backward pass shares all but the state and the sums of
// weights. An auxiliary input counts only if there are weights for it.
func (t *temporaries) bidirectionalRNN(o operands) {
	in, fw, fwState, bw, bwState := o.in(0), o.in(1), o.in(4), o.in(5), o.in(8)
	aux, auxWeights := o.in(9), o.in(10)
	if !hybrid(in, fw) || !all(fwState, bw, bwState) {
		return
	}
	batch := fwState.dim(0)
	t.add(inArena, in.elements())
	t.add(inArena, fwState.elements())
	t.add(inArena, bwState.elements())
	t.add(inArena, 4, batch) // scaling factors
	t.add(inArena, 4, max(fw.dim(0), bw.dim(0)), batch)
	t.add(inArena, 4, batch) // zero points
	sums := int64(2)
	if auxWeights != nil {
		sums = 3
	}
	t.add(persistent, 4, sums, fw.dim(0))
	t.add(persistent, 4, sums, bw.dim(0))
	if all(aux, auxWeights) {
		t.add(inArena, aux.elements())
	}
}

// Operands of BIDIRECTIONAL_SEQUENCE_LSTM: those of the forward pass are as in
// LSTM up to the projection, those of the backward pass follow.
const (
	lstmBackward       = 17 // from an operand of the forward pass to that of the other
	lstmForwardState   = 35
	lstmForwardCell    = 36
	lstmBackwardState  = 37
	lstmBackwardCell   = 38
	lstmAux            = 39
	lstmForwardAuxIn   = 41 // weights of the forget gate
	lstmForwardAuxOut  = 43
	lstmBackwardAuxOut = 47
)

func (t *temporaries) bidirectionalLSTM(o operands) {
	in, w := o.in(0), o.in(lstmInputToOutput)
	back := o.in(lstmInputToOutput + lstmBackward)
	cell := o.in(lstmForwardCell)
	if !all(w, back, cell, o.in(lstmForwardState), o.in(lstmBackwardState), o.in(lstmBackwardCell)) || w.dim(0) == 0 {
		return
	}
	batch := cell.elements() / w.dim(0)
	gates := func(first int) int64 {
		if o.in(first) == nil {
			return 4
		}
		return 5
	}
	const spare = 16 // for the matrix library, of the forward pass alone
	fw, bw := gates(lstmInputToInput), gates(lstmInputToInput+lstmBackward)
	t.add(inArena, 4, batch, times(fw, w.dim(0))+spare)
	t.add(inArena, 4, batch, times(bw, back.dim(0)))
	if !hybrid(in, w) {
		return
	}
	for _, k := range []int{0, lstmForwardState, lstmBackwardState, lstmForwardCell, lstmBackwardCell} {
		t.add(inArena, o.in(k).elements())
	}
	for range 4 {
		t.add(inArena, 4, batch) // scaling factors
	}
	t.add(inArena, 4, w.dim(0))
	cells, auxRows := max(w.dim(0), back.dim(0)), int64(0)
	if o.in(lstmForwardAuxIn) != nil {
		auxRows = 1
		for _, k := range []int{lstmForwardAuxOut, lstmBackwardAuxOut} {
			if x := o.in(k); x != nil {
				cells = max(cells, x.dim(0))
			}
		}
	}
	t.add(inArena, 4, cells, batch)
	for range 3 {
		t.add(inArena, 4, batch) // zero points
	}
	t.add(persistent, 4, o.sumRows(0, fw, auxRows), w.dim(0))
	t.add(persistent, 4, o.sumRows(lstmBackward, bw, auxRows), back.dim(0))
	if aux := o.in(lstmAux); auxRows > 0 && aux != nil {
		t.add(inArena, aux.elements())
	}
}

// sumRows is how many vectors of sums over rows of weights a pass keeps: for
// each gate one of the input, one of the state and one of an auxiliary input,
// and those of a projection.
func (o operands) sumRows(pass int, gates, aux int64) int64 {
	rows := (gates - 1) * (2 + aux)
	w, r := o.in(lstmInputToOutput+pass), o.in(lstmRecurrentOut+pass)
	if cell := w.dim(0); o.in(lstmProjection+pass) != nil && r != nil && cell > 0 {
		rows += (r.dim(1) + cell - 1) / cell
	}
	return rows
}

// gru: time comes first.
func (t *temporaries) gru(o operands) {
	in, state := o.in(0), o.in(1)
	if !all(state) {
		return
	}
	width := elementBytes(in)
	t.add(inArena, width, in.dim(1), 2, state.dim(1))
	t.add(inArena, width, in.dim(1), in.dim(2)+state.dim(1))
}

// fourier: of RFFT2D and IRFFT2D. The length is a constant whose values the
// shape of the spectrum or of the result shows.
func (t *temporaries) fourier(o operands, inverse bool, known []bool) {
	length, out := o.in(1), o.out(0)
	if length == nil {
		return
	}
	if !length.Constant && (known == nil || !known[length.Index]) {
		for range 4 {
			t.add(onHeap, 0)
		}
		return
	}
	height, width := out.dim(-2), out.dim(-1)
	if !inverse {
		width = 2 * max(width-1, 0)
	}
	long := max(height, width/2)
	root := int64(0)
	for (root+1)*(root+1) <= long {
		root++
	}
	t.add(inArena, 4, 2+root)
	t.add(inArena, 8, long/2+width/4)
	t.add(inArena, 8, height)
	t.add(inArena, 8, height, width+2)
}

// roll keeps a copy if it shifts along several axes.
func (t *temporaries) roll(o operands) {
	if shift := o.in(1); shift != nil && shift.elements() > 1 {
		t.add(inArena, o.in(0).Bytes)
	}
}
