//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package tflite

import (
	"fmt"
	"math"
	"os"
	"syscall"
)

// loadFile maps a file, so that only the pages that are touched are read.
func loadFile(path string) (data []byte, release func(), err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close() // the mapping outlives it
	info, err := f.Stat()
	if err != nil {
		return nil, nil, err
	}
	size := info.Size()
	if size == 0 { // cannot be mapped
		return nil, func() {}, nil
	}
	if size < 0 || size > math.MaxInt {
		return nil, nil, fmt.Errorf("%s: %d bytes cannot be mapped", path, size)
	}
	data, err = syscall.Mmap(int(f.Fd()), 0, int(size), syscall.PROT_READ, syscall.MAP_SHARED)
	if err != nil {
		return nil, nil, &os.PathError{Op: "mmap", Path: path, Err: err}
	}
	return data, func() { syscall.Munmap(data) }, nil
}
