package bench

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// TornError says that the last line of a file of records is not whole, as an
// interrupted run or a full disk leaves it. The records before it are good.
type TornError struct {
	Name string
	Line int
	Err  error
}

// Error implements error.
func (e *TornError) Error() string {
	return fmt.Sprintf("%s:%d: last record is not whole and was left out: %v", e.Name, e.Line, e.Err)
}

// Unwrap returns what the decoder said.
func (e *TornError) Unwrap() error { return e.Err }

// maxLine bounds the length of a record in bytes.
const maxLine = 16 << 20

// ReadJSONL reads records as JSON Lines. Blank lines are skipped, and so are
// fields it does not know. The name is that of errors, which tell the line. It
// always returns the records before the fault; if only the last line is torn,
// the error is a *TornError.
func ReadJSONL(r io.Reader, name string) ([]Record, error) {
	var recs []Record
	in := bufio.NewReaderSize(r, 64<<10)
	for n := 1; ; n++ {
		line, err := readLine(in)
		if err != nil && err != io.EOF {
			return recs, fmt.Errorf("%s:%d: %w", name, n, err)
		}
		atEnd := err == io.EOF
		rec, ok, err := decodeRecord(line)
		switch {
		case err != nil && atEnd && isTorn(err):
			return recs, &TornError{name, n, err}
		case err != nil:
			return recs, fmt.Errorf("%s:%d: %w", name, n, err)
		case ok:
			recs = append(recs, rec)
		}
		if atEnd {
			return recs, nil
		}
	}
}

// readLine reads up to and including the next newline; io.EOF comes with the
// last line.
func readLine(in *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := in.ReadSlice('\n')
		line = append(line, part...)
		if len(line) > maxLine {
			return nil, fmt.Errorf("line is longer than %d bytes", maxLine)
		}
		if err != bufio.ErrBufferFull {
			return line, err
		}
	}
}

// decodeRecord returns the record of a line; ok is false for a blank one.
func decodeRecord(line []byte) (rec Record, ok bool, err error) {
	blank := true
	for _, c := range line {
		blank = blank && (c == ' ' || c == '\t' || c == '\r' || c == '\n')
	}
	if blank {
		return rec, false, nil
	}
	if err := json.Unmarshal(line, &rec); err != nil {
		return rec, false, fmt.Errorf("record: %w", err)
	}
	switch {
	case rec.Schema < 1:
		return rec, false, errors.New("not a record: it has no schema version")
	case rec.Schema > SchemaVersion:
		return rec, false, fmt.Errorf("schema version %d is newer than %d, the latest this program knows", rec.Schema, SchemaVersion)
	}
	return rec, true, nil
}

// isTorn reports whether the JSON ended too early.
func isTorn(err error) bool {
	var syntax *json.SyntaxError
	return errors.As(err, &syntax)
}
