package kernels

import "github.com/arenalab/arenalab/graph"

// Elements by their indices: R/gather.h, R/gather_nd.h, K/embedding_lookup.cc,
// K/dynamic_update_slice.cc, K/one_hot.cc of google-ai-edge/LiteRT at
// f67457790c9c. An index that leads out of an operand is an error.

func gatherFamily() map[string]prepare {
	return map[string]prepare{
		"DYNAMIC_UPDATE_SLICE": prepareUpdateSlice,
		"EMBEDDING_LOOKUP":     prepareEmbedding,
		"GATHER":               prepareGather,
		"GATHER_ND":            prepareGatherND,
		"ONE_HOT":              prepareOneHot,
	}
}

// gather copies blocks: for each of batches, of each of outer, those that
// indices of the batch name.
type gather struct {
	batches, outer, inner int // inner in bytes
	from, count           int // blocks to choose from, and chosen, of each batch
	kind                  graph.DType
	table, numbers        int // operands
}

// Run copies.
func (k *gather) Run(c *Call) error {
	in, out := c.In[k.table], c.Out[0]
	if len(out) == 0 {
		return nil
	}
	for b := range k.batches {
		for range k.outer {
			for i := range k.count {
				at := k.index(c.In[k.numbers], b*k.count+i)
				if at < 0 || at >= int64(k.from) {
					return invalid("index %d of %d", at, k.from)
				}
				copy(out[:k.inner], in[int(at)*k.inner:])
				out = out[k.inner:]
			}
			in = in[k.from*k.inner:]
		}
	}
	return nil
}

func (k *gather) index(data []byte, i int) int64 {
	if k.kind == graph.Int16 {
		return int64(int16(uint16(data[2*i]) | uint16(data[2*i+1])<<8))
	}
	return integer(k.kind, data, i)
}

func prepareGather(n *Node) (Kernel, error) {
	in, out, bytes, err := alike(n)
	if err != nil {
		return nil, err
	}
	numbers, err := n.in(1)
	if err != nil {
		return nil, err
	}
	if numbers.Type != graph.Int16 {
		if err := indices(numbers, -1); err != nil {
			return nil, err
		}
	}
	at, err := axis(int64(n.Op.Attributes.Int(0, 0)), len(in.Shape))
	if err != nil {
		return nil, err
	}
	shared := int(n.Op.Attributes.Int(1, 0)) // dimensions of batches
	if shared < 0 {
		shared += len(numbers.Shape)
	}
	if shared < 0 || shared > at || shared > len(numbers.Shape) {
		return nil, invalid("%d dimensions of batches, axis %d", shared, at)
	}
	k := &gather{
		batches: elementsOf(in.Shape[:shared]), outer: elementsOf(in.Shape[shared:at]), from: in.Shape[at],
		count: elementsOf(numbers.Shape[shared:]), inner: bytes * elementsOf(in.Shape[at+1:]), kind: numbers.Type, numbers: 1,
	}
	for d := range shared {
		if numbers.Shape[d] != in.Shape[d] {
			return nil, invalid("indices of shape %v for shape %v", numbers.Shape, in.Shape)
		}
	}
	shape := append(append([]int(nil), in.Shape[:at]...), numbers.Shape[shared:]...)
	return k, convResult(out, append(shape, in.Shape[at+1:]...)...)
}

// gatherND copies blocks that are named by the indices of several dimensions.
type gatherND struct {
	rows, depth int // of the indices
	shape, step []int
	inner       int // bytes
	kind        graph.DType
}

// Run copies.
func (k *gatherND) Run(c *Call) error {
	out := c.Out[0]
	for r := range k.rows {
		from := 0
		for d := range k.depth {
			at := integer(k.kind, c.In[1], r*k.depth+d)
			if at < 0 || at >= int64(k.shape[d]) {
				return invalid("index %d of dimension %d of %d", at, d, k.shape[d])
			}
			from += int(at) * k.step[d]
		}
		copy(out[:k.inner], c.In[0][from*k.inner:])
		out = out[k.inner:]
	}
	return nil
}

