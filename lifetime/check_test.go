package lifetime

import (
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestCheckAgainstBrute demands that Check and the model agree on plans that
// are safe, and on plans that miss it by one change.
func TestCheckAgainstBrute(t *testing.T) {
	var safe, unsafe int
	many(t, func(t *rapid.T) {
		tab := tables(tiny).Draw(t, "table")
		offsets, ok := brutePlan(tab)
		if !ok {
			t.Skip("fixed offsets in each other's way")
		}
		p := NewPlan(tab, offsets)
		if err := Check(tab, p); err != nil {
			t.Fatalf("a safe plan is refused: %v", err)
		}
		mutate(t, tab, p)
		err, want := Check(tab, p), bruteSafe(tab, p)
		if (err == nil) != want {
			t.Fatalf("Check says %v, safe is %v, offsets %v, arena %d", err, want, p.Offsets, p.Arena)
		}
		if want {
			safe++
		} else {
			unsafe++
		}
		checkReports(t, tab, p, err)
	})
	if safe < 500 || unsafe < 500 {
		t.Errorf("%d mutants are safe, %d are not: the test does not tell", safe, unsafe)
	}
}

func mutate(t *rapid.T, tab *Table, p *Plan) {
	if len(p.Offsets) == 0 {
		p.Arena += rapid.Int64Range(-1, 1).Draw(t, "arena")
		return
	}
	i := rapid.IntRange(0, len(p.Offsets)-1).Draw(t, "buffer")
	switch rapid.IntRange(0, 5).Draw(t, "mutation") {
	case 0: // any shift, arena as it was
		p.Offsets[i] += rapid.Int64Range(-4, 4).Draw(t, "shift")
	case 1, 2: // a shift that keeps the alignment, arena to match
		p.Offsets[i] += rapid.Int64Range(-3, 3).Draw(t, "shift") * tab.Buffers[i].Alignment()
		p.Arena = NewPlan(tab, p.Offsets).Arena
	case 3:
		j := rapid.IntRange(0, len(p.Offsets)-1).Draw(t, "other")
		p.Offsets[i], p.Offsets[j] = p.Offsets[j], p.Offsets[i]
		p.Arena = NewPlan(tab, p.Offsets).Arena
	case 4:
		p.Arena += rapid.Int64Range(-1, 1).Draw(t, "arena")
	case 5:
		p.Offsets = p.Offsets[:i]
	}
}

// checkReports demands that each overlap in the error is one.
func checkReports(t *rapid.T, tab *Table, p *Plan, err error) {
	for _, o := range overlapsOf(err) {
		if !bruteShares(tab, p.Offsets, o.A, o.B, o.Step) {
			t.Fatalf("not an overlap: %v, offsets %v", o, p.Offsets)
		}
		if o.NameA != tab.Buffers[o.A].Name || o.NameB != tab.Buffers[o.B].Name {
			t.Fatalf("wrong names: %v", o)
		}
		for at := o.Low - 1; at <= o.High; at++ {
			both := takes(&tab.Buffers[o.A], o.Step, at-p.Offsets[o.A]) && takes(&tab.Buffers[o.B], o.Step, at-p.Offsets[o.B])
			if inside := at >= o.Low && at < o.High; both != inside {
				t.Fatalf("%v: byte %d is shared: %v", o, at, both)
			}
		}
	}
}

// overlapsOf lists the overlaps that are joined in the error.
func overlapsOf(err error) []*OverlapError {
	var list []*OverlapError
	if join, ok := err.(interface{ Unwrap() []error }); ok {
		for _, e := range join.Unwrap() {
			var o *OverlapError
			if errors.As(e, &o) {
				list = append(list, o)
			}
		}
	}
	return list
}

// TestCheckLarge compares with all pairs on tables that need several levels of
// the set of live pieces.
func TestCheckLarge(t *testing.T) {
	verdicts := map[bool]int{}
	for seed := range uint64(40) {
		tab, p := benchTable(200 + 137*int(seed))
		r := rand.New(rand.NewPCG(seed, 1))
		if seed%4 != 0 { // else it is safe
			i, j := r.IntN(len(p.Offsets)), r.IntN(len(p.Offsets))
			p.Offsets[i] = p.Offsets[j] + r.Int64N(64)
			p.Arena = NewPlan(tab, p.Offsets).Arena
		}
		pairs := 0
		for i := range tab.Buffers {
			for j := range i {
				a, b := &tab.Buffers[i], &tab.Buffers[j]
				if a.Overlaps(b) && p.Offsets[i] < p.Offsets[j]+b.Size && p.Offsets[j] < p.Offsets[i]+a.Size {
					pairs++
				}
			}
		}
		err := Check(tab, p)
		if (err == nil) != (pairs == 0) {
			t.Errorf("seed %d: %d pairs overlap, Check says %v", seed, pairs, err)
		}
		verdicts[err == nil]++
	}
	if verdicts[true] < 10 || verdicts[false] < 5 {
		t.Errorf("verdicts %v: the test does not tell", verdicts)
	}
}

func TestCheckErrors(t *testing.T) {
	four := int64(4)
	tab := &Table{Buffers: []Buffer{
		{Name: "a", Size: 8, Lower: 0, Upper: 2},
		{Name: "b", Size: 8, Align: 4, Lower: 1, Upper: 3},
		{Name: "c", Size: 0, Lower: 0, Upper: 3, Fixed: &four},
	}}
	for _, tt := range []struct {
		name    string
		offsets []int64
		arena   int64
		want    string // "" if safe
	}{
		{"safe", []int64{0, 8, 4}, 16, ""},
		{"safe, upside down", []int64{8, 0, 4}, 16, ""},
		{"overlap", []int64{0, 4, 4}, 12, `buffers 0 "a" and 1 "b" share bytes [4, 8) at step 1`},
		{"too few", []int64{0, 8}, 16, "plan has 2 offsets for 3 buffers"},
		{"too many", []int64{0, 8, 4, 0}, 16, "plan has 4 offsets for 3 buffers"},
		{"negative", []int64{-8, 0, 4}, 8, `buffer 0 "a" at offset -8: negative offset`},
		{"huge", []int64{math.MaxInt64, 0, 4}, 8, `buffer 0 "a" at offset 9223372036854775807: offset out of range`},
		{"misaligned", []int64{0, 9, 4}, 17, `buffer 1 "b" at offset 9: not a multiple of its alignment 4`},
		{"moved", []int64{0, 8, 0}, 16, `buffer 2 "c" at offset 0: fixed offset is 4`},
		{"arena above", []int64{0, 8, 4}, 17, "plan states an arena of 17 bytes, its buffers end at 16"},
		{"arena below", []int64{0, 8, 4}, 15, "plan states an arena of 15 bytes, its buffers end at 16"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			err := Check(tab, &Plan{Offsets: tt.offsets, Arena: tt.arena})
			if got := errorText(err); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// TestCheckInvalidTable wants an error, not a crash, for tables on which the
// sweep makes no sense.
func TestCheckInvalidTable(t *testing.T) {
	tab := &Table{Buffers: []Buffer{
		{Name: "a", Size: -8, Lower: 5, Upper: 2},
		{Name: "b", Size: math.MaxInt64, Lower: math.MaxInt64, Upper: math.MinInt64, Align: -3},
	}}
	err := Check(tab, &Plan{Offsets: []int64{0, 0}})
	var fault *Fault
	if !errors.As(err, &fault) || !strings.HasPrefix(err.Error(), "table is not valid") {
		t.Errorf("got %v", err)
	}
}

// TestCheckNamesTheFirst wants what overlaps a buffer to be reported against
// that buffer, not against others that overlap it.
func TestCheckNamesTheFirst(t *testing.T) {
	tab := &Table{Buffers: []Buffer{
		{Name: "large", Size: 100, Lower: 0, Upper: 9},
		{Name: "late", Size: 3, Lower: 2, Upper: 9},
		{Name: "early", Size: 10, Lower: 1, Upper: 9},
	}}
	err := Check(tab, NewPlan(tab, []int64{0, 5, 0}))
	want := `buffers 0 "large" and 2 "early" share bytes [0, 10) at step 1
buffers 0 "large" and 1 "late" share bytes [5, 8) at step 2`
	if got := errorText(err); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestCheckStops wants a bounded report of a plan that is wrong everywhere.
func TestCheckStops(t *testing.T) {
	tab := &Table{Buffers: make([]Buffer, 1000)}
	for i := range tab.Buffers {
		tab.Buffers[i] = Buffer{Size: 4, Lower: 0, Upper: 1}
	}
	err := Check(tab, NewPlan(tab, make([]int64, 1000)))
	if got := len(overlapsOf(err)); got != maxOverlaps {
		t.Errorf("%d overlaps reported, want %d", got, maxOverlaps)
	}
}

// FuzzCheck looks for plans on which Check and the model differ, and for
// crashes on tables of any kind.
func FuzzCheck(f *testing.F) {
	f.Add([]byte("id,lower,upper,size,gaps\na,0,4,4,1-2\nb,1,2,4,\n"), uint64(0))
	f.Add([]byte("id,lower,upper,size,gaps\na,0,4,4,1-2@0:2\nb,1,2,2,\n"), uint64(0x200))
	f.Add([]byte("id,lower,upper,size,alignment,offset\na,0,4,4,4,-1\nb,1,2,2,1,1\n"), uint64(0x100))
	f.Fuzz(func(t *testing.T, text []byte, bytes uint64) {
		tab, err := ReadCSV(strings.NewReader(string(text)), CSVOptions{})
		if tab == nil || len(tab.Buffers) > 8 {
			return
		}
		p := &Plan{Offsets: make([]int64, len(tab.Buffers))}
		for i := range p.Offsets {
			p.Offsets[i] = int64(bytes >> (8 * i) & 0xff)
		}
		if err != nil {
			if Check(tab, p) == nil {
				t.Fatalf("invalid table passes: %v", err)
			}
			return
		}
		p.Arena = NewPlan(tab, p.Offsets).Arena
		lower, upper := tab.Span()
		if upper-lower > 64 || p.Arena > 512 {
			Check(tab, p)
			return
		}
		if err := Check(tab, p); (err == nil) != bruteSafe(tab, p) {
			t.Fatalf("Check says %v for %v", err, p.Offsets)
		}
	})
}
