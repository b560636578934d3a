package kernels

import "math"

// Bilinear images as the default kernels compute them: those of XNNPACK
// (google/XNNPACK, f32-, s8- and u8-ibilinear), which go first along the rows.

// between returns the pixels around a place, and the part of the second. Places
// before the first pixel and behind the last are on it.
func (p *place) between(in int) (low, high int, part float32) {
	at := min(max(p.single, 0), float32(in-1))
	low = int(at)
	return low, min(low+1, in-1), at - float32(low)
}

// blendRow computes a row of floats.
func (k *bilinear) blendRow(row int) {
	in, out := view[float32](k.from), view[float32](k.to)
	channels := k.in.Shape[3]
	low, high, down := k.rows[row%k.out.Shape[1]].between(k.in.Shape[1])
	image := row / k.out.Shape[1] * k.in.Shape[1]
	lower, upper := in[(image+low)*k.in.Shape[2]*channels:], in[(image+high)*k.in.Shape[2]*channels:]
	out = out[row*k.out.Shape[2]*channels:]
	for x := range k.columns {
		left, right, part := k.columns[x].between(k.in.Shape[2])
		for i := range channels {
			a, b := lower[left*channels+i], upper[left*channels+i]
			top := a + float32((lower[right*channels+i]-a)*part)
			bottom := b + float32((upper[right*channels+i]-b)*part)
			out[i] = top + float32((bottom-top)*down)
		}
		out = out[channels:]
	}
}

// blendBytes computes a row of bytes, in fixed point with 11 bits after the point.
func blendBytes[T int8 | uint8](k *bilinear, row int) {
	in, out := view[T](k.from), view[T](k.to)
	channels := k.in.Shape[3]
	low, high, down := k.rows[row%k.out.Shape[1]].between(k.in.Shape[1])
	image := row / k.out.Shape[1] * k.in.Shape[1]
	lower, upper := in[(image+low)*k.in.Shape[2]*channels:], in[(image+high)*k.in.Shape[2]*channels:]
	out = out[row*k.out.Shape[2]*channels:]
	v := int32(math.RoundToEven(float64(down * 2048)))
	for x := range k.columns {
		left, right, part := k.columns[x].between(k.in.Shape[2])
		h := int32(math.RoundToEven(float64(part * 2048)))
		for i := range channels {
			a, b := int32(lower[left*channels+i]), int32(upper[left*channels+i])
			top := a<<11 + (int32(lower[right*channels+i])-a)*h
			bottom := b<<11 + (int32(upper[right*channels+i])-b)*h
			out[i] = T((top<<11 + (bottom-top)*v + 1<<21) >> 22)
		}
		out = out[channels:]
	}
}
