package tflite

import (
	"encoding/binary"
	"math/rand/v2"
	"os"
	"runtime"
	"strings"
	"testing"

	flatbuffers "github.com/google/flatbuffers/go"

	"github.com/arenalab/arenalab/graph"
	"github.com/arenalab/arenalab/graph/tflite/internal/schema"
)

// exercise uses everything of a model that Decode accepted: none of it may
// panic.
func exercise(t *testing.T, data []byte, m *graph.Model) {
	t.Helper()
	for _, s := range m.Subgraphs {
		if err := s.CheckOrder(graph.Stored(s)); err != nil {
			t.Fatalf("stored order: %v", err)
		}
		m.DynamicOps(s.Index)
	}
	m.CheckOffline()
	for i, b := range m.Buffers {
		if b.Size > int64(len(data)) || b.External != "" {
			continue
		}
		if got, err := m.ReadBuffer(i); err != nil || int64(len(got)) != b.Size {
			t.Fatalf("buffer %d: %d bytes, %v", i, len(got), err)
		}
	}
}

func FuzzDecode(f *testing.F) {
	for _, raw := range seeds() {
		f.Add(raw.bytes())
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if m, err := Decode(data, "fuzz"); err == nil {
			exercise(t, data, m)
		}
	})
}

// seeds are small models that between them have every part that is read.
func seeds() []*rawModel {
	offline := smallModel()
	offline.buffers = append(offline.buffers, rawBuffer{data: binary.LittleEndian.AppendUint64(
		binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, 1|1<<32), 3), 1<<36|0xffffffff)})
	offline.metadata = append(offline.metadata, rawMetadata{offlineName, 2})
	external := smallModel()
	external.groups, external.externals = []string{"w"}, []rawExternal{{1, 0, 0, 4}}
	external.subgraphs[0].tensors[1].buffer, external.subgraphs[0].tensors[1].external = 0, 1
	external.subgraphs[0].tensors[2].signature = []int32{-1}
	custom := smallModel()
	custom.codes[0] = rawCode{32, 32, "Foo"}
	custom.subgraphs[0].ops[0].intermediates = []int32{-1}
	one, two, y := []int32{1}, []int32{0, 1}, []int32{2}
	return []*rawModel{
		smallModel(), offline, external, custom,
		callModel(graph.OpIf, rawOp{inputs: two, outputs: y, member: schema.UnionIfOptions, callees: []int32{1, 2}}),
		callModel(graph.OpWhile, rawOp{inputs: one, outputs: y, member: schema.UnionWhileOptions, callees: []int32{1, 2}}),
		callModel(graph.OpStablehloCase, rawOp{inputs: two, outputs: y, member2: schema.Union2CaseOptions, callees: []int32{1, 2}}),
		callModel(graph.OpStablehloComposite, rawOp{inputs: one, outputs: y, member2: schema.Union2CompositeOptions, callees: one}),
	}
}

// TestSeeds makes sure that the seeds get past the front door.
func TestSeeds(t *testing.T) {
	for i, raw := range seeds() {
		data := raw.bytes()
		m, err := Decode(data, "seed")
		if err != nil {
			t.Errorf("seed %d: %v", i, err)
			continue
		}
		exercise(t, data, m)
	}
}

// interesting are words that offsets, lengths and indices go wrong at.
var interesting = []uint32{0, 1, 3, 4, 0x7f, 0xffff, 0x3fffffff, 0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff}

// mutate damages a copy of data in one to four places.
func mutate(r *rand.Rand, data []byte) []byte {
	data = append([]byte(nil), data...)
	for range 1 + r.IntN(4) {
		at := r.IntN(len(data))
		switch r.IntN(4) {
		case 0:
			data[at] ^= 1 << r.IntN(8)
		case 1:
			data[at] = byte(r.Uint32())
		default:
			if at &^= 3; at+4 <= len(data) {
				word := interesting[r.IntN(len(interesting))]
				if r.IntN(3) == 0 {
					word = binary.LittleEndian.Uint32(data[at:]) + uint32(r.IntN(33)-16)
				}
				binary.LittleEndian.PutUint32(data[at:], word)
			}
		}
	}
	return data
}

