package tflite

import (
	"fmt"
	"slices"

	"github.com/arenalab/arenalab/graph"
	"github.com/arenalab/arenalab/graph/tflite/internal/schema"
	flatbuffers "github.com/google/flatbuffers/go"
)

// slotSparsity is the vtable position of Tensor.sparsity, slot 6.
const slotSparsity = 4 + 2*6

func (d *decoder) subgraphs() {
	n := d.raw.SubgraphsLength()
	if n == 0 {
		d.faults.add("no subgraphs")
		return
	}
	d.m.Subgraphs = make([]*graph.Subgraph, n)
	var raw schema.SubGraph
	for i := range d.m.Subgraphs {
		d.raw.Subgraphs(&raw, i)
		s := &graph.Subgraph{Index: i, Name: string(raw.Name())}
		d.m.Subgraphs[i] = s
		r := subgraphReader{decoder: d, sub: &raw, s: s}
		r.tensors()
		s.Inputs = d.indices(raw.InputsLength(), raw.Inputs)
		s.Outputs = d.indices(raw.OutputsLength(), raw.Outputs)
		r.ops()
		r.workspaces()
		if d.faults.none() {
			if err := s.Link(); err != nil {
				d.faults.join(fmt.Sprintf("subgraph %d: ", i), err)
			}
		}
	}
}

// subgraphReader reads one subgraph.
type subgraphReader struct {
	*decoder
	sub   *schema.SubGraph
	s     *graph.Subgraph
	total int64 // bytes of all tensors so far
	// What is worth a note: how many tensors, and the first of them.
	unsized, longer tally
}

type tally struct{ count, first int }

func (t *tally) add(i int) {
	if t.count++; t.count == 1 {
		t.first = i
	}
}

func (r *subgraphReader) fault(t *graph.Tensor, format string, args ...any) {
	r.faults.join(fmt.Sprintf("subgraph %d: tensor %d %q: ", r.s.Index, t.Index, t.Name), fmt.Errorf(format, args...))
}

func (r *subgraphReader) tensors() {
	r.s.Tensors = make([]graph.Tensor, r.sub.TensorsLength())
	var raw schema.Tensor
	for i := range r.s.Tensors {
		r.sub.Tensors(&raw, i)
		r.tensor(&raw, i)
	}
	if r.unsized.count > 0 {
		r.note("subgraph %d: %d tensors are stored with a dimension of -1 and have no static size, first tensor %s",
			r.s.Index, r.unsized.count, r.label(r.unsized.first))
	}
	if r.longer.count > 0 {
		r.note("subgraph %d: %d constants have more data than their shape needs, first tensor %s",
			r.s.Index, r.longer.count, r.label(r.longer.first))
	}
}

// label names a tensor in a note.
func (r *subgraphReader) label(t int) string {
	return fmt.Sprintf("%d %q %v", t, r.s.Tensors[t].Name, r.s.Tensors[t].Shape)
}

func (r *subgraphReader) tensor(raw *schema.Tensor, i int) {
	t := &r.s.Tensors[i]
	*t = graph.Tensor{
		Index:    i,
		Name:     string(raw.Name()),
		Type:     graph.DType(raw.Type()),
		Shape:    r.shape(raw.ShapeLength(), raw.Shape),
		Variable: raw.IsVariable(),
	}
	if n := raw.ShapeSignatureLength(); n > 0 {
		t.Signature = r.shape(n, raw.ShapeSignature)
	}
	if !t.Type.Known() {
		r.fault(t, "element type %d is unknown", raw.Type())
		return
	}
	if !r.size(t) || !r.source(t, raw) {
		return
	}
	t.PerChannel, t.Quant = perChannel(raw), quant(raw)
	r.constant(t, raw)
}

// perChannel reports whether the quantisation of a tensor has scales that
// differ.
func perChannel(raw *schema.Tensor) bool {
	q := raw.Quantization(nil)
	if q == nil {
		return false
	}
	for i := 1; i < q.ScaleLength(); i++ {
		if q.Scale(i) != q.Scale(0) {
			return true
		}
	}
	return false
}

// quant returns the quantisation of a tensor, or nil.
func quant(raw *schema.Tensor) *graph.Quant {
	q := raw.Quantization(nil)
	if q == nil || q.ScaleLength() == 0 {
		return nil
	}
	out := &graph.Quant{Axis: int(q.QuantizedDimension()), Scale: make([]float32, q.ScaleLength())}
	for i := range out.Scale {
		out.Scale[i] = q.Scale(i)
	}
	if n := q.ZeroPointLength(); n > 0 {
		out.Zero = make([]int64, n)
		for i := range out.Zero {
			out.Zero[i] = q.ZeroPoint(i)
		}
	}
	return out
}

// size finds the bytes of a tensor.
func (r *subgraphReader) size(t *graph.Tensor) bool {
	for i, dim := range t.Signature {
		if dim < -1 {
			r.fault(t, "dimension %d of its signature is negative: %d", i, dim)
			return false
		}
	}
	unknown := false
	for i, dim := range t.Shape {
		if dim < -1 {
			r.fault(t, "dimension %d is negative: %d", i, dim)
			return false
		}
		unknown = unknown || dim == -1
	}
	if unknown {
		// Old converters wrote no signature, but -1 into the shape itself.
		t.Bytes = graph.NoSize
		if t.Signature == nil {
			t.Signature = t.Shape
		}
		r.unsized.add(t.Index)
		return true
	}
	var err error
	if t.Bytes, err = graph.Size(t.Type, t.Shape); err != nil {
		r.fault(t, "%w", err)
		return false
	}
	if r.total += max(t.Bytes, 0); r.total > graph.MaxBytes {
		r.fault(t, "size overflow: the tensors up to this one need more than 2^60 bytes")
		r.total = 0
		return false
	}
	return true
}

