package kernels

import (
	"math"

	"github.com/arenalab/arenalab/graph"
)

// Conversions from one element type to another: K/cast.cc of
// google-ai-edge/LiteRT at f67457790c9c. Integers lose their upper bits; floats
// that do not fit an integer become its nearest, and what is not a number its
// greatest. TFLite-Micro leaves these to the compiler.

func castFamily() map[string]prepare {
	return map[string]prepare{"CAST": prepareCast, "BITCAST": prepareBitcast}
}

func prepareCast(n *Node) (Kernel, error) {
	in, out, err := newSame(n)
	if err != nil {
		return nil, err
	}
	switch in.Type {
	case graph.Float32:
		return castFloat(castPlain[float32]{}, out)
	case graph.Float64:
		return castFloat(castPlain[float64]{}, out)
	case graph.Float16:
		return castFloat(castHalf{}, out)
	case graph.Int8:
		return castWhole[int8](out)
	case graph.Uint8:
		return castWhole[uint8](out)
	case graph.Bool:
		return castWhole[uint8](out)
	case graph.Int16:
		return castWhole[int16](out)
	case graph.Uint16:
		return castWhole[uint16](out)
	case graph.Int32:
		return castWhole[int32](out)
	case graph.Uint32:
		return castWhole[uint32](out)
	case graph.Int64:
		return castWhole[int64](out)
	case graph.Uint64:
		return castWhole[uint64](out)
	}
	return nil, unsupported("%v", in.Type)
}

// castWhole chooses a conversion from integers.
func castWhole[A number](out *Tensor) (Kernel, error) {
	switch out.Type {
	case graph.Float32:
		return newUnary[A, float32](castTo[A, float32]{}, 1), nil
	case graph.Float64:
		return newUnary[A, float64](castTo[A, float64]{}, 1), nil
	case graph.Float16:
		return newUnary[A, uint16](castToHalf[A]{}, 4), nil
	case graph.Bool:
		return newUnary[A, uint8](castToBool[A]{}, 1), nil
	case graph.Int8:
		return newUnary[A, int8](castTo[A, int8]{}, 1), nil
	case graph.Uint8:
		return newUnary[A, uint8](castTo[A, uint8]{}, 1), nil
	case graph.Int16:
		return newUnary[A, int16](castTo[A, int16]{}, 1), nil
	case graph.Uint16:
		return newUnary[A, uint16](castTo[A, uint16]{}, 1), nil
	case graph.Int32:
		return newUnary[A, int32](castTo[A, int32]{}, 1), nil
	case graph.Uint32:
		return newUnary[A, uint32](castTo[A, uint32]{}, 1), nil
	case graph.Int64:
		return newUnary[A, int64](castTo[A, int64]{}, 1), nil
	case graph.Uint64:
		return newUnary[A, uint64](castTo[A, uint64]{}, 1), nil
	}
	return nil, unsupported("%v", out.Type)
}

type castTo[A, R number] struct{}

func (castTo[A, R]) row(x []A, out []R) {
	out = out[:len(x)]
	for i, v := range x {
		out[i] = R(v)
	}
}

type castToHalf[A number] struct{}

func (castToHalf[A]) row(x []A, out []uint16) {
	for i, v := range x {
		out[i] = floatToHalf(float32(v))
	}
}

type castToBool[A number] struct{}

func (castToBool[A]) row(x []A, out []uint8) {
	for i, v := range x {
		out[i] = 0
		if v != 0 {
			out[i] = 1
		}
	}
}

// floats reads elements as float64.
type floats[A number] interface {
	wide(v A) float64
}

type castPlain[A float32 | float64] struct{}

func (castPlain[A]) wide(v A) float64 { return float64(v) }

type castHalf struct{}

func (castHalf) wide(v uint16) float64 { return float64(halfToFloat(v)) }

// castFloat chooses a conversion from floats.
func castFloat[A number, F floats[A]](f F, out *Tensor) (Kernel, error) {
	switch out.Type {
	case graph.Float32:
		return newUnary[A, float32](castFloatTo[A, float32, F]{f: f}, 2), nil
	case graph.Float64:
		return newUnary[A, float64](castFloatTo[A, float64, F]{f: f}, 2), nil
	case graph.Float16:
		return newUnary[A, uint16](castFloatHalf[A, F]{f}, 4), nil
	case graph.Bool:
		return newUnary[A, uint8](castFloatBool[A, F]{f}, 2), nil
	case graph.Int8:
		return castLimited[A, int8](f, math.MinInt8, math.MaxInt8), nil
	case graph.Uint8:
		return castLimited[A, uint8](f, 0, math.MaxUint8), nil
	case graph.Int16:
		return castLimited[A, int16](f, math.MinInt16, math.MaxInt16), nil
	case graph.Uint16:
		return castLimited[A, uint16](f, 0, math.MaxUint16), nil
	case graph.Int32:
		return castLimited[A, int32](f, math.MinInt32, math.MaxInt32), nil
	case graph.Uint32:
		return castLimited[A, uint32](f, 0, math.MaxUint32), nil
	case graph.Int64:
		return castLimited[A, int64](f, math.MinInt64, math.MaxInt64), nil
	case graph.Uint64:
		return castLimited[A, uint64](f, 0, math.MaxUint64), nil
	}
	return nil, unsupported("%v", out.Type)
}

// castLimited converts to integers of a range.
func castLimited[A, R number, F floats[A]](f F, low, high R) Kernel {
	return newUnary[A, R](castFloatTo[A, R, F]{f, true, low, high}, 3)
}

type castFloatTo[A, R number, F floats[A]] struct {
	f         F
	limited   bool
	low, high R
}

func (k castFloatTo[A, R, F]) row(x []A, out []R) {
	out = out[:len(x)]
	low, high := float64(k.low), float64(k.high)
	for i, v := range x {
		w := k.f.wide(v)
		switch {
		case !k.limited:
			out[i] = R(w)
		case w <= low:
			out[i] = k.low
		case w < high: // the greatest of 64 bits is rounded up
			out[i] = R(w)
		default:
			out[i] = k.high
		}
	}
}

type castFloatHalf[A number, F floats[A]] struct{ f F }

func (k castFloatHalf[A, F]) row(x []A, out []uint16) {
	for i, v := range x {
		out[i] = floatToHalf(float32(k.f.wide(v)))
	}
}

type castFloatBool[A number, F floats[A]] struct{ f F }

func (k castFloatBool[A, F]) row(x []A, out []uint8) {
	for i, v := range x {
		out[i] = 0
		if k.f.wide(v) != 0 {
			out[i] = 1
		}
	}
}

// prepareBitcast keeps the bits: where elements get smaller the result has one
// more dimension, where they get larger one less.
func prepareBitcast(n *Node) (Kernel, error) {
	in, err := n.in(0)
	if err != nil {
		return nil, err
	}
	out, err := n.out(0)
	if err != nil {
		return nil, err
	}
	from, to := in.Type.Bits(), out.Type.Bits()
	if from < 8 || to < 8 || from*int64(in.Elements()) != to*int64(out.Elements()) {
		return nil, invalid("%v of shape %v becomes %v of shape %v", in.Type, in.Shape, out.Type, out.Shape)
	}
	return reshape{}, nil
}
