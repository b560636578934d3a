package tflite

import (
	flatbuffers "github.com/google/flatbuffers/go"

	"github.com/arenalab/arenalab/graph/tflite/internal/schema"
)

// rawModel is a model of which everything may be wrong: unlike File it is
// written unchecked. Only what tests need can be said.
type rawModel struct {
	version    uint32
	codes      []rawCode
	subgraphs  []rawSubgraph
	buffers    []rawBuffer
	metadata   []rawMetadata
	signatures []rawSignature
	groups     []string
	externals  []rawExternal
}

type rawCode struct {
	deprecated int8
	builtin    int32
	custom     string
}

type rawSubgraph struct {
	name            string
	tensors         []rawTensor
	inputs, outputs []int32
	ops             []rawOp
}

type rawTensor struct {
	name      string
	dtype     int8
	shape     []int32
	signature []int32
	buffer    uint32
	external  uint32
	variable  bool
	sparse    bool
}

type rawOp struct {
	code                           uint32
	inputs, outputs, intermediates []int32
	member, member2                byte // of the unions of options
	callees                        []int32
}

type rawBuffer struct {
	data         []byte
	offset, size uint64
}

type rawMetadata struct {
	name   string
	buffer uint32
}

type rawSignature struct {
	key      string
	inputs   []uint32
	outputs  []uint32
	subgraph uint32
}

type rawExternal struct {
	id, group      uint32
	offset, length uint64
}

// bytes encodes the model.
func (m *rawModel) bytes() []byte {
	b := flatbuffers.NewBuilder(1024)
	codes := tables(b, m.codes, func(c rawCode) flatbuffers.UOffsetT {
		custom := b.CreateString(c.custom)
		schema.OperatorCodeStart(b)
		schema.OperatorCodeAddDeprecatedBuiltinCode(b, c.deprecated)
		schema.OperatorCodeAddBuiltinCode(b, c.builtin)
		schema.OperatorCodeAddCustomCode(b, custom)
		return schema.OperatorCodeEnd(b)
	})
	subgraphs := tables(b, m.subgraphs, func(s rawSubgraph) flatbuffers.UOffsetT { return s.add(b) })
	buffers := tables(b, m.buffers, func(x rawBuffer) flatbuffers.UOffsetT {
		data := b.CreateByteVector(x.data)
		schema.BufferStart(b)
		if x.data != nil {
			schema.BufferAddData(b, data)
		}
		schema.BufferAddOffset(b, x.offset)
		schema.BufferAddSize(b, x.size)
		return schema.BufferEnd(b)
	})
	metadata := tables(b, m.metadata, func(x rawMetadata) flatbuffers.UOffsetT {
		name := b.CreateString(x.name)
		schema.MetadataStart(b)
		schema.MetadataAddName(b, name)
		schema.MetadataAddBuffer(b, x.buffer)
		return schema.MetadataEnd(b)
	})
	signatures := tables(b, m.signatures, func(x rawSignature) flatbuffers.UOffsetT {
		in, out, key := tensorMaps(b, x.inputs), tensorMaps(b, x.outputs), b.CreateString(x.key)
		schema.SignatureDefStart(b)
		schema.SignatureDefAddInputs(b, in)
		schema.SignatureDefAddOutputs(b, out)
		schema.SignatureDefAddSignatureKey(b, key)
		schema.SignatureDefAddSubgraphIndex(b, x.subgraph)
		return schema.SignatureDefEnd(b)
	})
	groups := tables(b, m.groups, func(name string) flatbuffers.UOffsetT {
		at := b.CreateString(name)
		schema.ExternalBufferGroupStart(b)
		schema.ExternalBufferGroupAddName(b, at)
		return schema.ExternalBufferGroupEnd(b)
	})
	externals := tables(b, m.externals, func(x rawExternal) flatbuffers.UOffsetT {
		schema.ExternalBufferStart(b)
		schema.ExternalBufferAddId(b, x.id)
		schema.ExternalBufferAddGroup(b, x.group)
		schema.ExternalBufferAddOffset(b, x.offset)
		schema.ExternalBufferAddLength(b, x.length)
		return schema.ExternalBufferEnd(b)
	})
	schema.ModelStart(b)
	schema.ModelAddVersion(b, m.version)
	schema.ModelAddOperatorCodes(b, codes)
	schema.ModelAddSubgraphs(b, subgraphs)
	schema.ModelAddBuffers(b, buffers)
	schema.ModelAddMetadata(b, metadata)
	schema.ModelAddSignatureDefs(b, signatures)
	schema.ModelAddExternalBufferGroups(b, groups)
	schema.ModelAddExternalBuffers(b, externals)
	b.FinishWithFileIdentifier(schema.ModelEnd(b), []byte(FileIdentifier))
	return b.FinishedBytes()
}

func (s *rawSubgraph) add(b *flatbuffers.Builder) flatbuffers.UOffsetT {
	tensors := tables(b, s.tensors, func(t rawTensor) flatbuffers.UOffsetT {
		name, shape := b.CreateString(t.name), int32s(b, t.shape)
		var signature, sparsity flatbuffers.UOffsetT
		if t.signature != nil {
			signature = int32s(b, t.signature)
		}
		if t.sparse {
			schema.OpaqueStart(b)
			sparsity = schema.OpaqueEnd(b)
		}
		schema.TensorStart(b)
		schema.TensorAddName(b, name)
		schema.TensorAddShape(b, shape)
		schema.TensorAddType(b, t.dtype)
		schema.TensorAddBuffer(b, t.buffer)
		schema.TensorAddExternalBuffer(b, t.external)
		schema.TensorAddIsVariable(b, t.variable)
		schema.TensorAddShapeSignature(b, signature)
		schema.TensorAddSparsity(b, sparsity)
		return schema.TensorEnd(b)
	})
	ops := tables(b, s.ops, func(o rawOp) flatbuffers.UOffsetT { return o.add(b) })
	in, out, name := int32s(b, s.inputs), int32s(b, s.outputs), b.CreateString(s.name)
	schema.SubGraphStart(b)
	schema.SubGraphAddTensors(b, tensors)
	schema.SubGraphAddInputs(b, in)
	schema.SubGraphAddOutputs(b, out)
	schema.SubGraphAddOperators(b, ops)
	schema.SubGraphAddName(b, name)
	return schema.SubGraphEnd(b)
}

