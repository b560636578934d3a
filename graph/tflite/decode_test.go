package tflite

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/arenalab/arenalab/graph"
	"github.com/arenalab/arenalab/graph/tflite/internal/schema"
)

func TestDecode(t *testing.T) {
	raw := smallModel()
	raw.subgraphs[0].tensors[0].signature = []int32{-1}
	data := raw.bytes()
	m, err := Decode(data, "small")
	if err != nil {
		t.Fatal(err)
	}
	s := m.Subgraphs[0]
	got := fmt.Sprintln(m.Name, m.Version, m.FileBytes == int64(len(data)), s.Name, s.Inputs, s.Outputs, s.Ops[0].Name(),
		s.Ops[0].Inputs, s.Producer, s.Tensors[0].Unknown(), s.Tensors[1].Constant, s.Tensors[2].Bytes, s.Tensors[2].Type,
		m.Signatures, m.Metadata, m.Notes)
	const want = "small 3 true main [0] [2] ADD [0 1] [-1 -1 0] true true 4 int8 " +
		"[{serve 0 [{arg 0}] [{arg 2}]}] [{min_runtime_version 0}] []\n"
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if b, err := m.ReadBuffer(s.Tensors[1].Buffer); err != nil || string(b) != "\x01\x02\x03\x04" {
		t.Errorf("constant: %v, %v", b, err)
	}
	if len(m.Hash) != 64 {
		t.Errorf("hash %q", m.Hash)
	}
}

func TestOperatorCodes(t *testing.T) {
	for _, test := range []struct {
		code rawCode
		want string
	}{
		{rawCode{}, "ADD"},
		{rawCode{deprecated: 18}, "MUL"}, // before version 3a
		{rawCode{builtin: 18}, "MUL"},    // without the old field
		{rawCode{deprecated: 127, builtin: 130}, "BROADCAST_TO"},
		{rawCode{deprecated: 127, builtin: 32767}, "BUILTIN:32767"},
		{rawCode{deprecated: 32, builtin: 32, custom: "Foo"}, "CUSTOM:Foo"},
		{rawCode{deprecated: -5, builtin: 18}, "MUL"},
	} {
		raw := smallModel()
		raw.codes[0] = test.code
		m, err := Decode(raw.bytes(), "m")
		if err != nil {
			t.Errorf("%+v: %v", test.code, err)
			continue
		}
		if got := m.Subgraphs[0].Ops[0].Name(); got != test.want {
			t.Errorf("%+v is %s, want %s", test.code, got, test.want)
		}
	}
}

