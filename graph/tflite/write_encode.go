package tflite

import (
	"fmt"
	"math"

	flatbuffers "github.com/google/flatbuffers/go"

	"github.com/arenalab/arenalab/graph"
)

// constantAlign is the alignment of constant data in the file, in bytes: the
// schema asks for it so that a mapped file can be used in place.
const constantAlign = 16

// greaterCodes is the deprecated 8-bit code of every operator whose code does
// not fit: a reader then takes the 32-bit one.
const greaterCodes = 127

// Encode returns the bytes of the file; the same file gives the same bytes.
// It reports indices out of range, data that do not have the size of their
// tensor, quantisation that does not fit it, and files above 2 GiB, each with
// its subgraph, operator or tensor.
func (f *File) Encode() ([]byte, error) {
	if err := f.check(); err != nil {
		return nil, err
	}
	e := encoder{b: flatbuffers.NewBuilder(1 << 16), f: f}
	e.codes()
	buffers := e.buffers()
	metadata := e.metadata()
	signatures := e.signatures()
	subgraphs := make([]flatbuffers.UOffsetT, len(f.Subgraphs))
	for i := range f.Subgraphs {
		subgraphs[i] = e.subgraph(i)
	}
	graphs := e.b.CreateVectorOfTables(subgraphs)
	codes := e.codeTables()
	description := e.b.CreateString(f.Description)

	e.b.StartObject(10)
	e.b.PrependUint32Slot(0, SchemaVersion, 0)
	e.b.PrependUOffsetTSlot(1, codes, 0)
	e.b.PrependUOffsetTSlot(2, graphs, 0)
	e.b.PrependUOffsetTSlot(3, description, 0)
	e.b.PrependUOffsetTSlot(4, buffers, 0)
	e.b.PrependUOffsetTSlot(6, metadata, 0)
	e.b.PrependUOffsetTSlot(7, signatures, 0)
	e.b.FinishWithFileIdentifier(e.b.EndObject(), []byte(FileIdentifier))
	return e.b.FinishedBytes(), nil
}

// operatorCode is an entry of the file's table of operators in use.
type operatorCode struct {
	code    int32
	custom  string
	version int
}

type encoder struct {
	b *flatbuffers.Builder
	f *File

	table  []operatorCode
	number map[operatorCode]int // index into table
	buffer [][]int              // by subgraph and tensor: its buffer
	blobs  []int                // by metadata entry: its buffer
}

// codes numbers the operator codes by first use.
func (e *encoder) codes() {
	e.number = make(map[operatorCode]int)
	for s := range e.f.Subgraphs {
		sub := &e.f.Subgraphs[s]
		for i := range sub.Ops {
			c := codeOf(sub, &sub.Ops[i])
			if _, ok := e.number[c]; !ok {
				e.number[c] = len(e.table)
				e.table = append(e.table, c)
			}
		}
	}
}

func codeOf(s *Subgraph, op *Op) operatorCode {
	c := operatorCode{code: op.Code, version: op.Version}
	if c.code == graph.OpCustom {
		c.custom = op.Custom
	}
	if c.version == 0 {
		c.version = opVersion(s, op)
	}
	return c
}

func (e *encoder) codeTables() flatbuffers.UOffsetT {
	tables := make([]flatbuffers.UOffsetT, len(e.table))
	for i, c := range e.table {
		var custom flatbuffers.UOffsetT
		if c.custom != "" {
			custom = e.b.CreateString(c.custom)
		}
		e.b.StartObject(4)
		e.b.PrependInt8Slot(0, int8(min(c.code, greaterCodes)), 0)
		e.b.PrependUOffsetTSlot(1, custom, 0)
		e.b.PrependInt32Slot(2, int32(c.version), 1)
		e.b.PrependInt32Slot(3, c.code, 0)
		tables[i] = e.b.EndObject()
	}
	return e.b.CreateVectorOfTables(tables)
}

