package kernels

import (
	"encoding/binary"

	"github.com/arenalab/arenalab/graph"
)

// Operators that move elements and compute nothing. Most say for each dimension
// of the result where its indices lie in the operand: element (i, j, ...) of the
// result is the one at table[0][i] + table[1][j] + ... of the operand. So one
// kernel does them all, and slices, transpositions, paddings and tilings differ
// only in their tables.

// outside is an entry of a table that leads to no element of the operand, but to
// padding.
const outside = -1

// moves copies elements as tables say. Tables may be filled anew before each
// run, if operands decide them.
type moves struct {
	tables [][]int // by dimension of the result, in elements of the operand
	base   int     // added to all
	bytes  int     // of an element
	pad    []byte  // an element of padding

	// What prepare makes of the tables.
	outer []int // dimensions that have a loop
	block int   // bytes that lie together in both
	last  []run // of the last dimension that has a loop
	at    []int // position in the outer dimensions, working memory
}

// run is a stretch of bytes that are copied at once.
type run struct{ from, size int }

// newMoves returns a kernel for a result of that shape, tables still empty.
func newMoves(t graph.DType, shape []int) (*moves, error) {
	size, err := elementBytes(t)
	if err != nil {
		return nil, err
	}
	if err := working(shape...); err != nil {
		return nil, err
	}
	m := &moves{bytes: size, pad: make([]byte, size), tables: make([][]int, len(shape)), at: make([]int, len(shape))}
	for d, n := range shape {
		m.tables[d] = make([]int, n)
	}
	if len(shape) > 0 {
		most := 0
		for _, n := range shape {
			most = max(most, n)
		}
		m.last = make([]run, 0, most)
	}
	m.outer = make([]int, 0, len(shape))
	return m, nil
}

// maxWorking bounds the elements of working memory that a kernel allocates.
const maxWorking = 1 << 24

// working makes sure that working memory is of a reasonable size.
func working(sizes ...int) error {
	sum := 0
	for _, n := range sizes {
		sum += n
	}
	if sum > maxWorking {
		return unsupported("working memory of %d elements", sum)
	}
	return nil
}

// alike returns operand and result of one type, and the bytes of an element.
func alike(n *Node) (in, out *Tensor, bytes int, err error) {
	if in, err = n.in(0); err != nil {
		return
	}
	if out, err = n.out(0); err != nil {
		return
	}
	if in.Type != out.Type {
		return in, out, 0, invalid("%v becomes %v", in.Type, out.Type)
	}
	bytes, err = elementBytes(out.Type)
	return in, out, bytes, err
}

// elementBytes returns the bytes of an element that has an address of its own.
func elementBytes(t graph.DType) (int, error) {
	size, err := graph.Size(t, nil)
	if err != nil || size < 1 || t == graph.Int4 || t == graph.Int2 || t == graph.Uint4 || t.Handle() || t == graph.String {
		return 0, unsupported("elements of %v", t)
	}
	return int(size), nil
}

// prepare works out what can be copied at once.
func (m *moves) prepare() {
	block, d := 1, len(m.tables)-1
	for ; d >= 0; d-- { // dimensions that lie in the operand as in the result
		whole := true
		for i, from := range m.tables[d] {
			whole = whole && from == i*block
		}
		if !whole {
			break
		}
		block *= len(m.tables[d])
	}
	m.block = block * m.bytes
	m.outer, m.last = m.outer[:0], m.last[:0]
	if d < 0 {
		m.last = append(m.last, run{0, m.block})
		return
	}
	for i, from := range m.tables[d] {
		k := len(m.last) - 1
		if i > 0 && from >= 0 && m.last[k].from >= 0 && m.last[k].from+m.last[k].size == from*m.bytes {
			m.last[k].size += m.block
			continue
		}
		if from >= 0 {
			from *= m.bytes
		}
		m.last = append(m.last, run{from, m.block})
	}
	for k := range d {
		m.outer = append(m.outer, k)
	}
}

