package kernels

import "unsafe"

// Elementwise operators: operands are stretched along dimensions of length 1 to
// the shape of the result (R/broadcast_loop.h of google-ai-edge/LiteRT at
// f67457790c9c), at most eight dimensions. An operator is a loop over rows of
// elements that lie one after the other; what it reads of element i it reads
// before it writes element i, so that a result may lie on any operand of its
// size.

// maxRank is the most dimensions that operands may have together.
const maxRank = 8

// loops are the nested loops over the elements of a result, dimensions that
// need no loop of their own merged.
type loops struct {
	dims    []int
	strides [3][]int // by operand, in elements; the last is 0 or 1
	size    int      // elements of the result
}

// newLoops checks that the operands stretch to the shape of the result.
func newLoops(out *Tensor, in ...*Tensor) (loops, error) {
	l := loops{size: out.Elements()}
	rank := len(out.Shape)
	for _, t := range in {
		rank = max(rank, len(t.Shape))
	}
	if rank > maxRank {
		return l, unsupported("%d dimensions", rank)
	}
	dim := func(t *Tensor, d int) int { // from the last
		if d < len(t.Shape) {
			return t.Shape[len(t.Shape)-1-d]
		}
		return 1
	}
	step := [3]int{1, 1, 1}
	for d := range rank {
		want := 1
		for _, t := range in {
			if x := dim(t, d); x != 1 {
				want = x
			}
		}
		strides := [3]int{}
		for i, t := range in {
			x := dim(t, d)
			if x != 1 && x != want {
				return l, invalid("shapes %v and %v", in[0].Shape, t.Shape)
			}
			if x != 1 {
				strides[i] = step[i]
			}
			step[i] *= x
		}
		if dim(out, d) != want {
			return l, invalid("result has shape %v", out.Shape)
		}
		if want != 1 {
			l.add(want, strides, len(in))
		}
	}
	if len(l.dims) == 0 {
		l.add(1, [3]int{1, 1, 1}, len(in))
	}
	return l, nil
}

// add puts a loop around the others, or makes the outermost of them longer.
func (l *loops) add(n int, strides [3]int, operands int) {
	merge := len(l.dims) > 0
	for i := range operands {
		merge = merge && strides[i] == l.strides[i][0]*l.dims[0]
	}
	if merge {
		l.dims[0] *= n
		return
	}
	l.dims = append([]int{n}, l.dims...)
	for i := range operands {
		l.strides[i] = append([]int{strides[i]}, l.strides[i]...)
	}
}

// cursor goes through the rows of a range of elements.
type cursor struct {
	l      *loops
	at     [maxRank]int // index of the next element
	offset [3]int       // where it is in the operands
	out    int          // where it is in the result
	end    int
	n      int // elements of the row
}

// from returns a cursor before the rows of the given elements of the result.
func (l *loops) from(low, high int) cursor {
	c := cursor{l: l, out: low, end: high}
	for d := len(l.dims) - 1; d >= 0; d-- {
		c.at[d] = low % l.dims[d]
		low /= l.dims[d]
	}
	return c
}

// next steps to the next row: n elements, starting at the offsets.
func (c *cursor) next() bool {
	last := len(c.l.dims) - 1
	if c.n > 0 {
		c.out += c.n
		c.at[last] += c.n
		for d := last; d > 0 && c.at[d] == c.l.dims[d]; d-- {
			c.at[d] = 0
			c.at[d-1]++
		}
	}
	if c.out >= c.end {
		return false
	}
	for i := range c.offset {
		sum := 0
		for d, s := range c.l.strides[i] {
			sum += c.at[d] * s
		}
		c.offset[i] = sum
	}
	c.n = min(c.l.dims[last]-c.at[last], c.end-c.out)
	return true
}

// step returns how far apart neighbours in a row lie: 0 or 1.
func (l *loops) step(operand int) int { return l.strides[operand][len(l.dims)-1] }

// chunk is how many elements are shared out at once, and the longest row.
const chunk = 1024

func chunks(size int) int { return (size + chunk - 1) / chunk }

// unaryRow computes a row of an operator of one operand.
type unaryRow[A, R number] interface {
	row(x []A, out []R)
}

