package kernels

import "github.com/arenalab/arenalab/graph"

// Products of stacks of matrices: K/batch_matmul.cc and R/batch_matmul.h of
// google-ai-edge/LiteRT at f67457790c9c. Stacks of different heights must be
// repeated to fit, dimension by dimension.

func batchMatMulFamily() map[string]prepare {
	return map[string]prepare{"BATCH_MATMUL": prepareBatchMatMul}
}

// stackShape says how matrices of rows*depth and depth*columns lie in stacks.
// Where they are transposed, depth*rows and columns*depth.
type stackShape struct {
	rows, depth, columns      int
	leftTurned, rightTurned   bool
	lefts, rights, count      int   // matrices of each operand and of the result
	dims, leftStep, rightStep []int // of the result's stack, and how operands move along it
	blocks                    int   // of stackRows rows
}

// stackRows is how many rows are multiplied at once.
const stackRows = 4

func prepareBatchMatMul(n *Node) (Kernel, error) {
	left, err := n.in(0)
	if err != nil {
		return nil, err
	}
	right, err := n.in(1)
	if err != nil {
		return nil, err
	}
	out, err := n.out(0)
	if err != nil {
		return nil, err
	}
	s, err := newStackShape(left.Shape, right.Shape, n.Op.Attributes.Bool(0, false), n.Op.Attributes.Bool(1, false), out)
	if err != nil {
		return nil, err
	}
	switch {
	case left.Type == graph.Float32 && right.Type == graph.Float32 && out.Type == graph.Float32:
		return newFloatStack(s, right), nil
	case left.Type == graph.Float32 && right.Type == graph.Int8 && out.Type == graph.Float32:
		return newHybridStack(n, s, right)
	case left.Type == graph.Int8 && right.Type == graph.Int8 && out.Type == graph.Int8:
		return newIntegerStack[int8](n, s, left, right, out)
	case left.Type == graph.Int8 && right.Type == graph.Int8 && out.Type == graph.Int32:
		return newIntegerStack[int8](n, s, left, right, out)
	case left.Type == graph.Int16 && (right.Type == graph.Int16 || right.Type == graph.Int8) && out.Type == graph.Int16:
		return newIntegerStack[int16](n, s, left, right, out)
	}
	return nil, unsupported("%v times %v gives %v", left.Type, right.Type, out.Type)
}

func newStackShape(left, right []int, turnLeft, turnRight bool, out *Tensor) (s stackShape, err error) {
	rank := max(len(left), len(right))
	if min(len(left), len(right)) < 2 || rank > 5 {
		return s, invalid("matrices of shapes %v and %v", left, right)
	}
	s.leftTurned, s.rightTurned = turnLeft, turnRight
	l, r := left[len(left)-2:], right[len(right)-2:]
	s.rows, s.depth = l[0], l[1]
	if turnLeft {
		s.rows, s.depth = l[1], l[0]
	}
	depth := r[0]
	s.columns = r[1]
	if turnRight {
		s.columns, depth = r[0], r[1]
	}
	if depth != s.depth {
		return s, invalid("matrices of shapes %v and %v", left, right)
	}
	if s.columns > maxChannels || s.depth > maxTaps {
		return s, unsupported("matrices of shapes %v and %v", left, right)
	}
	s.lefts, s.rights, s.count = 1, 1, 1
	s.dims, s.leftStep, s.rightStep = make([]int, rank-2), make([]int, rank-2), make([]int, rank-2)
	for i := rank - 3; i >= 0; i-- {
		a, b := stackDim(left, rank, i), stackDim(right, rank, i)
		if a != b && a != 1 && b != 1 {
			return s, invalid("stacks of shapes %v and %v", left, right)
		}
		if a != 1 {
			s.leftStep[i] = s.lefts
		}
		if b != 1 {
			s.rightStep[i] = s.rights
		}
		s.dims[i] = a
		if a == 1 {
			s.dims[i] = b
		}
		s.lefts, s.rights, s.count = s.lefts*a, s.rights*b, s.count*s.dims[i]
	}
	s.blocks = (s.rows + stackRows - 1) / stackRows
	return s, convResult(out, append(append([]int{}, s.dims...), s.rows, s.columns)...)
}

// stackDim returns a dimension of a stack as if it had the given rank.
func stackDim(shape []int, rank, i int) int {
	if i -= rank - len(shape); i < 0 {
		return 1
	}
	return shape[i]
}

// operands returns the matrices of both operands that make one of the result.
func (s *stackShape) operands(m int) (left, right int) {
	for i := len(s.dims) - 1; i >= 0; i-- {
		at := m % s.dims[i]
		m /= s.dims[i]
		left += at * s.leftStep[i]
		right += at * s.rightStep[i]
	}
	return left, right
}

// work returns the operations of a block of rows.
func (s *stackShape) work() int { return stackRows * s.depth * s.columns }

// turn copies matrices of so many rows and columns, transposed, less a zero
// point.
func turn[T, U number](to []U, from []T, count, rows, columns int, zero U) {
	for m := range count {
		a, b := from[m*rows*columns:][:rows*columns], to[m*rows*columns:][:rows*columns]
		for r := range rows {
			for c, v := range a[r*columns:][:columns] {
				b[c*rows+r] = U(v) - zero
			}
		}
	}
}

// floatStack multiplies float32.
type floatStack struct {
	stackShape
	constant         bool // the right matrices
	turnedX, turnedW []float32
	x, w, out        []float32
}

func newFloatStack(s stackShape, right *Tensor) Kernel {
	return &floatStack{stackShape: s, constant: right.Constant != nil}
}

// Run computes the products.
func (k *floatStack) Run(c *Call) error {
	k.x, k.w, k.out = view[float32](c.In[0]), view[float32](c.In[1]), view[float32](c.Out[0])
	if len(k.out) == 0 {
		return nil
	}
	if k.leftTurned {
		if k.turnedX == nil {
			k.turnedX = make([]float32, len(k.x))
		}
		turn(k.turnedX, k.x, k.lefts, k.depth, k.rows, 0)
		k.x = k.turnedX
	}
	if !k.rightTurned {
		if made := k.turnedW != nil; !made || !k.constant {
			if !made {
				k.turnedW = make([]float32, len(k.w))
			}
			turn(k.turnedW, k.w, k.rights, k.depth, k.columns, 0)
		}
		k.w = k.turnedW
	}
	c.Pool.Do(k, k.count*k.blocks, k.work())
	return nil
}

// Range computes blocks of rows.
func (k *floatStack) Range(low, high int) {
	for block := low; block < high; block++ {
		m, row := block/k.blocks, block%k.blocks*stackRows
		left, right := k.operands(m)
		x, w := k.x[(left*k.rows+row)*k.depth:], k.w[right*k.columns*k.depth:][:k.columns*k.depth]
		n := min(stackRows, k.rows-row)
		out := k.out[(m*k.rows+row)*k.columns:][:n*k.columns]
		if n == stackRows {
			dotFloatTile(x, k.depth, w, out, k.columns, k.columns)
			continue
		}
		for p := range n {
			dotFloatRow(x[p*k.depth:][:k.depth], w, out[p*k.columns:][:k.columns])
		}
	}
}
