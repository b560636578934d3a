package kernels

import "github.com/arenalab/arenalab/graph"

// Elements that operands send to places of the result, and places that hold
// something: ScatterNd, SparseToDense, SegmentSum, UnsortedSegmentRef and
// SelectTrueCoords in R/reference_ops.h, and R/broadcast_args.h, of
// google-ai-edge/LiteRT at f67457790c9c. A place outside of the result is an
// error.

func scatterFamily() map[string]prepare {
	family := map[string]prepare{
		"BROADCAST_ARGS":  prepareBroadcastArgs,
		"SCATTER_ND":      prepareScatter,
		"SEGMENT_SUM":     func(n *Node) (Kernel, error) { return prepareSegments(n, reduceSum, true) },
		"SPARSE_TO_DENSE": prepareSparse,
		"WHERE":           prepareWhere,
	}
	for name, kind := range map[string]reduction{"SUM": reduceSum, "PROD": reduceProd, "MAX": reduceMax, "MIN": reduceMin} {
		family["UNSORTED_SEGMENT_"+name] = func(n *Node) (Kernel, error) { return prepareSegments(n, kind, false) }
	}
	return family
}

// shapeNumbers are an operand that says the shape of the result.
type shapeNumbers struct {
	kind  graph.DType
	shape []int
}

// newShape returns the shape that an operand must give, which is that of the
// result.
func newShape(n *Node, operand int, out *Tensor) (shapeNumbers, error) {
	s := shapeNumbers{shape: out.Shape}
	t, err := n.in(operand)
	if err != nil {
		return s, err
	}
	if err := indices(t, len(out.Shape)); err != nil {
		return s, err
	}
	s.kind = t.Type
	if t.Constant != nil && !s.planned(t.Constant) {
		return s, invalid("result of shape %v", out.Shape)
	}
	return s, nil
}

func (s *shapeNumbers) planned(data []byte) bool {
	for d, size := range s.shape {
		if integer(s.kind, data, d) != int64(size) {
			return false
		}
	}
	return true
}

// scatter adds rows to the places that indices name.
type scatter[T number] struct {
	shapeNumbers
	rows, depth, inner int // inner in elements
	step               []int
	truth              bool // anything but 0 is 1
}

// Run adds.
func (k *scatter[T]) Run(c *Call) error {
	if !k.planned(c.In[2]) {
		return ErrDynamic
	}
	numbers, from, out := view[int32](c.In[0]), view[T](c.In[1]), view[T](c.Out[0])
	clear(out)
	for r := range k.rows {
		to := 0
		for d, at := range numbers[r*k.depth:][:k.depth] {
			if at < 0 || int(at) >= k.shape[d] {
				return invalid("index %d of dimension %d of %d", at, d, k.shape[d])
			}
			to += int(at) * k.step[d]
		}
		for i, v := range from[r*k.inner:][:k.inner] {
			if out[to+i] += v; k.truth && out[to+i] != 0 {
				out[to+i] = 1
			}
		}
	}
	return nil
}

func prepareScatter(n *Node) (Kernel, error) {
	numbers, err := n.in(0)
	if err != nil {
		return nil, err
	}
	updates, err := n.in(1)
	if err != nil {
		return nil, err
	}
	out, err := n.out(0)
	if err != nil {
		return nil, err
	}
	shape, err := newShape(n, 2, out)
	if err != nil {
		return nil, err
	}
	rank := len(numbers.Shape)
	if rank == 0 || numbers.Shape[rank-1] > len(out.Shape) || updates.Type != out.Type {
		return nil, invalid("indices of shape %v for shape %v", numbers.Shape, out.Shape)
	}
	if numbers.Type != graph.Int32 || shape.kind != graph.Int32 {
		return nil, unsupported("indices of %v", numbers.Type)
	}
	depth := numbers.Shape[rank-1]
	if err := convResult(updates, append(append([]int(nil), numbers.Shape[:rank-1]...), out.Shape[depth:]...)...); err != nil {
		return nil, err
	}
	step := strides(out.Shape)
	rows, inner := elementsOf(numbers.Shape[:rank-1]), elementsOf(out.Shape[depth:])
	switch out.Type {
	case graph.Float32:
		return &scatter[float32]{shape, rows, depth, inner, step, false}, nil
	case graph.Uint8, graph.Bool:
		return &scatter[uint8]{shape, rows, depth, inner, step, out.Type == graph.Bool}, nil
	case graph.Int8:
		return &scatter[int8]{shape, rows, depth, inner, step, false}, nil
	case graph.Int32:
		return &scatter[int32]{shape, rows, depth, inner, step, false}, nil
	case graph.Int64:
		return &scatter[int64]{shape, rows, depth, inner, step, false}, nil
	}
	return nil, unsupported("scattered %v", out.Type)
}

// sparse writes values to places, and one value everywhere else.
type sparse struct {
	shapeNumbers
	*moves
	kind        graph.DType // of the indices
	rows, depth int
	same        bool // there is one value for all
	step        []int
}