// TestMutants damages models in many ways. Whatever is accepted must be usable.
func TestMutants(t *testing.T) {
	const small, mutants = 8 << 10, 60 // bytes of a model, mutants of each
	r := rand.New(rand.NewPCG(1, 2))
	var originals [][]byte
	for _, raw := range seeds() {
		originals = append(originals, raw.bytes())
	}
	if os.Getenv("ARENALAB_DATA") != "" {
		for _, path := range files(t, "models", "*.tflite") {
			if info, err := os.Stat(path); err == nil && info.Size() <= small {
				data, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				originals = append(originals, data)
			}
		}
	}
	tried, accepted := 0, 0
	for _, data := range originals {
		for range mutants {
			mutant := mutate(r, data)
			tried++
			if m, err := Decode(mutant, "mutant"); err == nil {
				accepted++
				exercise(t, mutant, m)
			}
		}
	}
	t.Logf("%d mutants of %d models, %d accepted", tried, len(originals), accepted)
	if accepted == 0 || accepted == tried {
		t.Errorf("%d of %d mutants accepted: the test does not test", accepted, tried)
	}
}

// sharing returns a model that lists one subgraph many times, and that one the
// same operator many times.
func sharing(subgraphs, ops, inputs int) []byte {
	b := flatbuffers.NewBuilder(1024)
	list := int32s(b, make([]int32, inputs))
	schema.OperatorStart(b)
	schema.OperatorAddInputs(b, list)
	op := schema.OperatorEnd(b)
	same := func(t flatbuffers.UOffsetT) func(struct{}) flatbuffers.UOffsetT {
		return func(struct{}) flatbuffers.UOffsetT { return t }
	}
	operators := tables(b, make([]struct{}, ops), same(op))
	tensor := tables(b, []rawTensor{{}}, func(rawTensor) flatbuffers.UOffsetT {
		schema.TensorStart(b)
		return schema.TensorEnd(b)
	})
	in := int32s(b, []int32{0})
	schema.SubGraphStart(b)
	schema.SubGraphAddTensors(b, tensor)
	schema.SubGraphAddInputs(b, in)
	schema.SubGraphAddOperators(b, operators)
	all := tables(b, make([]struct{}, subgraphs), same(schema.SubGraphEnd(b)))
	codes := tables(b, []rawCode{{}}, func(rawCode) flatbuffers.UOffsetT {
		schema.OperatorCodeStart(b)
		return schema.OperatorCodeEnd(b)
	})
	schema.ModelStart(b)
	schema.ModelAddVersion(b, SchemaVersion)
	schema.ModelAddOperatorCodes(b, codes)
	schema.ModelAddSubgraphs(b, all)
	b.FinishWithFileIdentifier(schema.ModelEnd(b), []byte(FileIdentifier))
	return b.FinishedBytes()
}

// TestSharedParts: a file whose parts are referred to from many places may not
// cost more than its size warrants.
func TestSharedParts(t *testing.T) {
	for _, test := range []struct {
		subgraphs, ops, inputs int
		ok                     bool
	}{
		{1, 1, 1000, true},
		{1, 20000, 1, true},      // 80 KB
		{20000, 0, 1, true},      // 80 KB
		{1000, 1000, 1, false},   // a million operators in 8 KB
		{1, 10000, 10000, false}, // 100 million indices in 80 KB
		{100000, 1, 1, false},
	} {
		data := sharing(test.subgraphs, test.ops, test.inputs)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := Decode(data, "m")
		runtime.ReadMemStats(&after)
		if (err == nil) != test.ok || err != nil && !strings.Contains(err.Error(), "parts are shared so often") {
			t.Errorf("%+v: %v", test, err)
		}
		if n := after.TotalAlloc - before.TotalAlloc; n > 64<<20 {
			t.Errorf("%+v: %d bytes allocated for a file of %d", test, n, len(data))
		}
	}
}
