package kernels

import (
	"math"

	"github.com/arenalab/arenalab/graph"
)

// integerSVDF has numbers and weights of eight bits, and a memory and weights
// for it of 16, with TFLite-Micro of eight too.
type integerSVDF[T int8 | int16] struct {
	svdf
	zeroIn, zero int32
	memoryZero   int32
	feature, sum multiplier
	low, high    int32 // of the memory
}

func newIntegerSVDF[T int8 | int16](k svdf, x, feature, time, bias, state, out *Tensor) (Kernel, error) {
	memory := graph.Int16
	if state.Type == graph.Int8 {
		memory = graph.Int8
	}
	if x.Type != graph.Int8 || feature.Type != graph.Int8 || time.Type != memory || state.Type != memory || out.Type != graph.Int8 ||
		bias != nil && bias.Type != graph.Int32 {
		return nil, unsupported("%v with weights of %v and %v, state of %v", x.Type, feature.Type, time.Type, state.Type)
	}
	if err := bothQuantised(x, feature, time, state, out); err != nil {
		return nil, err
	}
	scale := func(a, b, c *Tensor) multiplier {
		return newMultiplier(float64(float32(a.Quant.Scale[0]*b.Quant.Scale[0]) / c.Quant.Scale[0]))
	}
	low, high := integerRange(memory)
	return &integerSVDF[T]{
		k, int32(x.Quant.ZeroPoint(0)), int32(out.Quant.ZeroPoint(0)), int32(state.Quant.ZeroPoint(0)),
		scale(x, feature, state), scale(state, time, out), low, high,
	}, nil
}

// Run computes.
func (k *integerSVDF[T]) Run(c *Call) error {
	x, feature, time := view[int8](c.In[0]), view[int8](c.In[1]), view[T](c.In[2])
	state, out := view[T](c.In[4]), view[int8](c.Out[0])
	bias := view[int32](c.In[3])
	remember(state)
	for b := range k.batches {
		row, memory := x[b*k.input:][:k.input], state[b*k.filters*k.memory:]
		for f := range k.filters {
			var sum int32
			for i, w := range feature[f*k.input:][:k.input] {
				sum += int32(w) * (int32(row[i]) - k.zeroIn)
			}
			memory[(f+1)*k.memory-1] = T(min(max(k.feature.apply(sum), k.low), k.high) + k.memoryZero)
		}
		for u := range k.filters / k.rank {
			var sum int32
			for i, w := range time[u*k.rank*k.memory:][:k.rank*k.memory] {
				sum += int32(w) * (int32(memory[u*k.rank*k.memory+i]) - k.memoryZero)
			}
			if bias != nil {
				sum += bias[u]
			}
			v := k.sum.apply(sum) + k.zero
			out[b*k.filters/k.rank+u] = int8(min(max(v, math.MinInt8), math.MaxInt8))
		}
	}
	return nil
}