func (o *rawOp) add(b *flatbuffers.Builder) flatbuffers.UOffsetT {
	in, out, inner := int32s(b, o.inputs), int32s(b, o.outputs), int32s(b, o.intermediates)
	options := o.options(b)
	schema.OperatorStart(b)
	schema.OperatorAddOpcodeIndex(b, o.code)
	schema.OperatorAddInputs(b, in)
	schema.OperatorAddOutputs(b, out)
	schema.OperatorAddIntermediates(b, inner)
	if o.member != 0 {
		schema.OperatorAddBuiltinOptionsType(b, o.member)
		schema.OperatorAddBuiltinOptions(b, options)
	}
	if o.member2 != 0 {
		schema.OperatorAddBuiltinOptions2Type(b, o.member2)
		schema.OperatorAddBuiltinOptions2(b, options)
	}
	return schema.OperatorEnd(b)
}

// options writes the callees into the table that the union member asks for.
func (o *rawOp) options(b *flatbuffers.Builder) flatbuffers.UOffsetT {
	c := func(i int) int32 {
		if i < len(o.callees) {
			return o.callees[i]
		}
		return 0
	}
	switch {
	case o.member2 == schema.Union2CompositeOptions:
		name := b.CreateString("composite")
		schema.CompositeOptionsStart(b)
		schema.CompositeOptionsAddName(b, name)
		schema.CompositeOptionsAddDecompositionSubgraphIndex(b, c(0))
		return schema.CompositeOptionsEnd(b)
	case o.member2 == schema.Union2CaseOptions:
		list := int32s(b, o.callees)
		schema.CaseOptionsStart(b)
		schema.CaseOptionsAddBranchSubgraphIndices(b, list)
		return schema.CaseOptionsEnd(b)
	}
	schema.WhileOptionsStart(b)
	schema.WhileOptionsAddCondSubgraphIndex(b, c(0))
	schema.WhileOptionsAddBodySubgraphIndex(b, c(1))
	return schema.WhileOptionsEnd(b)
}

func tensorMaps(b *flatbuffers.Builder, list []uint32) flatbuffers.UOffsetT {
	return tables(b, list, func(t uint32) flatbuffers.UOffsetT {
		name := b.CreateString("arg")
		schema.TensorMapStart(b)
		schema.TensorMapAddName(b, name)
		schema.TensorMapAddTensorIndex(b, t)
		return schema.TensorMapEnd(b)
	})
}

func tables[T any](b *flatbuffers.Builder, list []T, add func(T) flatbuffers.UOffsetT) flatbuffers.UOffsetT {
	at := make([]flatbuffers.UOffsetT, len(list))
	for i := range list {
		at[i] = add(list[i])
	}
	return b.CreateVectorOfTables(at)
}

func int32s(b *flatbuffers.Builder, list []int32) flatbuffers.UOffsetT {
	b.StartVector(4, len(list), 4)
	for i := len(list) - 1; i >= 0; i-- {
		b.PrependInt32(list[i])
	}
	return b.EndVector(len(list))
}

// smallModel is x ─▶ ADD with a constant ─▶ y, all int8 of shape [4].
func smallModel() *rawModel {
	return &rawModel{
		version: SchemaVersion,
		codes:   []rawCode{{}},
		buffers: []rawBuffer{{}, {data: []byte{1, 2, 3, 4}}},
		subgraphs: []rawSubgraph{{
			name: "main",
			tensors: []rawTensor{
				{name: "x", dtype: 9, shape: []int32{4}}, {name: "c", dtype: 9, shape: []int32{4}, buffer: 1},
				{name: "y", dtype: 9, shape: []int32{4}},
			},
			inputs:  []int32{0},
			outputs: []int32{2},
			ops:     []rawOp{{inputs: []int32{0, 1}, outputs: []int32{2}}},
		}},
		metadata:   []rawMetadata{{"min_runtime_version", 0}},
		signatures: []rawSignature{{"serve", []uint32{0}, []uint32{2}, 0}},
	}
}

// callModel is a main subgraph with one operator of the given code over one
// bool and one int8 input, and two copies of smallModel's subgraph without the
// constant to call.
func callModel(code int32, op rawOp) *rawModel {
	callee := rawSubgraph{
		tensors: []rawTensor{{name: "in", dtype: 9, shape: []int32{4}}, {name: "out", dtype: 9, shape: []int32{4}}},
		inputs:  []int32{0}, outputs: []int32{1},
		ops: []rawOp{{code: 1, inputs: []int32{0, 0}, outputs: []int32{1}}},
	}
	return &rawModel{
		version: SchemaVersion,
		codes:   []rawCode{{deprecated: int8(min(code, 127)), builtin: code}, {}},
		buffers: []rawBuffer{{}},
		subgraphs: []rawSubgraph{{
			tensors: []rawTensor{
				{name: "p", dtype: 6, shape: []int32{1}}, {name: "x", dtype: 9, shape: []int32{4}},
				{name: "y", dtype: 9, shape: []int32{4}},
			},
			inputs: []int32{0, 1}, outputs: []int32{1, 2}, ops: []rawOp{op},
		}, callee, callee},
	}
}
