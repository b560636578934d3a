package lifetime

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
)

// lineReader hands out lines of bounded length of a file of bounded size.
type lineReader struct {
	r    *bufio.Reader
	left int64 // bytes that may still be read
	max  int64 // bytes that might be read at first
	line int   // number of the line handed out last
	long []byte
}

func newLineReader(r io.Reader, maxBytes int64) lineReader {
	return lineReader{r: bufio.NewReaderSize(r, 64<<10), left: maxBytes, max: maxBytes}
}

// next returns the next line without the blanks and line ends around it, valid
// until the next call, or io.EOF. A limit that is reached is a *Fault.
func (l *lineReader) next() ([]byte, error) {
	l.line++
	line, err := l.r.ReadSlice('\n')
	if err == bufio.ErrBufferFull {
		line, err = l.longLine(line)
	}
	l.left -= int64(len(line))
	switch {
	case err != nil && err != io.EOF:
		var f *Fault
		if errors.As(err, &f) {
			return nil, err
		}
		return nil, fmt.Errorf("line %d: %w", l.line, err)
	case l.left < 0:
		return nil, l.fault("the table is larger than %d bytes", l.max)
	case err == io.EOF && len(line) == 0:
		l.line--
		return nil, io.EOF
	}
	if l.line == 1 {
		line = bytes.TrimPrefix(line, []byte("\xef\xbb\xbf"))
	}
	return trim(line), nil
}

// longLine collects a line that does not fit the buffer of the reader.
func (l *lineReader) longLine(start []byte) ([]byte, error) {
	l.long = append(l.long[:0], start...)
	for {
		more, err := l.r.ReadSlice('\n')
		if len(l.long)+len(more) > maxLine {
			return nil, l.fault("longer than %d bytes", maxLine)
		}
		l.long = append(l.long, more...)
		if err != bufio.ErrBufferFull {
			return l.long, err
		}
	}
}

func (l *lineReader) fault(format string, args ...any) error {
	return &Fault{Index: -1, Line: l.line, Msg: fmt.Sprintf(format, args...)}
}

// trim takes off blanks, tabs and line ends.
func trim(s []byte) []byte {
	s = trimLeft(s)
	for len(s) > 0 && blank(s[len(s)-1]) {
		s = s[:len(s)-1]
	}
	return s
}

func trimLeft(s []byte) []byte {
	for len(s) > 0 && blank(s[0]) {
		s = s[1:]
	}
	return s
}

func blank(b byte) bool { return b == ' ' || b == '\t' || b == '\r' || b == '\n' }

var (
	errQuoteOpen = errors.New("a quoted field is not closed on its line")
	errFields    = fmt.Errorf("more than %d fields", maxFields)
	errQuoteText = errors.New("text after the closing quote of a field")
)

// splitFields appends the fields of the line to dst, without the blanks around
// them and without quotes. The fields alias the line, whose bytes it may move.
func splitFields(dst [][]byte, line []byte) ([][]byte, error) {
	for len(dst) < maxFields {
		line = trimLeft(line)
		if len(line) > 0 && line[0] == '"' {
			field, rest, err := quotedField(line[1:])
			if err != nil {
				return dst, err
			}
			dst = append(dst, field)
			if rest == nil {
				return dst, nil
			}
			line = rest
			continue
		}
		field, rest, more := bytes.Cut(line, []byte{','})
		dst = append(dst, trim(field))
		if !more {
			return dst, nil
		}
		line = rest
	}
	return dst, errFields
}

// quotedField reads a field from after its opening quote, and returns what
// follows the comma after it, nil if there is none.
func quotedField(s []byte) (field, rest []byte, err error) {
	n := 0 // bytes of the field, moved to the front as doubled quotes shrink
	for i := 0; i < len(s); i++ {
		if s[i] == '"' {
			if i+1 == len(s) || s[i+1] != '"' {
				rest = trimLeft(s[i+1:])
				switch {
				case len(rest) == 0:
					return s[:n], nil, nil
				case rest[0] != ',':
					return nil, nil, errQuoteText
				}
				return s[:n], rest[1:], nil
			}
			i++
		}
		s[n] = s[i]
		n++
	}
	return nil, nil, errQuoteOpen
}
