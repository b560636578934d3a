package kernels

import (
	"math"

	"github.com/arenalab/arenalab/graph"
)

// Pools over windows of images: K/pooling.cc, R/pooling.h and
// R/integer_ops/pooling.h of google-ai-edge/LiteRT at f67457790c9c. Taps outside
// the image do not count. Integers are not rescaled. All channels of a position
// are pooled at once.

func pool2DFamily() map[string]prepare {
	return map[string]prepare{
		"AVERAGE_POOL_2D": func(n *Node) (Kernel, error) { return preparePool(n, poolAverage) },
		"MAX_POOL_2D":     func(n *Node) (Kernel, error) { return preparePool(n, poolMax) },
		"L2_POOL_2D":      func(n *Node) (Kernel, error) { return preparePool(n, poolL2) },
	}
}

type poolKind uint8

const (
	poolAverage poolKind = iota
	poolMax
	poolL2
)

func preparePool(n *Node, kind poolKind) (Kernel, error) {
	in, err := n.in(0)
	if err != nil {
		return nil, err
	}
	out, err := n.out(0)
	if err != nil {
		return nil, err
	}
	if len(in.Shape) != 4 || in.Type != out.Type {
		return nil, invalid("%v of shape %v becomes %v", in.Type, in.Shape, out.Type)
	}
	a := &n.Op.Attributes
	s := convShape{batch: in.Shape[0], channels: in.Shape[3], outputs: in.Shape[3], groups: 1, depth: in.Shape[3]}
	if s.y, err = newConvAxis(in.Shape[1], int(a.Int(4, 0)), a.Int(2, 0), 1, a.Byte(0, 0)); err != nil {
		return nil, err
	}
	if s.x, err = newConvAxis(in.Shape[2], int(a.Int(3, 0)), a.Int(1, 0), 1, a.Byte(0, 0)); err != nil {
		return nil, err
	}
	if err := s.check(out); err != nil {
		return nil, err
	}
	activation := a.Byte(5, 0)
	switch {
	case in.Type == graph.Float32:
		k := &floatPool{convShape: s, kind: kind}
		k.low, k.high, err = floatClamp(activation)
		return k, err
	case kind == poolL2:
	case in.Type == graph.Int8:
		return newIntegerPool[int8](s, kind, in, out, activation)
	case in.Type == graph.Uint8:
		return newIntegerPool[uint8](s, kind, in, out, activation)
	case in.Type == graph.Int16:
		return newIntegerPool[int16](s, kind, in, out, activation)
	}
	return nil, unsupported("pool of %v", in.Type)
}

// poolWork returns the operations of a row of the output.
func (s *convShape) poolWork() int {
	return s.x.out * s.channels * s.y.filter * s.x.filter
}

// floatPool pools float32. It adds up in the result itself.
type floatPool struct {
	convShape
	kind      poolKind
	low, high float32
	from, to  []float32
}

// Run pools.
func (k *floatPool) Run(c *Call) error {
	k.from, k.to = view[float32](c.In[0]), view[float32](c.Out[0])
	if len(k.to) > 0 {
		c.Pool.Do(k, k.rows(), k.poolWork())
	}
	return nil
}

// Range computes rows of the output.
func (k *floatPool) Range(low, high int) {
	for row := low; row < high; row++ {
		yLow, yHigh, y0 := k.y.taps(row % k.y.out)
		image := k.from[row/k.y.out*k.y.in*k.x.in*k.channels:]
		for ox := range k.x.out {
			xLow, xHigh, x0 := k.x.taps(ox)
			out := k.to[(row*k.x.out+ox)*k.channels:][:k.channels]
			start := float32(0)
			if k.kind == poolMax {
				start = -math.MaxFloat32
			}
			for i := range out {
				out[i] = start
			}
			for y := y0 + yLow; y < y0+yHigh; y++ {
				for x := x0 + xLow; x < x0+xHigh; x++ {
					k.tap(out, image[(y*k.x.in+x)*k.channels:][:k.channels])
				}
			}
			k.finish(out, float32((yHigh-yLow)*(xHigh-xLow)))
		}
	}
}