func TestDecodeFaults(t *testing.T) {
	tensor := func(change func(*rawTensor)) func(*rawModel) {
		return func(m *rawModel) { change(&m.subgraphs[0].tensors[2]) }
	}
	for _, test := range []struct {
		name   string
		change func(*rawModel)
		want   string
	}{
		{"version", func(m *rawModel) { m.version = 4 }, "m: schema version 4 is not supported, only 1 to 3"},
		{"version 0", func(m *rawModel) { m.version = 0 }, "m: schema version 0 is not supported, only 1 to 3"},
		{"no subgraphs", func(m *rawModel) { m.subgraphs = nil }, "m: no subgraphs"},
		{"negative code", func(m *rawModel) { m.codes[0] = rawCode{-1, -7, ""} }, "operator code 0: builtin code -1 is negative"},
		{"code index", func(m *rawModel) { m.subgraphs[0].ops[0].code = 1 }, "subgraph 0: operator 0: operator code index 1 is out of range"},
		{"type", tensor(func(x *rawTensor) { x.dtype = 99 }), `subgraph 0: tensor 2 "y": element type 99 is unknown`},
		{"negative type", tensor(func(x *rawTensor) { x.dtype = -1 }), `element type -1 is unknown`},
		{"dimension", tensor(func(x *rawTensor) { x.shape = []int32{4, -2} }), `tensor 2 "y": dimension 1 is negative: -2`},
		{"signature", tensor(func(x *rawTensor) { x.signature = []int32{-2} }), `dimension 0 of its signature is negative: -2`},
		{"overflow", tensor(func(x *rawTensor) { x.shape = []int32{math.MaxInt32, math.MaxInt32, 99} }), `tensor 2 "y": size overflow`},
		{"sum", func(m *rawModel) {
			for i := range m.subgraphs[0].tensors {
				m.subgraphs[0].tensors[i] = rawTensor{dtype: 9, shape: []int32{1 << 30, 1 << 29}}
			}
		}, `tensor 2 "": size overflow: the tensors up to this one`},
		{"buffer", tensor(func(x *rawTensor) { x.buffer = 2 }), `buffer index 2 is out of range (2 buffers)`},
		{"short", func(m *rawModel) { m.buffers[1].data = []byte{1, 2, 3} }, `tensor 1 "c": buffer size mismatch: buffer 1 has 3 bytes, int8 of shape [4] needs 4`},
		{"variable with data", func(m *rawModel) { m.subgraphs[0].tensors[1].variable = true }, `tensor 1 "c": is a variable and has data`},
		{"offset", func(m *rawModel) { m.buffers[1] = rawBuffer{offset: 100, size: 1 << 40} }, "buffer 1: 1099511627776 bytes at offset 100 lie outside the file"},
		{"offset overflow", func(m *rawModel) { m.buffers[1] = rawBuffer{offset: 1 << 63, size: 1 << 63} }, "buffer 1: "},
		{"no external", tensor(func(x *rawTensor) { x.external = 7 }), `tensor 2 "y": external buffer 7 does not exist`},
		{"external group", func(m *rawModel) { m.externals = []rawExternal{{1, 0, 0, 4}} }, "external buffer 0: group 0 names no file (0 groups)"},
		{"external id", func(m *rawModel) {
			m.groups, m.externals = []string{"w.bin"}, []rawExternal{{1, 0, 0, 4}, {1, 0, 4, 4}}
		}, "external buffer 1: id 1 is 0 or not unique"},
		{"external range", func(m *rawModel) {
			m.groups, m.externals = []string{"w.bin"}, []rawExternal{{1, 0, 1 << 63, 4}}
		}, "external buffer 0: 4 bytes at offset 9223372036854775808 overflow"},
		{"both", func(m *rawModel) {
			m.groups, m.externals = []string{"w.bin"}, []rawExternal{{1, 0, 0, 4}}
			m.subgraphs[0].tensors[1].external = 1
		}, `tensor 1 "c": has buffer 1 and external buffer 1`},
		{"link", func(m *rawModel) { m.subgraphs[0].ops[0].inputs[0] = 5 }, "m: subgraph 0: operator 0 ADD: input 0: tensor index 5 is out of range (3 tensors)"},
		{"signature subgraph", func(m *rawModel) { m.signatures[0].subgraph = 1 }, `signature 0 "serve": subgraph index 1 is out of range`},
		{"signature input", func(m *rawModel) { m.signatures[0].inputs[0] = 3 }, `signature "serve": input 0 "arg": tensor index 3 is out of range`},
		{"signature output", func(m *rawModel) { m.signatures[0].outputs[0] = math.MaxUint32 }, `signature "serve": output 0 "arg": tensor index 4294967295`},
		{"metadata", func(m *rawModel) { m.metadata[0].buffer = 2 }, `metadata 0 "min_runtime_version": buffer index 2 is out of range`},
	} {
		t.Run(test.name, func(t *testing.T) {
			raw := smallModel()
			test.change(raw)
			m, err := Decode(raw.bytes(), "m")
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %q", err, test.want)
			}
			if m != nil || errors.Is(err, ErrNotTFLite) {
				t.Errorf("model %v, error %v", m, err)
			}
		})
	}
}

func TestDecodeCapsFaults(t *testing.T) {
	raw := smallModel()
	for range 100 {
		raw.subgraphs[0].tensors = append(raw.subgraphs[0].tensors, rawTensor{dtype: 99})
	}
	_, err := Decode(raw.bytes(), "m")
	if lines := strings.Split(err.Error(), "\n"); len(lines) != maxFaults+1 || !strings.HasSuffix(lines[maxFaults], "and 80 more faults") {
		t.Errorf("%d lines, the last %q", len(lines), lines[len(lines)-1])
	}
}

