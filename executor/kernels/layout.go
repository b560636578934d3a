package kernels

// Operators that lay the elements of an operand out anew: R/transpose.h,
// R/reverse.h, R/tile.h, R/broadcast_to.h, R/space_to_depth.h,
// R/depth_to_space.h, R/batch_to_space_nd.h, R/space_to_batch_nd.h of
// google-ai-edge/LiteRT at f67457790c9c.

func layoutFamily() map[string]prepare {
	return map[string]prepare{
		"BATCH_TO_SPACE_ND": prepareBatchToSpace,
		"BROADCAST_TO":      prepareBroadcastTo,
		"DEPTH_TO_SPACE":    prepareDepthToSpace,
		"REVERSE_V2":        prepareReverse,
		"SPACE_TO_BATCH_ND": prepareSpaceToBatch,
		"SPACE_TO_DEPTH":    prepareSpaceToDepth,
		"TILE":              prepareTile,
		"TRANSPOSE":         prepareTranspose,
	}
}

// moved returns the operand and the result of an operator that keeps the type,
// and the tables for the result.
func moved(n *Node) (in, out *Tensor, m *moves, err error) {
	if in, err = n.in(0); err != nil {
		return
	}
	if out, err = n.out(0); err != nil {
		return
	}
	if in.Type != out.Type {
		return in, out, nil, invalid("%v becomes %v", in.Type, out.Type)
	}
	m, err = newMoves(out.Type, out.Shape)
	return in, out, m, err
}

// steps fills a table with multiples of a stride.
func steps(table []int, stride int) {
	for i := range table {
		table[i] = i * stride
	}
}

func prepareTranspose(n *Node) (Kernel, error) {
	in, out, m, err := moved(n)
	if err != nil {
		return nil, err
	}
	perm, err := n.in(1)
	if err != nil {
		return nil, err
	}
	rank := len(in.Shape)
	if err := indices(perm, rank); err != nil {
		return nil, err
	}
	if len(out.Shape) != rank {
		return nil, invalid("shape %v becomes %v", in.Shape, out.Shape)
	}
	step := strides(in.Shape)
	return newMover(n, m, func(data [][]byte) error {
		seen := 0
		for d := range rank {
			from, err := axis(integer(perm.Type, data[1], d), rank)
			if err != nil {
				return err
			}
			seen |= 1 << from
			if in.Shape[from] != out.Shape[d] {
				return ErrDynamic
			}
			steps(m.tables[d], step[from])
		}
		if seen != 1<<rank-1 {
			return invalid("no permutation")
		}
		return nil
	})
}

func prepareReverse(n *Node) (Kernel, error) {
	in, out, m, err := moved(n)
	if err != nil {
		return nil, err
	}
	axes, err := n.in(1)
	if err != nil {
		return nil, err
	}
	if err := indices(axes, -1); err != nil {
		return nil, err
	}
	if err := convResult(out, in.Shape...); err != nil {
		return nil, err
	}
	step := strides(in.Shape)
	return newMover(n, m, func(data [][]byte) error {
		for d := range m.tables {
			steps(m.tables[d], step[d])
		}
		for i := range axes.Elements() {
			d, err := axis(integer(axes.Type, data[1], i), len(in.Shape))
			if err != nil {
				return err
			}
			for k := range m.tables[d] {
				m.tables[d][k] = (in.Shape[d] - 1 - k) * step[d]
			}
		}
		return nil
	})
}

func prepareTile(n *Node) (Kernel, error) {
	in, out, m, err := moved(n)
	if err != nil {
		return nil, err
	}
	times, err := n.in(1)
	if err != nil {
		return nil, err
	}
	if err := indices(times, len(in.Shape)); err != nil {
		return nil, err
	}
	if len(in.Shape) != len(out.Shape) {
		return nil, invalid("shape %v becomes %v", in.Shape, out.Shape)
	}
	step := strides(in.Shape)
	return newMover(n, m, func(data [][]byte) error {
		for d, table := range m.tables {
			if integer(times.Type, data[1], d)*int64(in.Shape[d]) != int64(len(table)) {
				return ErrDynamic
			}
			for i := range table {
				table[i] = i % in.Shape[d] * step[d]
			}
		}
		return nil
	})
}

