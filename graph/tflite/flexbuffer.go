package tflite

import (
	"bytes"
	"encoding/binary"
	"math"
)

// Custom operators keep their options as FlexBuffers, of which this reads what
// planning needs: a whole number in the map at the root. Nothing in it is
// trusted.
//
// Source: google.github.io/flatbuffers/flatbuffers_internals, FlexBuffers.

// The types of values that can be a number, and that of the root.
const (
	flexInt   = 1
	flexUint  = 2
	flexFloat = 3
	flexMap   = 9
	flexBool  = 26
	// An indirect number has the type of the number and this in addition.
	flexIndirect = 5
)

type flexBuffer []byte

// uint reads an unsigned number of 1, 2, 4 or 8 bytes.
func (b flexBuffer) uint(at, width int) (uint64, bool) {
	if at < 0 || at > len(b)-width {
		return 0, false
	}
	switch width {
	case 1:
		return uint64(b[at]), true
	case 2:
		return uint64(binary.LittleEndian.Uint16(b[at:])), true
	case 4:
		return uint64(binary.LittleEndian.Uint32(b[at:])), true
	case 8:
		return binary.LittleEndian.Uint64(b[at:]), true
	}
	return 0, false
}

// follow reads the position to which the number at a position leads back.
func (b flexBuffer) follow(at, width int) (int, bool) {
	n, ok := b.uint(at, width)
	if !ok || n > uint64(at) {
		return 0, false
	}
	return at - int(n), true
}

// number returns the value of a key of the map at the root, cut to a whole
// number. It reports false if there is none.
func (b flexBuffer) number(key string) (int64, bool) {
	if len(b) < 3 {
		return 0, false
	}
	kind, rootWidth := b[len(b)-2], int(b[len(b)-1])
	if kind>>2 != flexMap {
		return 0, false
	}
	m, ok := b.follow(len(b)-2-rootWidth, rootWidth)
	if !ok {
		return 0, false
	}
	// Before the values of a map are their number and, before that, the width
	// of a key and the way back to the keys.
	width := 1 << (kind & 3)
	n, ok1 := b.uint(m-width, width)
	keyWidth, ok2 := b.uint(m-2*width, width)
	keys, ok3 := b.follow(m-3*width, width)
	if !ok1 || !ok2 || !ok3 || n > uint64(len(b)) || keyWidth > 8 {
		return 0, false
	}
	name := append([]byte(key), 0)
	for i := range int(n) {
		at, ok := b.follow(keys+i*int(keyWidth), int(keyWidth))
		if !ok {
			return 0, false
		}
		if bytes.HasPrefix(b[at:], name) {
			packed, ok := b.uint(m+int(n)*width+i, 1)
			if !ok {
				return 0, false
			}
			return b.value(m+i*width, width, byte(packed))
		}
	}
	return 0, false
}

// value reads the number at a position.
func (b flexBuffer) value(at, width int, packed byte) (int64, bool) {
	kind := packed >> 2
	if kind > flexIndirect && kind <= flexIndirect+flexFloat {
		kind -= flexIndirect
		var ok bool
		if at, ok = b.follow(at, width); !ok {
			return 0, false
		}
		width = 1 << (packed & 3)
	}
	n, ok := b.uint(at, width)
	if !ok {
		return 0, false
	}
	switch kind {
	case flexInt:
		shift := 64 - 8*width
		return int64(n<<shift) >> shift, true
	case flexUint, flexBool:
		return int64(n), true
	case flexFloat:
		x := math.Float64frombits(n)
		if width == 4 {
			x = float64(math.Float32frombits(uint32(n)))
		}
		return int64(x), width >= 4 && math.Abs(x) < 1<<53
	}
	return 0, false
}