// buffers writes every constant and blob and numbers them. Buffer 0 is empty
// by convention: it is that of every tensor without data.
func (e *encoder) buffers() flatbuffers.UOffsetT {
	tables := []flatbuffers.UOffsetT{e.bufferTable(nil)}
	add := func(data []byte) int {
		if len(data) == 0 {
			return 0
		}
		tables = append(tables, e.bufferTable(data))
		return len(tables) - 1
	}
	e.buffer = make([][]int, len(e.f.Subgraphs))
	for s := range e.f.Subgraphs {
		for _, t := range e.f.Subgraphs[s].Tensors {
			e.buffer[s] = append(e.buffer[s], add(t.Data))
		}
	}
	for _, m := range e.f.Metadata {
		e.blobs = append(e.blobs, add(m.Data))
	}
	return e.b.CreateVectorOfTables(tables)
}

func (e *encoder) bufferTable(data []byte) flatbuffers.UOffsetT {
	var vector flatbuffers.UOffsetT
	if len(data) > 0 {
		e.b.Prep(constantAlign, len(data)) // so that the first byte is aligned
		vector = e.b.CreateByteVector(data)
	}
	e.b.StartObject(3)
	e.b.PrependUOffsetTSlot(0, vector, 0)
	return e.b.EndObject()
}

func (e *encoder) metadata() flatbuffers.UOffsetT {
	if len(e.f.Metadata) == 0 {
		return 0
	}
	tables := make([]flatbuffers.UOffsetT, len(e.f.Metadata))
	for i, m := range e.f.Metadata {
		name := e.b.CreateString(m.Name)
		e.b.StartObject(2)
		e.b.PrependUOffsetTSlot(0, name, 0)
		e.b.PrependUint32Slot(1, uint32(e.blobs[i]), 0)
		tables[i] = e.b.EndObject()
	}
	return e.b.CreateVectorOfTables(tables)
}

func (e *encoder) signatures() flatbuffers.UOffsetT {
	if len(e.f.Signatures) == 0 {
		return 0
	}
	tables := make([]flatbuffers.UOffsetT, len(e.f.Signatures))
	for i, s := range e.f.Signatures {
		inputs, outputs := e.named(s.Inputs), e.named(s.Outputs)
		key := e.b.CreateString(s.Key)
		e.b.StartObject(5)
		e.b.PrependUOffsetTSlot(0, inputs, 0)
		e.b.PrependUOffsetTSlot(1, outputs, 0)
		e.b.PrependUOffsetTSlot(2, key, 0)
		e.b.PrependUint32Slot(4, uint32(s.Subgraph), 0)
		tables[i] = e.b.EndObject()
	}
	return e.b.CreateVectorOfTables(tables)
}

func (e *encoder) named(list []graph.NamedTensor) flatbuffers.UOffsetT {
	tables := make([]flatbuffers.UOffsetT, len(list))
	for i, n := range list {
		name := e.b.CreateString(n.Name)
		e.b.StartObject(2)
		e.b.PrependUOffsetTSlot(0, name, 0)
		e.b.PrependUint32Slot(1, uint32(n.Tensor), 0)
		tables[i] = e.b.EndObject()
	}
	return e.b.CreateVectorOfTables(tables)
}

func (e *encoder) subgraph(index int) flatbuffers.UOffsetT {
	s := &e.f.Subgraphs[index]
	tensors := make([]flatbuffers.UOffsetT, len(s.Tensors))
	for i := range s.Tensors {
		tensors[i] = e.tensor(&s.Tensors[i], e.buffer[index][i])
	}
	ops := make([]flatbuffers.UOffsetT, len(s.Ops))
	for i := range s.Ops {
		ops[i] = e.op(s, &s.Ops[i])
	}
	tensorVector, opVector := e.b.CreateVectorOfTables(tensors), e.b.CreateVectorOfTables(ops)
	inputs, outputs := writeInts(e.b, s.Inputs), writeInts(e.b, s.Outputs)
	name := e.b.CreateString(s.Name)
	e.b.StartObject(6)
	e.b.PrependUOffsetTSlot(0, tensorVector, 0)
	e.b.PrependUOffsetTSlot(1, inputs, 0)
	e.b.PrependUOffsetTSlot(2, outputs, 0)
	e.b.PrependUOffsetTSlot(3, opVector, 0)
	e.b.PrependUOffsetTSlot(4, name, 0)
	return e.b.EndObject()
}

