package graph

import (
	"encoding/binary"
	"math"
)

// Quant says which real numbers the integers of a tensor stand for:
// Scale*(q-Zero). One scale and zero point hold for the whole tensor; several
// are one for each index of dimension Axis.
type Quant struct {
	Scale []float32
	Zero  []int64 // as many as scales, or fewer: those that are missing are 0
	Axis  int
}

// ZeroPoint returns the zero point of index i along the axis.
func (q *Quant) ZeroPoint(i int) int64 {
	switch {
	case i < len(q.Zero):
		return q.Zero[i]
	case len(q.Zero) == 1:
		return q.Zero[0]
	}
	return 0
}

// Attributes are the builtin options of an operator as the file has them: a
// table of fields, each known by its number in the schema. A field that the
// file leaves out, or that is cut off, has the default that the reader states.
// The zero value has no fields.
type Attributes struct {
	Kind  uint8          // number of the table in the schema's union BuiltinOptions; 0: none
	Kind2 uint8          // in BuiltinOptions2, of newer operators
	Table []byte         // scalar fields as they lie in the file, little-endian
	At    []uint16       // by field: where it lies in Table; 0: left out
	Lists map[int][]byte // by field: the bytes of vectors
}

func (a *Attributes) field(n, size int) []byte {
	if n >= len(a.At) || a.At[n] == 0 || int(a.At[n])+size > len(a.Table) {
		return nil
	}
	return a.Table[a.At[n]:]
}

// Int returns a field of four bytes.
func (a *Attributes) Int(n int, missing int32) int32 {
	if b := a.field(n, 4); b != nil {
		return int32(binary.LittleEndian.Uint32(b))
	}
	return missing
}

// Float returns a field of four bytes.
func (a *Attributes) Float(n int, missing float32) float32 {
	if b := a.field(n, 4); b != nil {
		return math.Float32frombits(binary.LittleEndian.Uint32(b))
	}
	return missing
}

// Byte returns a field of one byte.
func (a *Attributes) Byte(n int, missing int8) int8 {
	if b := a.field(n, 1); b != nil {
		return int8(b[0])
	}
	return missing
}

// Bool returns a field of one byte.
func (a *Attributes) Bool(n int, missing bool) bool {
	if b := a.field(n, 1); b != nil {
		return b[0] != 0
	}
	return missing
}

// Ints returns a field that is a vector of numbers of four bytes, nil if it is
// left out.
func (a *Attributes) Ints(n int) []int32 {
	b := a.Lists[n]
	if b == nil {
		return nil
	}
	list := make([]int32, len(b)/4)
	for i := range list {
		list[i] = int32(binary.LittleEndian.Uint32(b[4*i:]))
	}
	return list
}
