package kernels

import (
	"testing"

	"github.com/arenalab/arenalab/graph"
)

// TestDotExtremes multiplies the greatest and least inputs and weights, so that
// every lane is as full as it can be, next to lanes of the other sign.
func TestDotExtremes(t *testing.T) {
	for _, test := range []struct {
		name         string
		kind         graph.DType
		zero, weight int64
		lanes        int
	}{
		{"int8", graph.Int8, 0, -128, 3},
		{"int8 far zero", graph.Int8, 127, -128, 3},
		{"uint8 far zeros", graph.Uint8, 255, 255, 2},
		{"int16", graph.Int16, 0, -128, 2},
		{"int16 times int16", graph.Int16, 0, -32768, 1},
	} {
		low, high := integerRange(test.kind)
		for _, depth := range []int{1, 15, 16, 31, 32, 33, 64, 100, 511, 512, 513, 1200} {
			for positions := 1; positions <= 6; positions++ {
				p := newPacking(2, mostOf(test.kind, test.zero), max(test.weight, -test.weight))
				if p.lanes != test.lanes {
					t.Fatalf("%s: %d lanes, want %d", test.name, p.lanes, test.lanes)
				}
				if positions > p.tile() {
					continue
				}
				rows, x := make([]int64, 2*depth), make([]int16, depth)
				want := make([]int64, positions)
				for i := range want {
					for k := range x {
						x[k] = int16(low)
						if i%2 == 1 || i == 4 && k%2 == 1 {
							x[k] = int16(min(high, 32767))
						}
						want[i] += (int64(x[k]) - test.zero) * test.weight
					}
					pack(&p, i, rows[i/p.lanes*depth:][:depth], x, test.zero)
				}
				const channels = 5
				w := make([]int16, channels*depth)
				for i := range w {
					w[i] = int16(test.weight)
				}
				sums := make([]int64, p.tile()*channels)
				second := rows[depth:]
				if positions <= p.lanes {
					second = nil
				}
				dotTile(&p, rows[:depth], second, w, sums, channels, channels)
				for i, v := range want {
					for c := range channels {
						if got := sums[i*channels+c]; got != v {
							t.Fatalf("%s, depth %d: position %d of %d, channel %d: %d, not %d", test.name, depth, i, positions, c, got, v)
						}
					}
				}
			}
		}
	}
}
