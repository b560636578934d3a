package graph

import (
	"fmt"
	"math/bits"
)

// DType is an element type, numbered as in the TFLite schema.
type DType uint8

// The element types of schema version 3d.
const (
	Float32 DType = iota
	Float16
	Int32
	Uint8
	Int64
	String
	Bool
	Int16
	Complex64
	Int8
	Float64
	Complex128
	Uint64
	Resource
	Variant
	Uint32
	Uint16
	Int4
	BFloat16
	Int2
	Uint4
	Float8E4M3FN
	Float8E5M2
)

var dtypes = [...]struct {
	name string
	bits int64 // 0: no static size
}{
	Float32: {"float32", 32}, Float16: {"float16", 16}, Int32: {"int32", 32},
	Uint8: {"uint8", 8}, Int64: {"int64", 64}, String: {"string", 0},
	Bool: {"bool", 8}, Int16: {"int16", 16}, Complex64: {"complex64", 64},
	Int8: {"int8", 8}, Float64: {"float64", 64}, Complex128: {"complex128", 128},
	Uint64: {"uint64", 64}, Resource: {"resource", 0}, Variant: {"variant", 0},
	Uint32: {"uint32", 32}, Uint16: {"uint16", 16}, Int4: {"int4", 4},
	BFloat16: {"bfloat16", 16}, Int2: {"int2", 2}, Uint4: {"uint4", 4},
	Float8E4M3FN: {"float8_e4m3fn", 8}, Float8E5M2: {"float8_e5m2", 8},
}

// String returns the lower-case name of the type.
func (d DType) String() string {
	if d.Known() {
		return dtypes[d].name
	}
	return fmt.Sprintf("type(%d)", uint8(d))
}

// Known reports whether the type is one of the schema's.
func (d DType) Known() bool { return int(d) < len(dtypes) }

// Bits returns the size of an element in bits, or 0 if it has no static size.
func (d DType) Bits() int64 {
	if d.Known() {
		return dtypes[d].bits
	}
	return 0
}

// Handle reports whether values of the type refer to state outside the tensor.
func (d DType) Handle() bool { return d == Resource || d == Variant }

// MaxBytes is the largest size of a tensor, and of all tensors of a subgraph
// together. Sums of a few such sizes still fit an int64.
const MaxBytes = 1 << 60

// Size returns the bytes of a tensor of the given type and shape, packed types
// (int4, int2) rounded up to whole bytes. Types without a static size give
// NoSize. Negative dimensions and sizes above MaxBytes are errors.
func Size(d DType, shape []int32) (int64, error) {
	elements, zero := uint64(1), false
	for i, dim := range shape {
		if dim < 0 {
			return 0, fmt.Errorf("dimension %d is negative: %d", i, dim)
		}
		if dim == 0 {
			zero = true
			continue
		}
		hi, lo := bits.Mul64(elements, uint64(dim))
		if hi != 0 || lo > MaxBytes*4 { // elements of 2 bits
			return 0, tooLarge(d, shape)
		}
		elements = lo
	}
	if d.Bits() == 0 {
		return NoSize, nil
	}
	if zero {
		return 0, nil
	}
	hi, lo := bits.Mul64(elements, uint64(d.Bits()))
	if hi != 0 || lo > MaxBytes*8 {
		return 0, tooLarge(d, shape)
	}
	return int64((lo + 7) / 8), nil
}

// tooLarge names the shape, cut short: a hostile file may give it any rank.
func tooLarge(d DType, shape []int32) error {
	const most = 8
	rest := ""
	if len(shape) > most {
		shape, rest = shape[:most], fmt.Sprintf(" and %d more", len(shape)-most)
	}
	return fmt.Errorf("size overflow: %v elements of shape %v%s need more than 2^60 bytes", d, shape, rest)
}