func prepareGatherND(n *Node) (Kernel, error) {
	in, out, bytes, err := alike(n)
	if err != nil {
		return nil, err
	}
	numbers, err := n.in(1)
	if err != nil {
		return nil, err
	}
	if err := indices(numbers, -1); err != nil {
		return nil, err
	}
	rank := len(numbers.Shape)
	if rank == 0 || numbers.Shape[rank-1] > len(in.Shape) {
		return nil, invalid("indices of shape %v for shape %v", numbers.Shape, in.Shape)
	}
	depth := numbers.Shape[rank-1]
	k := &gatherND{
		rows: elementsOf(numbers.Shape[:rank-1]), depth: depth, kind: numbers.Type,
		shape: in.Shape[:depth], step: strides(in.Shape[:depth]), inner: bytes * elementsOf(in.Shape[depth:]),
	}
	return k, convResult(out, append(append([]int(nil), numbers.Shape[:rank-1]...), in.Shape[depth:]...)...)
}

func prepareEmbedding(n *Node) (Kernel, error) {
	numbers, err := n.in(0)
	if err != nil {
		return nil, err
	}
	table, err := n.in(1)
	if err != nil {
		return nil, err
	}
	out, err := n.out(0)
	if err != nil {
		return nil, err
	}
	if numbers.Type != graph.Int32 || len(numbers.Shape) != 1 || len(table.Shape) < 2 {
		return nil, invalid("indices of %v and shape %v", numbers.Type, numbers.Shape)
	}
	if table.Type != out.Type {
		return prepareScaledTable(numbers, table, out)
	}
	bytes, err := elementBytes(table.Type)
	if err != nil {
		return nil, err
	}
	k := &gather{
		batches: 1, outer: 1, from: table.Shape[0], count: numbers.Shape[0],
		inner: bytes * elementsOf(table.Shape[1:]), kind: numbers.Type, table: 1,
	}
	return k, convResult(out, append([]int{numbers.Shape[0]}, table.Shape[1:]...)...)
}

// scaledTable looks rows up in a table of integers that stand for reals.
type scaledTable struct {
	rows, row int // elements
	nibbles   bool
	scales    []float32 // one, or one a row
}

// Run computes the rows.
func (k *scaledTable) Run(c *Call) error {
	out, table := view[float32](c.Out[0]), view[int8](c.In[1])
	for _, at := range view[int32](c.In[0]) {
		if at < 0 || int(at) >= k.rows {
			return invalid("index %d of %d", at, k.rows)
		}
		scale := k.scales[min(int(at), len(k.scales)-1)]
		if k.nibbles {
			row := table[int(at)*k.row/2:]
			for i := range out[:k.row] {
				out[i] = float32(row[i/2]<<(4-4*(i&1))&-16) * (scale / 16)
			}
		} else {
			for i, v := range table[int(at)*k.row:][:k.row] {
				out[i] = float32(v) * scale
			}
		}
		out = out[k.row:]
	}
	return nil
}

func prepareScaledTable(numbers, table, out *Tensor) (Kernel, error) {
	k := &scaledTable{rows: table.Shape[0], row: elementsOf(table.Shape[1:]), nibbles: table.Type == graph.Int4}
	if out.Type != graph.Float32 || table.Type != graph.Int8 && !k.nibbles || table.Quant == nil || k.nibbles && k.row%2 != 0 {
		return nil, unsupported("%v from a table of %v", out.Type, table.Type)
	}
	k.scales = table.Quant.Scale
	if len(k.scales) > 1 && (table.Quant.Axis != 0 || len(k.scales) != k.rows) {
		return nil, invalid("%d scales of %d rows", len(k.scales), k.rows)
	}
	if table.Quant.ZeroPoint(0) != 0 {
		return nil, invalid("zero point %d", table.Quant.ZeroPoint(0))
	}
	return k, convResult(out, append([]int{numbers.Shape[0]}, table.Shape[1:]...)...)
}

// updateSlice copies an operand and writes another over a part of it.
type updateSlice struct {
	part        []int // shape of what is written
	step, whole []int
	run         int // bytes that lie together
	bytes       int
	kind        graph.DType
	at          []int
}

