package executor

import (
	"bytes"
	"testing"

	"pgregory.net/rapid"
)

// slowFill is fill byte by byte.
func slowFill(mem []byte, key uint64, at int64) {
	for i := range mem {
		pos := uint64(at) + uint64(i)
		word := scramble(key + pos/8*step1)
		mem[i] = byte(word >> (8 * (pos % 8)))
	}
}

func TestStream(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 200).Draw(t, "bytes")
		shift := rapid.IntRange(0, 9).Draw(t, "shift")
		at := rapid.Int64Range(0, 1<<40).Draw(t, "at")
		key := rapid.Uint64().Draw(t, "key")
		want := make([]byte, n)
		slowFill(want, key, at)
		mem := make([]byte, shift+n+9)
		pattern(mem, 0xee)
		part := mem[shift : shift+n]
		fill(part, key, at)
		if !bytes.Equal(part, want) {
			t.Fatalf("fill wrote\n%x, want\n%x", part, want)
		}
		if bytes.Count(mem, []byte{0xee}) < shift+9 {
			t.Fatal("fill wrote outside of its range")
		}
		if i := match(part, key, at); i >= 0 {
			t.Fatalf("match finds a difference at %d", i)
		}
		if n == 0 {
			return
		}
		first := rapid.IntRange(0, n-1).Draw(t, "first")
		part[first] ^= byte(rapid.IntRange(1, 255).Draw(t, "flip"))
		part[rapid.IntRange(first, n-1).Draw(t, "second")] ^= 0x10
		wrong := first
		for wrong < n && part[wrong] == want[wrong] {
			wrong++
		}
		if wrong == n {
			wrong = -1
		}
		if got := match(part, key, at); got != wrong {
			t.Fatalf("first difference at %d, want %d", got, wrong)
		}
	})
}

// TestStreamsDiffer makes sure that streams of other keys, or of the same key
// at other positions, agree in no more bytes than chance allows.
func TestStreamsDiffer(t *testing.T) {
	const n = 1 << 14
	a, b := make([]byte, n), make([]byte, n)
	fill(a, mix(tagTable, 1), 0)
	for _, other := range []struct {
		key uint64
		at  int64
	}{
		{mix(tagTable, 1), 1}, {mix(tagTable, 1), 8}, {mix(tagTable, 1), 16}, {mix(tagTable, 1), 256},
		{mix(tagTable, 2), 0}, {mix(tagEntry, 1), 0}, {mix(mix(tagTable, 1), runs[1].salt), 0},
	} {
		fill(b, other.key, other.at)
		var lanes [8]int
		for i := range a {
			if a[i] == b[i] {
				lanes[i%8]++
			}
		}
		for lane, same := range lanes { // 8 expected of 2048, standard deviation 2.8
			if same > 30 {
				t.Errorf("key %x at %d: %d of %d bytes in lane %d agree", other.key, other.at, same, n/8, lane)
			}
		}
	}
}

func BenchmarkFill(b *testing.B) {
	mem := make([]byte, 256<<10)
	b.SetBytes(int64(len(mem)))
	b.ReportAllocs()
	for b.Loop() {
		fill(mem, 12345, 0)
	}
}

func BenchmarkMatch(b *testing.B) {
	mem := make([]byte, 256<<10)
	fill(mem, 12345, 0)
	b.SetBytes(int64(len(mem)))
	b.ReportAllocs()
	for b.Loop() {
		if match(mem, 12345, 0) >= 0 {
			b.Fatal("differs")
		}
	}
}