func prepareBroadcastTo(n *Node) (Kernel, error) {
	in, out, m, err := moved(n)
	if err != nil {
		return nil, err
	}
	shape, err := n.in(1)
	if err != nil {
		return nil, err
	}
	if err := indices(shape, len(out.Shape)); err != nil {
		return nil, err
	}
	missing := len(out.Shape) - len(in.Shape)
	if missing < 0 {
		return nil, invalid("shape %v becomes %v", in.Shape, out.Shape)
	}
	step := strides(in.Shape)
	for d := range in.Shape {
		if in.Shape[d] != 1 && in.Shape[d] != out.Shape[missing+d] {
			return nil, invalid("shape %v becomes %v", in.Shape, out.Shape)
		}
		if in.Shape[d] != 1 {
			steps(m.tables[missing+d], step[d])
		}
	}
	return newMover(n, m, func(data [][]byte) error {
		for d := range out.Shape {
			if integer(shape.Type, data[1], d) != int64(out.Shape[d]) {
				return ErrDynamic
			}
		}
		return nil
	})
}

// image checks for a shape of batch, rows, columns, channels.
func image(in, out *Tensor) error {
	if len(in.Shape) != 4 || len(out.Shape) != 4 {
		return invalid("shape %v becomes %v, want four dimensions", in.Shape, out.Shape)
	}
	return nil
}

func prepareDepthToSpace(n *Node) (Kernel, error) {
	in, out, m, err := moved(n)
	if err == nil {
		err = image(in, out)
	}
	if err != nil {
		return nil, err
	}
	block := int(n.Op.Attributes.Int(0, 0))
	if block < 1 || in.Shape[3]%(block*block) != 0 {
		return nil, invalid("blocks of %d of shape %v", block, in.Shape)
	}
	channels := in.Shape[3] / (block * block)
	if err := convResult(out, in.Shape[0], in.Shape[1]*block, in.Shape[2]*block, channels); err != nil {
		return nil, err
	}
	step := strides(in.Shape)
	steps(m.tables[0], step[0])
	for y := range m.tables[1] {
		m.tables[1][y] = y/block*step[1] + y%block*block*channels
	}
	for x := range m.tables[2] {
		m.tables[2][x] = x/block*step[2] + x%block*channels
	}
	steps(m.tables[3], 1)
	return newMover(n, m, func([][]byte) error { return nil })
}

func prepareSpaceToDepth(n *Node) (Kernel, error) {
	in, out, _, err := moved(n)
	if err == nil {
		err = image(in, out)
	}
	if err != nil {
		return nil, err
	}
	block := int(n.Op.Attributes.Int(0, 0))
	if block < 1 || in.Shape[1]%block != 0 || in.Shape[2]%block != 0 {
		return nil, invalid("blocks of %d of shape %v", block, in.Shape)
	}
	rows, columns, channels := in.Shape[1]/block, in.Shape[2]/block, in.Shape[3]
	if err := convResult(out, in.Shape[0], rows, columns, channels*block*block); err != nil {
		return nil, err
	}
	m, err := newMoves(out.Type, []int{in.Shape[0], rows, columns, block, block, channels})
	if err != nil {
		return nil, err
	}
	step := strides(in.Shape)
	for d, stride := range []int{step[0], step[1] * block, step[2] * block, step[1], step[2], 1} {
		steps(m.tables[d], stride)
	}
	return newMover(n, m, func([][]byte) error { return nil })
}

// blocks are the operands of the operators between batch and space: the block
// in each spatial dimension, and what is cut off or added around.
func blocks(n *Node) (block, edges *Tensor, spatial int, err error) {
	if block, err = n.in(1); err != nil {
		return
	}
	if edges, err = n.in(2); err != nil {
		return
	}
	spatial = block.Elements()
	if err = indices(block, -1); err == nil {
		err = indices(edges, 2*spatial)
	}
	if err == nil && (spatial < 1 || spatial > 2 || len(n.In[0].Shape) != len(n.Out[0].Shape) || len(n.In[0].Shape) < spatial+1) {
		err = unsupported("blocks in %d dimensions of shape %v", spatial, n.In[0].Shape)
	}
	return
}

