package kernels

import (
	"math"

	"github.com/arenalab/arenalab/graph"
)

// hybridConv convolves float32 with integer weights: every image is quantised
// by the range of its numbers, the sums are scaled back. Filters of one scale
// and one group quantise symmetrically (optimized_ops::HybridConv), others
// around a zero point (reference_ops::HybridConvPerChannel). Departure: this is
// what LiteRT's reference kernels compute; XNNPACK, in its default kernels,
// quantises inputs otherwise.
type hybridConv struct {
	packedConv[int8]
	floatSums
	perChannel bool
	scales     []float32 // one for each channel, or one
	quantised  []int8
	images     []quantisedRow
	out        []float32
}

// farthestZero is the zero point of quantised floats that their numbers may be
// farthest from.
const farthestZero = -128

// quantisedRow says what the numbers of quantised floats stand for.
type quantisedRow struct {
	scale float32
	zero  int32
}

func newHybridConv(n *Node, s convShape, filter, bias *Tensor, activation int8) (Kernel, error) {
	if n.Arithmetic == Micro {
		return nil, unsupported("float32 with weights of %v", filter.Type)
	}
	sums, err := newFloatSums(bias, s.outputs, activation)
	if err != nil {
		return nil, err
	}
	k := &hybridConv{floatSums: sums}
	if err := k.prepare(s, graph.Int8, farthestZero, filter); err != nil {
		return nil, err
	}
	k.scales = filter.Quant.Scale
	if len(k.scales) != 1 && len(k.scales) != s.outputs {
		return nil, invalid("%d scales for %d channels", len(k.scales), s.outputs)
	}
	for _, v := range k.scales {
		k.perChannel = k.perChannel || v != k.scales[0]
	}
	if s.groups != 1 {
		k.perChannel = true
	}
	return k, nil
}

// Run computes the convolution.
func (k *hybridConv) Run(c *Call) error {
	k.floatSums.load(c)
	x := view[float32](c.In[0])
	if k.out = view[float32](c.Out[0]); len(k.out) == 0 {
		return nil
	}
	if k.quantised == nil {
		k.quantised, k.images = make([]int8, len(x)), make([]quantisedRow, k.batch)
	}
	size := len(x) / k.batch
	for b := range k.images {
		from, to := x[b*size:][:size], k.quantised[b*size:][:size]
		if k.perChannel {
			k.images[b] = quantiseAsymmetric(from, to)
			continue
		}
		k.images[b] = quantiseSymmetric(from, to)
		k.images[b].scale *= k.scales[0]
	}
	k.start(c, k.quantised)
	c.Pool.Do(k, k.rows(), k.convShape.x.out*k.outputs*k.taps())
	return nil
}

// Range computes rows of the output.
func (k *hybridConv) Range(low, high int) {
	m := k.work.take()
	defer k.work.give(m)
	width := k.convShape.x.out
	for row := low; row < high; row++ {
		image := k.images[row/k.y.out]
		for ox := 0; ox < width; ox += k.packing.tile() {
			n := min(k.packing.tile(), width-ox)
			sums := k.tile(m, row, ox, n, int64(image.zero))
			for p := range n {
				k.scaleBack(sums[p*k.outputs:][:k.outputs], image.scale, k.out[(row*width+ox+p)*k.outputs:])
			}
		}
	}
}

// scaleBack writes what sums stand for.
func (k *hybridConv) scaleBack(sums []int64, scale float32, out []float32) {
	out = out[:len(sums)]
	for i, s := range sums {
		v := float32(int32(s))
		if k.perChannel {
			v *= k.scales[min(i, len(k.scales)-1)]
		}
		v = float32(v * scale)
		if k.hasBias {
			v += k.bias[i]
		}
		out[i] = clampFloat(v, k.low, k.high)
	}
}

// The two ways to quantise floats are tensor_utils' for processors with vectors,
// which differ from the portable ones in the last bit.

// quantiseSymmetric is SymmetricQuantizeFloats: to -127..127.
func quantiseSymmetric(x []float32, q []int8) quantisedRow {
	least, greatest := extremes(x)
	reach := max(float32(math.Abs(float64(least))), float32(math.Abs(float64(greatest))))
	if reach == 0 {
		clear(q)
		return quantisedRow{scale: 1}
	}
	quantiseBy(x, q, 127/reach, 0, -127)
	return quantisedRow{scale: reach / 127}
}

// quantiseAsymmetric is AsymmetricQuantizeFloats: to -128..127, zero to a whole
// number.
func quantiseAsymmetric(x []float32, q []int8) quantisedRow {
	const qmin, qmax = -128.0, 127.0
	rmin, rmax := extremes(x)
	rmin, rmax = min(rmin, 0), max(rmax, 0)
	if rmin == rmax {
		clear(q)
		return quantisedRow{scale: 1}
	}
	scale := float64(rmax-rmin) / (qmax - qmin)
	zero := qmax - float64(rmax)/scale
	if -qmin+math.Abs(float64(rmin)/scale) < qmax+math.Abs(float64(rmax)/scale) {
		zero = qmin - float64(rmin)/scale
	}
	r := quantisedRow{float32(scale), int32(math.Round(max(min(zero, qmax), qmin)))}
	quantiseBy(x, q, float32(1/float64(r.scale)), float32(r.zero), qmin)
	return r
}

// quantiseBy multiplies and rounds half away from zero: numbers in whole groups
// of eight by adding a half, which takes the greatest number below a half up.
func quantiseBy(x []float32, q []int8, inverse, zero, low float32) {
	q = q[:len(x)]
	for i, v := range x {
		if v = float32(v * inverse); v != v {
			q[i] = int8(low)
			continue
		}
		if v = min(max(v, -512), 512); i < len(x)&^7 {
			half := float32(0.5)
			if v < 0 {
				half = -0.5
			}
			v = float32(int32(v + half))
		} else {
			v = float32(math.Round(float64(v)))
		}
		q[i] = int8(max(min(v+zero, 127), low))
	}
}

// extremes returns the least and the greatest number.
func extremes(x []float32) (least, greatest float32) {
	if len(x) == 0 {
		return 0, 0
	}
	least, greatest = x[0], x[0]
	for _, v := range x {
		if v < least {
			least = v
		}
		if v > greatest {
			greatest = v
		}
	}
	return least, greatest
}
