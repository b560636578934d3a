package graph

import (
	"math/big"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestSize(t *testing.T) {
	for _, test := range []struct {
		dtype DType
		shape []int32
		want  int64
		fault string
	}{
		{Float32, nil, 4, ""},
		{Float32, []int32{1, 224, 224, 3}, 602112, ""},
		{Int8, []int32{2, 0, 5}, 0, ""},
		{Int4, []int32{3}, 2, ""},
		{Int4, []int32{4}, 2, ""},
		{Uint4, nil, 1, ""},
		{Int2, []int32{5}, 2, ""},
		{Bool, []int32{7}, 7, ""},
		{BFloat16, []int32{3}, 6, ""},
		{Float8E4M3FN, []int32{3}, 3, ""},
		{Complex128, []int32{3}, 48, ""},
		{String, []int32{3}, NoSize, ""},
		{Resource, nil, NoSize, ""},
		{Variant, []int32{0}, NoSize, ""},
		{Float32, []int32{1 << 30, 1}, 1 << 32, ""}, // above 32 bits
		{Int8, []int32{1 << 30, 1 << 30}, MaxBytes, ""},
		{Int2, []int32{1 << 30, 1 << 30, 4}, MaxBytes, ""},
		{Int2, []int32{1 << 30, 1 << 30, 5}, 0, "size overflow"},
		{Int16, []int32{1 << 30, 1 << 30}, 0, "size overflow"},
		{Complex128, []int32{1 << 30, 1 << 26}, MaxBytes, ""},
		{Complex128, []int32{1 << 30, 1 << 27}, 0, "size overflow"},
		{Int8, []int32{1<<31 - 1, 1<<31 - 1, 1<<31 - 1}, 0, "size overflow"},
		{String, []int32{1<<31 - 1, 1<<31 - 1, 1<<31 - 1}, 0, "size overflow"},
		{Int8, []int32{4, -1, 2}, 0, "dimension 1 is negative: -1"},
	} {
		got, err := Size(test.dtype, test.shape)
		if test.fault != "" {
			if err == nil || !strings.Contains(err.Error(), test.fault) {
				t.Errorf("Size(%v, %v) = %d, %v; want an error with %q", test.dtype, test.shape, got, err, test.fault)
			}
			continue
		}
		if got != test.want || err != nil {
			t.Errorf("Size(%v, %v) = %d, %v; want %d", test.dtype, test.shape, got, err, test.want)
		}
	}
}

// TestSizeIsExact compares with arithmetic that cannot overflow.
func TestSizeIsExact(t *testing.T) {
	limit := big.NewInt(MaxBytes)
	rapid.Check(t, func(t *rapid.T) {
		dtype := DType(rapid.IntRange(0, len(dtypes)-1).Draw(t, "dtype"))
		dim := rapid.OneOf(rapid.Int32Range(1, 8), rapid.Int32Range(1<<20, 1<<20+4), rapid.Int32Range(1, 1<<31-1))
		shape := rapid.SliceOfN(dim, 0, 6).Draw(t, "shape")
		bits := big.NewInt(dtype.Bits())
		for _, d := range shape {
			bits.Mul(bits, big.NewInt(int64(d)))
		}
		want := bits.Add(bits, big.NewInt(7))
		want.Rsh(want, 3)
		got, err := Size(dtype, shape)
		switch {
		case dtype.Bits() == 0:
			if err == nil && got != NoSize {
				t.Fatalf("Size(%v, %v) = %d, want NoSize", dtype, shape, got)
			}
		case want.Cmp(limit) > 0:
			if err == nil {
				t.Fatalf("Size(%v, %v) = %d, want an error for %v bytes", dtype, shape, got, want)
			}
		case err != nil || want.Cmp(big.NewInt(got)) != 0:
			t.Fatalf("Size(%v, %v) = %d, %v; want %v", dtype, shape, got, err, want)
		}
	})
}

func TestSizeErrorIsShort(t *testing.T) {
	shape := make([]int32, 300)
	for i := range shape {
		shape[i] = 1 << 30
	}
	if _, err := Size(Int8, shape); err == nil || len(err.Error()) > 200 {
		t.Errorf("error for rank 300: %v", err)
	}
}

func TestDTypeNames(t *testing.T) {
	if got := DType(77).String(); got != "type(77)" || DType(77).Known() || DType(77).Bits() != 0 {
		t.Errorf("unknown type: %s", got)
	}
	seen := map[string]bool{}
	for d := range DType(len(dtypes)) {
		if name := d.String(); name == "" || seen[name] {
			t.Errorf("type %d has the name %q", d, name)
		} else {
			seen[name] = true
		}
	}
}
