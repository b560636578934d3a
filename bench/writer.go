package bench

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"os"
)

// Format is a format of records.
type Format string

// The formats.
const (
	JSONL     Format = "jsonl" // JSON Lines: one record a line
	CSV       Format = "csv"   // a header line, then one record a line; see Columns
	Benchmark Format = "bench" // the Go benchmark format, for benchstat
)

// encoder appends one record in some format.
type encoder interface {
	header(*bytes.Buffer) error
	record(*bytes.Buffer, *Record) error
}

func newEncoder(f Format) (encoder, error) {
	switch f {
	case JSONL:
		return jsonEncoder{}, nil
	case CSV:
		return csvEncoder{Columns()}, nil
	case Benchmark:
		return newBenchEncoder(), nil
	}
	return nil, fmt.Errorf("unknown record format %q; known: %s, %s, %s", f, Benchmark, CSV, JSONL)
}

// Writer writes records one by one. Every record is handed on whole, by a
// single Write, so that an interruption costs at most the record being
// written.
type Writer struct {
	w    io.Writer
	name string
	enc  encoder
	buf  bytes.Buffer
	err  error // the first, which ends the writing
}

// NewWriter returns a writer of a new file. The name is that of errors.
func NewWriter(w io.Writer, name string, f Format) (*Writer, error) {
	out, err := newWriter(w, name, f)
	if err != nil {
		return nil, err
	}
	if err := out.header(); err != nil {
		return nil, err
	}
	return out, nil
}

func newWriter(w io.Writer, name string, f Format) (*Writer, error) {
	enc, err := newEncoder(f)
	if err != nil {
		return nil, err
	}
	return &Writer{w: w, name: name, enc: enc}, nil
}

func (w *Writer) header() error {
	return w.emit(w.enc.header(&w.buf))
}

// Write writes a record. After an error nothing more is written, and every
// call returns that error; what was written before stays as it is.
func (w *Writer) Write(r *Record) error {
	if w.err != nil {
		return w.err
	}
	return w.emit(w.enc.record(&w.buf, r))
}

// emit hands on what was encoded.
func (w *Writer) emit(err error) error {
	if err == nil && w.buf.Len() > 0 {
		_, err = w.w.Write(w.buf.Bytes())
	}
	w.buf.Reset()
	if err != nil {
		w.err = fmt.Errorf("writing records to %s: %w", w.name, err)
	}
	return w.err
}

// File is a Writer of a file on disk.
type File struct {
	*Writer
	f *os.File
}

// OpenFile opens a file to append records to, and makes it if there is none. A
// last line that an earlier run was interrupted in is cut off.
func OpenFile(path string, f Format) (*File, error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o666)
	if err != nil {
		return nil, err
	}
	w, err := newWriter(file, path, f)
	if err == nil {
		err = w.begin(file, f)
	}
	if err != nil {
		file.Close()
		return nil, err
	}
	return &File{w, file}, nil
}

// begin writes the header of an empty file, or mends the end of one that is
// not.
func (w *Writer) begin(file *os.File, f Format) error {
	info, err := file.Stat()
	if err != nil {
		return err
	}
	if info.Size() == 0 || !info.Mode().IsRegular() {
		return w.header()
	}
	if f == Benchmark {
		// An unfinished line is one that readers skip; units may be stated
		// again.
		w.buf.WriteByte('\n')
		return w.header()
	}
	return mendEnd(file, info.Size(), f)
}

// mendEnd ends the last line of the file, if it is not ended: by a newline if
// it is whole, by cutting it off if it is not.
func mendEnd(file *os.File, size int64, f Format) error {
	start := size
	var tail []byte
	for start > 0 {
		chunk := make([]byte, min(start, 4096))
		if _, err := file.ReadAt(chunk, start-int64(len(chunk))); err != nil {
			return err
		}
		nl := bytes.LastIndexByte(chunk, '\n')
		tail = append(chunk[nl+1:len(chunk):len(chunk)], tail...)
		start -= int64(len(chunk) - nl - 1)
		if nl >= 0 {
			break
		}
	}
	if len(tail) == 0 {
		return nil
	}
	if torn(tail, f) {
		return file.Truncate(start)
	}
	_, err := file.Write([]byte{'\n'})
	return err
}

// torn reports whether the line is not a whole record.
func torn(line []byte, f Format) bool {
	if f == CSV {
		row, err := csv.NewReader(bytes.NewReader(line)).Read()
		return err != nil || len(row) != len(Columns())
	}
	return !json.Valid(line)
}

// Close closes the file.
func (f *File) Close() error {
	if err := f.f.Close(); err != nil {
		return fmt.Errorf("closing records: %w", err)
	}
	return nil
}

type jsonEncoder struct{}

func (jsonEncoder) header(*bytes.Buffer) error { return nil }

func (jsonEncoder) record(buf *bytes.Buffer, r *Record) error {
	enc := json.NewEncoder(buf)
	enc.SetEscapeHTML(false)
	return enc.Encode(r)
}

type csvEncoder struct{ columns []Column }

func (e csvEncoder) header(buf *bytes.Buffer) error {
	return e.line(buf, func(c Column) string { return c.Name })
}

func (e csvEncoder) record(buf *bytes.Buffer, r *Record) error {
	return e.line(buf, func(c Column) string { return c.Value(r) })
}

func (e csvEncoder) line(buf *bytes.Buffer, cell func(Column) string) error {
	row := make([]string, len(e.columns))
	for i, c := range e.columns {
		row[i] = oneLine(cell(c)) // so that a record is a line, for grep and mendEnd
	}
	w := csv.NewWriter(buf)
	if err := w.Write(row); err != nil {
		return err
	}
	w.Flush()
	return w.Error()
}
