package tflite

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"time"

	"github.com/arenalab/arenalab/graph"
)

// Read reads the model at path. Nothing stays open or mapped: Model.Weights
// opens the file for each read, and fails if the file has changed since.
func Read(path string) (*graph.Model, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() { // a pipe would block
		return nil, &fs.PathError{Op: "read", Path: path, Err: errors.New("not a regular file")}
	}
	data, release, err := loadFile(path)
	if err != nil {
		return nil, err
	}
	defer release()
	w := weightsFile{path: path, size: int64(len(data)), modified: info.ModTime()}
	return guard(path, func() (*graph.Model, error) {
		return decode(data, path, filepath.Base(path), path, w)
	})
}

// guard calls read, which reads mapped memory. To touch a page that the file
// no longer has is a fault, which would end the program.
func guard(path string, read func() (*graph.Model, error)) (m *graph.Model, err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		switch e := recover().(type) {
		case nil:
		case interface {
			error
			Addr() uintptr
		}:
			m, err = nil, fmt.Errorf("%s: the file became shorter while it was read", path)
		default:
			panic(e)
		}
	}()
	return read()
}

// weightsFile reads from a file that it opens for each read, so that a model
// needs no Close.
type weightsFile struct {
	path     string
	size     int64
	modified time.Time
}

// ReadAt implements io.ReaderAt.
func (w weightsFile) ReadAt(p []byte, off int64) (int, error) {
	f, err := os.Open(w.path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	if info.Size() != w.size || !info.ModTime().Equal(w.modified) {
		return 0, fmt.Errorf("%s: changed since it was read", w.path)
	}
	return f.ReadAt(p, off)
}
