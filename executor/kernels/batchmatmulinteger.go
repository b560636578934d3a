package kernels

import "github.com/arenalab/arenalab/graph"

// packedStack multiplies integers: the rows of the left matrices are packed,
// the right ones copied less their zero point, column by column.
type packedStack[T int8 | int16] struct {
	stackShape
	packing         packing
	leftZero        int64
	rightZero       int16
	rightType       graph.DType
	constant, ready bool // the right matrices
	work64          workspaces[int64]
	inputs          []int64 // packed
	columnwise      []int16
}

func (k *packedStack[T]) prepare(s stackShape, left graph.DType, right *Tensor, leftZero, rightZero int64) {
	k.stackShape, k.leftZero, k.rightZero = s, leftZero, int16(rightZero)
	k.rightType, k.constant = right.Type, right.Constant != nil
	k.packing = newPacking(s.rows, mostOf(left, leftZero), mostOf(right.Type, rightZero))
	k.blocks = (s.rows + k.packing.tile() - 1) / k.packing.tile()
	k.work64.size = k.packing.tile() * s.columns
}

// start makes the operands of a call ready; zeros are the zero points of the
// rows, if each has its own.
func (k *packedStack[T]) start(c *Call, x []T, each []quantisedRow) {
	k.work64.reserve(c.Pool.workers)
	p := &k.packing
	perMatrix := p.rows(k.rows) * k.depth
	if k.inputs == nil {
		k.inputs, k.columnwise = make([]int64, k.lefts*perMatrix), make([]int16, k.rights*k.columns*k.depth)
	}
	zero := k.leftZero
	for r := range k.lefts * k.rows {
		if each != nil {
			zero = int64(each[r].zero)
		}
		m, r := r/k.rows, r%k.rows
		row := k.inputs[m*perMatrix+r/p.lanes*k.depth:][:k.depth]
		if matrix := x[m*k.rows*k.depth:][:k.rows*k.depth]; k.leftTurned {
			packColumn(p, r, row, matrix[r:], k.rows, zero)
		} else {
			pack(p, r, row, matrix[r*k.depth:][:k.depth], zero)
		}
	}
	if k.constant && k.ready {
		return
	}
	k.ready = true
	if k.rightType == graph.Int16 {
		loadRight(&k.stackShape, k.columnwise, view[int16](c.In[1]), k.rightZero)
	} else {
		loadRight(&k.stackShape, k.columnwise, view[int8](c.In[1]), k.rightZero)
	}
}

// loadRight copies the right matrices column by column.
func loadRight[T int8 | int16](s *stackShape, to []int16, from []T, zero int16) {
	if !s.rightTurned {
		turn(to, from, s.rights, s.depth, s.columns, zero)
		return
	}
	for i, v := range from[:len(to)] {
		to[i] = int16(v) - zero
	}
}

// packColumn is pack for every so many elements of x.
func packColumn[T int8 | int16](p *packing, i int, row []int64, x []T, step int, zero int64) {
	shift := p.bits * uint(i%p.lanes)
	for j := range row {
		v := (int64(x[j*step]) - zero) << shift
		if shift > 0 {
			v += row[j]
		}
		row[j] = v
	}
}

// tile computes the sums of n rows of a matrix of the result, row by row.
func (k *packedStack[T]) tile(sums []int64, matrix, row, n int) {
	left, right := k.operands(matrix)
	p := &k.packing
	x := k.inputs[(left*p.rows(k.rows)+row/p.lanes)*k.depth:]
	var x1 []int64
	if n > p.lanes {
		x1 = x[k.depth:][:k.depth]
	}
	dotTile(p, x[:k.depth], x1, k.columnwise[right*k.columns*k.depth:][:k.columns*k.depth], sums, k.columns, k.columns)
}

// integerStack multiplies integers and rescales the sums, or writes them as
// they are, without zero points, where the result is of 32 bits.
type integerStack[T int8 | int16] struct {
	packedStack[T]
	scale *rescale // nil: sums are the result
	out   []T
	out32 []int32
}

