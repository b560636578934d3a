package report

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"
	"pgregory.net/rapid"
)

// twoOrders are the live bytes of the same four operators in two orders.
func twoOrders() []LiveCurve {
	return []LiveCurve{
		{Label: "stored", Bytes: []int64{100, 250, 400, 120}},
		{Label: "depth-first", Bytes: []int64{100, 300, 300, 120}},
	}
}

func TestLiveSays(t *testing.T) {
	two := twoOrders()
	three := append(two, LiveCurve{Label: "worse", Bytes: []int64{900}})
	for _, tt := range []struct {
		curves []LiveCurve
		bound  int64
		want   string // of the caption, up to the peaks
	}{
		{two, 0, "x: peak 400 B in the stored order, 300 B in the depth-first order (−25.0%). "},
		{two, 300, "x: peak 400 B in the stored order, 300 B in the depth-first order (−25.0%); no order needs less. "},
		{three, 250, "x: peak 400 B in the stored order, 300 B in the depth-first order (−25.0%); no order needs less than 250 B. "},
		{[]LiveCurve{two[1], two[0]}, 0, "x: peak 300 B, in no other order less. "},
		{two[:1], 500, "x: peak 400 B. "}, // a bound that is refuted is not repeated
		{nil, 5, "no order has any step"},
	} {
		f := Live(tt.curves, tt.bound, "x")
		if !strings.HasPrefix(f.Caption, tt.want) {
			t.Errorf("%d curves, bound %d: caption %q, want %q", len(tt.curves), tt.bound, f.Caption, tt.want)
		}
	}
	var svg bytes.Buffer
	if err := Live(two, 200, "").WriteSVG(&svg); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{">Live bytes by operator order<", ">stored 400 B<", ">depth-first 300 B<",
		">stored (400 B)<", ">bound of all orders (200 B)<", ">live bytes<", "step 2; depth-first peaks with 300 B at step 1."} {
		if !strings.Contains(svg.String(), want) {
			t.Errorf("no %q in the drawing", want)
		}
	}
}

func TestLiveOfAnything(t *testing.T) {
	var many []LiveCurve
	for i := range 12 {
		many = append(many, LiveCurve{Label: fmt.Sprint("order ", i), Bytes: []int64{5, int64(40 - i), 7, int64(i)}})
	}
	long := make([]int64, 50_000)
	for i := range long {
		long[i] = int64(i*7919) % 100_003
	}
	for name, tt := range map[string]struct {
		curves []LiveCurve
		bound  int64
	}{
		"none": {}, "empty": {[]LiveCurve{{Label: "a"}, {}}, 3}, "two": {twoOrders(), 300},
		"one step": {[]LiveCurve{{Label: "a", Bytes: []int64{7}}}, 7}, "zero": {[]LiveCurve{{Bytes: make([]int64, 9)}}, 0},
		"huge": {[]LiveCurve{{Bytes: []int64{math.MaxInt64, 1}}}, math.MaxInt64}, "many": {many, 9},
		"long": {[]LiveCurve{{Label: "a", Bytes: long}, {Label: "b", Bytes: long[9:]}}, 1}, "bound above": {twoOrders(), 1 << 40},
		"hostile":    {[]LiveCurve{{hostile[0], []int64{1, 2}}, {hostile[1], []int64{2, 1}}}, -5},
		"negative":   {[]LiveCurve{{"a", []int64{-4, math.MinInt64}}}, 0},
		"at the end": {[]LiveCurve{{strings.Repeat("long name ", 20), []int64{1, 1, 1, 9}}, {"b", []int64{1, 1, 8, 1}}}, 0},
	} {
		t.Run(name, func(t *testing.T) { well(t, Live(tt.curves, tt.bound, hostile[0])) })
	}
}

// TestOutlineKeepsPeaks checks that no drawing hides a peak, however close the
// steps are, and that it is the curve itself where they are not.
func TestOutlineKeepsPeaks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k := liveCurve{bytes: rapid.SliceOfN(rapid.Int64Range(0, 9), 1, 60).Draw(t, "bytes")}
		width := vg.Length(rapid.SampledFrom([]float64{0.01, 0.3, 1, 5}).Draw(t, "width")) * pixel
		x := func(v float64) vg.Length { return vg.Length(v) * width }
		y := func(v float64) vg.Length { return vg.Length(v) }
		points := k.outline(x, y)
		highest := vg.Length(0)
		for _, p := range points {
			highest = max(highest, p.Y)
		}
		if want := vg.Length(slices.Max(k.bytes)); highest != want {
			t.Fatalf("the drawing peaks at %v, the curve at %v", highest, want)
		}
		if points[0].X != 0 || points[len(points)-1].X != x(float64(len(k.bytes))) {
			t.Fatalf("from %v to %v", points[0].X, points[len(points)-1].X)
		}
		if width < pixel*2 {
			return
		}
		for i, b := range k.bytes {
			mid := x(float64(i) + 0.5)
			for j := 0; j+1 < len(points); j += 2 {
				if points[j].X < mid && mid < points[j+1].X && points[j].Y != vg.Length(b) {
					t.Fatalf("%v at step %d, want %d", points[j].Y, i, b)
				}
			}
		}
	})
}