func (e *encoder) tensor(t *Tensor, buffer int) flatbuffers.UOffsetT {
	var signature, quant flatbuffers.UOffsetT
	if t.Signature != nil {
		signature = writeInts(e.b, t.Signature)
	}
	if t.Quant != nil {
		quant = e.quant(t.Quant)
	}
	shape, name := writeInts(e.b, t.Shape), e.b.CreateString(t.Name)
	e.b.StartObject(11)
	e.b.PrependUOffsetTSlot(0, shape, 0)
	e.b.PrependInt8Slot(1, int8(t.Type), 0)
	e.b.PrependUint32Slot(2, uint32(buffer), 0)
	e.b.PrependUOffsetTSlot(3, name, 0)
	e.b.PrependUOffsetTSlot(4, quant, 0)
	e.b.PrependBoolSlot(5, t.Variable, false)
	e.b.PrependUOffsetTSlot(7, signature, 0)
	e.b.PrependBoolSlot(8, true, false) // the shape is known: an empty one is a scalar
	return e.b.EndObject()
}

func (e *encoder) quant(q *Quant) flatbuffers.UOffsetT {
	e.b.StartVector(8, len(q.ZeroPoint), 8)
	for i := len(q.ZeroPoint) - 1; i >= 0; i-- {
		e.b.PrependInt64(q.ZeroPoint[i])
	}
	zero := e.b.EndVector(len(q.ZeroPoint))
	e.b.StartVector(4, len(q.Scale), 4)
	for i := len(q.Scale) - 1; i >= 0; i-- {
		e.b.PrependFloat32(q.Scale[i])
	}
	scale := e.b.EndVector(len(q.Scale))
	e.b.StartObject(7)
	e.b.PrependUOffsetTSlot(2, scale, 0)
	e.b.PrependUOffsetTSlot(3, zero, 0)
	e.b.PrependInt32Slot(6, int32(q.Axis), 0)
	return e.b.EndObject()
}

func (e *encoder) op(s *Subgraph, op *Op) flatbuffers.UOffsetT {
	var options, custom, intermediates flatbuffers.UOffsetT
	var kind byte
	if op.Options != nil {
		t := op.Options.table()
		kind, options = t.kind, writeOptions(e.b, t)
	}
	if len(op.CustomOptions) > 0 {
		custom = e.b.CreateByteVector(op.CustomOptions)
	}
	if len(op.Intermediates) > 0 {
		intermediates = writeInts(e.b, op.Intermediates)
	}
	inputs, outputs := writeInts(e.b, op.Inputs), writeInts(e.b, op.Outputs)
	e.b.StartObject(14)
	e.b.PrependUint32Slot(0, uint32(e.number[codeOf(s, op)]), 0)
	e.b.PrependUOffsetTSlot(1, inputs, 0)
	e.b.PrependUOffsetTSlot(2, outputs, 0)
	e.b.PrependByteSlot(3, kind, 0)
	e.b.PrependUOffsetTSlot(4, options, 0)
	e.b.PrependUOffsetTSlot(5, custom, 0)
	e.b.PrependUOffsetTSlot(8, intermediates, 0)
	return e.b.EndObject()
}

// writeInts writes a vector of 32-bit integers.
func writeInts[T int | int32](b *flatbuffers.Builder, list []T) flatbuffers.UOffsetT {
	b.StartVector(4, len(list), 4)
	for i := len(list) - 1; i >= 0; i-- {
		b.PrependInt32(int32(list[i]))
	}
	return b.EndVector(len(list))
}

// bytesNeeded bounds the size of the encoded file from above, well enough to
// refuse what the builder cannot hold.
func (f *File) bytesNeeded() (int64, error) {
	var total int64
	add := func(n int) { total += int64(n) + 64 }
	for s := range f.Subgraphs {
		for _, t := range f.Subgraphs[s].Tensors {
			add(len(t.Data) + len(t.Name) + 4*len(t.Shape))
			if t.Quant != nil {
				add(12 * len(t.Quant.Scale))
			}
		}
		for _, op := range f.Subgraphs[s].Ops {
			add(4*(len(op.Inputs)+len(op.Outputs)) + len(op.CustomOptions))
		}
	}
	for _, m := range f.Metadata {
		add(len(m.Data) + len(m.Name))
	}
	if total > math.MaxInt32-1<<20 {
		return total, fmt.Errorf("file of about %d bytes is above the format's 2 GiB", total)
	}
	return total, nil
}
