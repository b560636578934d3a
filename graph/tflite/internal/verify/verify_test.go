package verify

import (
	"encoding/binary"
	"errors"
	"strings"
	"testing"

	flatbuffers "github.com/google/flatbuffers/go"

	"github.com/arenalab/arenalab/graph/tflite/internal/schema"
)

// model returns a file with one subgraph of one operator, an IF.
func model() []byte {
	b := flatbuffers.NewBuilder(256)
	vector := func(at ...flatbuffers.UOffsetT) flatbuffers.UOffsetT { return b.CreateVectorOfTables(at) }
	name := b.CreateString("main")
	b.StartVector(4, 2, 4)
	b.PrependInt32(1)
	b.PrependInt32(0)
	inputs := b.EndVector(2)
	schema.IfOptionsStart(b)
	schema.IfOptionsAddElseSubgraphIndex(b, 7)
	options := schema.IfOptionsEnd(b)
	schema.OperatorStart(b)
	schema.OperatorAddInputs(b, inputs)
	schema.OperatorAddBuiltinOptionsType(b, schema.UnionIfOptions)
	schema.OperatorAddBuiltinOptions(b, options)
	operators := vector(schema.OperatorEnd(b))
	schema.SubGraphStart(b)
	schema.SubGraphAddOperators(b, operators)
	schema.SubGraphAddName(b, name)
	subgraphs := vector(schema.SubGraphEnd(b))
	data := b.CreateByteVector([]byte{1, 2, 3})
	schema.BufferStart(b)
	schema.BufferAddData(b, data)
	schema.BufferAddOffset(b, 9)
	buffers := vector(schema.BufferEnd(b))
	schema.ModelStart(b)
	schema.ModelAddVersion(b, 3)
	schema.ModelAddSubgraphs(b, subgraphs)
	schema.ModelAddBuffers(b, buffers)
	b.FinishWithFileIdentifier(schema.ModelEnd(b), []byte(identifier))
	return b.FinishedBytes()
}

// place finds where things lie in the file that model returns.
type place struct{ data []byte }

func (p place) u32(at int) int { return int(binary.LittleEndian.Uint32(p.data[at:])) }

func (p place) root() int { return p.u32(0) }

func (p place) vtable(table int) int { return table - int(int32(p.u32(table))) }

// slot returns the position of a field.
func (p place) slot(table, i int) int {
	return table + int(binary.LittleEndian.Uint16(p.data[p.vtable(table)+4+2*i:]))
}

// to follows the offset in a field.
func (p place) to(table, i int) int { at := p.slot(table, i); return at + p.u32(at) }

// first returns the first table of the vector in a field.
func (p place) first(table, i int) int { at := p.to(table, i) + 4; return at + p.u32(at) }

func (p place) subgraph() int { return p.first(p.root(), 2) }

func (p place) operator() int { return p.first(p.subgraph(), 3) }