func newIntegerStack[T int8 | int16](n *Node, s stackShape, left, right, out *Tensor) (Kernel, error) {
	k := &integerStack[T]{}
	if out.Type == graph.Int32 {
		k.prepare(s, left.Type, right, 0, 0)
		return k, nil
	}
	if right.Quant == nil {
		return nil, invalid("integers without quantisation")
	}
	if len(right.Quant.Scale) > 1 { // which the runtimes take for none, so that all results are zero
		right = &Tensor{Type: right.Type, Shape: right.Shape, Constant: right.Constant, Quant: &graph.Quant{Scale: []float32{0}}}
	} else if err := quantised(right); err != nil {
		return nil, err
	}
	if zero := right.Quant.ZeroPoint(0); left.Type == graph.Int16 && zero != 0 {
		return nil, invalid("zero point %d of %v times %v", zero, left.Type, right.Type)
	}
	var err error
	if k.scale, err = newRescale(inFixed, left.Type == graph.Int16, true, left, right, out, s.columns, actNone); err != nil {
		return nil, err
	}
	k.prepare(s, left.Type, right, left.Quant.ZeroPoint(0), right.Quant.ZeroPoint(0))
	return k, nil
}

// Run computes the products.
func (k *integerStack[T]) Run(c *Call) error {
	if len(c.Out[0]) == 0 {
		return nil
	}
	if k.scale == nil {
		k.out32 = view[int32](c.Out[0])
	} else {
		k.out = view[T](c.Out[0])
	}
	k.start(c, view[T](c.In[0]), nil)
	c.Pool.Do(k, k.count*k.blocks, k.work())
	return nil
}

// Range computes blocks of rows.
func (k *integerStack[T]) Range(low, high int) {
	sums := k.work64.take()
	defer k.work64.give(sums)
	for block := low; block < high; block++ {
		m, row := block/k.blocks, block%k.blocks*k.packing.tile()
		n := min(k.packing.tile(), k.rows-row)
		k.tile(sums, m, row, n)
		for p := range n {
			at := (m*k.rows + row + p) * k.columns
			if s := sums[p*k.columns:][:k.columns]; k.scale != nil {
				convert(k.scale, s, 0, k.out[at:])
			} else {
				for i, v := range s {
					k.out32[at+i] = int32(v)
				}
			}
		}
	}
}

// hybridStack multiplies float32 with int8: every row is quantised by the range
// of its numbers, the sums are scaled back.
type hybridStack struct {
	packedStack[int8]
	asymmetric bool
	scales     []float32 // one for each column, or one
	rowwise    []float32
	quantised  []int8
	each       []quantisedRow
	out        []float32
}

func newHybridStack(n *Node, s stackShape, right *Tensor) (Kernel, error) {
	if n.Arithmetic == Micro {
		return nil, unsupported("float32 times %v", right.Type)
	}
	if right.Quant == nil || len(right.Quant.Scale) != 1 && len(right.Quant.Scale) != s.columns {
		return nil, invalid("matrices of %v without a scale for each column", right.Type)
	}
	k := &hybridStack{asymmetric: n.Op.Attributes.Bool(2, false), scales: right.Quant.Scale}
	k.prepare(s, graph.Int8, right, farthestZero, 0)
	k.leftTurned = false // rows are put in order before they are quantised
	if n.Op.Attributes.Bool(0, false) {
		k.rowwise = []float32{}
	}
	return k, nil
}

// Run computes the products.
func (k *hybridStack) Run(c *Call) error {
	x := view[float32](c.In[0])
	if k.out = view[float32](c.Out[0]); len(k.out) == 0 {
		return nil
	}
	if k.quantised == nil {
		k.quantised, k.each = make([]int8, len(x)), make([]quantisedRow, k.lefts*k.rows)
	}
	if k.rowwise != nil {
		if len(k.rowwise) != len(x) {
			k.rowwise = make([]float32, len(x))
		}
		turn(k.rowwise, x, k.lefts, k.depth, k.rows, 0)
		x = k.rowwise
	}
	for r := range k.each {
		from, to := x[r*k.depth:][:k.depth], k.quantised[r*k.depth:][:k.depth]
		if k.asymmetric {
			k.each[r] = quantiseAsymmetric(from, to)
		} else {
			k.each[r] = quantiseSymmetric(from, to)
		}
	}
	k.start(c, k.quantised, k.each)
	c.Pool.Do(k, k.count*k.blocks, k.work())
	return nil
}

// Range computes blocks of rows.
func (k *hybridStack) Range(low, high int) {
	sums := k.work64.take()
	defer k.work64.give(sums)
	for block := low; block < high; block++ {
		m, row := block/k.blocks, block%k.blocks*k.packing.tile()
		left, _ := k.operands(m)
		n := min(k.packing.tile(), k.rows-row)
		k.tile(sums, m, row, n)
		for p := range n {
			at, scale := (m*k.rows+row+p)*k.columns, k.each[left*k.rows+row+p].scale
			for i, v := range sums[p*k.columns:][:k.columns] {
				k.out[at+i] = float32(scale*k.scales[min(i, len(k.scales)-1)]) * float32(int32(v))
			}
		}
	}
}
