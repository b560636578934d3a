package kernels

import (
	"encoding/binary"
	"slices"

	"github.com/arenalab/arenalab/graph"
)

// Operators that make values of shapes and of numbers: K/shape.cc, K/rank.cc,
// K/fill.cc, K/range.cc, K/zeros_like.cc of google-ai-edge/LiteRT at
// f67457790c9c.

func fillFamily() map[string]prepare {
	return map[string]prepare{
		"FILL":       prepareFill,
		"RANGE":      prepareRange,
		"RANK":       prepareRank,
		"SHAPE":      prepareShape,
		"ZEROS_LIKE": prepareZeros,
	}
}

// constantResult writes bytes that are known.
type constantResult struct{ data []byte }

// Run writes them.
func (k constantResult) Run(c *Call) error {
	copy(c.Out[0], k.data)
	return nil
}

func prepareShape(n *Node) (Kernel, error) {
	in, err := n.in(0)
	if err != nil {
		return nil, err
	}
	out, err := n.out(0)
	if err != nil {
		return nil, err
	}
	if err := indices(out, len(in.Shape)); err != nil {
		return nil, err
	}
	var data []byte
	for _, d := range in.Shape {
		if out.Type == graph.Int64 {
			data = binary.LittleEndian.AppendUint64(data, uint64(d))
		} else {
			data = binary.LittleEndian.AppendUint32(data, uint32(d))
		}
	}
	return constantResult{data}, nil
}

func prepareRank(n *Node) (Kernel, error) {
	in, err := n.in(0)
	if err != nil {
		return nil, err
	}
	out, err := n.out(0)
	if err != nil {
		return nil, err
	}
	if out.Type != graph.Int32 || out.Elements() != 1 {
		return nil, invalid("rank of %v and shape %v", out.Type, out.Shape)
	}
	return constantResult{binary.LittleEndian.AppendUint32(nil, uint32(len(in.Shape)))}, nil
}

// zeros clears the result.
type zeros struct{}

// Run clears.
func (zeros) Run(c *Call) error {
	clear(c.Out[0])
	return nil
}

func prepareZeros(n *Node) (Kernel, error) {
	in, out, _, err := alike(n)
	if err != nil {
		return nil, err
	}
	return zeros{}, convResult(out, in.Shape...)
}

// fill repeats one element.
type fill struct {
	*moves
	dims  *Tensor
	shape []int
}

// Run writes the element everywhere.
func (k *fill) Run(c *Call) error {
	for d, size := range k.shape {
		if integer(k.dims.Type, c.In[0], d) != int64(size) {
			return ErrDynamic
		}
	}
	copy(k.pad, c.In[1])
	k.moves.fill(c.Out[0])
	return nil
}

func prepareFill(n *Node) (Kernel, error) {
	dims, err := n.in(0)
	if err != nil {
		return nil, err
	}
	value, err := n.in(1)
	if err != nil {
		return nil, err
	}
	out, err := n.out(0)
	if err != nil {
		return nil, err
	}
	if err := indices(dims, len(out.Shape)); err != nil {
		return nil, err
	}
	if value.Type != out.Type || value.Elements() != 1 {
		return nil, invalid("value of %v and shape %v for %v", value.Type, value.Shape, out.Type)
	}
	m, err := newMoves(out.Type, nil)
	return &fill{m, dims, slices.Clone(out.Shape)}, err
}

// ranges counts from the first operand in steps of the third, up to the second.
type ranges[T int32 | int64 | float32] struct{ size int }

// Run counts.
func (k ranges[T]) Run(c *Call) error {
	start, limit, delta := view[T](c.In[0])[0], view[T](c.In[1])[0], view[T](c.In[2])[0]
	if delta == 0 || delta > 0 && start > limit || delta < 0 && start < limit {
		return invalid("range from %v to %v by %v", start, limit, delta)
	}
	count := float64(limit-start) / float64(delta)
	whole := int(count)
	if float64(whole) < count {
		whole++
	}
	if whole != k.size {
		return ErrDynamic
	}
	for out, i := view[T](c.Out[0]), 0; i < len(out); i++ {
		out[i] = start
		start += delta // step by step, as the runtime rounds
	}
	return nil
}

func prepareRange(n *Node) (Kernel, error) {
	out, err := n.out(0)
	if err != nil {
		return nil, err
	}
	for i := range 3 {
		t, err := n.in(i)
		if err != nil {
			return nil, err
		}
		if t.Type != out.Type || t.Elements() != 1 {
			return nil, invalid("operand %d of %v and shape %v for %v", i, t.Type, t.Shape, out.Type)
		}
	}
	switch out.Type {
	case graph.Int32:
		return ranges[int32]{out.Elements()}, nil
	case graph.Int64:
		return ranges[int64]{out.Elements()}, nil
	case graph.Float32:
		return ranges[float32]{out.Elements()}, nil
	}
	return nil, unsupported("range of %v", out.Type)
}
