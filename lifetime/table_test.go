package lifetime

import (
	"encoding/json"
	"errors"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestValidate(t *testing.T) {
	at := func(v int64) *int64 { return &v }
	good := Buffer{Name: "x", Size: 8, Lower: 0, Upper: 4}
	with := func(change func(*Buffer)) Buffer {
		b := good
		change(&b)
		return b
	}
	for _, tt := range []struct {
		name string
		b    Buffer
		want string // the only fault, "" if none
	}{
		{"good", good, ""},
		{"no bytes", with(func(b *Buffer) { b.Size = 0 }), ""},
		{"negative steps", with(func(b *Buffer) { b.Lower, b.Upper = -5, -4 }), ""},
		{"negative size", with(func(b *Buffer) { b.Size = -1 }), "size -1 is negative"},
		{"huge size", with(func(b *Buffer) { b.Size = maxTotal + 1 }), "size 2305843009213693952 is above 2305843009213693951"},
		{"no life", with(func(b *Buffer) { b.Upper = 0 }), "empty life [0, 0)"},
		{"early", with(func(b *Buffer) { b.Lower = math.MinInt64 }), "life [-9223372036854775808, 4) is out of range"},
		{"late", with(func(b *Buffer) { b.Upper = math.MaxInt64 }), "life [0, 9223372036854775807) is out of range"},
		{"alignment", with(func(b *Buffer) { b.Align = 3 }), "alignment 3 is not a power of two up to 2^40"},
		{"negative alignment", with(func(b *Buffer) { b.Align = math.MinInt64 }), "alignment -9223372036854775808 is not a power of two up to 2^40"},
		{"huge alignment", with(func(b *Buffer) { b.Align = 1 << 41 }), "alignment 2199023255552 is not a power of two up to 2^40"},
		{"fixed", with(func(b *Buffer) { b.Fixed, b.Align = at(8), 4 }), ""},
		{"fixed negative", with(func(b *Buffer) { b.Fixed = at(-2) }), "fixed offset -2 is out of range"},
		{"fixed misaligned", with(func(b *Buffer) { b.Fixed, b.Align = at(6), 4 }), "fixed offset 6 is not a multiple of its alignment 4"},
		{"gaps that touch", with(func(b *Buffer) { b.Gaps = []Gap{{Lower: 0, Upper: 1}, {Lower: 1, Upper: 4}} }), ""},
		{"empty gap", with(func(b *Buffer) { b.Gaps = []Gap{{Lower: 1, Upper: 1}} }), "empty gap [1, 1)"},
		{"gap too late", with(func(b *Buffer) { b.Gaps = []Gap{{Lower: 3, Upper: 5}} }),
			"gap [3, 5) is outside the life [0, 4) or overlaps the gap before it"},
		{"gap too early", with(func(b *Buffer) { b.Gaps = []Gap{{Lower: -1, Upper: 1}} }),
			"gap [-1, 1) is outside the life [0, 4) or overlaps the gap before it"},
		{"gaps overlap", with(func(b *Buffer) { b.Gaps = []Gap{{Lower: 0, Upper: 2}, {Lower: 1, Upper: 3}} }),
			"gap [1, 3) is outside the life [0, 4) or overlaps the gap before it"},
		{"window", with(func(b *Buffer) { b.Gaps = []Gap{{Lower: 0, Upper: 2, Keep: &Window{0, 8}}} }), ""},
		{"window too high", with(func(b *Buffer) { b.Gaps = []Gap{{Lower: 0, Upper: 2, Keep: &Window{0, 9}}} }),
			"gap window [0, 9) is outside the 8 bytes"},
		{"window empty", with(func(b *Buffer) { b.Gaps = []Gap{{Lower: 0, Upper: 2, Keep: &Window{3, 3}}} }),
			"gap window [3, 3) is outside the 8 bytes"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			err := (&Table{Buffers: []Buffer{good, tt.b}}).Validate()
			want := tt.want
			if want != "" {
				want = `buffer 1 "x": ` + want
			}
			if got := errorText(err); got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
}

// TestValidateSum wants a single fault, of the buffer that is one too many.
func TestValidateSum(t *testing.T) {
	third := Buffer{Size: maxTotal / 3, Lower: 0, Upper: 1}
	tab := &Table{Buffers: []Buffer{third, third, third, third, third}}
	tab.Buffers[4].Upper = 0
	err := tab.Validate()
	faults := err.(interface{ Unwrap() []error }).Unwrap()
	var got []int
	for _, f := range faults {
		var fault *Fault
		if !errors.As(f, &fault) {
			t.Fatal(f)
		}
		got = append(got, fault.Index)
	}
	// Three thirds are below the limit, but not with a byte each for alignment.
	if diff := cmp.Diff([]int{2, 4}, got); diff != "" {
		t.Error(diff)
	}
}

func TestPiecesAgainstBrute(t *testing.T) {
	many(t, func(t *rapid.T) {
		tab := tables(tiny).Draw(t, "table")
		lower, upper := tab.Span()
		pieces := tab.Pieces()
		for i := range tab.Buffers {
			for step := lower - 1; step <= upper; step++ {
				for k := int64(-1); k <= tab.Buffers[i].Size; k++ {
					covers := 0
					for _, p := range pieces {
						if p.Buffer == i && step >= p.Lower && step < p.Upper && k >= p.Low && k < p.High {
							covers++
						}
					}
					if want := takes(&tab.Buffers[i], step, k); covers > 1 || (covers == 1) != want {
						t.Fatalf("byte %d of buffer %d at step %d: in %d pieces, taken %v", k, i, step, covers, want)
					}
				}
			}
		}
		for k, p := range pieces {
			if p.Lower >= p.Upper || p.Low >= p.High || k > 0 && p.Buffer < pieces[k-1].Buffer {
				t.Fatalf("piece %d of %v", k, pieces)
			}
		}
	})
}

func TestAlignUp(t *testing.T) {
	for _, tt := range []struct{ x, align, want int64 }{
		{0, 16, 0}, {1, 16, 16}, {16, 16, 16}, {17, 16, 32}, {7, 0, 7}, {7, 1, 7},
		{maxTotal, maxAlign, maxTotal + 1},
	} {
		if got := AlignUp(tt.x, tt.align); got != tt.want {
			t.Errorf("AlignUp(%d, %d) = %d, want %d", tt.x, tt.align, got, tt.want)
		}
	}
}

func TestSpanAndNaive(t *testing.T) {
	tab := &Table{Buffers: []Buffer{{Size: 3, Lower: 4, Upper: 6}, {Size: 4, Lower: -2, Upper: 5}}}
	if lower, upper := tab.Span(); lower != -2 || upper != 6 {
		t.Errorf("span %d, %d", lower, upper)
	}
	if got := tab.Naive(); got != 7 {
		t.Errorf("naive %d", got)
	}
	if lower, upper := (&Table{}).Span(); lower != 0 || upper != 0 {
		t.Errorf("span of the empty table %d, %d", lower, upper)
	}
}

func TestStatusText(t *testing.T) {
	for s := range Status(len(statusNames)) {
		text, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		var back Status
		if err := json.Unmarshal(text, &back); err != nil || back != s {
			t.Errorf("%s read back as %v, %v", text, back, err)
		}
	}
	var s Status
	if err := json.Unmarshal([]byte(`"good"`), &s); err == nil {
		t.Errorf("unknown status read as %v", s)
	}
}