func prepareBatchToSpace(n *Node) (Kernel, error) {
	in, out, m, err := moved(n)
	if err != nil {
		return nil, err
	}
	block, crops, spatial, err := blocks(n)
	if err != nil {
		return nil, err
	}
	step := strides(in.Shape)
	return newMover(n, m, func(data [][]byte) error {
		inner := int64(1) // batches between neighbours in a block
		for d := spatial - 1; d >= 0; d-- {
			b := integer(block.Type, data[1], d)
			before, after := integer(crops.Type, data[2], 2*d), integer(crops.Type, data[2], 2*d+1)
			if b < 1 || before < 0 || after < 0 || int64(in.Shape[1+d])*b-before-after != int64(out.Shape[1+d]) {
				return dynamic(true)
			}
			for i := range m.tables[1+d] {
				at := int64(i) + before
				m.tables[1+d][i] = int(at/b)*step[1+d] + int(at%b*inner)*out.Shape[0]*step[0]
			}
			inner *= b
		}
		if int64(in.Shape[0]) != inner*int64(out.Shape[0]) {
			return ErrDynamic
		}
		steps(m.tables[0], step[0])
		for d := spatial + 1; d < len(in.Shape); d++ {
			if in.Shape[d] != out.Shape[d] {
				return ErrDynamic
			}
			steps(m.tables[d], step[d])
		}
		return nil
	})
}

// spaceToBatch pads, and then takes the blocks apart.
type spaceToBatch struct {
	in, out      *Tensor
	block, edges *Tensor
	spatial      int
	pad, take    *moves
	padded       []byte
}

func prepareSpaceToBatch(n *Node) (Kernel, error) {
	in, out, _, err := moved(n)
	if err != nil {
		return nil, err
	}
	k := &spaceToBatch{in: in, out: out}
	if k.block, k.edges, k.spatial, err = blocks(n); err != nil {
		return nil, err
	}
	if k.block.Constant == nil || k.edges.Constant == nil {
		return nil, unsupported("blocks computed at run time")
	}
	padded := append([]int(nil), in.Shape...)
	factors := []int{} // block by dimension, batch, then what is left of each
	for d := range k.spatial {
		b := integer(k.block.Type, k.block.Constant, d)
		before, after := integer(k.edges.Type, k.edges.Constant, 2*d), integer(k.edges.Type, k.edges.Constant, 2*d+1)
		size := int64(in.Shape[1+d]) + before + after
		if b < 1 || before < 0 || after < 0 || size > maxElements || size%b != 0 || size/b != int64(out.Shape[1+d]) {
			return nil, invalid("shape %v becomes %v in blocks of %d", in.Shape, out.Shape, b)
		}
		padded[1+d] = int(size)
		factors = append(factors, int(b))
	}
	product := in.Shape[0]
	for _, b := range factors {
		product *= b
	}
	if product != out.Shape[0] {
		return nil, invalid("shape %v becomes %v", in.Shape, out.Shape)
	}
	return k, k.build(padded, factors)
}

func (k *spaceToBatch) build(padded, factors []int) (err error) {
	if k.pad, err = newMoves(k.in.Type, padded); err != nil {
		return err
	}
	setPadding(k.pad.pad, k.out)
	step := strides(k.in.Shape)
	size := k.pad.bytes
	for d, table := range k.pad.tables {
		size *= len(table)
		before := 0
		if d >= 1 && d <= k.spatial {
			before = int(integer(k.edges.Type, k.edges.Constant, 2*(d-1)))
		}
		for i := range table {
			table[i] = outside
			if at := i - before; at >= 0 && at < k.in.Shape[d] {
				table[i] = at * step[d]
			}
		}
	}
	k.pad.prepare()
	k.padded = make([]byte, size)
	shape := append(append([]int(nil), factors...), k.in.Shape[0])
	shape = append(shape, k.out.Shape[1:]...)
	if k.take, err = newMoves(k.in.Type, shape); err != nil {
		return err
	}
	step = strides(padded)
	for d, b := range factors {
		steps(k.take.tables[d], step[1+d])
		steps(k.take.tables[k.spatial+1+d], step[1+d]*b)
	}
	steps(k.take.tables[k.spatial], step[0])
	for d := k.spatial + 1; d < len(padded); d++ {
		if padded[d] != k.out.Shape[d] {
			return invalid("shape %v becomes %v", k.in.Shape, k.out.Shape)
		}
		steps(k.take.tables[k.spatial+d], step[d])
	}
	k.take.prepare()
	return nil
}

// Run moves the elements.
func (k *spaceToBatch) Run(c *Call) error {
	k.pad.copy(k.padded, c.In[0])
	k.take.copy(c.Out[0], k.padded)
	return nil
}
