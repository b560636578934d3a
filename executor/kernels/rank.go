package kernels

import (
	"math"
	"slices"

	"github.com/arenalab/arenalab/graph"
)

// The largest elements along a dimension, and running sums: R/arg_min_max.h,
// K/topk_v2.cc, R/cumsum.h of google-ai-edge/LiteRT at f67457790c9c. Of equals
// the first is taken.

func rankFamily() map[string]prepare {
	return map[string]prepare{
		"ARG_MAX": func(n *Node) (Kernel, error) { return prepareArg(n, true) },
		"ARG_MIN": func(n *Node) (Kernel, error) { return prepareArg(n, false) },
		"CUMSUM":  prepareCumsum,
		"TOPK_V2": prepareTopK,
	}
}

// along is an operand cut at a dimension.
type along struct{ outer, size, inner int }

func newAlong(shape []int, d int) along {
	return along{elementsOf(shape[:d]), shape[d], elementsOf(shape[d+1:])}
}

// constantAxis returns the dimension that a constant operand names.
func constantAxis(n *Node, operand, rank int) (int, error) {
	t, err := n.in(operand)
	if err != nil {
		return 0, err
	}
	if err := indices(t, 1); err != nil {
		return 0, err
	}
	if t.Constant == nil {
		return 0, unsupported("dimension computed at run time")
	}
	return axis(integer(t.Type, t.Constant, 0), rank)
}

// arg finds where the largest or smallest elements are.
type arg[T number] struct {
	along
	most bool
	wide bool // the result is int64
}

// Run finds them.
func (k arg[T]) Run(c *Call) error {
	in := view[T](c.In[0])
	narrow, wide := view[int32](c.Out[0]), view[int64](c.Out[0])
	for o := range k.outer {
		for i := range k.inner {
			x := in[o*k.size*k.inner+i:]
			best := 0
			for at := 1; at < k.size; at++ {
				a, b := x[at*k.inner], x[best*k.inner]
				if k.most && a > b || !k.most && a < b {
					best = at
				}
			}
			if k.wide {
				wide[o*k.inner+i] = int64(best)
			} else {
				narrow[o*k.inner+i] = int32(best)
			}
		}
	}
	return nil
}

func prepareArg(n *Node, most bool) (Kernel, error) {
	in, err := n.in(0)
	if err != nil {
		return nil, err
	}
	out, err := n.out(0)
	if err != nil {
		return nil, err
	}
	d, err := constantAxis(n, 1, len(in.Shape))
	if err != nil {
		return nil, err
	}
	a := newAlong(in.Shape, d)
	if err := indices(out, a.outer*a.inner); err != nil {
		return nil, err
	}
	if a.size == 0 {
		return nil, invalid("no elements along dimension %d", d)
	}
	wide := out.Type == graph.Int64
	switch in.Type {
	case graph.Float32:
		return arg[float32]{a, most, wide}, nil
	case graph.Int8:
		return arg[int8]{a, most, wide}, nil
	case graph.Uint8, graph.Bool:
		return arg[uint8]{a, most, wide}, nil
	case graph.Int16:
		return arg[int16]{a, most, wide}, nil
	case graph.Int32:
		return arg[int32]{a, most, wide}, nil
	case graph.Int64:
		return arg[int64]{a, most, wide}, nil
	}
	return nil, unsupported("largest of %v", in.Type)
}

// topK finds the largest elements of each row, in falling order.
type topK[T number] struct {
	rows, size, count int
	order             []int32 // working memory
	in                []T
	compare           func(a, b int32) int
}

func newTopK[T number](rows, size, count int) Kernel {
	k := &topK[T]{rows: rows, size: size, count: count, order: make([]int32, size)}
	k.compare = func(a, b int32) int {
		switch x, y := k.in[a], k.in[b]; {
		case x > y:
			return -1
		case x < y:
			return 1
		}
		return int(a - b)
	}
	return k
}

// Run finds them.
func (k *topK[T]) Run(c *Call) error {
	if n := view[int32](c.In[1]); int(n[0]) != k.count {
		return ErrDynamic
	}
	all, out := view[T](c.In[0]), view[T](c.Out[0])
	where := view[int32](c.Out[1])
	for r := range k.rows {
		k.in = all[r*k.size:][:k.size]
		for i := range k.order {
			k.order[i] = int32(i)
		}
		slices.SortFunc(k.order, k.compare)
		for i, at := range k.order[:k.count] {
			out[r*k.count+i], where[r*k.count+i] = k.in[at], at
		}
	}
	return nil
}

func prepareTopK(n *Node) (Kernel, error) {
	in, out, _, err := alike(n)
	if err != nil {
		return nil, err
	}
	where, err := n.out(1)
	if err != nil {
		return nil, err
	}
	number, err := n.in(1)
	if err != nil {
		return nil, err
	}
	rank := len(in.Shape)
	if rank == 0 || len(out.Shape) != rank || number.Type != graph.Int32 || number.Elements() != 1 || where.Type != graph.Int32 {
		return nil, unsupported("largest of shape %v", in.Shape)
	}
	size, count := in.Shape[rank-1], out.Shape[rank-1]
	rows := elementsOf(in.Shape[:rank-1])
	if count > size || rows != elementsOf(out.Shape[:rank-1]) || where.Elements() != out.Elements() || size > math.MaxInt32 {
		return nil, invalid("shape %v becomes %v and %v", in.Shape, out.Shape, where.Shape)
	}
	if err := working(size); err != nil {
		return nil, err
	}
	switch in.Type {
	case graph.Float32:
		return newTopK[float32](rows, size, count), nil
	case graph.Int8:
		return newTopK[int8](rows, size, count), nil
	case graph.Uint8:
		return newTopK[uint8](rows, size, count), nil
	case graph.Int16:
		return newTopK[int16](rows, size, count), nil
	case graph.Int32:
		return newTopK[int32](rows, size, count), nil
	case graph.Int64:
		return newTopK[int64](rows, size, count), nil
	}
	return nil, unsupported("largest of %v", in.Type)
}

// cumsum adds up along a dimension.
type cumsum[T int32 | int64 | float32] struct {
	along
	exclusive, reverse bool
}

// Run adds up.
func (k cumsum[T]) Run(c *Call) error {
	in, out := view[T](c.In[0]), view[T](c.Out[0])
	for o := range k.outer {
		for i := range k.inner {
			base := o*k.size*k.inner + i
			var sum T
			for n := range k.size {
				at := base + n*k.inner
				if k.reverse {
					at = base + (k.size-1-n)*k.inner
				}
				x := in[at]
				if k.exclusive {
					out[at] = sum
					sum += x
				} else {
					sum += x
					out[at] = sum
				}
			}
		}
	}
	return nil
}

func prepareCumsum(n *Node) (Kernel, error) {
	in, out, _, err := alike(n)
	if err != nil {
		return nil, err
	}
	d, err := constantAxis(n, 1, len(in.Shape))
	if err != nil {
		return nil, err
	}
	if err := convResult(out, in.Shape...); err != nil {
		return nil, err
	}
	a, exclusive, reverse := newAlong(in.Shape, d), n.Op.Attributes.Bool(0, false), n.Op.Attributes.Bool(1, false)
	switch in.Type {
	case graph.Float32:
		return cumsum[float32]{a, exclusive, reverse}, nil
	case graph.Int32:
		return cumsum[int32]{a, exclusive, reverse}, nil
	case graph.Int64:
		return cumsum[int64]{a, exclusive, reverse}, nil
	}
	return nil, unsupported("running sum of %v", in.Type)
}
