package kernels

import "github.com/arenalab/arenalab/graph"

// Padding: K/pad.cc, R/pad.h, K/mirror_pad.cc of google-ai-edge/LiteRT at
// f67457790c9c.

func padFamily() map[string]prepare {
	return map[string]prepare{
		"MIRROR_PAD": prepareMirrorPad,
		"PAD":        preparePad,
		"PADV2":      preparePad,
	}
}

// paddings returns the operand with the elements to add around.
func paddings(n *Node, in, out *Tensor) (*Tensor, error) {
	t, err := n.in(1)
	if err != nil {
		return nil, err
	}
	if len(in.Shape) != len(out.Shape) {
		return nil, invalid("shape %v becomes %v", in.Shape, out.Shape)
	}
	return t, indices(t, 2*len(in.Shape))
}

// around returns what is added before the elements of a dimension, and checks
// that it becomes as long as planned.
func around(in, out, t *Tensor, data []byte, d int) (int, error) {
	before, after := integer(t.Type, data, 2*d), integer(t.Type, data, 2*d+1)
	if before < 0 || after < 0 {
		return 0, invalid("padding by %d and %d", before, after)
	}
	if before > maxElements || after > maxElements || int64(in.Shape[d])+before+after != int64(out.Shape[d]) {
		return 0, ErrDynamic
	}
	return int(before), nil
}

func preparePad(n *Node) (Kernel, error) {
	in, out, m, err := moved(n)
	if err != nil {
		return nil, err
	}
	t, err := paddings(n, in, out)
	if err != nil {
		return nil, err
	}
	value := n.optional(2)
	if value != nil && (value.Elements() != 1 || value.Type != out.Type) {
		return nil, invalid("padding with %v of shape %v", value.Type, value.Shape)
	}
	if value == nil {
		setPadding(m.pad, out)
	}
	step := strides(in.Shape)
	return newMover(n, m, func(data [][]byte) error {
		if value != nil {
			copy(m.pad, data[2])
		}
		for d, table := range m.tables {
			before, err := around(in, out, t, data[1], d)
			if err != nil {
				return err
			}
			for i := range table {
				table[i] = outside
				if at := i - before; at >= 0 && at < in.Shape[d] {
					table[i] = at * step[d]
				}
			}
		}
		return nil
	})
}

func prepareMirrorPad(n *Node) (Kernel, error) {
	in, out, m, err := moved(n)
	if err != nil {
		return nil, err
	}
	t, err := paddings(n, in, out)
	if err != nil {
		return nil, err
	}
	edge := 1 // the first element is not repeated: REFLECT
	if n.Op.Attributes.Byte(0, 0) == 1 {
		edge = 0 // SYMMETRIC
	}
	step := strides(in.Shape)
	return newMover(n, m, func(data [][]byte) error {
		for d, table := range m.tables {
			before, err := around(in, out, t, data[1], d)
			if err != nil {
				return err
			}
			size := in.Shape[d]
			if before > size-edge || len(table)-size-before > size-edge {
				return invalid("%d elements mirrored into %d", size, len(table))
			}
			for i := range table {
				at := i - before
				switch {
				case at < 0:
					at = -at - 1 + edge
				case at >= size:
					at = 2*size - 1 - edge - at
				}
				table[i] = at * step[d]
			}
		}
		return nil
	})
}

// setPadding writes the element that stands for zero.
func setPadding(element []byte, t *Tensor) {
	if t.Quant == nil || t.Type == graph.Float32 {
		return
	}
	zero := t.Quant.ZeroPoint(0)
	for i := range element {
		element[i] = byte(zero >> (8 * i))
	}
}
