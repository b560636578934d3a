package executor

import "encoding/binary"

// The tags keep keys of different origin apart.
const (
	tagTable uint64 = iota + 1
	tagEntry
	tagConstant
	tagOperator
	tagScratch
	tagState
)

// mix folds x into the key h: one round of splitmix64 (Steele, Lea, Flood,
// "Fast splittable pseudorandom number generators", OOPSLA 2014).
func mix(h, x uint64) uint64 {
	z := (h ^ x*0xff51afd7ed558ccd) + 0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// A stream counts in odd steps, so that its words are distinct.
const (
	step1      = 0x9e3779b97f4a7c15
	step2      = 2 * step1 & (1<<64 - 1)
	step3      = 3 * step1 & (1<<64 - 1)
	step4      = 4 * step1 & (1<<64 - 1)
	streamMult = 0xd6e8feb86659fd93
)

// scramble turns the counter of a stream into eight of its bytes.
func scramble(x uint64) uint64 {
	x = (x ^ x>>32) * streamMult
	return x ^ x>>29
}

// fill writes the bytes of the key's stream from position at on.
func fill(mem []byte, key uint64, at int64) {
	x := key + uint64(at>>3)*step1
	if r := int(at & 7); r != 0 {
		var word [8]byte
		binary.LittleEndian.PutUint64(word[:], scramble(x))
		mem = mem[copy(mem, word[r:]):]
		x += step1
	}
	for len(mem) >= 32 {
		m := mem[:32:32]
		binary.LittleEndian.PutUint64(m[0:], scramble(x))
		binary.LittleEndian.PutUint64(m[8:], scramble(x+step1))
		binary.LittleEndian.PutUint64(m[16:], scramble(x+step2))
		binary.LittleEndian.PutUint64(m[24:], scramble(x+step3))
		x += step4
		mem = mem[32:]
	}
	for len(mem) > 0 {
		var word [8]byte
		binary.LittleEndian.PutUint64(word[:], scramble(x))
		mem = mem[copy(mem, word[:]):]
		x += step1
	}
}

// match returns the index of the first byte that is not that of the key's
// stream from position at on, or -1 if there is none.
func match(mem []byte, key uint64, at int64) int {
	x := key + uint64(at>>3)*step1
	n := 0
	if r := int(at & 7); r != 0 {
		n = min(8-r, len(mem))
		if i := matchWord(mem[:n], scramble(x)>>(8*r)); i >= 0 {
			return i
		}
		x += step1
	}
	for ; len(mem)-n >= 32; n += 32 {
		m := mem[n : n+32 : n+32]
		d := binary.LittleEndian.Uint64(m[0:]) ^ scramble(x)
		d |= binary.LittleEndian.Uint64(m[8:]) ^ scramble(x+step1)
		d |= binary.LittleEndian.Uint64(m[16:]) ^ scramble(x+step2)
		d |= binary.LittleEndian.Uint64(m[24:]) ^ scramble(x+step3)
		if d != 0 {
			break
		}
		x += step4
	}
	for ; n < len(mem); n += 8 {
		if i := matchWord(mem[n:min(n+8, len(mem))], scramble(x)); i >= 0 {
			return n + i
		}
		x += step1
	}
	return -1
}

// matchWord compares up to eight bytes with the word, lowest byte first.
func matchWord(mem []byte, word uint64) int {
	for i, b := range mem {
		if b != byte(word>>(8*i)) {
			return i
		}
	}
	return -1
}

// pattern sets every byte of the memory to b.
func pattern(mem []byte, b byte) {
	if len(mem) == 0 {
		return
	}
	mem[0] = b
	for n := 1; n < len(mem); n *= 2 {
		copy(mem[n:], mem[:n])
	}
}
