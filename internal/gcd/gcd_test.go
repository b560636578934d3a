package gcd

import "testing"

func TestOf(t *testing.T) {
	for _, c := range [...][3]int64{{0, 0, 0}, {0, 5, 5}, {5, 0, 5}, {12, 18, 6}, {18, 12, 6}, {7, 9, 1}, {1 << 60, 3 << 40, 1 << 40}} {
		if got := Of(c[0], c[1]); got != c[2] {
			t.Errorf("Of(%d, %d) = %d, want %d", c[0], c[1], got, c[2])
		}
	}
	for a := int64(1); a < 40; a++ {
		for b := int64(1); b < 40; b++ {
			want := int64(1)
			for d := int64(1); d <= min(a, b); d++ {
				if a%d == 0 && b%d == 0 {
					want = d
				}
			}
			if got := Of(a, b); got != want {
				t.Errorf("Of(%d, %d) = %d, want %d", a, b, got, want)
			}
		}
	}
}