// copy fills the result.
func (m *moves) copy(out, in []byte) {
	for _, t := range m.tables {
		if len(t) == 0 {
			return
		}
	}
	at := m.at[:len(m.outer)]
	clear(at)
	for {
		base, padded := m.base, false
		for k, d := range m.outer {
			from := m.tables[d][at[k]]
			padded = padded || from < 0
			base += from
		}
		for _, r := range m.last {
			if padded || r.from < 0 {
				m.fill(out[:r.size])
			} else {
				from := base*m.bytes + r.from
				copy(out[:r.size], in[from:from+r.size])
			}
			out = out[r.size:]
		}
		k := len(at) - 1
		for ; k >= 0; k-- {
			if at[k]++; at[k] < len(m.tables[m.outer[k]]) {
				break
			}
			at[k] = 0
		}
		if k < 0 {
			return
		}
	}
}

func (m *moves) fill(out []byte) {
	if m.bytes == 1 {
		for i := range out {
			out[i] = m.pad[0]
		}
		return
	}
	n := copy(out, m.pad)
	for n < len(out) {
		n += copy(out[n:], out[:n])
	}
}

// strides returns how far apart neighbours along each dimension are, in
// elements.
func strides(shape []int) []int {
	s, step := make([]int, len(shape)), 1
	for d := len(shape) - 1; d >= 0; d-- {
		s[d] = step
		step *= shape[d]
	}
	return s
}

// mover is an operator that fills the tables of moves, once if it can.
type mover struct {
	*moves
	fillTables func(in [][]byte) error // from the data of operands that decide
	every      bool                    // they are computed at run time
}

// newMover prepares the kernel of one operand and one result. What operands
// decide, apart from the first, is looked at now if they are constants.
func newMover(n *Node, m *moves, fill func(in [][]byte) error) (Kernel, error) {
	k := &mover{moves: m, fillTables: fill}
	data := make([][]byte, len(n.In))
	for i, t := range n.In {
		if i == 0 || t == nil {
			continue
		}
		data[i] = t.Constant
		k.every = k.every || t.Constant == nil
	}
	if k.every {
		return k, nil
	}
	if err := fill(data); err != nil {
		return nil, err
	}
	m.prepare()
	return k, nil
}

// Run moves the elements of the first operand.
func (k *mover) Run(c *Call) error {
	if k.every {
		if err := k.fillTables(c.In); err != nil {
			return err
		}
		k.prepare()
	}
	k.copy(c.Out[0], c.In[0])
	return nil
}

// axis returns the dimension that a number of an operator means, negative ones
// from the end.
func axis(a int64, rank int) (int, error) {
	if a < 0 {
		a += int64(rank)
	}
	if a < 0 || a >= int64(rank) {
		return 0, invalid("axis of %d dimensions", rank)
	}
	return int(a), nil
}

// integer returns element i of int32 or int64 data.
func integer(t graph.DType, data []byte, i int) int64 {
	if t == graph.Int64 {
		return int64(binary.LittleEndian.Uint64(data[8*i:]))
	}
	return int64(int32(binary.LittleEndian.Uint32(data[4*i:])))
}

// indices checks that an operand holds count numbers of int32 or int64; any
// count if it is negative.
func indices(t *Tensor, count int) error {
	if t.Type != graph.Int32 && t.Type != graph.Int64 {
		return unsupported("numbers of %v", t.Type)
	}
	if count >= 0 && t.Elements() != count {
		return invalid("%d numbers, want %d", t.Elements(), count)
	}
	return nil
}

// dynamic reports that what was computed is not what was planned.
func dynamic(is bool) error {
	if is {
		return ErrDynamic
	}
	return nil
}

// elementsOf returns how many elements a shape has.
func elementsOf(shape []int) int { return (&Tensor{Shape: shape}).Elements() }
