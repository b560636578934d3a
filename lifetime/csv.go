package lifetime

import (
	"fmt"
	"io"
	"strings"
)

// CSVOptions say how a table is read. The zero value reads what MiniMalloc
// writes.
type CSVOptions struct {
	// Name is that of the table, and of the file in errors.
	Name string
	// Closed says that the last step of a life or gap is part of it. A column
	// called "end" says so too.
	Closed bool
	// SkipUnknown passes over columns of unknown name instead of refusing
	// them.
	SkipUnknown bool
	// MaxBytes is the most that is read of the file; 0 means 256 MiB.
	MaxBytes int64
}

const (
	defaultMaxBytes = 256 << 20
	maxLine         = 1 << 20 // bytes
	maxFields       = 256
	maxFaults       = 64 // after that many, reading stops
)

// ReadCSV reads a lifetime table in the dialect of MiniMalloc
// (github.com/google/minimalloc). The first row names the columns, in any
// order and case:
//
//	id         the name, which may repeat; also buffer, buffer_id
//	lower      the first step of the life; also start, begin
//	upper      the step after the last; or end: the last
//	size       bytes
//	alignment  bytes, a power of two; 1 if empty
//	hint       a suggested offset; none if empty or negative
//	gaps       parts a-b of the life, separated by blanks, in which the bytes
//	           are free; a-b@x:y keeps bytes [x, y) of the buffer occupied
//	offset     the fixed offset; none if empty or -1
//	kind       activation (if empty), input, output, variable or scratch;
//	           MiniMalloc has no such column and passes over it
//
// The first four are required. In a table with an end column, or with
// [CSVOptions.Closed], the ends of gaps are inclusive as well; those of windows
// never are. Lines that are empty or start with # are passed over, and
// so are a byte order mark, carriage returns and blanks around fields. A field
// may be quoted as in RFC 4180, but ends on its line.
//
// The error lists every fault with its line, up to 64, each a *Fault that
// errors.As finds. If all rows could be read but the table is not valid, as
// Validate says, the table is returned along with the error; if not, nil is.
// Memory is proportional to the bytes read.
func ReadCSV(r io.Reader, o CSVOptions) (*Table, error) {
	if o.MaxBytes <= 0 {
		o.MaxBytes = defaultMaxBytes
	}
	c := &csvReader{o: o, lines: newLineReader(r, o.MaxBytes), t: &Table{Name: o.Name}}
	c.read()
	if len(c.faults) == 0 {
		return c.t, nil
	}
	err := &csvError{o.Name, c.faults}
	if c.unreadable {
		return nil, err
	}
	return c.t, err
}

var errTooMany = fmt.Errorf("more than %d faults: the rest of the file is not read", maxFaults)

// csvError is a list of faults that names the file in each line.
type csvError struct {
	file   string
	faults []error
}

// Error implements error.
func (e *csvError) Error() string {
	var b strings.Builder
	for i, f := range e.faults {
		if i > 0 {
			b.WriteByte('\n')
		}
		if e.file != "" {
			fmt.Fprintf(&b, "%s: ", e.file)
		}
		b.WriteString(f.Error())
	}
	return b.String()
}

// Unwrap lets errors.Is and errors.As look at each fault.
func (e *csvError) Unwrap() []error { return e.faults }

// csvReader is the state of one ReadCSV.
type csvReader struct {
	o          CSVOptions
	lines      lineReader
	t          *Table
	columns    []column // of the header, nil before it
	closed     bool
	total      budget
	rows       int
	faults     []error
	unreadable bool // a row is missing or wrong in the table
}

func (c *csvReader) read() {
	var fields [][]byte
	for len(c.faults) <= maxFaults {
		line, err := c.lines.next()
		if err == io.EOF {
			break
		}
		if err != nil {
			c.unreadable = true
			c.faults = append(c.faults, err)
			return
		}
		if len(line) == 0 || line[0] == '#' {
			continue
		}
		fields, err = splitFields(fields[:0], line)
		switch {
		case err != nil && c.columns == nil:
			c.fail(-1, "", err.Error())
			return
		case err != nil:
			c.fail(c.rows, "", err.Error())
			c.rows++
		case c.columns == nil:
			if !c.header(fields) {
				return
			}
		default:
			c.row(fields)
		}
	}
	if c.columns == nil {
		c.lines.line = max(c.lines.line, 1)
		c.fail(-1, "", "no header: the first row must name the columns id, lower, upper and size")
	}
}

// fail records a fault that leaves a hole in the table.
func (c *csvReader) fail(index int, name, msg string) {
	c.unreadable = true
	c.fault(index, name, msg)
}

func (c *csvReader) fault(index int, name, msg string) {
	switch {
	case len(c.faults) < maxFaults:
		c.faults = append(c.faults, &Fault{Index: index, Name: name, Line: c.lines.line, Msg: msg})
	case len(c.faults) == maxFaults:
		c.unreadable = true
		c.faults = append(c.faults, errTooMany)
	}
}
