package tflite

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"

	"github.com/arenalab/arenalab/graph"
	"github.com/arenalab/arenalab/graph/tflite/internal/schema"
	"github.com/arenalab/arenalab/graph/tflite/internal/verify"
)

// ErrNotTFLite is returned, wrapped, for data that are not a TFLite model at
// all: too short for a header, or without the identifier.
var ErrNotTFLite = verify.ErrNotTFLite

// Decode reads the model in data, which must not change afterwards: weights are
// left where they are. The name is that of the model in reports and errors.
func Decode(data []byte, name string) (*graph.Model, error) {
	return decode(data, name, name, "", bytes.NewReader(data))
}

// decode reads a model. Errors begin with label. Nothing in the result refers
// to data: weights come from w.
func decode(data []byte, label, name, path string, w io.ReaderAt) (*graph.Model, error) {
	if err := verify.Model(data); err != nil {
		return nil, fmt.Errorf("%s: %w", label, err)
	}
	d := decoder{data: data, raw: schema.GetRootAsModel(data, 0)}
	version := d.raw.Version()
	if version < oldestVersion || version > SchemaVersion {
		return nil, fmt.Errorf("%s: schema version %d is not supported, only %d to %d", label, version, oldestVersion, SchemaVersion)
	}
	d.m = graph.Model{
		Name:        name,
		Path:        path,
		FileBytes:   int64(len(data)),
		Version:     int(version),
		Description: string(d.raw.Description()),
	}
	if version != SchemaVersion {
		d.m.Notes = append(d.m.Notes, fmt.Sprintf("schema version %d, which LiteRT refuses to run: it wants %d", version, SchemaVersion))
	}
	d.model()
	if err := d.faults.err(label); err != nil {
		return nil, err
	}
	sum := sha256.Sum256(data)
	d.m.Hash = hex.EncodeToString(sum[:])
	d.m.Weights = w
	return &d.m, nil
}

// oldestVersion is the oldest version of the schema that is laid out as the
// newest is, but for constants inside tensors: a file that has those fails the
// check of buffer indices.
const oldestVersion = 1

// decoder copies what planning needs of a verified file.
type decoder struct {
	data   []byte
	raw    *schema.Model
	m      graph.Model
	faults faults

	codes    []opCode
	external map[uint32]int // ExternalBuffer.id to index in Model.Buffers

	// Shapes and index lists are cut from common blocks.
	ints slab[int]
	dims slab[int32]

	copied int64 // bytes of options
}

// model reads the parts in the order in which they refer to each other, and
// stops after the first part with faults.
func (d *decoder) model() {
	for _, part := range []func(){
		d.operatorCodes, d.buffers, d.subgraphs, d.calls, d.signatures, d.metadata,
	} {
		if part(); !d.faults.none() {
			return
		}
	}
}

// opCode is what an operator runs.
type opCode struct {
	builtin int32
	custom  string
	version int
}

func (d *decoder) operatorCodes() {
	d.codes = make([]opCode, d.raw.OperatorCodesLength())
	var raw schema.OperatorCode
	for i := range d.codes {
		d.raw.OperatorCodes(&raw, i)
		// Files from before version 3a have the byte-sized field only; later
		// ones write 127 there if the code is larger. The larger value counts.
		c := opCode{builtin: max(int32(raw.DeprecatedBuiltinCode()), raw.BuiltinCode()), version: int(raw.Version())}
		if c.builtin < 0 {
			d.faults.add("operator code %d: builtin code %d is negative", i, c.builtin)
		}
		if c.builtin == graph.OpCustom {
			c.custom = string(raw.CustomCode())
		}
		d.codes[i] = c
	}
}

func (d *decoder) signatures() {
	n := d.raw.SignatureDefsLength()
	if n == 0 {
		return
	}
	d.m.Signatures = make([]graph.Signature, n)
	var raw schema.SignatureDef
	for i := range d.m.Signatures {
		d.raw.SignatureDefs(&raw, i)
		sig := &d.m.Signatures[i]
		sig.Key = string(raw.SignatureKey())
		sub := raw.SubgraphIndex()
		if int64(sub) >= int64(len(d.m.Subgraphs)) {
			d.faults.add("signature %d %q: subgraph index %d is out of range (%d subgraphs)",
				i, sig.Key, sub, len(d.m.Subgraphs))
			continue
		}
		sig.Subgraph = int(sub)
		sig.Inputs = d.named(sig, "input", raw.InputsLength(), raw.Inputs)
		sig.Outputs = d.named(sig, "output", raw.OutputsLength(), raw.Outputs)
	}
}

func (d *decoder) named(sig *graph.Signature, role string, n int, at func(*schema.TensorMap, int) bool) []graph.NamedTensor {
	list := make([]graph.NamedTensor, n)
	tensors := len(d.m.Subgraphs[sig.Subgraph].Tensors)
	var raw schema.TensorMap
	for i := range list {
		at(&raw, i)
		list[i] = graph.NamedTensor{Name: string(raw.Name()), Tensor: int(raw.TensorIndex())}
		if int64(raw.TensorIndex()) >= int64(tensors) {
			d.faults.add("signature %q: %s %d %q: tensor index %d is out of range (%d tensors in subgraph %d)",
				sig.Key, role, i, list[i].Name, raw.TensorIndex(), tensors, sig.Subgraph)
		}
	}
	return list
}

// note records something that planning can live with.
func (d *decoder) note(format string, args ...any) {
	d.m.Notes = append(d.m.Notes, fmt.Sprintf(format, args...))
}

// maxFaults ends a report early: nobody reads more.
const maxFaults = 20

// faults collects what is wrong with a file.
type faults struct {
	list []error
	more int
}

func (f *faults) none() bool { return len(f.list) == 0 }

func (f *faults) add(format string, args ...any) { f.join("", fmt.Errorf(format, args...)) }

// join adds err, or each of the errors it joins, with a prefix.
func (f *faults) join(prefix string, err error) {
	if several, ok := err.(interface{ Unwrap() []error }); ok {
		for _, e := range several.Unwrap() {
			f.join(prefix, e)
		}
		return
	}
	if len(f.list) == maxFaults {
		f.more++
		return
	}
	f.list = append(f.list, fmt.Errorf("%s%w", prefix, err))
}

// err returns the faults, each with the label before it, or nil.
func (f *faults) err(label string) error {
	if f.none() {
		return nil
	}
	var errs []error
	for _, e := range f.list {
		errs = append(errs, fmt.Errorf("%s: %w", label, e))
	}
	if f.more > 0 {
		errs = append(errs, fmt.Errorf("%s: and %d more faults", label, f.more))
	}
	return errors.Join(errs...)
}

// slab hands out slices of common blocks, so that a model of thousands of
// short lists does not need an allocation for each.
type slab[T any] struct{ free []T }

const slabBlock = 256

// take returns n zero elements, with no room to grow.
func (s *slab[T]) take(n int) []T {
	if n > len(s.free) {
		if n > slabBlock/2 {
			return make([]T, n)
		}
		s.free = make([]T, slabBlock)
	}
	list := s.free[:n:n]
	s.free = s.free[n:]
	return list
}
