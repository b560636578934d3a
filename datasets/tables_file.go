package datasets

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"strconv"

	"github.com/arenalab/arenalab/lifetime"
)

// optimumKey starts the comment that states the optimum of a table.
const optimumKey = "optimum:"

// WriteSynthetic writes the table as lifetime.WriteCSV does, after comments
// that state its family, its seed and, if it is known, its optimum:
//
//	# optimum: 65536
//
// The plan is not written.
func WriteSynthetic(w io.Writer, s *Synthetic) error {
	var head bytes.Buffer
	if s.Family != "" {
		fmt.Fprintf(&head, "# family: %s, seed %d\n", s.Family, s.Seed)
	}
	if s.Optimum > 0 {
		fmt.Fprintf(&head, "# %s %d\n", optimumKey, s.Optimum)
	}
	if _, err := w.Write(head.Bytes()); err != nil {
		return fmt.Errorf("write table %q: %w", s.Table.Name, err)
	}
	return lifetime.WriteCSV(w, s.Table, nil)
}

// ReadSynthetic reads a table as lifetime.ReadCSV does, and the optimum that a
// comment before its header states. An optimum that cannot be right, because
// more bytes are live at once, is an error.
func ReadSynthetic(r io.Reader, o lifetime.CSVOptions) (*Synthetic, error) {
	br := bufio.NewReader(r)
	comments, err := leadingComments(br)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", o.Name, err)
	}
	t, err := lifetime.ReadCSV(io.MultiReader(bytes.NewReader(comments), br), o)
	if err != nil {
		return nil, err
	}
	s := &Synthetic{Table: t}
	if s.Optimum, err = statedOptimum(comments); err != nil {
		return nil, fmt.Errorf("%s: %w", o.Name, err)
	}
	if load := t.Load(); s.Optimum > 0 && s.Optimum < load {
		return nil, fmt.Errorf("%s: optimum of %d bytes stated, %d are live at once", o.Name, s.Optimum, load)
	}
	return s, nil
}

// claimedOptimum returns the optimum that the comments before the header state,
// or 0. Comments are free text: what is no number there is no fault.
func claimedOptimum(data []byte) int64 {
	comments, err := leadingComments(bufio.NewReader(bytes.NewReader(data)))
	if err != nil {
		return 0
	}
	optimum, err := statedOptimum(comments)
	if err != nil {
		return 0
	}
	return optimum
}

const mostComments = 64 << 10 // bytes before the header

// leadingComments takes the lines up to the first that is no comment, and that
// line.
func leadingComments(br *bufio.Reader) ([]byte, error) {
	var lines []byte
	for len(lines) < mostComments {
		line, err := br.ReadSlice('\n')
		lines = append(lines, line...)
		if err != nil { // ReadCSV meets the same, if it is an error of the file
			return lines, nil
		}
		if line = trimLine(line); len(line) > 0 && line[0] != '#' {
			return lines, nil
		}
	}
	return nil, fmt.Errorf("more than %d bytes of comments before the header", mostComments)
}

// trimLine takes off blanks and a byte order mark.
func trimLine(line []byte) []byte {
	return bytes.TrimSpace(bytes.TrimPrefix(line, []byte("\xef\xbb\xbf")))
}

// statedOptimum finds the optimum in the comments, 0 if none is stated.
func statedOptimum(comments []byte) (int64, error) {
	var optimum int64
	n := 0
	for line := range bytes.Lines(comments) {
		n++
		text, ok := bytes.CutPrefix(trimLine(line), []byte("#"))
		if !ok {
			continue
		}
		value, ok := bytes.CutPrefix(bytes.TrimSpace(text), []byte(optimumKey))
		if !ok {
			continue
		}
		if optimum != 0 {
			return 0, &lifetime.Fault{Index: -1, Line: n, Msg: "a second optimum"}
		}
		v, err := strconv.ParseInt(string(bytes.TrimSpace(value)), 10, 64)
		if err != nil || v <= 0 {
			return 0, &lifetime.Fault{Index: -1, Line: n, Msg: "the optimum is not a positive number of bytes"}
		}
		optimum = v
	}
	return optimum, nil
}