// unary is the kernel of an operator of one operand, each element of the result
// coming from the same element of it.
type unary[A, R number] struct {
	op   unaryRow[A, R]
	work int // operations for an element
	x    []A
	out  []R
}

func newUnary[A, R number](op unaryRow[A, R], work int) Kernel {
	return &unary[A, R]{op: op, work: work}
}

// Run computes the operator.
func (k *unary[A, R]) Run(c *Call) error {
	k.x, k.out = view[A](c.In[0]), view[R](c.Out[0])
	if len(k.out) == 0 {
		return nil
	}
	c.Pool.Do(k, chunks(len(k.out)), chunk*k.work)
	return nil
}

// Range computes chunks.
func (k *unary[A, R]) Range(low, high int) {
	high = min(high*chunk, len(k.out))
	k.op.row(k.x[low*chunk:high], k.out[low*chunk:high])
}

// pairRow computes a row of an operator of two operands.
type pairRow[A, B, R number] interface {
	row(a []A, b []B, out []R)
}

// pairwise is the kernel of an operator of two operands.
type pairwise[A, B, R number] struct {
	loops
	op      pairRow[A, B, R]
	work    int
	repeats workspaces[int64] // where an operand that stays the same along a row is repeated
	a       []A
	b       []B
	out     []R
}

func newPairwise[A, B, R number](l loops, op pairRow[A, B, R], work int) Kernel {
	k := &pairwise[A, B, R]{loops: l, op: op, work: work}
	k.repeats.size = chunk
	return k
}

// Run computes the operator.
func (k *pairwise[A, B, R]) Run(c *Call) error {
	k.a, k.b, k.out = view[A](c.In[0]), view[B](c.In[1]), view[R](c.Out[0])
	if k.size == 0 {
		return nil
	}
	k.repeats.reserve(c.Pool.workers)
	c.Pool.Do(k, chunks(k.size), chunk*k.work)
	return nil
}

// Range computes chunks.
func (k *pairwise[A, B, R]) Range(low, high int) {
	repeats := k.repeats.take()
	defer k.repeats.give(repeats)
	sa, sb := k.step(0), k.step(1)
	if sa == 1 && sb == 1 {
		k.rows(low, high)
		return
	}
	c := k.from(low*chunk, min(high*chunk, k.size))
	for c.next() {
		a, b, out := k.a[c.offset[0]:], k.b[c.offset[1]:], k.out[c.out:][:c.n]
		for len(out) > 0 {
			n := min(len(out), chunk)
			switch {
			case sa == 0:
				k.op.row(repeat(repeats, a[0], n), b[:n], out[:n])
			case sb == 0:
				k.op.row(a[:n], repeat(repeats, b[0], n), out[:n])
			}
			a, b, out = a[n*sa:], b[n*sb:], out[n:]
		}
	}
}

// rows computes chunks where both operands have elements of their own.
func (k *pairwise[A, B, R]) rows(low, high int) {
	c := k.from(low*chunk, min(high*chunk, k.size))
	for c.next() {
		k.op.row(k.a[c.offset[0]:][:c.n], k.b[c.offset[1]:][:c.n], k.out[c.out:][:c.n])
	}
}

// wordBytes returns the bytes of words.
func wordBytes(m []int64) []byte {
	if len(m) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(m))), 8*len(m))
}

// repeat fills working memory with n times the same number.
func repeat[T number](m []int64, v T, n int) []T {
	r := view[T](wordBytes(m))[:n]
	for i := range r {
		r[i] = v
	}
	return r
}

// table is an operator on eight bits by the results of all numbers.
type table[A int8 | uint8, R number] struct {
	of [256]R
}

// newTable computes an operator for all numbers of eight bits.
func newTable[A int8 | uint8, R number](op unaryRow[A, R]) *table[A, R] {
	t := &table[A, R]{}
	var x [256]A
	for i := range x {
		x[i] = A(i)
	}
	op.row(x[:], t.of[:])
	return t
}

func (t *table[A, R]) row(x []A, out []R) {
	out = out[:len(x)]
	for i, v := range x {
		out[i] = t.of[uint8(v)]
	}
}