// source finds the buffer of a tensor.
func (r *subgraphReader) source(t *graph.Tensor, raw *schema.Tensor) bool {
	t.Buffer = int(raw.Buffer())
	inside := r.decoder.raw.BuffersLength() // the external ones come after
	if raw.Buffer() != 0 && int64(raw.Buffer()) >= int64(inside) {
		r.fault(t, "buffer index %d is out of range (%d buffers)", raw.Buffer(), inside)
		return false
	}
	id := raw.ExternalBuffer()
	if id == 0 {
		return true
	}
	at, ok := r.external[id]
	switch {
	case !ok:
		r.fault(t, "external buffer %d does not exist", id)
		return false
	case t.Buffer != 0 && r.m.Buffers[t.Buffer].Size > 0:
		r.fault(t, "has buffer %d and external buffer %d", t.Buffer, id)
		return false
	}
	t.Buffer = at
	return true
}

// constant decides whether the tensor has data in the file, and whether they
// are enough.
func (r *subgraphReader) constant(t *graph.Tensor, raw *schema.Tensor) {
	if t.Buffer == 0 || r.m.Buffers[t.Buffer].Size == 0 {
		return
	}
	if t.Variable {
		r.fault(t, "is a variable and has data in buffer %d", t.Buffer)
		return
	}
	t.Constant = true
	have, table := r.m.Buffers[t.Buffer].Size, raw.Table()
	t.Sparse = table.Offset(flatbuffers.VOffsetT(slotSparsity)) != 0
	if t.Bytes == graph.NoSize || t.Sparse {
		return // stored in a form of its own
	}
	switch {
	case have < t.Bytes:
		r.fault(t, "buffer size mismatch: buffer %d has %d bytes, %v of shape %v needs %d",
			t.Buffer, have, t.Type, t.Shape, t.Bytes)
	case have > t.Bytes:
		r.longer.add(t.Index)
	}
}

func (r *subgraphReader) ops() {
	r.s.Ops = make([]graph.Op, r.sub.OperatorsLength())
	var raw schema.Operator
	for i := range r.s.Ops {
		r.sub.Operators(&raw, i)
		index := raw.OpcodeIndex()
		if int64(index) >= int64(len(r.codes)) {
			r.faults.add("subgraph %d: operator %d: operator code index %d is out of range (%d codes)",
				r.s.Index, i, index, len(r.codes))
			continue
		}
		code := &r.codes[index]
		op := &r.s.Ops[i]
		*op = graph.Op{
			Index:         i,
			Code:          code.builtin,
			Custom:        code.custom,
			Version:       code.version,
			Inputs:        r.indices(raw.InputsLength(), raw.Inputs),
			Outputs:       r.indices(raw.OutputsLength(), raw.Outputs),
			Intermediates: r.indices(raw.IntermediatesLength(), raw.Intermediates),
		}
		var err error
		op.Options = options(op.Code, op.Custom, &raw)
		op.Attributes = r.attributes(&raw)
		op.CustomOptions = r.customOptions(&raw)
		if op.Callees, err = callees(op.Code, &raw); err != nil {
			r.faults.add("subgraph %d: operator %d %s: %w", r.s.Index, i, op.Name(), err)
		}
	}
}

// workspaces finds inputs of custom operators that nothing can have written,
// such as the scratch tensors that Arm's Vela hands to its operator, and takes
// them for what they are: working memory.
func (r *subgraphReader) workspaces() {
	if !slices.ContainsFunc(r.s.Ops, func(op graph.Op) bool { return op.Code == graph.OpCustom }) {
		return
	}
	written := make([]bool, len(r.s.Tensors))
	mark := func(list []int) {
		for _, t := range list {
			if t >= 0 && t < len(written) {
				written[t] = true
			}
		}
	}
	mark(r.s.Inputs)
	for i := range r.s.Ops {
		mark(r.s.Ops[i].Outputs)
	}
	var found tally
	for i := range r.s.Ops {
		op := &r.s.Ops[i]
		if op.Code != graph.OpCustom {
			continue
		}
		for k, t := range op.Inputs {
			if t < 0 || t >= len(written) || written[t] {
				continue
			}
			if tensor := &r.s.Tensors[t]; tensor.Constant || tensor.Variable || tensor.Bytes <= 0 {
				continue
			}
			op.Inputs[k] = -1
			op.Workspace = append(op.Workspace, t)
			found.add(t)
		}
	}
	if found.count > 0 {
		r.note("inputs of custom operators that nothing writes, taken for working memory: subgraph %d has %d, the first tensor %s",
			r.s.Index, found.count, r.label(found.first))
	}
}

func (d *decoder) indices(n int, at func(int) int32) []int {
	if n == 0 {
		return nil
	}
	list := d.ints.take(n)
	for i := range list {
		list[i] = int(at(i))
	}
	return list
}

func (d *decoder) shape(n int, at func(int) int32) []int32 {
	if n == 0 {
		return nil
	}
	list := d.dims.take(n)
	for i := range list {
		list[i] = at(i)
	}
	return list
}