func TestTensorStates(t *testing.T) {
	raw := smallModel()
	raw.buffers = append(raw.buffers, rawBuffer{data: []byte{9}}, rawBuffer{data: []byte{}}, rawBuffer{data: make([]byte, 9)})
	raw.subgraphs[0].tensors = append(raw.subgraphs[0].tensors,
		rawTensor{name: "sparse", dtype: 0, shape: []int32{64}, buffer: 2, sparse: true},
		rawTensor{name: "text", dtype: 5, shape: []int32{1}, buffer: 2},
		rawTensor{name: "state", dtype: 7, shape: []int32{3}, variable: true},
		rawTensor{name: "int4", dtype: 17, shape: []int32{5}, buffer: 0},
		rawTensor{name: "empty", dtype: 2, shape: []int32{0}, buffer: 3},
		rawTensor{name: "long", dtype: 2, shape: []int32{2}, buffer: 4},
		rawTensor{name: "unknown", dtype: 2, shape: []int32{-1, 2}},
		rawTensor{name: "resource", dtype: 13},
	)
	m, err := Decode(raw.bytes(), "m")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, x := range m.Subgraphs[0].Tensors[3:] {
		got = append(got, fmt.Sprint(x.Name, x.Bytes, x.Constant, x.Variable, x.Unknown()))
	}
	want := []string{
		"sparse256truefalsefalse", "text-1truefalsefalse", "state6falsetruefalse", "int43falsefalsefalse",
		"empty0falsefalsefalse", "long8truefalsefalse", "unknown-1falsefalsetrue", "resource-1falsefalsefalse",
	}
	for i := range want {
		if strings.ReplaceAll(got[i], " ", "") != want[i] {
			t.Errorf("tensor %d: %s, want %s", i+3, got[i], want[i])
		}
	}
	if len(m.Notes) != 2 || !strings.Contains(m.Notes[0], `"unknown" [-1 2]`) || !strings.Contains(m.Notes[1], `"long" [2]`) {
		t.Errorf("notes %q", m.Notes)
	}
}

func TestExternalBuffers(t *testing.T) {
	dir := t.TempDir()
	raw := smallModel()
	raw.groups = []string{"weights.bin"}
	raw.externals = []rawExternal{{id: 7, group: 0, offset: 2, length: 4}}
	raw.subgraphs[0].tensors[1].buffer, raw.subgraphs[0].tensors[1].external = 0, 7
	path := filepath.Join(dir, "m.tflite")
	write(t, path, raw.bytes())
	write(t, filepath.Join(dir, "weights.bin"), []byte("..abcd.."))
	m, err := Read(path)
	if err != nil {
		t.Fatal(err)
	}
	if c := m.Subgraphs[0].Tensors[1]; !c.Constant {
		t.Error("an external tensor is no constant")
	} else if b, err := m.ReadBuffer(c.Buffer); err != nil || string(b) != "abcd" {
		t.Errorf("read %q, %v", b, err)
	}
}

// TestAppendedBuffers: data may lie behind the FlatBuffer in the same file.
func TestAppendedBuffers(t *testing.T) {
	const at = 4096
	raw := smallModel()
	raw.buffers[1] = rawBuffer{offset: at, size: 4}
	data := raw.bytes()
	data = append(data, make([]byte, at-len(data))...)
	m, err := Decode(append(data, "wxyz"...), "m")
	if err != nil {
		t.Fatal(err)
	}
	if b, err := m.ReadBuffer(1); err != nil || string(b) != "wxyz" {
		t.Errorf("read %q, %v", b, err)
	}
}

