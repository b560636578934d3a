package kernels

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/arenalab/arenalab/graph"
)

// TestFixedScale holds the multiplication without branches against the one that
// is written as the runtime writes it.
func TestFixedScale(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		q := newMultiplier(rapid.Float64Range(0, 200).Draw(t, "multiplier"))
		if rapid.Bool().Draw(t, "power") {
			q = newMultiplier(math.Ldexp(1, rapid.IntRange(-31, 7).Draw(t, "exponent")))
		}
		x := rapid.Int32().Draw(t, "x")
		f := newFixedScale(q, false, false)
		if got, want := f.apply(x), q.apply(x); got != int64(want) {
			t.Errorf("%d * %v = %d, not %d", x, q, got, want)
		}
		y := rapid.Int64Range(-1<<46, 1<<46).Draw(t, "y")
		f = newFixedScale(q, true, false)
		if got, want := int32((y*f.m+f.round)>>f.first), q.applyWide(y); got != want {
			t.Errorf("%d * %v = %d, not %d", y, q, got, want)
		}
	})
}

// TestConvertTies rescales by a half.
func TestConvertTies(t *testing.T) {
	tensor := func(scale float32) *Tensor {
		return &Tensor{Type: graph.Int8, Shape: []int{8}, Quant: quantOne(scale, 0)}
	}
	for how, want := range map[rescaling][]int8{
		inFixed:       {1, 2, 3, 0, -1, -2, -3, 100},
		inFixedUpward: {1, 2, 3, 0, 0, -1, -2, 100},
		inFloat64:     {1, 2, 3, 0, -1, -2, -3, 100},
		inFloat32:     {0, 2, 2, 0, 0, -2, -2, 100},
	} {
		// A quarter leaves a half to the second of the roundings in fixed point.
		r, err := newRescale(how, false, false, tensor(0.25), tensor(1), tensor(1), 8, actNone)
		if err != nil {
			t.Fatal(err)
		}
		got := make([]int8, 8)
		convert(r, []int64{2, 6, 10, 0, -2, -6, -10, 400}, 0, got)
		if !slices.Equal(got, want) {
			t.Errorf("rescaling %d gives %v, want %v", how, got, want)
		}
	}
}

func TestIntegerClamp(t *testing.T) {
	for _, test := range []struct {
		kind       graph.DType
		activation int8
		scale      float32
		zero       int64
		low, high  int32
	}{
		{graph.Int8, actNone, 0.5, 3, -128, 127},
		{graph.Int8, actRelu, 0.5, 3, 3, 127},
		{graph.Int8, actRelu6, 0.5, 3, 3, 15},
		{graph.Int8, actReluN1To1, 0.5, 3, 1, 5},
		{graph.Int8, actRelu6, 4, 0, 0, 2}, // one and a half, rounded up
		{graph.Int8, actReluN1To1, 2, 0, -1, 1},
		{graph.Uint8, actRelu6, 0.01, 10, 10, 255},
		{graph.Int16, actRelu6, 0.001, 0, 0, 6000},
	} {
		low, high, err := integerClamp(test.activation, &Tensor{Type: test.kind, Quant: quantOne(test.scale, test.zero)})
		if err != nil || low != test.low || high != test.high {
			t.Errorf("%v, activation %d, scale %g: %d to %d, %v; want %d to %d", test.kind, test.activation, test.scale, low, high, err, test.low, test.high)
		}
	}
	if _, _, err := integerClamp(6, &Tensor{Type: graph.Int8, Quant: quantOne(1, 0)}); err == nil {
		t.Error("activation 6 is accepted")
	}
}

func TestUnpackBits(t *testing.T) {
	for bits, want := range map[int][]int8{4: {1, -2, -8, 7, 5}, 2: {1, 0, -2, -1, 0, -2, -2, 1, 1}} {
		data := map[int][]byte{4: {0xE1, 0x78, 0x05}, 2: {0b11100001, 0b01101000, 0b1}}[bits]
		got := make([]int8, len(want))
		if unpackBits(got, data, bits); !slices.Equal(got, want) {
			t.Errorf("%d bits give %v, want %v", bits, got, want)
		}
	}
}

// TestQuantiseFloats quantises by a scale of one, ties among them.
func TestQuantiseFloats(t *testing.T) {
	x := []float32{127, 0.5, -0.5, 1.5, -2.5, 0.49999997, 3, -127, 0.49999997, 2.5}
	q := make([]int8, len(x))
	r := quantiseSymmetric(x, q)
	if want := []int8{127, 1, -1, 2, -3, 1, 3, -127, 0, 3}; r.scale != 1 || !slices.Equal(q, want) {
		t.Errorf("%v by %g, want %v by 1", q, r.scale, want)
	}
	r = quantiseAsymmetric([]float32{0, 255, 10.5}, q[:3])
	if want := []int8{-128, 127, -117}; r != (quantisedRow{1, -128}) || !slices.Equal(q[:3], want) {
		t.Errorf("%v by %v, want %v", q[:3], r, want)
	}
	for _, quantise := range []func([]float32, []int8) quantisedRow{quantiseSymmetric, quantiseAsymmetric} {
		if r := quantise(make([]float32, 3), q[:3]); r != (quantisedRow{1, 0}) || q[0] != 0 {
			t.Errorf("zeros become %v by %v", q[:3], r)
		}
	}
}

func TestConvAxis(t *testing.T) {
	for _, test := range []struct {
		in, filter       int
		stride, dilation int32
		padding          int8
		out, pad         int
		invalid          bool
	}{
		{in: 5, filter: 3, stride: 1, dilation: 1, padding: paddingSame, out: 5, pad: 1},
		{in: 5, filter: 3, stride: 2, dilation: 1, padding: paddingSame, out: 3, pad: 1},
		{in: 6, filter: 3, stride: 2, dilation: 1, padding: paddingSame, out: 3, pad: 0},
		{in: 6, filter: 2, stride: 1, dilation: 3, padding: paddingSame, out: 6, pad: 1},
		{in: 6, filter: 3, stride: 2, dilation: 1, padding: paddingValid, out: 2, pad: 0},
		{in: 2, filter: 3, stride: 1, dilation: 1, padding: paddingValid, out: 0, pad: 0},
		{in: 1, filter: 3, stride: 1, dilation: 1, padding: paddingValid, invalid: true},
		{in: 1, filter: 1, stride: 0, dilation: 1, invalid: true},
		{in: 1, filter: 1, stride: 1, dilation: 0, invalid: true},
		{in: 1, filter: 0, stride: 1, dilation: 1, invalid: true},
		{in: 0, filter: 1, stride: 1, dilation: 1, invalid: true},
		{in: 1, filter: 1, stride: 1, dilation: 1, padding: 2, invalid: true},
		{in: 1 << 31, filter: 1 << 31, stride: math.MaxInt32, dilation: math.MaxInt32, padding: paddingValid, invalid: true},
	} {
		a, err := newConvAxis(test.in, test.filter, test.stride, test.dilation, test.padding)
		if (err != nil) != test.invalid || err == nil && (a.out != test.out || a.pad != test.pad) {
			t.Errorf("%+v: %+v, %v", test, a, err)
		}
	}
}
