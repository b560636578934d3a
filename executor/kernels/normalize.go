package kernels

import (
	"math"

	"github.com/arenalab/arenalab/graph"
)

// Normalisation along the last dimension, and sums of many operands:
// R/l2normalization.h, R/integer_ops/l2normalization.h, R/reference_ops.h and
// R/add_n.h of google-ai-edge/LiteRT at f67457790c9c. The default runtime adds up
// the squares of a response in another order, so that last bits differ.

func normalizeFamily() map[string]prepare {
	return map[string]prepare{
		"ADD_N":                        prepareAddN,
		"L2_NORMALIZATION":             prepareL2Normalization,
		"LOCAL_RESPONSE_NORMALIZATION": prepareLocalResponse,
	}
}

func prepareL2Normalization(n *Node) (Kernel, error) {
	s, err := newRows(n)
	if err != nil {
		return nil, err
	}
	if a := n.Op.Attributes.Byte(0, 0); a != actNone {
		return nil, unsupported("fused activation %d", a)
	}
	if s.in.Type != s.out.Type {
		return nil, invalid("%v becomes %v", s.in.Type, s.out.Type)
	}
	if s.in.Type == graph.Float32 {
		return newRowKernel(s, l2Float{}), nil
	}
	if s.in.Type != graph.Int8 && s.in.Type != graph.Uint8 {
		return nil, unsupported("%v", s.in.Type)
	}
	if err := bothQuantised(s.in, s.out); err != nil {
		return nil, err
	}
	low, high := integerRange(s.out.Type)
	if o := s.out.Quant; o.Scale[0] != 1.0/128 || o.ZeroPoint(0) != int64(low)+128 {
		return nil, invalid("result of scale %g and zero point %d", o.Scale[0], o.ZeroPoint(0))
	}
	zero := int32(s.in.Quant.ZeroPoint(0))
	if s.in.Type == graph.Int8 {
		return newRowKernel(s, &l2Integer[int8]{zero, low, high}), nil
	}
	return newRowKernel(s, &l2Integer[uint8]{zero, low, high}), nil
}

type l2Float struct{}

func (l2Float) row(x, out []float32) {
	var sum float32
	for _, v := range x {
		sum += float32(v * v)
	}
	norm := float32(math.Sqrt(float64(sum)))
	if norm < 1e-6 {
		norm = 1e-6
	}
	for i, v := range x {
		out[i] = v / norm
	}
}

type l2Integer[T int8 | uint8] struct{ zeroIn, low, high int32 }

func (k *l2Integer[T]) row(x, out []T) {
	var sum int32
	for _, v := range x {
		d := int32(v) - k.zeroIn
		sum += d * d
	}
	m := inverseSqrt(sum)
	for i, v := range x {
		d := int32(v) - k.zeroIn
		if k.low < 0 {
			d = multiplier{m.m, m.shift + 7}.apply(d)
		} else {
			d = m.apply(128*d) + 128
		}
		out[i] = T(min(max(d, k.low), k.high))
	}
}

func prepareLocalResponse(n *Node) (Kernel, error) {
	s, err := newRows(n)
	if err != nil {
		return nil, err
	}
	if len(s.in.Shape) != 4 {
		return nil, invalid("operand of shape %v", s.in.Shape)
	}
	if s.in.Type != graph.Float32 || s.out.Type != graph.Float32 {
		return nil, unsupported("%v", s.in.Type)
	}
	a := &n.Op.Attributes
	k := &localResponse{radius: int(a.Int(0, 0)), bias: a.Float(1, 0), alpha: a.Float(2, 0), beta: a.Float(3, 0)}
	if k.radius < 0 {
		return nil, invalid("radius %d", k.radius)
	}
	k.radius = min(k.radius, s.depth)
	k.last = k.radius
	if n.Arithmetic == Single { // which takes one neighbour more
		k.last++
	}
	return newRowKernel(s, k), nil
}

// localResponse divides by a power of the squares of neighbours.
type localResponse struct {
	radius, last      int
	bias, alpha, beta float32
}

