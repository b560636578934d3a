// Package verify checks that a byte string is a well-formed FlatBuffer of the
// planning schema, so that the generated accessors can be used on it without
// a panic and without copying more than the file warrants.
//
// The accessors of flatbuffers/go trust every offset and length. The check
// walks the tables as package layout data describe them: each table, vtable,
// vector and string must be aligned and inside the file. The tables do not
// nest without end, so neither does the walk.
package verify

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
)

// ErrNotTFLite is returned, wrapped, for data without the header of the
// format: not a damaged model but something else.
var ErrNotTFLite = errors.New("not a TFLite model")

const (
	identifier = "TFL3"
	headerSize = 8 // root offset and identifier

	// tableCost is what a table counts against the budget, in bytes. It is
	// more than a table needs in a file, less than its copy needs in memory.
	tableCost = 32
)

// Budget returns how many bytes of tables, strings and index vectors a file of
// the given size may hold, each counted as often as it is referred to. Honest
// files stay far below it, as they refer to most parts once. A hostile file of
// a few kilobytes may refer to one part from thousands of places: copying it
// would need gigabytes.
func Budget(size int) int64 { return 8*int64(size) + 1<<20 }

// Model checks data. The error says where in the tree of tables the first
// fault lies. Nothing is allocated unless there is a fault.
func Model(data []byte) error {
	if len(data) < headerSize {
		return fmt.Errorf("%w: truncated to %d bytes", ErrNotTFLite, len(data))
	}
	if string(data[4:8]) != identifier {
		return fmt.Errorf("%w: identifier %q instead of %q", ErrNotTFLite, data[4:8], identifier)
	}
	// Offsets are 32 bits wide; what follows after 2 GiB is constant data.
	v := verifier{data: data[:min(len(data), math.MaxInt32)], limit: Budget(len(data))}
	root, err := v.follow(0)
	if err == nil {
		err = v.table(root, modelLayout)
	}
	if err != nil {
		return fmt.Errorf("corrupt file: model%w", err)
	}
	return nil
}

type verifier struct {
	data         []byte
	spent, limit int64 // bytes, see Budget
}

func (v *verifier) size() int64 { return int64(len(v.data)) }

func (v *verifier) u16(pos int64) int64 { return int64(binary.LittleEndian.Uint16(v.data[pos:])) }

func (v *verifier) u32(pos int64) int64 { return int64(binary.LittleEndian.Uint32(v.data[pos:])) }

func (v *verifier) i32(pos int64) int64 { return int64(int32(v.u32(pos))) }

// fault is an error at the end of a path of field names.
func fault(format string, args ...any) error {
	return fmt.Errorf(": "+format, args...)
}

// spend counts n bytes against the budget.
func (v *verifier) spend(n int64) error {
	if v.spent += n; v.spent > v.limit {
		return fault("parts are shared so often that their copies would exceed the limit of %d bytes", v.limit)
	}
	return nil
}

// follow returns where the offset stored at pos leads. At least four bytes
// are readable there.
func (v *verifier) follow(pos int64) (int64, error) {
	to := pos + v.u32(pos)
	switch {
	case to == pos:
		return 0, fault("offset 0 at byte %d", pos)
	case to+4 > v.size():
		return 0, fault("offset at byte %d leads past the end of the file, to byte %d", pos, to)
	case to%4 != 0:
		return 0, fault("offset at byte %d leads to byte %d, which is not aligned", pos, to)
	}
	return to, nil
}

// table checks the table at pos, which is aligned and has four bytes.
func (v *verifier) table(pos int64, l *layout) error {
	if err := v.spend(tableCost); err != nil {
		return err
	}
	vtable := pos - v.i32(pos)
	if vtable < 0 || vtable+4 > v.size() || vtable%2 != 0 {
		return fault("table at byte %d has its vtable at byte %d", pos, vtable)
	}
	length, extent := v.u16(vtable), v.u16(vtable+2)
	switch {
	case length < 4 || length%2 != 0 || vtable+length > v.size():
		return fault("vtable at byte %d has a length of %d bytes", vtable, length)
	case extent < 4 || pos+extent > v.size():
		return fault("table at byte %d of %d bytes leads past the end of the file", pos, extent)
	}
	slots := (length - 4) / 2
	var before int64 // where the value of the slot before lies, or 0
	for i := range min(int64(len(*l)), slots) {
		s := &(*l)[i]
		at := v.u16(vtable + 4 + 2*i)
		if at == 0 || s.kind == skip {
			before = 0
			continue
		}
		width := int64(4) // of an offset
		if s.kind == inline {
			width = s.size
		}
		if at < 4 || at+width > extent || (pos+at)%width != 0 {
			return fmt.Errorf(".%s%w", s.name, fault("field at byte %d of a table of %d bytes", at, extent))
		}
		if err := v.slot(s, pos+at, before); err != nil {
			return fmt.Errorf(".%s%w", s.name, err)
		}
		before = pos + at
	}
	return nil
}

// slot checks what the slot at pos refers to.
func (v *verifier) slot(s *slot, pos, before int64) error {
	switch s.kind {
	case inline:
		return nil
	case union:
		return v.union(s, pos, before)
	}
	to, err := v.follow(pos)
	if err != nil {
		return err
	}
	if s.kind == child {
		return v.table(to, s.table)
	}
	count := v.u32(to)
	start := to + 4
	if count > (v.size()-start)/s.size {
		return fault("vector of %d elements at byte %d leads past the end of the file", count, to)
	}
	switch s.kind {
	case text:
		if end := start + count; end >= v.size() || v.data[end] != 0 {
			return fault("string at byte %d is not terminated", to)
		}
		return v.spend(count)
	case vector:
		return v.spend(count * s.size)
	case children:
		return v.children(s, start, count)
	}
	return nil
}

func (v *verifier) children(s *slot, start, count int64) error {
	for i := range count {
		to, err := v.follow(start + 4*i)
		if err == nil {
			err = v.table(to, s.table)
		}
		if err != nil {
			return fmt.Errorf("[%d]%w", i, err)
		}
	}
	return nil
}

// union checks the member of a union if it is one that is read.
func (v *verifier) union(s *slot, pos, before int64) error {
	if before == 0 {
		return nil // a union without a type is none
	}
	l := s.types[v.data[before]]
	if l == nil {
		return nil
	}
	to, err := v.follow(pos)
	if err != nil {
		return err
	}
	return v.table(to, l)
}
