package lifetime

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// WriteCSV writes the table as ReadCSV reads it, with half-open lives, and with
// the columns after size only if a buffer needs them. With a plan, its offsets
// are in the offset column; without, the fixed offsets are, if there are any.
//
// Reading gives the table back, with these differences: a column for
// alignments makes 0 a 1, which means the same; a line break in a name becomes
// a blank, for a row is a line.
func WriteCSV(w io.Writer, t *Table, p *Plan) error {
	if p != nil && len(p.Offsets) != len(t.Buffers) {
		return fmt.Errorf("write table %q: plan has %d offsets for %d buffers", t.Name, len(p.Offsets), len(t.Buffers))
	}
	c := csvWriter{t: t, p: p, columns: columnsFor(t, p)}
	out := bufio.NewWriter(w)
	for i, col := range c.columns {
		if i > 0 {
			out.WriteByte(',')
		}
		out.WriteString(columnNames[col])
	}
	out.WriteByte('\n')
	var row []byte
	for i := range t.Buffers {
		row = append(c.row(row[:0], i), '\n')
		if _, err := out.Write(row); err != nil {
			break // Flush returns it
		}
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("write table %q: %w", t.Name, err)
	}
	return nil
}

// columnsFor returns the columns that the table needs.
func columnsFor(t *Table, p *Plan) []column {
	var need [colSkipped]bool
	need[colID], need[colLower], need[colUpper], need[colSize] = true, true, true, true
	need[colOffset] = p != nil
	for i := range t.Buffers {
		b := &t.Buffers[i]
		need[colAlignment] = need[colAlignment] || b.Align != 0
		need[colHint] = need[colHint] || b.Hint != nil
		need[colGaps] = need[colGaps] || len(b.Gaps) > 0
		need[colOffset] = need[colOffset] || b.Fixed != nil
		need[colKind] = need[colKind] || b.Kind != Activation
	}
	var columns []column
	for col, needed := range need {
		if needed {
			columns = append(columns, column(col))
		}
	}
	return columns
}

type csvWriter struct {
	t       *Table
	p       *Plan
	columns []column
}

func (c *csvWriter) row(dst []byte, i int) []byte {
	b := &c.t.Buffers[i]
	for k, col := range c.columns {
		if k > 0 {
			dst = append(dst, ',')
		}
		switch col {
		case colID:
			dst = appendName(dst, b.Name)
		case colLower:
			dst = strconv.AppendInt(dst, b.Lower, 10)
		case colUpper:
			dst = strconv.AppendInt(dst, b.Upper, 10)
		case colSize:
			dst = strconv.AppendInt(dst, b.Size, 10)
		case colAlignment:
			dst = strconv.AppendInt(dst, b.Alignment(), 10)
		case colHint:
			dst = appendOptional(dst, b.Hint)
		case colGaps:
			dst = appendGaps(dst, b.Gaps)
		case colOffset:
			if c.p != nil {
				dst = strconv.AppendInt(dst, c.p.Offsets[i], 10)
			} else {
				dst = appendOptional(dst, b.Fixed)
			}
		case colKind:
			dst = append(dst, b.Kind.String()...)
		}
	}
	return dst
}

func appendOptional(dst []byte, v *int64) []byte {
	if v == nil {
		return append(dst, "-1"...)
	}
	return strconv.AppendInt(dst, *v, 10)
}

func appendGaps(dst []byte, gaps []Gap) []byte {
	for i, g := range gaps {
		if i > 0 {
			dst = append(dst, ' ')
		}
		dst = strconv.AppendInt(dst, g.Lower, 10)
		dst = append(dst, '-')
		dst = strconv.AppendInt(dst, g.Upper, 10)
		if g.Keep != nil {
			dst = append(dst, '@')
			dst = strconv.AppendInt(dst, g.Keep.Lower, 10)
			dst = append(dst, ':')
			dst = strconv.AppendInt(dst, g.Keep.Upper, 10)
		}
	}
	return dst
}

// appendName quotes names that would not be read back as they are.
func appendName(dst []byte, name string) []byte {
	special := strings.ContainsAny(name, ",\"\r\n") || strings.HasPrefix(name, "#") ||
		strings.Trim(name, " \t") != name
	if !special {
		return append(dst, name...)
	}
	dst = append(dst, '"')
	for i := 0; i < len(name); i++ {
		switch ch := name[i]; ch {
		case '\n', '\r':
			dst = append(dst, ' ')
		case '"':
			dst = append(dst, '"', '"')
		default:
			dst = append(dst, ch)
		}
	}
	return append(dst, '"')
}
