package executor

import (
	"encoding/binary"
	"math"
	"math/bits"

	"github.com/arenalab/arenalab/graph"
)

// generator is xorshift64* (Vigna, "An experimental exploration of Marsaglia's
// xorshift generators, scrambled", ACM TOMS 42, 2016), as recordings of real
// runtimes draw their inputs from it. The state must not be 0.
type generator uint64

func (g *generator) next() uint64 {
	x := uint64(*g)
	x ^= x >> 12
	x ^= x << 25
	x ^= x >> 27
	*g = generator(x)
	return x * 0x2545F4914F6CDD1D
}

// fill draws the elements of a tensor, which may be used as numbers of the
// type: floats of [-1, 1), small integers where they may be indices, bytes
// where they are quantised.
func (g *generator) fill(data []byte, t graph.DType) {
	switch t {
	case graph.Float32:
		for ; len(data) >= 4; data = data[4:] {
			f := float32(g.next()>>40)/(1<<23) - 1
			putLE32(data, math.Float32bits(f))
		}
	case graph.Float64:
		for ; len(data) >= 8; data = data[8:] {
			f := float64(g.next()>>40)/(1<<23) - 1
			binary.LittleEndian.PutUint64(data, math.Float64bits(f))
		}
	case graph.Int32, graph.Uint32:
		for ; len(data) >= 4; data = data[4:] {
			putLE32(data, uint32(g.next()>>32%5))
		}
	case graph.Int64, graph.Uint64:
		for ; len(data) >= 8; data = data[8:] {
			binary.LittleEndian.PutUint64(data, g.next()>>32%5)
		}
	case graph.Int16, graph.Uint16:
		for ; len(data) >= 2; data = data[2:] {
			binary.LittleEndian.PutUint16(data, uint16(g.next()>>48))
		}
	case graph.Float16: // of [1/4, 1/2) with either sign
		for ; len(data) >= 2; data = data[2:] {
			x := g.next()
			binary.LittleEndian.PutUint16(data, uint16(x>>48&0x83ff|13<<10))
		}
	case graph.Bool:
		for i := range data {
			data[i] = byte(g.next() >> 63)
		}
	default:
		for i := range data {
			data[i] = byte(g.next() >> 56)
		}
	}
}

func le32(b []byte) uint32 { return binary.LittleEndian.Uint32(b) }

func putLE32(b []byte, x uint32) { binary.LittleEndian.PutUint32(b, x) }

// digest returns a hash of the bytes and the key, the same on every machine.
// Two multiplications a sixteen bytes, as in wyhash.
func digest(key uint64, data []byte) uint64 {
	const m1, m2 = 0xa0761d6478bd642f, 0xe7037ed1a0b428db
	h := mix(key, uint64(len(data)))
	for len(data) >= 16 {
		a, b := binary.LittleEndian.Uint64(data), binary.LittleEndian.Uint64(data[8:])
		hi, lo := bits.Mul64(a^m1^h, b^m2)
		h = bits.RotateLeft64(h, 23) + hi ^ lo
		data = data[16:]
	}
	var rest [16]byte
	if len(data) > 0 {
		copy(rest[:], data)
		h = mix(mix(h, binary.LittleEndian.Uint64(rest[:])), binary.LittleEndian.Uint64(rest[8:]))
	}
	return mix(h, m1)
}
