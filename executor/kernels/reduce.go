package kernels

import (
	"math"

	"github.com/arenalab/arenalab/graph"
)

// Reductions over dimensions of an operand: K/reduce.cc, R/reduce.h of
// google-ai-edge/LiteRT at f67457790c9c. Elements are added up in their
// sequence, each to the result it belongs to.

func reduceFamily() map[string]prepare {
	family := map[string]prepare{
		"MEAN": prepareMean,
		"SUM":  prepareSum,
	}
	for name, kind := range map[string]reduction{
		"REDUCE_MAX": reduceMax, "REDUCE_MIN": reduceMin, "REDUCE_PROD": reduceProd,
		"REDUCE_ANY": reduceAny, "REDUCE_ALL": reduceAll,
	} {
		family[name] = func(n *Node) (Kernel, error) { return prepareReduce(n, kind) }
	}
	return family
}

type reduction uint8

const (
	reduceSum reduction = iota
	reduceMax
	reduceMin
	reduceProd
	reduceAny
	reduceAll
)

// shrinking says which results the elements of an operand belong to.
type shrinking struct {
	dims  []int // of the operand, those merged that go together, never empty
	step  []int // by dimension, between results; 0 if it is reduced
	count int   // elements for each result
	size  int   // results
	at    []int // working memory
}

// newShrinking finds the dimensions that an operator reduces.
func newShrinking(n *Node) (in, out *Tensor, s *shrinking, err error) {
	if in, err = n.in(0); err != nil {
		return
	}
	if out, err = n.out(0); err != nil {
		return
	}
	axes, err := n.in(1)
	if err != nil {
		return
	}
	if err = indices(axes, -1); err != nil {
		return
	}
	if axes.Constant == nil {
		return in, out, nil, unsupported("dimensions computed at run time")
	}
	gone := make([]bool, len(in.Shape))
	for i := range axes.Elements() {
		d, e := axis(integer(axes.Type, axes.Constant, i), max(len(in.Shape), 1))
		if e != nil {
			return in, out, nil, e
		}
		if len(in.Shape) > 0 {
			gone[d] = true
		}
	}
	s = &shrinking{count: 1, size: 1}
	var step []int
	for d := len(in.Shape) - 1; d >= 0; d-- {
		if gone[d] {
			s.count *= in.Shape[d]
			step = append(step, 0)
			continue
		}
		step = append(step, s.size)
		s.size *= in.Shape[d]
	}
	for d, size := range in.Shape {
		switch by, last := step[len(step)-1-d], len(s.dims)-1; {
		case size == 1:
		case last >= 0 && (s.step[last] == 0) == (by == 0): // one loop does for both
			s.dims[last], s.step[last] = s.dims[last]*size, by
		default:
			s.dims, s.step = append(s.dims, size), append(s.step, by)
		}
	}
	if len(s.dims) == 0 {
		s.dims, s.step = []int{1}, []int{0}
	}
	s.at = make([]int, len(s.dims))
	if out.Elements() != s.size {
		return in, out, nil, invalid("shape %v becomes %v", in.Shape, out.Shape)
	}
	return in, out, s, nil
}

// each calls row with the results and the elements of every row of the operand:
// len elements from in on belong to the results from out on, one each if spread,
// else all to the first.
func (s *shrinking) each(row func(out, in, n int, spread bool)) {
	last := len(s.dims) - 1
	n, spread := s.dims[last], s.step[last] != 0
	clear(s.at)
	for _, d := range s.dims {
		if d == 0 {
			return
		}
	}
	for in := 0; ; in += n {
		out := 0
		for d := range last {
			out += s.at[d] * s.step[d]
		}
		row(out, in, n, spread)
		d := last - 1
		for ; d >= 0; d-- {
			if s.at[d]++; s.at[d] < s.dims[d] {
				break
			}
			s.at[d] = 0
		}
		if d < 0 {
			return
		}
	}
}

// reducer combines elements of one type; the sums are the results themselves.
type reducer[T number] struct {
	*shrinking
	kind    reduction
	start   T
	in, out []T
	row     func(out, in, n int, spread bool) // the method, once
}

func newReducer[T number](s *shrinking, kind reduction, start T) *reducer[T] {
	k := &reducer[T]{shrinking: s, kind: kind, start: start}
	k.row = k.reduce
	return k
}

func (k *reducer[T]) reduce(out, in, n int, spread bool) {
	x := k.in[in : in+n]
	if spread {
		combineRows(k.kind, k.out[out:out+n], x)
	} else {
		k.out[out] = combineAll(k.kind, k.out[out], x)
	}
}

// combineRows combines each element with that of another row.
func combineRows[T number](kind reduction, to, x []T) {
	to = to[:len(x)]
	switch kind {
	case reduceSum:
		for i, v := range x {
			to[i] += v
		}
	case reduceProd:
		for i, v := range x {
			to[i] *= v
		}
	case reduceMax: // not max: of what is no number the first stays
		for i, v := range x {
			if v > to[i] {
				to[i] = v
			}
		}
	case reduceMin:
		for i, v := range x {
			if v < to[i] {
				to[i] = v
			}
		}
	}
}

