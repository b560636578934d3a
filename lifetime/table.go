package lifetime

import (
	"errors"
	"fmt"
	"math"
)

// Kind says what a buffer holds. Planning ignores it; reports and executors
// do not.
type Kind uint8

// The kinds of buffer.
const (
	Activation Kind = iota // an intermediate tensor
	Input                  // a graph input
	Output                 // a graph output
	Variable               // state that is kept between invocations
	Scratch                // working memory of a single operator
)

var kindNames = [...]string{"activation", "input", "output", "variable", "scratch"}

// String returns the lower-case name of the kind.
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return fmt.Sprintf("kind(%d)", uint8(k))
}

// Window is a half-open range of bytes [Lower, Upper) within a buffer.
type Window struct{ Lower, Upper int64 }

// Gap is a part [Lower, Upper) of a buffer's life in which its bytes are free
// for others, except those of Keep, if there is one.
type Gap struct {
	Lower, Upper int64
	Keep         *Window
}

// Buffer is one row of a lifetime table: Size bytes, to be placed at an offset
// that is a multiple of Align, live in the steps [Lower, Upper).
type Buffer struct {
	Name  string
	Size  int64
	Align int64 // power of two; 0 and 1 mean none
	Lower int64
	Upper int64
	Fixed *int64 // the offset, if it is given and not to be chosen
	Hint  *int64 // an offset somebody suggests; planners may ignore it
	Gaps  []Gap  // ascending and disjoint, within [Lower, Upper)
	Kind  Kind
}

// Alignment returns the buffer's alignment, at least 1.
func (b *Buffer) Alignment() int64 { return max(b.Align, 1) }

// Overlaps reports whether the lives of b and c, gaps ignored, share a step.
func (b *Buffer) Overlaps(c *Buffer) bool {
	return b.Lower < c.Upper && c.Lower < b.Upper
}

// Table is a lifetime table: the buffers that share one arena.
type Table struct {
	Name    string
	Buffers []Buffer
}

// Naive returns the sum of all sizes in bytes: the arena that shares nothing,
// alignment ignored.
func (t *Table) Naive() int64 {
	var sum int64
	for i := range t.Buffers {
		sum += t.Buffers[i].Size
	}
	return sum
}

// Span returns the first step of the table and the step after its last,
// or 0, 0 for an empty table.
func (t *Table) Span() (lower, upper int64) {
	if len(t.Buffers) == 0 {
		return 0, 0
	}
	lower, upper = math.MaxInt64, math.MinInt64
	for i := range t.Buffers {
		lower = min(lower, t.Buffers[i].Lower)
		upper = max(upper, t.Buffers[i].Upper)
	}
	return lower, upper
}

// AlignUp returns the smallest multiple of align that is not below x.
// The alignment must be a power of two; 0 and 1 return x.
func AlignUp(x, align int64) int64 {
	if align <= 1 {
		return x
	}
	return (x + align - 1) &^ (align - 1)
}

// Fault is something wrong with one buffer of a table, or with a line of the
// file that the table is read from.
type Fault struct {
	Index int    // position in Table.Buffers, -1 if no buffer is meant
	Name  string // of the buffer
	Line  int    // 1-based line of the file, 0 if there is no file
	Msg   string
}

// Error implements error.
func (f *Fault) Error() string {
	switch {
	case f.Line > 0 && f.Name != "":
		return fmt.Sprintf("line %d: buffer %q: %s", f.Line, f.Name, f.Msg)
	case f.Line > 0:
		return fmt.Sprintf("line %d: %s", f.Line, f.Msg)
	case f.Index < 0:
		return f.Msg
	}
	return fmt.Sprintf("buffer %d %q: %s", f.Index, f.Name, f.Msg)
}

// maxTotal bounds the sum of all sizes, every offset and the distance of every
// step from 0, so that no planner can overflow: alignment adds less than one
// alignment per buffer.
const maxTotal = math.MaxInt64 / 4

