package datasets

import (
	"encoding/binary"
	"math"

	"github.com/arenalab/arenalab/graph"
	"github.com/arenalab/arenalab/graph/tflite"
)

// biasSize is the largest bias, in deviations of what it is added to.
const biasSize = 0.25

// linear adds the weights and the bias of a linear layer. The weights of each
// output channel, which lie along dimension axis, are uniform and scaled so
// that the sum of their squares gives the layer an output of deviation gain
// when taps of the fan inputs of a channel are within the image on average.
func (n *net) linear(in value, shape []int, axis int, taps, gain float64) (weights, bias int) {
	channels, elements := shape[axis], 1
	for _, d := range shape {
		elements *= d
	}
	perTensor := len(shape) == 2 // fully connected: one scale for all channels
	stride := 1                  // distance between channels
	for _, d := range shape[axis+1:] {
		stride *= d
	}
	channel := func(i int) int { return i / stride % channels }
	list, offsets := n.uniform(elements), n.uniform(channels)
	if list == nil || offsets == nil {
		return n.undrawn(shape, channels, perTensor)
	}
	fan := float64(elements / channels)
	scaleRows(list, channels, channel, fan/taps*square(gain)/in.signal.power())
	for i := range offsets {
		offsets[i] *= float32(biasSize * gain)
	}
	if !n.int8 {
		return n.floats("weights", list, shape...), n.floats("bias", offsets, channels)
	}
	return n.quantised(in, list, offsets, shape, axis, channel, perTensor)
}

// undrawn adds the weights and the bias of a linear layer without data.
func (n *net) undrawn(shape []int, channels int, perTensor bool) (weights, bias int) {
	w, b := tflite.Tensor{Type: graph.Float32}, tflite.Tensor{Type: graph.Float32}
	if n.int8 {
		scales := channels
		if perTensor {
			scales = 1
		}
		q := &tflite.Quant{Scale: make([]float32, scales), ZeroPoint: make([]int64, scales)}
		w, b = tflite.Tensor{Type: graph.Int8, Quant: q}, tflite.Tensor{Type: graph.Int32, Quant: q}
	}
	return n.add("weights", shape, w), n.add("bias", []int{channels}, b)
}

// uniform returns numbers of [-1, 1), or nil in a dry run and after an error.
func (m *model) uniform(count int) []float32 {
	if m.constants += int64(count); m.constants > maxConstants/4 {
		m.fail("needs more than %d MiB of constants", maxConstants>>20)
	}
	if m.dry || m.err != nil {
		return nil
	}
	list := make([]float32, count)
	for i := range list {
		list[i] = float32(2*m.rng.Float64() - 1)
	}
	return list
}

// scaleRows scales the weights of every channel to that sum of squares.
func scaleRows(list []float32, channels int, channel func(int) int, power float64) {
	sums := make([]float64, channels)
	for i, w := range list {
		sums[channel(i)] += square(float64(w))
	}
	for c, sum := range sums {
		sums[c] = math.Sqrt(power / max(sum, 1e-9))
	}
	for i := range list {
		list[i] *= float32(sums[channel(i)])
	}
}

// quantised adds weights as int8, symmetric per output channel (or for the
// whole tensor), and the bias as int32 in units of input times weight scale.
func (n *net) quantised(in value, list, offsets []float32, shape []int, axis int,
	channel func(int) int, perTensor bool) (weights, bias int) {
	largest := make([]float32, len(offsets))
	for i, w := range list {
		c := channel(i)
		if perTensor {
			c = 0
		}
		largest[c] = max(largest[c], w, -w)
	}
	if perTensor {
		largest = largest[:1]
	}
	q := &tflite.Quant{Axis: axis, ZeroPoint: make([]int64, len(largest))}
	units := &tflite.Quant{ZeroPoint: make([]int64, len(largest))}
	for _, l := range largest {
		q.Scale = append(q.Scale, max(l, 1e-6)/127)
		units.Scale = append(units.Scale, in.quant.scale*(max(l, 1e-6)/127))
	}
	data := make([]byte, len(list))
	for i, w := range list {
		data[i] = byte(int8(math.Round(float64(w / q.Scale[channel(i)%len(q.Scale)]))))
	}
	weights = n.add("weights", shape, tflite.Tensor{Type: graph.Int8, Data: data, Quant: q})
	data = nil
	for c, b := range offsets {
		v := int32(math.Round(float64(b / units.Scale[c%len(units.Scale)])))
		data = binary.LittleEndian.AppendUint32(data, uint32(v))
	}
	return weights, n.add("bias", []int{len(offsets)}, tflite.Tensor{Type: graph.Int32, Data: data, Quant: units})
}

// constant adds a constant operand of elementwise operators.
func (n *net) constant(name string, list []float32, shape ...int) value {
	var mean, power float64
	for _, x := range list {
		mean += float64(x)
		power += square(float64(x))
	}
	count := float64(max(len(list), 1))
	mean = coarse(mean / count)
	v := value{shape: shape, signal: signal{mean, coarse(math.Sqrt(max(power/count-square(mean), 0))), false}}
	if !n.int8 {
		v.id = n.floats(name, list, shape...)
		return v
	}
	var largest float32
	for _, x := range list {
		largest = max(largest, x, -x)
	}
	v.quant = quant{scale: max(largest, 1e-6) / 127}
	data := make([]byte, len(list))
	for i, x := range list {
		data[i] = byte(int8(math.Round(float64(x / v.quant.scale))))
	}
	v.id = n.add(name, shape, tflite.Tensor{Type: graph.Int8, Data: data, Quant: v.quant.tensor()})
	return v
}