func (k *localResponse) row(x, out []float32) {
	for c := range x {
		var sum float32
		for _, v := range x[max(c-k.radius, 0):min(c+k.last, len(x))] {
			sum += float32(v * v)
		}
		base := k.bias + float32(k.alpha*sum)
		out[c] = x[c] * float32(math.Pow(float64(base), float64(-k.beta)))
	}
}

func prepareAddN(n *Node) (Kernel, error) {
	out, err := n.out(0)
	if err != nil {
		return nil, err
	}
	if len(n.In) < 2 {
		return nil, invalid("%d operands", len(n.In))
	}
	for i := range n.In {
		t, err := n.in(i)
		if err != nil {
			return nil, err
		}
		if err := convResult(out, t.Shape...); err != nil {
			return nil, err
		}
		if t.Type != out.Type {
			return nil, invalid("%v becomes %v", t.Type, out.Type)
		}
	}
	switch {
	case out.Type == graph.Float32:
		return &addN[float32]{}, nil
	case out.Type == graph.Int32 && n.Arithmetic != Micro:
		return &addN[int32]{}, nil
	case out.Type == graph.Int8 && n.Arithmetic == Micro:
		return newAddN8(n, out)
	}
	return nil, unsupported("%v", out.Type)
}

// addN adds up operand after operand.
type addN[T float32 | int32] struct {
	in  [][]byte
	out []T
}

// Run adds up.
func (k *addN[T]) Run(c *Call) error {
	k.in, k.out = c.In, view[T](c.Out[0])
	if len(k.out) > 0 {
		c.Pool.Do(k, chunks(len(k.out)), chunk*len(k.in))
	}
	return nil
}

// Range computes chunks.
func (k *addN[T]) Range(low, high int) {
	high = min(high*chunk, len(k.out))
	out := k.out[low*chunk : high]
	copy(out, view[T](k.in[0])[low*chunk:high])
	for _, b := range k.in[1:] {
		for i, v := range view[T](b)[low*chunk : high] {
			out[i] += v
		}
	}
}

// addN8 adds up operands of the same scale.
type addN8 struct {
	scaled
	m       multiplier
	of      [256]int32 // numbers on the scale of the sum
	in      [][]byte
	out     []int8
	nothing int32
}

func newAddN8(n *Node, out *Tensor) (Kernel, error) {
	first := n.In[0]
	if err := bothQuantised(append([]*Tensor{out}, n.In...)...); err != nil {
		return nil, err
	}
	for _, t := range n.In {
		if t.Quant.Scale[0] != first.Quant.Scale[0] || t.Quant.ZeroPoint(0) != first.Quant.ZeroPoint(0) {
			return nil, invalid("operands of scales %g and %g", first.Quant.Scale[0], t.Quant.Scale[0])
		}
	}
	k := &addN8{}
	k.low, k.high = integerRange(out.Type)
	k.zeroA, k.zero = int32(first.Quant.ZeroPoint(0)), int32(out.Quant.ZeroPoint(0))
	real := 2 * float64(first.Quant.Scale[0]) / ((1 << 20) * float64(out.Quant.Scale[0]))
	if !(real < 1) {
		return nil, unsupported("scale %g for a result of scale %g", first.Quant.Scale[0], out.Quant.Scale[0])
	}
	k.m = newMultiplier(real)
	half := newMultiplier(0.5)
	for i := range k.of {
		k.of[i] = half.apply((int32(int8(i)) - k.zeroA) << 20)
	}
	k.nothing = half.apply(-k.zeroA << 20) // what the runtime starts from
	return k, nil
}

// Run adds up.
func (k *addN8) Run(c *Call) error {
	k.in, k.out = c.In, view[int8](c.Out[0])
	if len(k.out) > 0 {
		c.Pool.Do(k, chunks(len(k.out)), 2*chunk*len(k.in))
	}
	return nil
}

// Range computes chunks.
func (k *addN8) Range(low, high int) {
	for i := low * chunk; i < min(high*chunk, len(k.out)); i++ {
		sum := k.nothing
		for _, b := range k.in {
			sum += k.of[b[i]]
		}
		k.out[i] = int8(k.clamp(k.m.apply(sum)))
	}
}