// Validate reports every fault of the table as a join of *Fault errors, or nil.
// A valid table has positive lives, sizes that are not negative and whose sum,
// alignment included, is far from overflow, alignments that are powers of two,
// fixed offsets that are aligned, and ordered, disjoint gaps.
func (t *Table) Validate() error {
	var errs []error
	var total budget
	for i := range t.Buffers {
		b := &t.Buffers[i]
		fault := func(format string, args ...any) {
			errs = append(errs, &Fault{Index: i, Name: b.Name, Msg: fmt.Sprintf(format, args...)})
		}
		b.validate(fault)
		total.add(b, fault)
	}
	return errors.Join(errs...)
}

// budget adds up what a table may need at most.
type budget struct {
	bytes int64
	over  bool
}

// add counts the buffer, and reports the first that goes beyond maxTotal.
func (t *budget) add(b *Buffer, fault func(string, ...any)) {
	if t.over || b.Size < 0 || b.Size > maxTotal || b.Align > maxAlign {
		return // either said before or reported by validate
	}
	t.bytes += b.Size + b.Alignment()
	if t.bytes > maxTotal {
		t.over = true
		fault("the sum of the sizes up to this buffer is above %d", int64(maxTotal))
	}
}

// maxAlign is the largest alignment of a valid table.
const maxAlign = 1 << 40

func (b *Buffer) validate(fault func(string, ...any)) {
	if b.Size < 0 {
		fault("size %d is negative", b.Size)
	} else if b.Size > maxTotal {
		fault("size %d is above %d", b.Size, int64(maxTotal))
	}
	if b.Lower < -maxTotal || b.Upper > maxTotal {
		fault("life [%d, %d) is out of range", b.Lower, b.Upper)
	}
	if b.Upper <= b.Lower {
		fault("empty life [%d, %d)", b.Lower, b.Upper)
	}
	alignOK := b.Align >= 0 && b.Align&(b.Align-1) == 0 && b.Align <= maxAlign
	if !alignOK {
		fault("alignment %d is not a power of two up to 2^40", b.Align)
	}
	if b.Fixed != nil {
		switch f := *b.Fixed; {
		case f < 0 || f > maxTotal:
			fault("fixed offset %d is out of range", f)
		case alignOK && f%b.Alignment() != 0:
			fault("fixed offset %d is not a multiple of its alignment %d", f, b.Align)
		}
	}
	prev := b.Lower
	for _, g := range b.Gaps {
		if g.Lower >= g.Upper {
			fault("empty gap [%d, %d)", g.Lower, g.Upper)
		} else if g.Lower < prev || g.Upper > b.Upper {
			fault("gap [%d, %d) is outside the life [%d, %d) or overlaps the gap before it", g.Lower, g.Upper, b.Lower, b.Upper)
		}
		prev = max(prev, g.Upper)
		if w := g.Keep; w != nil && (w.Lower < 0 || w.Upper <= w.Lower || w.Upper > b.Size) {
			fault("gap window [%d, %d) is outside the %d bytes", w.Lower, w.Upper, b.Size)
		}
	}
}

// Piece is a rectangle that a buffer really occupies: the bytes [Low, High) of
// the buffer, relative to its offset, in the steps [Lower, Upper). A buffer
// without gaps is a single piece.
type Piece struct {
	Buffer       int
	Lower, Upper int64
	Low, High    int64
}

func (p *Piece) bytes() int64 { return p.High - p.Low }

// Pieces returns the occupied rectangles of all buffers, in buffer order.
// Buffers of size zero have none.
func (t *Table) Pieces() []Piece {
	out := make([]Piece, 0, len(t.Buffers))
	for i := range t.Buffers {
		b := &t.Buffers[i]
		if b.Size == 0 {
			continue
		}
		at := b.Lower
		for _, g := range b.Gaps {
			if at < g.Lower {
				out = append(out, Piece{i, at, g.Lower, 0, b.Size})
			}
			if g.Keep != nil {
				out = append(out, Piece{i, g.Lower, g.Upper, g.Keep.Lower, g.Keep.Upper})
			}
			at = g.Upper
		}
		if at < b.Upper {
			out = append(out, Piece{i, at, b.Upper, 0, b.Size})
		}
	}
	return out
}
