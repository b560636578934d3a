//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package tflite

import "os"

// loadFile reads a file.
func loadFile(path string) (data []byte, release func(), err error) {
	data, err = os.ReadFile(path)
	return data, func() {}, err
}
