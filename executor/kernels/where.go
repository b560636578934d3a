package kernels

import (
	"encoding/binary"
	"math"

	"github.com/arenalab/arenalab/graph"
)

// lowestAndHighest returns the limits of a type, infinities left out.
func lowestAndHighest[T int32 | float32]() (low, high T) {
	switch p := any(&low).(type) {
	case *int32:
		*p = math.MinInt32
	case *float32:
		*p = -math.MaxFloat32
	}
	switch p := any(&high).(type) {
	case *int32:
		*p = math.MaxInt32
	case *float32:
		*p = math.MaxFloat32
	}
	return low, high
}

// where lists the indices of the elements that are not 0.
type where[T number] struct {
	shape []int
	count int
}

// Run lists them, in their sequence.
func (k *where[T]) Run(c *Call) error {
	x, out := view[T](c.In[0]), view[int64](c.Out[0])
	count := 0
	for _, v := range x {
		if v != 0 {
			count++
		}
	}
	if count != k.count {
		return ErrDynamic
	}
	for i, v := range x {
		if v == 0 {
			continue
		}
		for d := len(k.shape) - 1; d >= 0; d-- {
			out[d] = int64(i % k.shape[d])
			i /= k.shape[d]
		}
		out = out[len(k.shape):]
	}
	return nil
}

func prepareWhere(n *Node) (Kernel, error) {
	in, err := n.in(0)
	if err != nil {
		return nil, err
	}
	out, err := n.out(0)
	if err != nil {
		return nil, err
	}
	rank := len(in.Shape)
	if rank == 0 || len(out.Shape) != 2 || out.Shape[1] != rank || out.Type != graph.Int64 {
		return nil, invalid("shape %v becomes %v and shape %v", in.Shape, out.Type, out.Shape)
	}
	switch in.Type {
	case graph.Float32:
		return &where[float32]{in.Shape, out.Shape[0]}, nil
	case graph.Bool, graph.Uint8, graph.Int8:
		return &where[uint8]{in.Shape, out.Shape[0]}, nil
	case graph.Int32, graph.Uint32:
		return &where[int32]{in.Shape, out.Shape[0]}, nil
	case graph.Int64:
		return &where[int64]{in.Shape, out.Shape[0]}, nil
	}
	return nil, unsupported("elements of %v", in.Type)
}

// broadcastArgs computes the shape that two shapes are stretched to.
type broadcastArgs struct {
	kind    graph.DType
	a, b, n int // dimensions
}

// Run computes it.
func (k broadcastArgs) Run(c *Call) error {
	at := func(data []byte, size, i int) int64 { // from the last
		if i >= size {
			return 1
		}
		return integer(k.kind, data, size-1-i)
	}
	for i := range k.n {
		a, b := at(c.In[0], k.a, i), at(c.In[1], k.b, i)
		switch {
		case a == 1:
			a = b
		case b != 1 && a != b:
			return invalid("dimensions %d and %d", a, b)
		}
		if k.kind == graph.Int64 {
			binary.LittleEndian.PutUint64(c.Out[0][8*(k.n-1-i):], uint64(a))
		} else {
			binary.LittleEndian.PutUint32(c.Out[0][4*(k.n-1-i):], uint32(a))
		}
	}
	return nil
}

func prepareBroadcastArgs(n *Node) (Kernel, error) {
	a, err := n.in(0)
	if err != nil {
		return nil, err
	}
	b, err := n.in(1)
	if err != nil {
		return nil, err
	}
	out, err := n.out(0)
	if err != nil {
		return nil, err
	}
	if err := indices(a, -1); err != nil {
		return nil, err
	}
	if len(a.Shape) != 1 || len(b.Shape) != 1 || a.Type != b.Type || a.Type != out.Type {
		return nil, invalid("%v of shape %v and %v of shape %v", a.Type, a.Shape, b.Type, b.Shape)
	}
	k := broadcastArgs{a.Type, a.Shape[0], b.Shape[0], max(a.Shape[0], b.Shape[0])}
	return k, convResult(out, k.n)
}