// combineAll combines a row with a number.
func combineAll[T number](kind reduction, a T, x []T) T {
	switch kind {
	case reduceSum:
		for _, v := range x {
			a += v
		}
	case reduceProd:
		for _, v := range x {
			a *= v
		}
	case reduceMax:
		for _, v := range x {
			if v > a {
				a = v
			}
		}
	case reduceMin:
		for _, v := range x {
			if v < a {
				a = v
			}
		}
	}
	return a
}

// Run reduces.
func (k *reducer[T]) Run(c *Call) error {
	k.in, k.out = view[T](c.In[0]), view[T](c.Out[0])
	for i := range k.out {
		k.out[i] = k.start
	}
	k.each(k.row)
	return nil
}

func prepareReduce(n *Node, kind reduction) (Kernel, error) {
	in, out, s, err := newShrinking(n)
	if err != nil {
		return nil, err
	}
	if in.Type != out.Type {
		return nil, invalid("%v becomes %v", in.Type, out.Type)
	}
	if kind == reduceProd && in.Quant != nil && in.Type != graph.Float32 {
		return prepareScaledProd(s, in, out)
	}
	if same, err := sameScales(out, []*Tensor{in}); err != nil || !same {
		return nil, unsupported("result of another scale")
	}
	switch in.Type {
	case graph.Float32:
		return reduceOf(s, kind, float32(math.Inf(-1)), float32(math.Inf(1)))
	case graph.Int8:
		return reduceOf[int8](s, kind, math.MinInt8, math.MaxInt8)
	case graph.Uint8:
		return reduceOf[uint8](s, kind, 0, math.MaxUint8)
	case graph.Int16:
		return reduceOf[int16](s, kind, math.MinInt16, math.MaxInt16)
	case graph.Int32:
		return reduceOf[int32](s, kind, math.MinInt32, math.MaxInt32)
	case graph.Int64:
		return reduceOf[int64](s, kind, math.MinInt64, math.MaxInt64)
	case graph.Bool: // 0 and 1
		if kind == reduceAny {
			return newReducer[uint8](s, reduceMax, 0), nil
		}
		if kind == reduceAll {
			return newReducer[uint8](s, reduceMin, 1), nil
		}
	}
	return nil, unsupported("reduction of %v", in.Type)
}

func reduceOf[T number](s *shrinking, kind reduction, least, most T) (Kernel, error) {
	switch kind {
	case reduceMax:
		return newReducer(s, kind, least), nil
	case reduceMin:
		return newReducer(s, kind, most), nil
	case reduceProd:
		return newReducer[T](s, kind, 1), nil
	case reduceSum:
		return newReducer[T](s, kind, 0), nil
	}
	return nil, unsupported("reduction of numbers to truth")
}

// floatMean adds up in float32 and divides.
type floatMean struct{ *reducer[float32] }

// Run takes means.
func (k floatMean) Run(c *Call) error {
	if err := k.reducer.Run(c); err != nil {
		return err
	}
	for i := range k.out {
		k.out[i] /= float32(k.count)
	}
	return nil
}

// wholeMean is the mean of integers that stand for themselves: toward zero.
type wholeMean[T int32 | int64] struct {
	*shrinking
	sums []int64
	in   []T
	row  func(out, in, n int, spread bool)
}

func newWholeMean[T int32 | int64](s *shrinking) (Kernel, error) {
	if err := working(s.size); err != nil {
		return nil, err
	}
	k := &wholeMean[T]{shrinking: s, sums: make([]int64, s.size)}
	k.row = func(out, in, n int, spread bool) { addUp(k.sums, k.in[in:in+n], out, spread) }
	return k, nil
}

// Run takes means.
func (k *wholeMean[T]) Run(c *Call) error {
	k.in = view[T](c.In[0])
	clear(k.sums)
	k.each(k.row)
	out := view[T](c.Out[0])
	for i, sum := range k.sums {
		out[i] = T(sum / int64(max(k.count, 1)))
	}
	return nil
}

// addUp adds a row to its sums.
func addUp[S int32 | int64, T number](sums []S, x []T, out int, spread bool) {
	if spread {
		to := sums[out : out+len(x)]
		for i, v := range x {
			to[i] += S(v)
		}
		return
	}
	var sum S
	for _, v := range x {
		sum += S(v)
	}
	sums[out] += sum
}

func prepareMean(n *Node) (Kernel, error) {
	in, out, s, err := newShrinking(n)
	if err != nil {
		return nil, err
	}
	if in.Type != out.Type {
		return nil, invalid("%v becomes %v", in.Type, out.Type)
	}
	switch in.Type {
	case graph.Float32:
		return floatMean{newReducer[float32](s, reduceSum, 0)}, nil
	case graph.Int32:
		return newWholeMean[int32](s)
	case graph.Int64:
		return newWholeMean[int64](s)
	}
	return prepareScaledSum(n, s, in, out, true)
}

func prepareSum(n *Node) (Kernel, error) {
	in, out, s, err := newShrinking(n)
	if err != nil {
		return nil, err
	}
	if in.Type != out.Type {
		return nil, invalid("%v becomes %v", in.Type, out.Type)
	}
	switch in.Type {
	case graph.Float32:
		return reduceOf[float32](s, reduceSum, 0, 0)
	case graph.Int32:
		return reduceOf[int32](s, reduceSum, 0, 0)
	case graph.Int64:
		return reduceOf[int64](s, reduceSum, 0, 0)
	}
	return prepareScaledSum(n, s, in, out, false)
}