// Run writes the part. It may work in place.
func (k *updateSlice) Run(c *Call) error {
	out := c.Out[0]
	copy(out, c.In[0])
	base := 0
	for d := range k.part {
		at := integer(k.kind, c.In[2], d)
		at = max(0, min(at, int64(k.whole[d]-k.part[d]))) // as the runtime moves it inside
		base += int(at) * k.step[d]
	}
	in := c.In[1]
	clear(k.at)
	if len(in) == 0 {
		return nil
	}
	for {
		from := base
		for d := range k.at {
			from += k.at[d] * k.step[d]
		}
		copy(out[from*k.bytes:][:k.run], in)
		in = in[k.run:]
		d := len(k.at) - 1
		for ; d >= 0; d-- {
			if k.at[d]++; k.at[d] < k.part[d] {
				break
			}
			k.at[d] = 0
		}
		if d < 0 {
			return nil
		}
	}
}

func prepareUpdateSlice(n *Node) (Kernel, error) {
	in, out, bytes, err := alike(n)
	if err != nil {
		return nil, err
	}
	update, err := n.in(1)
	if err != nil {
		return nil, err
	}
	starts, err := n.in(2)
	if err != nil {
		return nil, err
	}
	if err := convResult(out, in.Shape...); err != nil {
		return nil, err
	}
	if err := indices(starts, len(in.Shape)); err != nil {
		return nil, err
	}
	if update.Type != in.Type || len(update.Shape) != len(in.Shape) {
		return nil, invalid("shape %v into shape %v", update.Shape, in.Shape)
	}
	for d, size := range update.Shape {
		if size > in.Shape[d] {
			return nil, invalid("shape %v into shape %v", update.Shape, in.Shape)
		}
	}
	k := &updateSlice{part: update.Shape, whole: in.Shape, step: strides(in.Shape), bytes: bytes, run: bytes, kind: starts.Type}
	if last := len(update.Shape) - 1; last >= 0 {
		k.run *= update.Shape[last]
		k.at = make([]int, last)
	}
	return k, nil
}

// oneHot writes one of two values for each index.
type oneHot struct {
	outer, depth, inner int
	bytes               int
	kind                graph.DType
}

// Run writes the values.
func (k *oneHot) Run(c *Call) error {
	on, off, out := c.In[2], c.In[3], c.Out[0]
	for o := range k.outer {
		for d := range k.depth {
			for i := range k.inner {
				value := off
				if integer(k.kind, c.In[0], o*k.inner+i) == int64(d) {
					value = on
				}
				copy(out[:k.bytes], value)
				out = out[k.bytes:]
			}
		}
	}
	return nil
}

func prepareOneHot(n *Node) (Kernel, error) {
	var in [4]*Tensor
	for i := range in {
		var err error
		if in[i], err = n.in(i); err != nil {
			return nil, err
		}
	}
	out, err := n.out(0)
	if err != nil {
		return nil, err
	}
	numbers, depth, on, off := in[0], in[1], in[2], in[3]
	if err := indices(numbers, -1); err != nil {
		return nil, err
	}
	if err := indices(depth, 1); err != nil {
		return nil, err
	}
	if depth.Constant == nil {
		return nil, unsupported("depth computed at run time")
	}
	if on.Type != out.Type || off.Type != out.Type || on.Elements() != 1 || off.Elements() != 1 {
		return nil, invalid("values of %v and %v for %v", on.Type, off.Type, out.Type)
	}
	at := int64(n.Op.Attributes.Int(0, 0))
	if at == -1 {
		at = int64(len(numbers.Shape))
	}
	if at < 0 || at > int64(len(numbers.Shape)) {
		return nil, invalid("axis %d of shape %v", at, numbers.Shape)
	}
	bytes, err := elementBytes(out.Type)
	if err != nil {
		return nil, err
	}
	size := integer(depth.Type, depth.Constant, 0)
	if size < 0 || size > maxElements {
		return nil, invalid("depth %d", size)
	}
	shape := append(append([]int(nil), numbers.Shape[:at]...), int(size))
	k := &oneHot{outer: elementsOf(numbers.Shape[:at]), depth: int(size), inner: elementsOf(numbers.Shape[at:]), bytes: bytes, kind: numbers.Type}
	return k, convResult(out, append(shape, numbers.Shape[at:]...)...)
}
