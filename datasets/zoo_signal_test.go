package datasets

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/arenalab/arenalab/graph/tflite"
)

func TestRectifiedNormal(t *testing.T) {
	// Of a standard normal: mean 1/sqrt(2 pi), mean square 1/2.
	s := linearSignal.rectified()
	if math.Abs(s.mean-0.3989) > 1e-3 || math.Abs(s.power()-0.5) > 2e-3 || !s.positive {
		t.Errorf("rectified standard normal is %+v", s)
	}
	// Far above 0 nothing is cut off, far below everything is.
	if s := (signal{mean: 10, dev: 1}).rectified(); math.Abs(s.mean-10) > 1e-3 || math.Abs(s.dev-1) > 1e-2 {
		t.Errorf("rectified N(10, 1) is %+v", s)
	}
	if s := (signal{mean: -10, dev: 1}).rectified(); s.mean > 1e-3 || s.dev > 0.02 {
		t.Errorf("rectified N(-10, 1) is %+v", s)
	}
}

// A range holds what it was made for, is at most a step of the grid too large,
// and is found again from its own top.
func TestRanges(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		top := math.Exp(rapid.Float64Range(-8, 8).Draw(t, "log"))
		positive := rapid.Bool().Draw(t, "positive")
		q := gridQuant(top, positive)
		end := float64(q.scale) * float64(127-q.zero)
		if end < top*0.999 || end > top*math.Sqrt2*1.001 {
			t.Fatalf("range to %g for %g", end, top)
		}
		if again := gridQuant(end, positive); again != q {
			t.Fatalf("%+v gives %+v", q, again)
		}
		lowest := float64(q.scale) * float64(-128-q.zero)
		if positive != (lowest == 0) {
			t.Fatalf("positive %v, but the range starts at %g", positive, lowest)
		}
	})
}

func TestTapsWithinTheImage(t *testing.T) {
	image := func(h, w int) value { return value{shape: []int{1, h, w, 1}} }
	for _, tc := range []struct {
		w     window
		image value
		want  float64
	}{
		{win(1, 1, tflite.NoActivation), image(5, 5), 1},
		{win(3, 1, tflite.NoActivation), image(1, 1), 1},
		{win(3, 1, tflite.NoActivation), image(4, 4), 6.25},                         // 10 of 12 along each edge
		{win(3, 2, tflite.NoActivation), image(4, 4), 6.25},                         // 3 and 2 taps
		{win(2, 2, tflite.NoActivation), image(3, 3), 2.25},                         // 2 and 1 taps
		{window{h: 1, w: 7, down: 1, across: 1}, image(9, 1), 1},                    // a row of 7 on one pixel
		{window{h: 3, w: 3, down: 1, across: 1, dilation: 2}, image(3, 3), 25. / 9}, // 5 of 9 along each edge
	} {
		if got := tc.w.taps(tc.image); math.Abs(got-tc.want) > 1e-9 {
			t.Errorf("%+v over %v: %g taps, want %g", tc.w, tc.image.shape, got, tc.want)
		}
	}
}
