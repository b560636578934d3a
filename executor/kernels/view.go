package kernels

import "unsafe"

// number is an element that kernels compute with.
type number interface {
	~int8 | ~uint8 | ~int16 | ~uint16 | ~int32 | ~uint32 | ~int64 | ~uint64 | ~float32 | ~float64
}

// view returns bytes as elements. They are those of a file and of an arena,
// little-endian: on other machines there are no kernels (see [Native]).
func view[T number](b []byte) []T {
	var zero T
	if len(b) == 0 {
		return nil
	}
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/int(unsafe.Sizeof(zero)))
}

// Native reports whether kernels can run on this machine: whether its numbers
// lie in memory as they do in files.
func Native() bool {
	one := uint16(1)
	return *(*byte)(unsafe.Pointer(&one)) == 1
}
