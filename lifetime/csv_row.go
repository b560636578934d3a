package lifetime

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// column is what a field of a row means.
type column uint8

const (
	colID column = iota
	colLower
	colUpper
	colSize
	colAlignment
	colHint
	colGaps
	colOffset
	colKind
	colSkipped
)

var columnNames = [...]string{"id", "lower", "upper", "size", "alignment", "hint", "gaps", "offset", "kind"}

// columnOf returns the meaning of a name in a header, colSkipped if it has
// none, and whether it says that ends are inclusive.
func columnOf(name string) (c column, closed bool) {
	switch name {
	case "buffer", "buffer_id":
		return colID, false
	case "start", "begin":
		return colLower, false
	case "end":
		return colUpper, true
	}
	if i := slices.Index(columnNames[:], name); i >= 0 {
		return column(i), false
	}
	return colSkipped, false
}

// header takes the first row, and reports whether rows can be read with it.
func (c *csvReader) header(fields [][]byte) bool {
	c.closed = c.o.Closed
	var seen [colSkipped]string
	var unknown []string
	known := 0
	for _, f := range fields {
		name := strings.ToLower(string(f))
		col, closed := columnOf(name)
		c.columns = append(c.columns, col)
		c.closed = c.closed || closed
		switch {
		case col == colSkipped:
			unknown = append(unknown, name)
			continue
		case seen[col] != "":
			c.fail(-1, "", fmt.Sprintf("columns %q and %q mean the same", seen[col], name))
		}
		seen[col] = name
		known++
	}
	if known == 0 {
		c.fail(-1, "", fmt.Sprintf("%s is not a header: the first row must name the columns id, lower, upper and size",
			quoted(bytes.Join(fields, []byte{','}))))
		return false
	}
	for col, name := range columnNames[:colAlignment] {
		if seen[col] == "" {
			c.fail(-1, "", fmt.Sprintf("no column %q", name))
		}
	}
	if !c.o.SkipUnknown {
		for _, name := range unknown {
			c.fail(-1, "", fmt.Sprintf("unknown column %s, known are %s",
				quoted([]byte(name)), strings.Join(columnNames[:], ", ")))
		}
	}
	return !c.unreadable
}

// row takes a row of the table.
func (c *csvReader) row(fields [][]byte) {
	index := c.rows
	c.rows++
	if len(fields) != len(c.columns) {
		c.fail(index, "", fmt.Sprintf("%d fields, the header names %d", len(fields), len(c.columns)))
		return
	}
	b := c.grow()
	b.Name = string(fields[slices.Index(c.columns, colID)])
	readable := true
	for i, f := range fields {
		if err := c.field(b, c.columns[i], f); err != nil {
			readable = false
			c.fail(index, b.Name, err.Error())
		}
	}
	if !readable {
		return
	}
	fault := func(format string, args ...any) {
		if len(c.faults) <= maxFaults { // a row may have very many
			c.fault(index, b.Name, fmt.Sprintf(format, args...))
		}
	}
	b.validate(fault)
	c.total.add(b, fault)
}

// grow adds a buffer to the table. It doubles the space, where append would
// grow by less and copy more.
func (c *csvReader) grow() *Buffer {
	n := len(c.t.Buffers)
	if n == cap(c.t.Buffers) {
		c.t.Buffers = slices.Grow(c.t.Buffers, n+16)
	}
	c.t.Buffers = append(c.t.Buffers, Buffer{})
	return &c.t.Buffers[n]
}

// field stores a field in the buffer. An error names the column.
func (c *csvReader) field(b *Buffer, col column, f []byte) (err error) {
	switch col {
	case colLower:
		b.Lower, err = number(f, "lower")
	case colUpper:
		if b.Upper, err = number(f, "upper"); err == nil {
			b.Upper, err = c.end(b.Upper)
		}
	case colSize:
		b.Size, err = number(f, "size")
	case colGaps:
		b.Gaps, err = c.gaps(f)
	case colKind:
		b.Kind, err = kindOf(f)
	case colAlignment:
		if len(f) > 0 {
			b.Align, err = number(f, "alignment")
		}
	case colHint:
		b.Hint, err = optional(f, "hint")
		if b.Hint != nil && *b.Hint < 0 {
			b.Hint = nil
		}
	case colOffset:
		b.Fixed, err = optional(f, "offset")
		if b.Fixed != nil && *b.Fixed == -1 {
			b.Fixed = nil
		}
	}
	return err
}

// end makes the end of a life or gap exclusive.
func (c *csvReader) end(step int64) (int64, error) {
	if !c.closed {
		return step, nil
	}
	if step == math.MaxInt64 {
		return 0, fmt.Errorf("end %d is out of range", step)
	}
	return step + 1, nil
}

func optional(f []byte, name string) (*int64, error) {
	if len(f) == 0 {
		return nil, nil
	}
	v, err := number(f, name)
	return &v, err
}

func number(f []byte, name string) (int64, error) {
	v, err := strconv.ParseInt(string(f), 10, 64)
	switch {
	case err == nil:
		return v, nil
	case len(f) == 0:
		return 0, fmt.Errorf("%s is empty", name)
	case errors.Is(err, strconv.ErrRange):
		return 0, fmt.Errorf("%s %s is out of the range of 64 bits", name, quoted(f))
	}
	return 0, fmt.Errorf("%s %s is not a whole number", name, quoted(f))
}

func kindOf(f []byte) (Kind, error) {
	if len(f) == 0 {
		return Activation, nil
	}
	if i := slices.Index(kindNames[:], string(f)); i >= 0 {
		return Kind(i), nil
	}
	return 0, fmt.Errorf("kind %s is none of %s", quoted(f), strings.Join(kindNames[:], ", "))
}

// gaps reads the gaps of a buffer, and sorts them: their order in the file
// means nothing.
func (c *csvReader) gaps(f []byte) ([]Gap, error) {
	var gaps []Gap
	for word := range bytes.FieldsSeq(f) {
		g, err := c.gap(word)
		if err != nil {
			return nil, err
		}
		gaps = append(gaps, g)
	}
	slices.SortStableFunc(gaps, func(a, b Gap) int { return cmp.Compare(a.Lower, b.Lower) })
	return gaps, nil
}

// gap reads a-b or a-b@x:y.
func (c *csvReader) gap(word []byte) (g Gap, err error) {
	life, window, windowed := bytes.Cut(word, []byte{'@'})
	var ok bool
	if g.Lower, g.Upper, ok = pair(life, '-'); ok {
		g.Upper, err = c.end(g.Upper)
	}
	if windowed && ok {
		g.Keep = new(Window)
		g.Keep.Lower, g.Keep.Upper, ok = pair(window, ':')
	}
	if !ok {
		return g, fmt.Errorf("gap %s is not of the form a-b or a-b@x:y", quoted(word))
	}
	return g, err
}

// pair reads two numbers with a separator between them, which may also be the
// sign of either.
func pair(s []byte, separator byte) (a, b int64, ok bool) {
	if len(s) == 0 {
		return 0, 0, false
	}
	at := 1 + bytes.IndexByte(s[1:], separator)
	if at < 1 {
		return 0, 0, false
	}
	a, errA := strconv.ParseInt(string(s[:at]), 10, 64)
	b, errB := strconv.ParseInt(string(s[at+1:]), 10, 64)
	return a, b, errA == nil && errB == nil
}

// quoted returns the start of a field for an error message.
func quoted(f []byte) string {
	const most = 40
	if len(f) > most {
		return strconv.Quote(string(f[:most])) + "..."
	}
	return strconv.Quote(string(f))
}