// Run writes.
func (k *sparse) Run(c *Call) error {
	if !k.planned(c.In[1]) {
		return ErrDynamic
	}
	values, out := c.In[2], c.Out[0]
	copy(k.pad, c.In[3])
	k.fill(out)
	for r := range k.rows {
		to := 0
		for d := range k.depth {
			at := integer(k.kind, c.In[0], r*k.depth+d)
			if at < 0 || at >= int64(k.shape[d]) {
				return invalid("index %d of dimension %d of %d", at, d, k.shape[d])
			}
			to += int(at) * k.step[d]
		}
		from := r * k.bytes
		if k.same {
			from = 0
		}
		copy(out[to*k.bytes:][:k.bytes], values[from:])
	}
	return nil
}

func prepareSparse(n *Node) (Kernel, error) {
	out, err := n.out(0)
	if err != nil {
		return nil, err
	}
	shape, err := newShape(n, 1, out)
	if err != nil {
		return nil, err
	}
	var in [4]*Tensor
	for i := range in {
		if in[i], err = n.in(i); err != nil {
			return nil, err
		}
	}
	numbers, values, rest := in[0], in[2], in[3]
	if err := indices(numbers, -1); err != nil {
		return nil, err
	}
	m, err := newMoves(out.Type, nil)
	if err != nil {
		return nil, err
	}
	k := &sparse{shapeNumbers: shape, moves: m, kind: numbers.Type, rows: 1, depth: 1, step: strides(out.Shape)}
	switch len(numbers.Shape) {
	case 2:
		k.rows, k.depth = numbers.Shape[0], numbers.Shape[1]
	case 1:
		k.rows = numbers.Shape[0]
	case 0:
	default:
		return nil, invalid("indices of shape %v", numbers.Shape)
	}
	k.same = len(values.Shape) == 0
	if k.depth != len(out.Shape) || values.Type != out.Type || rest.Type != out.Type || rest.Elements() != 1 || !k.same && values.Elements() != k.rows {
		return nil, invalid("indices of shape %v, values of shape %v for shape %v", numbers.Shape, values.Shape, out.Shape)
	}
	return k, nil
}

// segments combine rows that go to the same row of the result.
type segments[T number] struct {
	rows, count, inner int // rows of the operand and of the result
	start              T
	kind               reduction
	sorted             bool
}

// Run combines.
func (k *segments[T]) Run(c *Call) error {
	numbers, from, out := view[int32](c.In[1]), view[T](c.In[0]), view[T](c.Out[0])
	if k.sorted {
		if k.rows > 0 && int(numbers[k.rows-1])+1 != k.count {
			return ErrDynamic
		}
	} else if n := view[int32](c.In[2]); int(n[0]) != k.count {
		return ErrDynamic
	}
	for i := range out {
		out[i] = k.start
	}
	for r := range k.rows {
		at := int(numbers[r])
		if at < 0 && !k.sorted {
			continue
		}
		if at < 0 || at >= k.count {
			return invalid("row %d of %d", at, k.count)
		}
		combineRows(k.kind, out[at*k.inner:][:k.inner], from[r*k.inner:][:k.inner])
	}
	return nil
}

func prepareSegments(n *Node, kind reduction, sorted bool) (Kernel, error) {
	in, out, _, err := alike(n)
	if err != nil {
		return nil, err
	}
	numbers, err := n.in(1)
	if err != nil {
		return nil, err
	}
	rank := len(numbers.Shape)
	if numbers.Type != graph.Int32 || rank == 0 || rank > len(in.Shape) || sorted && rank != 1 || len(out.Shape) == 0 {
		return nil, invalid("rows of %v and shape %v for shape %v", numbers.Type, numbers.Shape, in.Shape)
	}
	for d, size := range numbers.Shape {
		if size != in.Shape[d] {
			return nil, invalid("rows of shape %v for shape %v", numbers.Shape, in.Shape)
		}
	}
	if err := convResult(out, append([]int{out.Shape[0]}, in.Shape[rank:]...)...); err != nil {
		return nil, err
	}
	if !sorted {
		if t, err := n.in(2); err != nil || t.Type != graph.Int32 || t.Elements() != 1 {
			return nil, invalid("no number of rows")
		}
	}
	rows, inner := numbers.Elements(), elementsOf(in.Shape[rank:])
	switch in.Type {
	case graph.Float32:
		return newSegments[float32](rows, out.Shape[0], inner, kind, sorted), nil
	case graph.Int32:
		return newSegments[int32](rows, out.Shape[0], inner, kind, sorted), nil
	}
	return nil, unsupported("rows of %v", in.Type)
}

func newSegments[T int32 | float32](rows, count, inner int, kind reduction, sorted bool) Kernel {
	k := &segments[T]{rows: rows, count: count, inner: inner, kind: kind, sorted: sorted}
	low, high := lowestAndHighest[T]()
	switch kind {
	case reduceProd:
		k.start = 1
	case reduceMax:
		k.start = low
	case reduceMin:
		k.start = high
	}
	return k
}