func TestCallees(t *testing.T) {
	two, one := []int32{0, 1}, []int32{1}
	for _, test := range []struct {
		name string
		code int32
		op   rawOp
		want string // callees, or an error after "!"
	}{
		{"if", graph.OpIf, rawOp{inputs: two, outputs: []int32{2}, member: schema.UnionIfOptions, callees: []int32{1, 2}}, "[1 2]"},
		{"if by default", graph.OpIf, rawOp{inputs: two, outputs: []int32{2}, member: schema.UnionIfOptions, callees: []int32{2, 2}}, "[2 2]"},
		{"call once", graph.OpCallOnce, rawOp{outputs: []int32{2}, member: schema.UnionCallOnceOptions, callees: one}, "!calls subgraph 1 with 0 inputs and 0 outputs, which has 1 and 1"},
		{"call", graph.OpCall, rawOp{inputs: one, outputs: []int32{2}, member: schema.UnionCallOptions, callees: one}, "[1]"},
		{"composite", graph.OpStablehloComposite, rawOp{inputs: one, outputs: []int32{2}, member2: schema.Union2CompositeOptions, callees: []int32{2}}, "[2]"},
		{"case", graph.OpStablehloCase, rawOp{inputs: two, outputs: []int32{2}, member2: schema.Union2CaseOptions, callees: []int32{1, 2, 1}}, "[1 2 1]"},
		{"while", graph.OpWhile, rawOp{inputs: one, outputs: []int32{2}, member: schema.UnionWhileOptions, callees: []int32{1, 2}}, "[1 2]"},
		{"while of the second union", graph.OpStablehloWhile, rawOp{inputs: one, outputs: []int32{2}, member2: schema.Union2StablehloWhileOptions, callees: []int32{1, 2}}, "[1 2]"},
		{"no options", graph.OpIf, rawOp{inputs: two, outputs: []int32{2}}, "!operator 0 IF: its options, which name the subgraphs it calls, are missing"},
		{"other options", graph.OpIf, rawOp{inputs: two, outputs: []int32{2}, member: schema.UnionWhileOptions}, "!are missing"},
		{"range", graph.OpIf, rawOp{inputs: two, outputs: []int32{2}, member: schema.UnionIfOptions, callees: []int32{-1, 3}}, "!callee 1: subgraph index 3 is out of range (3 subgraphs)"},
		{"itself", graph.OpCall, rawOp{inputs: one, outputs: []int32{2}, member: schema.UnionCallOptions}, "!operator 0 CALL: calls subgraph 0, which is running already: recursion"},
		{"branch", graph.OpIf, rawOp{inputs: []int32{0, 1, 1}, outputs: []int32{2}, member: schema.UnionIfOptions, callees: []int32{1, 2}}, "!calls subgraph 2 with 2 inputs and 1 outputs, which has 1 and 1"},
		{"loop", graph.OpWhile, rawOp{inputs: two, outputs: []int32{2}, member: schema.UnionWhileOptions, callees: []int32{1, 2}}, "!has 2 inputs and 1 outputs, but a loop returns what it is given"},
		{"not a call", 0, rawOp{inputs: one, outputs: []int32{2}, member: schema.UnionIfOptions, callees: []int32{9, 9}}, "[]"},
	} {
		t.Run(test.name, func(t *testing.T) {
			m, err := Decode(callModel(test.code, test.op).bytes(), "m")
			if fault, bad := strings.CutPrefix(test.want, "!"); bad {
				if err == nil || !strings.Contains(err.Error(), fault) {
					t.Errorf("got %v, want %q", err, fault)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if got := fmt.Sprint(m.Subgraphs[0].Ops[0].Callees); got != test.want {
				t.Errorf("callees %s, want %s", got, test.want)
			}
		})
	}
}

// TestRecursion: a cycle over several subgraphs is found, and so are calls
// that double at every level.
func TestRecursion(t *testing.T) {
	call := func(next ...int32) rawSubgraph {
		return rawSubgraph{
			tensors: []rawTensor{{dtype: 6, shape: []int32{1}}, {dtype: 6, shape: []int32{1}}},
			inputs:  []int32{0}, outputs: []int32{1},
			ops: []rawOp{{inputs: []int32{0, 0}, outputs: []int32{1}, member: schema.UnionIfOptions, callees: next}},
		}
	}
	raw := &rawModel{version: SchemaVersion, codes: []rawCode{{118, 118, ""}, {}}, buffers: []rawBuffer{{}}}
	last := call()
	last.ops[0].code = 1
	raw.subgraphs = []rawSubgraph{call(1, 3), call(2, 3), call(3, 0), last}
	if _, err := Decode(raw.bytes(), "m"); err == nil ||
		!strings.Contains(err.Error(), "subgraph 2: operator 0 IF: calls subgraph 0, which is running already: recursion") {
		t.Errorf("cycle: %v", err)
	}
	for depth, ok := range map[int]bool{18: true, 40: false} {
		raw.subgraphs = nil
		for i := range depth {
			raw.subgraphs = append(raw.subgraphs, call(int32(i+1), int32(i+1)))
		}
		raw.subgraphs = append(raw.subgraphs, last)
		_, err := Decode(raw.bytes(), "m")
		if (err == nil) != ok || err != nil && !strings.Contains(err.Error(), "calls nest so that more than 1048576 operators would run") {
			t.Errorf("depth %d: %v", depth, err)
		}
	}
}

func TestOldSchemaVersionIsNoted(t *testing.T) {
	raw := smallModel()
	raw.version = 2
	m, err := Decode(raw.bytes(), "m")
	if err != nil {
		t.Fatal(err)
	}
	if m.Version != 2 || len(m.Notes) != 1 || !strings.Contains(m.Notes[0], "schema version 2") {
		t.Errorf("version %d, notes %q", m.Version, m.Notes)
	}
}

func TestWorkspace(t *testing.T) {
	raw := smallModel()
	raw.codes[0] = rawCode{32, 32, "ethos-u"}
	raw.subgraphs[0].tensors = append(raw.subgraphs[0].tensors, rawTensor{name: "scratch", dtype: 3, shape: []int32{64}})
	raw.subgraphs[0].ops[0].inputs = []int32{1, 3, 0}
	m, err := Decode(raw.bytes(), "m")
	if err != nil {
		t.Fatal(err)
	}
	op := m.Subgraphs[0].Ops[0]
	if !slices.Equal(op.Inputs, []int{1, -1, 0}) || !slices.Equal(op.Workspace, []int{3}) {
		t.Errorf("inputs %v, workspace %v", op.Inputs, op.Workspace)
	}
	if len(m.Notes) != 1 || !strings.Contains(m.Notes[0], `3 "scratch" [64]`) {
		t.Errorf("notes %q", m.Notes)
	}
	raw.codes[0] = rawCode{}
	if _, err := Decode(raw.bytes(), "m"); err == nil {
		t.Error("a builtin operator reads what nothing writes")
	}
}

func TestOfflinePlan(t *testing.T) {
	words := func(list ...int32) []byte {
		var b []byte
		for _, w := range list {
			b = binary.LittleEndian.AppendUint32(b, uint32(w))
		}
		return b
	}
	for _, test := range []struct {
		name, meta string
		data       []byte
		want       string // offsets, or a note after "!"
	}{
		{"plan", offlineName, words(1, 1, 3, 0, -1, 16), "[[0 -1 16]]"},
		{"other version", offlineName, words(7, 9, 3, 0, -1, 16), "[[0 -1 16]]"},
		{"overlap", offlineName, words(1, 1, 3, 0, -1, 2), `!m: subgraph 0: offline plan: overlap: tensors 0 "x" and 2 "y" share bytes [2, 4)`},
		{"count", offlineName, words(1, 1, 4, 0, -1, 16, 32), "!plan rejected: 4 offsets for 3 tensors"},
		{"count too low", offlineName, words(1, 1, 2, 0, -1), "!plan rejected: 2 offsets for 3 tensors"},
		{"negative", offlineName, words(1, 1, 3, 0, -2, 16), `!plan rejected: subgraph 0: tensor 1 "c" has offset -2`},
		{"short", offlineName, words(1, 1, 3, 0, -1), "!plan rejected: 20 bytes instead of 24 for 3 tensors"},
		{"long", offlineName, words(1, 1, 3, 0, -1, 16, 16), "!plan rejected: 28 bytes instead of 24"},
		{"header", offlineName, words(1, 1), "!plan rejected: 8 bytes are too short"},
		{"empty", offlineName, nil, "!plan rejected: 0 bytes are too short"},
		{"other name", offlineName + "2", words(1), ""},
		{"prefix of the name", offlineName[:7], words(1), ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			raw := smallModel()
			raw.buffers = append(raw.buffers, rawBuffer{data: test.data})
			raw.metadata = append(raw.metadata, rawMetadata{test.meta, 2})
			m, err := Decode(raw.bytes(), "m")
			if err != nil {
				t.Fatal(err)
			}
			note, bad := strings.CutPrefix(test.want, "!")
			if bad != (len(m.Notes) == 1) || bad && !strings.Contains(m.Notes[0], note) {
				t.Errorf("notes %q, want %q", m.Notes, test.want)
			}
			if got := m.Offline != nil; got != (test.want != "" && !strings.Contains(test.want, "rejected")) {
				t.Errorf("has a plan: %t", got)
			}
			if !bad && m.Offline != nil && fmt.Sprint(m.Offline.Offsets) != test.want {
				t.Errorf("offsets %v, want %s", m.Offline.Offsets, test.want)
			}
		})
	}
}

func TestReadFaults(t *testing.T) {
	dir := t.TempDir()
	empty, text := filepath.Join(dir, "empty"), filepath.Join(dir, "text")
	write(t, empty, nil)
	write(t, text, []byte("this is no model"))
	for _, path := range []string{empty, text} {
		if _, err := Read(path); !errors.Is(err, ErrNotTFLite) || !strings.HasPrefix(err.Error(), path) {
			t.Errorf("%s: %v", path, err)
		}
	}
	if _, err := Read(dir); err == nil || !strings.Contains(err.Error(), "not a regular file") {
		t.Errorf("folder: %v", err)
	}
	if _, err := Read(filepath.Join(dir, "none")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
}

// TestReadChanged: weights are not read from a file that is another by now.
func TestReadChanged(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m.tflite")
	data := smallModel().bytes()
	write(t, path, data)
	m, err := Read(path)
	if err != nil {
		t.Fatal(err)
	}
	if b, err := m.ReadBuffer(1); err != nil || len(b) != 4 {
		t.Fatalf("read %v, %v", b, err)
	}
	if m.Name != "m.tflite" || m.Path != path {
		t.Errorf("name %q, path %q", m.Name, m.Path)
	}
	write(t, path, append(data, 0))
	if _, err := m.ReadBuffer(1); err == nil || !strings.Contains(err.Error(), "changed since it was read") {
		t.Errorf("changed file: %v", err)
	}
}

func write(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := os.WriteFile(path, data, 0o666); err != nil {
		t.Fatal(err)
	}
}
