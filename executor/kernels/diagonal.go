package kernels

// Diagonals of matrices and parts of sequences turned around: K/matrix_diag.cc,
// K/matrix_set_diag.cc and ReverseSequence in R/reference_ops.h, of
// google-ai-edge/LiteRT at f67457790c9c.

func diagonalFamily() map[string]prepare {
	return map[string]prepare{
		"MATRIX_DIAG":      func(n *Node) (Kernel, error) { return prepareDiagonal(n, false) },
		"MATRIX_SET_DIAG":  func(n *Node) (Kernel, error) { return prepareDiagonal(n, true) },
		"REVERSE_SEQUENCE": prepareReverseSequence,
	}
}

// diagonal writes elements to the diagonals of matrices: of zeros, or of those
// of the first operand.
type diagonal struct {
	count, rows, columns, bytes int
	set                         bool
}

// Run writes.
func (k *diagonal) Run(c *Call) error {
	from, out := c.In[0], c.Out[0]
	if k.set {
		copy(out, from)
		from = c.In[1]
	} else {
		clear(out)
	}
	for range k.count {
		for i := range min(k.rows, k.columns) {
			copy(out[i*(k.columns+1)*k.bytes:][:k.bytes], from)
			from = from[k.bytes:]
		}
		out = out[k.rows*k.columns*k.bytes:]
	}
	return nil
}

func prepareDiagonal(n *Node, set bool) (Kernel, error) {
	in, out, bytes, err := alike(n)
	if err != nil {
		return nil, err
	}
	rank := len(out.Shape)
	if rank < 2 {
		return nil, invalid("matrices of shape %v", out.Shape)
	}
	k := &diagonal{elementsOf(out.Shape[:rank-2]), out.Shape[rank-2], out.Shape[rank-1], bytes, set}
	shape := append(append([]int(nil), out.Shape[:rank-2]...), min(k.rows, k.columns))
	if !set {
		if k.rows != k.columns {
			return nil, invalid("matrices of shape %v", out.Shape)
		}
		return k, convResult(in, shape...)
	}
	elements, err := n.in(1)
	if err != nil {
		return nil, err
	}
	if elements.Type != in.Type {
		return nil, invalid("%v into %v", elements.Type, in.Type)
	}
	if err := convResult(elements, shape...); err != nil {
		return nil, err
	}
	return k, convResult(out, in.Shape...)
}

// reverseSequence turns the first elements of each sequence around.
type reverseSequence struct {
	lengths          *Tensor
	shape            []int
	sequence, batch  int // dimensions
	outer, in, inner int // blocks before, between and after them; the last in bytes
}

// Run copies blocks.
func (k *reverseSequence) Run(c *Call) error {
	low, high := min(k.sequence, k.batch), max(k.sequence, k.batch)
	from, out := c.In[0], c.Out[0]
	at := func(o, l, m, h int) int { return (((o*k.shape[low]+l)*k.in+m)*k.shape[high] + h) * k.inner }
	for b := range k.shape[k.batch] {
		length := integer(k.lengths.Type, c.In[1], b)
		if length < 0 || length > int64(k.shape[k.sequence]) {
			return invalid("length %d of %d", length, k.shape[k.sequence])
		}
		for s := range k.shape[k.sequence] {
			t := s
			if s < int(length) {
				t = int(length) - 1 - s
			}
			for o := range k.outer {
				for m := range k.in {
					x, y := at(o, s, m, b), at(o, t, m, b)
					if low == k.batch {
						x, y = at(o, b, m, s), at(o, b, m, t)
					}
					copy(out[x:][:k.inner], from[y:])
				}
			}
		}
	}
	return nil
}

func prepareReverseSequence(n *Node) (Kernel, error) {
	in, out, bytes, err := alike(n)
	if err != nil {
		return nil, err
	}
	lengths, err := n.in(1)
	if err != nil {
		return nil, err
	}
	if err := convResult(out, in.Shape...); err != nil {
		return nil, err
	}
	sequence, batch, rank := int(n.Op.Attributes.Int(0, 0)), int(n.Op.Attributes.Int(1, 0)), len(in.Shape)
	if sequence < 0 || batch < 0 || sequence >= rank || batch >= rank || sequence == batch {
		return nil, invalid("dimensions %d and %d of shape %v", sequence, batch, in.Shape)
	}
	if err := indices(lengths, in.Shape[batch]); err != nil {
		return nil, err
	}
	low, high := min(sequence, batch), max(sequence, batch)
	return &reverseSequence{
		lengths, in.Shape, sequence, batch,
		elementsOf(in.Shape[:low]), elementsOf(in.Shape[low+1 : high]), bytes * elementsOf(in.Shape[high+1:]),
	}, nil
}