func TestModel(t *testing.T) {
	if err := Model(model()); err != nil {
		t.Fatal(err)
	}
	put32 := func(at int, v uint32) func([]byte) {
		return func(b []byte) { binary.LittleEndian.PutUint32(b[at:], v) }
	}
	put16 := func(at int, v uint16) func([]byte) {
		return func(b []byte) { binary.LittleEndian.PutUint16(b[at:], v) }
	}
	p := place{model()}
	name := p.to(p.subgraph(), 4)
	buffer := p.first(p.root(), 4)
	for _, test := range []struct {
		name   string
		change func([]byte)
		want   string
	}{
		{"root far away", put32(0, 0xffffffff), "model: offset at byte 0 leads past the end of the file, to byte 4294967295"},
		{"root zero", put32(0, 0), "model: offset 0 at byte 0"},
		{"root unaligned", put32(0, uint32(p.root()+1)), "which is not aligned"},
		{"vtable before the file", put32(p.root(), 0x7fffffff), "has its vtable at byte -"},
		{"vtable behind the file", put32(p.root(), 0x80000000), "has its vtable at byte 2147"},
		{"vtable unaligned", put32(p.root(), uint32(p.u32(p.root())-1)), "has its vtable at byte"},
		{"vtable too short", put16(p.vtable(p.root()), 2), "has a length of 2 bytes"},
		{"vtable of odd length", put16(p.vtable(p.root()), 7), "has a length of 7 bytes"},
		{"vtable too long", put16(p.vtable(p.root()), 0xfffe), "has a length of 65534 bytes"},
		{"table too long", put16(p.vtable(p.root())+2, 0xffff), "of 65535 bytes leads past the end"},
		{"table without a header", put16(p.vtable(p.root())+2, 0), "of 0 bytes leads past the end"},
		{"field outside its table", put16(p.vtable(p.root())+4, 1000), "model.version: field at byte 1000"},
		{"field inside the header", put16(p.vtable(p.root())+4, 2), "model.version: field at byte 2"},
		{"field unaligned", put16(p.vtable(p.root())+4+2*2, 6), "model.subgraphs: field at byte 6"},
		{"vector offset zero", put32(p.slot(p.root(), 2), 0), "model.subgraphs: offset 0"},
		{"vector too long", put32(p.to(p.root(), 2), 0x3fffffff), "model.subgraphs: vector of 1073741823 elements"},
		{"vector of all lengths", put32(p.to(p.root(), 2), 0xffffffff), "model.subgraphs: vector of 4294967295 elements"},
		{"element", put32(p.to(p.root(), 2)+4, 0), "model.subgraphs[0]: offset 0"},
		{"indices", put32(p.to(p.operator(), 1), 0x40000000), "model.subgraphs[0].operators[0].inputs: vector of 1073741824 elements"},
		{"bytes", put32(p.to(buffer, 0), 1<<30), "model.buffers[0].data: vector of 1073741824 elements"},
		{"string not terminated", func(b []byte) { b[name+4+4] = 'x' }, "model.subgraphs[0].name: string at byte"},
		{"string too long", put32(name, uint32(len(p.data)-name-4)), "model.subgraphs[0].name: string at byte"},
		{"options", put32(p.to(p.operator(), 4), 0x7fffffff), "model.subgraphs[0].operators[0].builtin_options: table at byte"},
	} {
		t.Run(test.name, func(t *testing.T) {
			data := model()
			test.change(data)
			err := Model(data)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %q", err, test.want)
			}
			if errors.Is(err, ErrNotTFLite) {
				t.Error("a damaged model is not a foreign file")
			}
		})
	}
}

// TestUnreadParts: what is not read may be anything.
func TestUnreadParts(t *testing.T) {
	data := model()
	p := place{data}
	binary.LittleEndian.PutUint32(data[p.to(p.operator(), 4):], 0x7fffffff)
	data[p.slot(p.operator(), 3)] = 2 // options that planning does not read
	if err := Model(data); err != nil {
		t.Error(err)
	}
	data[p.slot(p.operator(), 3)] = 0 // no options at all
	if err := Model(data); err != nil {
		t.Error(err)
	}
}

func TestHeader(t *testing.T) {
	for _, data := range [][]byte{nil, []byte("TFL3"), []byte("....TFL"), []byte("....TFL2...."), model()[:7]} {
		if err := Model(data); !errors.Is(err, ErrNotTFLite) {
			t.Errorf("%q: %v", data, err)
		}
	}
}

// TestTruncated: no prefix is read beyond its end, and none that lacks more
// than padding is accepted.
func TestTruncated(t *testing.T) {
	data := model()
	for n := range data {
		prefix := append(make([]byte, 0, n), data[:n]...) // so that reading on panics
		if err := Model(prefix[:n:n]); err == nil && n+4 <= len(data) {
			t.Errorf("%d of %d bytes are accepted", n, len(data))
		}
	}
}

func TestNoAllocation(t *testing.T) {
	data := model()
	if n := testing.AllocsPerRun(100, func() { Model(data) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkModel(b *testing.B) {
	data := model()
	b.ReportAllocs()
	for b.Loop() {
		if err := Model(data); err != nil {
			b.Fatal(err)
		}
	}
}