// tap takes one more position into account.
func (k *floatPool) tap(out, x []float32) {
	x = x[:len(out)]
	switch k.kind {
	case poolAverage:
		for i, v := range x {
			out[i] += v
		}
	case poolMax:
		for i, v := range x {
			if out[i] < v {
				out[i] = v
			}
		}
	case poolL2:
		for i, v := range x {
			out[i] += float32(v * v)
		}
	}
}

// finish makes results of what so many taps gave.
func (k *floatPool) finish(out []float32, count float32) {
	for i, v := range out {
		switch k.kind {
		case poolAverage:
			v /= count
		case poolL2:
			v = float32(math.Sqrt(float64(v / count)))
		}
		out[i] = clampFloat(v, k.low, k.high)
	}
}

// integerPool pools integers.
type integerPool[T int8 | uint8 | int16] struct {
	convShape
	kind      poolKind
	low, high int32
	work      workspaces[int64]
	from, to  []T
}

func newIntegerPool[T int8 | uint8 | int16](s convShape, kind poolKind, in, out *Tensor, activation int8) (Kernel, error) {
	if s.channels > maxChannels {
		return nil, unsupported("%d channels", s.channels)
	}
	if out.Quant == nil {
		if activation != actNone {
			return nil, invalid("fused activation %d without quantisation", activation)
		}
		out = &Tensor{Type: out.Type, Quant: &graph.Quant{Scale: []float32{1}}}
	}
	k := &integerPool[T]{convShape: s, kind: kind}
	k.work.size = s.channels
	var err error
	k.low, k.high, err = integerClamp(activation, out)
	return k, err
}

// Run pools.
func (k *integerPool[T]) Run(c *Call) error {
	k.from, k.to = view[T](c.In[0]), view[T](c.Out[0])
	if len(k.to) > 0 {
		k.work.reserve(c.Pool.workers)
		c.Pool.Do(k, k.rows(), k.poolWork())
	}
	return nil
}

// Range computes rows of the output.
func (k *integerPool[T]) Range(low, high int) {
	sums := k.work.take()
	defer k.work.give(sums)
	for row := low; row < high; row++ {
		yLow, yHigh, y0 := k.y.taps(row % k.y.out)
		image := k.from[row/k.y.out*k.y.in*k.x.in*k.channels:]
		for ox := range k.x.out {
			xLow, xHigh, x0 := k.x.taps(ox)
			start := int64(0)
			if k.kind == poolMax {
				start = math.MinInt16
			}
			for i := range sums {
				sums[i] = start
			}
			for y := y0 + yLow; y < y0+yHigh; y++ {
				for x := x0 + xLow; x < x0+xHigh; x++ {
					poolTap(k.kind, sums, image[(y*k.x.in+x)*k.channels:][:k.channels])
				}
			}
			k.finish(sums, int64((yHigh-yLow)*(xHigh-xLow)), k.to[(row*k.x.out+ox)*k.channels:])
		}
	}
}

// poolTap takes one more position into account.
func poolTap[T int8 | uint8 | int16](kind poolKind, sums []int64, x []T) {
	sums = sums[:len(x)]
	if kind == poolMax {
		for i, v := range x {
			sums[i] = max(sums[i], int64(v))
		}
		return
	}
	for i, v := range x {
		sums[i] += int64(v)
	}
}

// finish writes results: means rounded half away from zero.
func (k *integerPool[T]) finish(sums []int64, count int64, out []T) {
	out = out[:len(sums)]
	for i, v := range sums {
		if k.kind == poolAverage {
			half := count / 2
			if v <= 0 {
				half = -half
			}
			v = (v + half) / count
		}
		out[i] = T(min(max(v, int64(k.low)), int64(k.high)))
	}
}
