package graph

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// ReadBuffer reads the data of buffer i of Model.Buffers, nil if it has none.
// Nothing is kept: a second call reads again. A buffer in another file is read
// from the folder of the model; a name that leads out of that folder is an
// error.
func (m *Model) ReadBuffer(i int) ([]byte, error) {
	if i < 0 || i >= len(m.Buffers) {
		return nil, fmt.Errorf("%s: buffer %d is out of range (%d buffers)", m.Name, i, len(m.Buffers))
	}
	b := m.Buffers[i]
	if b.Size == 0 {
		return nil, nil
	}
	data, err := m.readBuffer(b)
	if err != nil {
		return nil, fmt.Errorf("%s: buffer %d: %w", m.Name, i, err)
	}
	return data, nil
}

func (m *Model) readBuffer(b Buffer) ([]byte, error) {
	from, limit := m.Weights, m.FileBytes
	if b.External != "" {
		if !filepath.IsLocal(b.External) {
			return nil, fmt.Errorf("external file %q is not below the folder of the model", b.External)
		}
		f, err := os.Open(filepath.Join(filepath.Dir(m.Path), b.External))
		if err != nil {
			return nil, err
		}
		defer f.Close()
		info, err := f.Stat()
		if err != nil {
			return nil, err
		}
		from, limit = f, info.Size()
	}
	if from == nil {
		return nil, fmt.Errorf("the model has no data")
	}
	if b.Offset < 0 || b.Size < 0 || b.Offset > limit || b.Size > limit-b.Offset {
		return nil, fmt.Errorf("%d bytes at offset %d lie outside the file of %d bytes", b.Size, b.Offset, limit)
	}
	data := make([]byte, b.Size)
	if n, err := from.ReadAt(data, b.Offset); n < len(data) {
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		return nil, err
	}
	return data, nil
}
