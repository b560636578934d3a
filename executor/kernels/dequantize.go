package kernels

import (
	"math"

	"github.com/arenalab/arenalab/graph"
)

// From integers and short floats to float32: K/dequantize.h and
// R/integer_ops/dequantize.h of google-ai-edge/LiteRT at f67457790c9c.

func prepareDequantize(n *Node) (Kernel, error) {
	in, out, err := newSame(n)
	if err != nil {
		return nil, err
	}
	if out.Type != graph.Float32 {
		return nil, unsupported("%v", out.Type)
	}
	if in.Type == graph.Float16 {
		return newUnary[uint16, float32](widenHalf{}, 3), nil
	}
	if in.Quant == nil || len(in.Quant.Scale) == 0 {
		return nil, invalid("%v without quantisation", in.Type)
	}
	if n.Arithmetic == Micro && len(in.Quant.Scale) > 1 { // which takes the first for all
		first := *in
		first.Quant = &graph.Quant{Scale: in.Quant.Scale[:1], Zero: in.Quant.Zero[:min(1, len(in.Quant.Zero))]}
		in = &first
	}
	switch in.Type {
	case graph.Int8:
		return newDequantize[int8](in)
	case graph.Uint8:
		return newDequantize[uint8](in)
	case graph.Int16:
		return newDequantize[int16](in)
	case graph.Int4:
		k := &dequantize4{scales: in.Quant.Scale, inner: 1}
		if len(k.scales) > 1 {
			if len(in.Shape) == 0 || in.Shape[in.Quant.Axis] != len(k.scales) {
				return nil, invalid("%d scales along dimension %d of shape %v", len(k.scales), in.Quant.Axis, in.Shape)
			}
			for _, d := range in.Shape[in.Quant.Axis+1:] {
				k.inner *= d
			}
		}
		for i := range k.scales {
			k.zeros = append(k.zeros, int32(in.Quant.ZeroPoint(i)))
		}
		return k, nil
	}
	return nil, unsupported("%v", in.Type)
}

func newDequantize[A int8 | uint8 | int16](in *Tensor) (Kernel, error) {
	return newChannels(in, in.Quant, func(scale float32, zero int32) unaryRow[A, float32] {
		return &dequantize[A]{scale, zero}
	})
}

// dequantize makes floats of integers.
type dequantize[A int8 | uint8 | int16] struct {
	scale float32
	zero  int32
}

func (k *dequantize[A]) row(x []A, out []float32) {
	out = out[:len(x)]
	scale := float64(k.scale)
	for i, v := range x {
		out[i] = float32(scale * float64(int32(v)-k.zero))
	}
}

// dequantize4 makes floats of integers of four bits, two in a byte, the first in
// the low bits.
type dequantize4 struct {
	scales []float32
	zeros  []int32
	inner  int
	x      []byte
	out    []float32
}

// Run computes the operator.
func (k *dequantize4) Run(c *Call) error {
	k.x, k.out = c.In[0], view[float32](c.Out[0])
	if len(k.out) > 0 {
		c.Pool.Do(k, chunks(len(k.out)), 6*chunk)
	}
	return nil
}

// Range computes chunks.
func (k *dequantize4) Range(low, high int) {
	for i := low * chunk; i < min(high*chunk, len(k.out)); i++ {
		v := int32(int8(k.x[i/2]<<(4-i%2*4))) >> 4
		c := i / k.inner % len(k.scales)
		k.out[i] = float32(float64(k.scales[c]) * float64(v-k.zeros[c]))
	}
}

// widenHalf makes float32 of float16.
type widenHalf struct{}

func (widenHalf) row(x []uint16, out []float32) {
	out = out[:len(x)]
	for i, v := range x {
		out[i] = halfToFloat(v)
	}
}

// halfToFloat returns the number that 16 bits stand for: a sign, five bits of
// exponent, ten of fraction.
func halfToFloat(h uint16) float32 {
	sign, exponent, fraction := uint32(h>>15)<<31, uint32(h>>10)&31, uint32(h)&1023
	switch {
	case exponent == 31: // infinite, or not a number
		return math.Float32frombits(sign | 255<<23 | fraction<<13)
	case exponent == 0: // too small for a leading 1
		f := float32(fraction) * (1.0 / (1 << 24))
		return math.Float32frombits(math.Float32bits(f) | sign)
	}
	return math.Float32frombits(sign | (exponent+127-15)<<23 | fraction<<13)
}

// floatToHalf rounds to the nearest float16, halves to even.
func floatToHalf(f float32) uint16 {
	b := math.Float32bits(f)
	sign, size := uint16(b>>16)&0x8000, b&0x7FFFFFFF
	switch {
	case size > 255<<23:
		return sign | 0x7E00
	case size >= 0x477FF000: // 65520 is the first that rounds up to infinity
		return sign | 0x7C00
	case size < 113<<23: // below 2^-14
		steps := math.RoundToEven(float64(math.Float32frombits(size)) * (1 << 24))
		return sign | uint16(steps)
	}
	size += 0xFFF + size>>13&1
	return sign | uint16((size-112<<23)>>13)
}
