package kernels

import (
	"math"

	"github.com/arenalab/arenalab/graph"
)

// weights are those of an integer layer: of 8 bits as they lie in the file, or
// copied into 8 bits (packed types) or 16 bits (where they have a zero point).
type weights struct {
	t      graph.DType
	count  int
	zero   int64
	narrow []int8  // copy of weights of fewer bits
	wide   []int16 // copy less the zero point
	copied bool    // such a copy is needed
	ready  bool    // the copy is made once and for all
}

// newWeights prepares the weights of a filter: int8, int4 and int2 where they
// are constant, uint8, int16.
func newWeights(filter *Tensor) (*weights, error) {
	w := &weights{t: filter.Type, count: filter.Elements()}
	if filter.Quant == nil {
		return nil, invalid("filter without quantisation")
	}
	w.zero = filter.Quant.ZeroPoint(0)
	for i := range filter.Quant.Scale {
		if filter.Quant.ZeroPoint(i) != w.zero {
			return nil, unsupported("filter with several zero points")
		}
		if s := filter.Quant.Scale[i]; !(s >= 0 && s <= math.MaxFloat32) {
			return nil, invalid("scale %g of the filter", s)
		}
	}
	switch {
	case filter.Type == graph.Int4 || filter.Type == graph.Int2:
		if filter.Constant == nil || w.zero != 0 {
			return nil, unsupported("filter of %v that is not constant and symmetric", filter.Type)
		}
		w.narrow, w.ready = make([]int8, w.count), true
		unpackBits(w.narrow, filter.Constant, int(filter.Type.Bits()))
		return w, nil
	case filter.Type == graph.Int8 && w.zero == 0:
		return w, nil
	case filter.Type == graph.Int16 && w.zero == 0:
		return w, nil
	case filter.Type == graph.Int8 && w.zero >= -128 && w.zero <= 127, filter.Type == graph.Uint8 && w.zero >= 0 && w.zero <= 255:
		w.copied = true
		if filter.Constant != nil {
			w.widen(filter.Constant)
			w.ready = true
		}
		return w, nil
	}
	return nil, unsupported("filter of %v with zero point %d", filter.Type, w.zero)
}

// unpackBits writes integers of a few bits, the first in the low bits of a
// byte, as bytes.
func unpackBits(to []int8, from []byte, bits int) {
	each := 8 / bits
	for i := range to {
		to[i] = int8(from[i/each]<<(8-bits-bits*(i%each))) >> (8 - bits)
	}
}

// widen copies weights less their zero point.
func (w *weights) widen(data []byte) {
	if w.wide == nil {
		w.wide = make([]int16, w.count)
	}
	if w.t == graph.Uint8 {
		for i, v := range data[:w.count] {
			w.wide[i] = int16(int64(v) - w.zero)
		}
		return
	}
	for i, v := range view[int8](data)[:w.count] {
		w.wide[i] = int16(int64(v) - w.zero)
	}
}

// load makes the weights of an operand ready. One of the two results is not
// nil.
func (w *weights) load(data []byte) ([]int8, []int16) {
	switch {
	case w.narrow != nil:
		return w.narrow, nil
	case w.copied:
		if !w.ready {
			w.widen(data)
		}
		return nil, w.wide
	case w.t == graph.Int16:
		return nil, view[int16](data)
	}
	return view[int8](data), nil
}

// most returns the greatest magnitude of a weight less its zero point.
func (w *weights) most() int64 { return mostOf(w.t, w.zero) }

// mostOf returns the greatest magnitude of an integer less its zero point.
func mostOf(t graph.DType, zero int64) int64 {
	low, high := integerRange(t)
	return max(int64(high)-zero, zero-int64(low))
}
