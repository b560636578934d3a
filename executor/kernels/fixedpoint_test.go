package kernels

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

func TestMultipliers(t *testing.T) {
	for _, test := range []struct {
		real float64
		want multiplier
	}{
		{1, multiplier{1 << 30, 1}},
		{0.5, multiplier{1 << 30, 0}},
		{0.75, multiplier{3 << 29, 0}},
		{1 - 1e-12, multiplier{1 << 30, 1}}, // rounds up to 1
		{0, multiplier{}},
		{1e-12, multiplier{}}, // below 2^-32
	} {
		if got := newMultiplier(test.real); got != test.want {
			t.Errorf("%v: got %v, want %v", test.real, got, test.want)
		}
	}
}

// What a multiplier does is near the real product: two roundings are off by at
// most one, a single one by none.
func TestApplyIsNearTheProduct(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		real := rapid.Float64Range(1e-6, 1).Draw(t, "real")
		x := rapid.Int32Range(-1<<24, 1<<24).Draw(t, "x")
		q := newMultiplier(real)
		exact := float64(x) * float64(q.m) / (1 << 31) * math.Ldexp(1, q.shift)
		if got := float64(q.apply(x)); math.Abs(got-exact) > 1 {
			t.Errorf("%d * %v = %v, exactly %v", x, real, got, exact)
		}
		if got := float64(q.applyOnce(x)); math.Abs(got-exact) > 0.5 {
			t.Errorf("once: %d * %v = %v, exactly %v", x, real, got, exact)
		}
		if got := float64(q.applyWide(int64(x))); math.Abs(got-exact) > 1+math.Abs(exact)/(1<<14) {
			t.Errorf("wide: %d * %v = %v, exactly %v", x, real, got, exact)
		}
	})
}

func TestShiftRound(t *testing.T) {
	for x := int32(-70); x <= 70; x++ {
		for e := range 5 {
			want := math.Round(float64(x) / math.Ldexp(1, e))
			if got := shiftRound(x, e); float64(got) != want {
				t.Errorf("%d >> %d = %d, want %v", x, e, got, want)
			}
		}
	}
}
