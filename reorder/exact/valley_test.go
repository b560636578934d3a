package exact

import (
	"math/rand/v2"
	"testing"
)

// bytesAt returns the live bytes after the operators of a set of numbers, from
// what values there are.
func bytesAt(net *network, set int) int64 {
	bytes := net.start
	for x, size := range net.size {
		alive := false
		for _, r := range net.readers.of(int32(x)) {
			alive = alive || set>>r&1 == 0
		}
		switch made := net.maker[x] < 0 || set>>net.maker[x]&1 != 0; {
		case net.maker[x] < 0 && !alive:
			bytes -= size
		case net.maker[x] >= 0 && made && alive:
			bytes += size
		}
	}
	for i, size := range net.lasting {
		if set>>i&1 != 0 {
			bytes += size
		}
	}
	return bytes
}

// A valley has the least live bytes of all states between two, and is the
// farthest of those that do.
func TestValleyAgainstBruteForce(t *testing.T) {
	r := rand.New(rand.NewPCG(15, 16))
	inner := 0
	for range 2000 {
		net, err := newNetwork(randomMemory(r, 2+r.IntN(8)))
		if err != nil {
			t.Fatal(err)
		}
		back := r.IntN(2) == 0
		w := newWalk(net, back)
		from, steps := r.IntN(net.n), 0
		for steps = 0; steps < net.n && (steps <= from || r.IntN(5) > 0); {
			if v := int32(r.IntN(net.n)); w.ready[0]>>v&1 != 0 {
				w.take(v)
				steps++
			}
		}
		if want := bytesAt(net, int(w.in[0])); w.bytes != want {
			t.Fatalf("%d bytes live after %b, want %d", w.bytes, w.in[0], want)
		}
		ops := w.trail[from:]
		end, start := int(w.in[0]), int(w.in[0])
		for _, v := range ops {
			start ^= 1 << v
		}
		best, most, size := int64(-1), 0, 0
		for pick := range 1 << len(ops) {
			set, taken := start, 0
			for k, v := range ops {
				if pick>>k&1 != 0 {
					set ^= 1 << v
					taken++
				}
			}
			if bytes := bytesAt(net, set); closed(net, set) && (best < 0 || bytes < best || bytes == best && taken > size) {
				best, most, size = bytes, set, taken
			}
		}
		got := start
		for k, keep := range newValley(w).keep(ops) {
			if keep {
				got ^= 1 << ops[k]
			}
		}
		if got != most {
			t.Fatalf("back %v: between %b and %b the valley is %b, got %b", back, start, end, most, got)
		}
		if got != start && got != end {
			inner++
		}
	}
	if inner < 50 {
		t.Errorf("only %d valleys are neither of the two states", inner)
	}
}

// closed reports whether a set holds all that must run before its members.
func closed(net *network, set int) bool {
	for i := range int32(net.n) {
		for _, p := range net.before.of(i) {
			if set>>i&1 != 0 && set>>p&1 == 0 {
				return false
			}
		}
	}
	return true
}
