package lifetime

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func ptr(v int64) *int64 { return &v }

func TestReadCSV(t *testing.T) {
	little := Buffer{Name: "Little", Size: 15, Align: 1, Lower: 5, Upper: 10}
	big := Buffer{Name: "Big", Size: 18, Align: 2, Lower: 6, Upper: 12,
		Gaps: []Gap{{Lower: 7, Upper: 8}, {Lower: 9, Upper: 10, Keep: &Window{1, 17}}}}
	ab := []Buffer{{Name: "a", Size: 4, Lower: 0, Upper: 2}, {Name: "b", Size: 5, Lower: 1, Upper: 3}}
	for _, tt := range []struct {
		name, text string
		o          CSVOptions
		want       []Buffer
	}{
		{"plain", "id,lower,upper,size\na,0,2,4\nb,1,3,5\n", CSVOptions{}, ab},
		{"no line end", "id,lower,upper,size\na,0,2,4\nb,1,3,5", CSVOptions{}, ab},
		{"carriage returns", "id,lower,upper,size\r\na,0,2,4\r\nb,1,3,5\r\n", CSVOptions{}, ab},
		{"mark, comments, blanks, blank lines",
			"\xef\xbb\xbf# made by hand\n\n id , lower,upper\t,size \n\na,0, 2,4\n  # b is next\n \t\nb,1,3,5 \n\n", CSVOptions{}, ab},
		{"other order and case", "Size,UPPER,Id,lower\n4,2,a,0\n5,3,b,1\n", CSVOptions{}, ab},
		{"synonyms", "buffer,start,end,size\na,0,1,4\nb,1,2,5\n", CSVOptions{}, ab},
		{"more synonyms", "buffer_id,begin,upper,size\na,0,2,4\nb,1,3,5\n", CSVOptions{}, ab},
		{"closed", "id,lower,upper,size\na,0,1,4\nb,1,2,5\n", CSVOptions{Closed: true}, ab},
		{"closed twice is closed", "id,lower,end,size\na,0,1,4\nb,1,2,5\n", CSVOptions{Closed: true}, ab},
		{"header alone", "id,lower,upper,size\n", CSVOptions{}, nil},
		{"gaps", "id,lower,upper,size,alignment,gaps\nLittle,5,10,15,1,\nBig,6,12,18,2,7-8 9-10@1:17\n", CSVOptions{}, []Buffer{little, big}},
		{"inclusive gaps", "id,start,end,size,alignment,gaps\nLittle,5,9,15,1,\nBig,6,11,18,2,7-7 9-9@1:17\n", CSVOptions{}, []Buffer{little, big}},
		{"closed gaps", "id,lower,upper,size,alignment,gaps\nLittle,5,9,15,1,\nBig,6,11,18,2,7-7 9-9@1:17\n", CSVOptions{Closed: true}, []Buffer{little, big}},
		{"gaps in any order", "id,lower,upper,size,alignment,gaps\nBig,6,12,18,2, 9-10@1:17   7-8 \n", CSVOptions{}, []Buffer{big}},
		{"negative steps", "id,lower,upper,size,gaps\na,-9,-2,4,-8--5 -4--3\n", CSVOptions{},
			[]Buffer{{Name: "a", Size: 4, Lower: -9, Upper: -2, Gaps: []Gap{{Lower: -8, Upper: -5}, {Lower: -4, Upper: -3}}}}},
		{"offsets and hints", "id,lower,upper,size,hint,offset\na,0,2,4,8,16\nb,1,3,5,-1,-1\nc,1,3,5,,\n", CSVOptions{}, []Buffer{
			{Name: "a", Size: 4, Lower: 0, Upper: 2, Hint: ptr(8), Fixed: ptr(16)}, ab[1],
			{Name: "c", Size: 5, Lower: 1, Upper: 3}}},
		{"alignments", "id,lower,upper,size,alignment\na,0,2,4,\nb,1,3,5,8\n", CSVOptions{}, []Buffer{
			ab[0], {Name: "b", Size: 5, Align: 8, Lower: 1, Upper: 3}}},
		{"kinds", "id,lower,upper,size,kind\na,0,2,4,input\nb,1,3,5,\n", CSVOptions{}, []Buffer{
			{Name: "a", Size: 4, Lower: 0, Upper: 2, Kind: Input}, ab[1]}},
		{"quotes", `id,"lower",upper,size` + "\n" + `"a, ""b"" #" ,0,2,"4"` + "\n" + `c"d,1,3,5` + "\n", CSVOptions{}, []Buffer{
			{Name: `a, "b" #`, Size: 4, Lower: 0, Upper: 2}, {Name: `c"d`, Size: 5, Lower: 1, Upper: 3}}},
		{"names repeat and are empty", "id,lower,upper,size\n,0,2,4\n,0,2,4\n", CSVOptions{}, []Buffer{
			{Size: 4, Lower: 0, Upper: 2}, {Size: 4, Lower: 0, Upper: 2}}},
		{"skipped column", "id,lower,upper,size,colour,\na,0,2,4,red,\nb,1,3,5,,x\n", CSVOptions{SkipUnknown: true}, ab},
		{"long line", "id,lower,upper,size\na,0,2,4" + strings.Repeat(" ", 100_000) + "\nb,1,3,5\n", CSVOptions{}, ab},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.o.Name = "table"
			got, err := ReadCSV(iotest.OneByteReader(strings.NewReader(tt.text)), tt.o)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(&Table{Name: "table", Buffers: tt.want}, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestReadCSVFaults(t *testing.T) {
	const head = "id,lower,upper,size,alignment,hint,gaps,offset,kind\n"
	for _, tt := range []struct {
		name, text string
		want       string // the whole error
		kept       bool   // the table is returned, too
	}{
		{"empty", "", "line 1: no header: the first row must name the columns id, lower, upper and size", false},
		{"comments alone", "# a\n\n", "line 2: no header: the first row must name the columns id, lower, upper and size", false},
		{"no header", "a,0,2,4\n", `line 1: "a,0,2,4" is not a header: the first row must name the columns id, lower, upper and size`, false},
		{"semicolons", "id;lower;upper;size\n", `line 1: "id;lower;upper;size" is not a header: the first row must name the columns id, lower, upper and size`, false},
		{"missing columns", "\nid,size\n", "line 2: no column \"lower\"\nline 2: no column \"upper\"", false},
		{"unknown column", "id,lower,upper,size,aligment\na,0,2,4,8\n",
			`line 1: unknown column "aligment", known are id, lower, upper, size, alignment, hint, gaps, offset, kind`, false},
		{"columns that mean the same", "id,lower,upper,end,size\n", `line 1: columns "upper" and "end" mean the same`, false},
		{"header quote", "id,\"lower\n", "line 1: a quoted field is not closed on its line", false},
		{"too few fields", "id,lower,upper,size\na,0,2\nb,1,3,5\n", "line 2: 3 fields, the header names 4", false},
		{"too many fields", "id,lower,upper,size\na,0,2,4,\n", "line 2: 5 fields, the header names 4", false},
		{"far too many fields", "id,lower,upper,size\n" + strings.Repeat(",", 300) + "\n", "line 2: more than 256 fields", false},
		{"empty field", "id,lower,upper,size\na,,2,4\n", `line 2: buffer "a": lower is empty`, false},
		{"no number", "id,lower,upper,size\na,0,2,4.5\n", `line 2: buffer "a": size "4.5" is not a whole number`, false},
		{"long nonsense", "id,lower,upper,size\na,0,2,x" + strings.Repeat("4", 500) + "\n",
			`line 2: buffer "a": size "x` + strings.Repeat("4", 39) + `"... is not a whole number`, false},
		{"huge number", "id,lower,upper,size\na,0,2,9223372036854775808\n", `line 2: buffer "a": size "9223372036854775808" is out of the range of 64 bits`, false},
		{"inclusive end of all time", "id,lower,end,size\na,0,9223372036854775807,1\n", `line 2: buffer "a": end 9223372036854775807 is out of range`, false},
		{"open quote", "id,lower,upper,size\n\"a,0,2,4\nb,1,3\n", "line 2: a quoted field is not closed on its line\nline 3: 3 fields, the header names 4", false},
		{"text after quote", "id,lower,upper,size\n\"a\"b,0,2,4\n", "line 2: text after the closing quote of a field", false},
		{"kind", head + "a,0,2,4,,,,,tensor\n", `line 2: buffer "a": kind "tensor" is none of activation, input, output, variable, scratch`, false},
		{"gap", head + "a,0,2,4,,,1,,\n", `line 2: buffer "a": gap "1" is not of the form a-b or a-b@x:y`, false},
		{"gap end", head + "a,0,2,4,,,1-,,\n", `line 2: buffer "a": gap "1-" is not of the form a-b or a-b@x:y`, false},
		{"gap window", head + "a,0,2,4,,,0-1@3,,\n", `line 2: buffer "a": gap "0-1@3" is not of the form a-b or a-b@x:y`, false},
		{"gap no window", head + "a,0,2,4,,,0-1@,,\n", `line 2: buffer "a": gap "0-1@" is not of the form a-b or a-b@x:y`, false},
		{"several in a row", head + "a,x,2,y,z,,,,\n", "line 2: buffer \"a\": lower \"x\" is not a whole number\n" +
			"line 2: buffer \"a\": size \"y\" is not a whole number\nline 2: buffer \"a\": alignment \"z\" is not a whole number", false},
		{"invalid", head + "a,0,2,4,,,,,\nb,3,3,-4,3,,,-7,\n# c\nc,0,2,4,4,,1-5@2:9 0-2,6,\n",
			"line 3: buffer \"b\": size -4 is negative\n" +
				"line 3: buffer \"b\": empty life [3, 3)\n" +
				"line 3: buffer \"b\": alignment 3 is not a power of two up to 2^40\n" +
				"line 3: buffer \"b\": fixed offset -7 is out of range\n" +
				"line 5: buffer \"c\": fixed offset 6 is not a multiple of its alignment 4\n" +
				"line 5: buffer \"c\": gap [1, 5) is outside the life [0, 2) or overlaps the gap before it\n" +
				"line 5: buffer \"c\": gap window [2, 9) is outside the 4 bytes", true},
		{"sum", "id,lower,upper,size\na,0,2,2000000000000000000\nb,0,2,2000000000000000000\n",
			`line 3: buffer "b": the sum of the sizes up to this buffer is above 2305843009213693951`, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, name := range []string{"", "dir/x.csv"} {
				tab, err := ReadCSV(strings.NewReader(tt.text), CSVOptions{Name: name})
				want := tt.want
				if name != "" {
					want = name + ": " + strings.ReplaceAll(want, "\n", "\n"+name+": ")
				}
				if got := errorText(err); got != want {
					t.Errorf("got  %s\nwant %s", got, want)
				}
				if (tab != nil) != tt.kept {
					t.Errorf("table %v", tab)
				}
				checkLines(t, err)
			}
		})
	}
}

// checkLines demands that each fault is a *Fault that says its line.
func checkLines(t *testing.T, err error) {
	t.Helper()
	for i, line := range strings.Split(err.Error(), "\n") {
		f, ok := err.(*csvError).faults[i].(*Fault)
		if !ok || !strings.Contains(line, fmt.Sprintf("line %d: ", f.Line)) {
			t.Errorf("fault %d: %+v, text %s", i, f, line)
		}
	}
}

func TestReadCSVFaultIndex(t *testing.T) {
	_, err := ReadCSV(strings.NewReader("id,lower,upper,size\na,0,2,4\nb,1\nc,1,1,1\n"), CSVOptions{})
	var got []int
	for _, f := range err.(*csvError).faults {
		got = append(got, f.(*Fault).Index)
	}
	if diff := cmp.Diff([]int{1, 2}, got); diff != "" {
		t.Error(diff)
	}
}

// endless repeats a text for ever.
type endless struct {
	text string
	at   int
}

func (e *endless) Read(p []byte) (int, error) {
	n := copy(p, e.text[e.at:])
	e.at = (e.at + n) % len(e.text)
	return n, nil
}

func TestReadCSVLimits(t *testing.T) {
	const head = "id,lower,upper,size,gaps\n"
	for _, tt := range []struct {
		name string
		r    io.Reader
		want string // part of the error
	}{
		{"zeros", &endless{text: "\x00"}, "line 1: longer than 1048576 bytes"},
		{"a row without end", io.MultiReader(strings.NewReader(head), &endless{text: "1-2 "}), "line 2: longer than 1048576 bytes"},
		{"commas", &endless{text: ","}, "line 1: longer than"},
		{"a header of a million columns", strings.NewReader(strings.Repeat(",", 1<<20-10) + "\n"), "line 1: more than 256 fields"},
		{"unknown columns", strings.NewReader(head[:len(head)-1] + strings.Repeat(",x", 200) + "\n"), "more than 64 faults"},
		{"faults without end", io.MultiReader(strings.NewReader(head), &endless{text: "a\n"}), "more than 64 faults: the rest of the file is not read"},
		{"gaps that overlap", strings.NewReader(head + "a,0,9,1," + strings.Repeat("1-9 ", 250_000) + "\n"), "more than 64 faults"},
		{"gaps with windows", strings.NewReader(head + "a,0,9,1," + strings.Repeat("1-9@1:2 ", 125_000) + "\n"), "more than 64 faults"},
		{"comments without end", &endless{text: "# a comment\n"}, "the table is larger than 1000000 bytes"},
		{"rows without end", io.MultiReader(strings.NewReader(head), &endless{text: "a,0,1,1,\n"}), "the table is larger than 1000000 bytes"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			tab, err := ReadCSV(tt.r, CSVOptions{MaxBytes: 1_000_000 + 1<<20*boolInt(!strings.Contains(tt.want, "larger"))})
			runtime.ReadMemStats(&after)
			if tab != nil || err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, %.300v, want %q", tab, err, tt.want)
			}
			if got := after.TotalAlloc - before.TotalAlloc; got > 64<<20 {
				t.Errorf("%d bytes allocated", got)
			}
			if n := len(err.(*csvError).faults); n > maxFaults+1 {
				t.Errorf("%d faults", n)
			}
		})
	}
}

func boolInt(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// TestReadCSVBroken wants the error of the file, and what failed, not a short
// table.
func TestReadCSVBroken(t *testing.T) {
	broken := errors.New("cable pulled")
	r := io.MultiReader(strings.NewReader("id,lower,upper,size\na,0,2,4\nb,1,3"), iotest.ErrReader(broken))
	tab, err := ReadCSV(r, CSVOptions{Name: "x.csv"})
	if tab != nil || !errors.Is(err, broken) || err.Error() != "x.csv: line 3: cable pulled" {
		t.Errorf("got %v, %v", tab, err)
	}
}

func TestWriteCSV(t *testing.T) {
	tab := &Table{Name: "t", Buffers: []Buffer{
		{Name: "plain", Size: 4, Lower: 0, Upper: 2},
		{Name: "a,b", Size: 5, Align: 16, Lower: 1, Upper: 6, Hint: ptr(7), Kind: Output,
			Gaps: []Gap{{Lower: 2, Upper: 3}, {Lower: 4, Upper: 5, Keep: &Window{0, 2}}}},
		{Name: "#c\nd", Size: 1, Lower: 0, Upper: 1, Fixed: ptr(32)},
	}}
	for _, tt := range []struct {
		name string
		t    *Table
		p    *Plan
		want string
	}{
		{"least", &Table{Buffers: tab.Buffers[:1]}, nil, "id,lower,upper,size\nplain,0,2,4\n"},
		{"empty", &Table{}, nil, "id,lower,upper,size\n"},
		{"plan", &Table{Buffers: tab.Buffers[:1]}, &Plan{Offsets: []int64{8}}, "id,lower,upper,size,offset\nplain,0,2,4,8\n"},
		{"all", tab, nil, `id,lower,upper,size,alignment,hint,gaps,offset,kind
plain,0,2,4,1,-1,,-1,activation
"a,b",1,6,5,16,7,2-3 4-5@0:2,-1,output
"#c d",0,1,1,1,-1,,32,activation
`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var out bytes.Buffer
			if err := WriteCSV(&out, tt.t, tt.p); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, out.String()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestWriteCSVErrors(t *testing.T) {
	tab := &Table{Name: "t", Buffers: []Buffer{{Size: 1, Lower: 0, Upper: 1}}}
	err := WriteCSV(io.Discard, tab, &Plan{})
	if got, want := errorText(err), `write table "t": plan has 0 offsets for 1 buffers`; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	full := errors.New("disk full")
	r, w := io.Pipe()
	r.CloseWithError(full)
	if err := WriteCSV(w, tab, nil); !errors.Is(err, full) {
		t.Errorf("got %v", err)
	}
}

// TestCSVRoundTrip demands that what is written is read as it was, but for the
// two differences that WriteCSV states.
func TestCSVRoundTrip(t *testing.T) {
	many(t, func(t *rapid.T) {
		want := tables(shape{buffers: 5, steps: 9, size: 9, pins: true, gaps: true, hints: true}).Draw(t, "table")
		aligned := false
		for i := range want.Buffers {
			b := &want.Buffers[i]
			b.Name = rapid.OneOf(rapid.String(), rapid.StringMatching(`[ "#,a\t-]*`)).Draw(t, "name")
			aligned = aligned || b.Align != 0
		}
		var text bytes.Buffer
		if err := WriteCSV(&text, want, nil); err != nil {
			t.Fatal(err)
		}
		for i := range want.Buffers {
			b := &want.Buffers[i]
			b.Name = strings.NewReplacer("\n", " ", "\r", " ").Replace(b.Name)
			if aligned {
				b.Align = b.Alignment()
			}
		}
		got, err := ReadCSV(bytes.NewReader(text.Bytes()), CSVOptions{Name: want.Name})
		if err != nil {
			t.Fatalf("%v\n%s", err, text.String())
		}
		got.Buffers = append([]Buffer{}, got.Buffers...) // nil is as good as empty
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("%s\n%s", diff, text.String())
		}
	})
}

// TestPlanRoundTrip reads a plan back as fixed offsets.
func TestPlanRoundTrip(t *testing.T) {
	tab, p := benchTable(500)
	var text bytes.Buffer
	if err := WriteCSV(&text, tab, p); err != nil {
		t.Fatal(err)
	}
	got, err := ReadCSV(&text, CSVOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for i, b := range got.Buffers {
		if b.Fixed == nil || *b.Fixed != p.Offsets[i] {
			t.Fatalf("buffer %d: fixed %v, offset %d", i, b.Fixed, p.Offsets[i])
		}
	}
}

// FuzzReadCSV wants an error or a valid table that survives writing.
func FuzzReadCSV(f *testing.F) {
	for _, seed := range []string{
		"id,lower,upper,size\na,0,2,4\nb,1,3,5\n",
		"id,lower,upper,size,alignment,hint,gaps\n0,5,10,15,1,0,\n1,6,12,18,2,-1,7-8 9-10@1:17\n",
		"id,start,end,size,alignment,gaps\r\nLittle,5,9,15,1,\r\nBig,6,11,18,2,7-7 9-9\r\n",
		"\xef\xbb\xbf# c\n\nbuffer_id,begin,upper,size,offset,kind\n\"a,\"\"b\",0,2,4,-1,input\n",
		"id,lower,upper,size,gaps\na,-9,-2,4,-8--5\n",
		"id,lower,upper,size\na,9223372036854775807,9223372036854775808,-1\n",
		"id,lower,lower,size\n", "a,0,2,4\n", "\"", ",\n", "\xff\xfei\x00d\x00",
	} {
		f.Add(seed, false, false)
	}
	f.Add("id,lower,upper,size,x\na,0,0,4,x\n", true, true)
	f.Fuzz(func(t *testing.T, text string, closed, skip bool) {
		o := CSVOptions{Name: "x", Closed: closed, SkipUnknown: skip}
		tab, err := ReadCSV(strings.NewReader(text), o)
		if err != nil {
			checkLinesFuzz(t, err)
			if tab != nil && tab.Validate() == nil {
				t.Fatalf("a valid table is called invalid: %v", err)
			}
			return
		}
		if err := tab.Validate(); err != nil {
			t.Fatalf("an invalid table is read: %v", err)
		}
		again := writeAndRead(t, tab)
		if diff := cmp.Diff(again, writeAndRead(t, again)); diff != "" {
			t.Fatal(diff)
		}
		if again.Load() != tab.Load() || len(again.Buffers) != len(tab.Buffers) || again.Naive() != tab.Naive() {
			t.Fatalf("%+v became %+v", tab, again)
		}
	})
}

func checkLinesFuzz(t *testing.T, err error) {
	for _, e := range err.(*csvError).faults {
		if f, ok := e.(*Fault); e != errTooMany && (!ok || f.Line < 1) {
			t.Fatalf("fault without a line: %v", e)
		}
	}
}

func writeAndRead(t *testing.T, tab *Table) *Table {
	var text bytes.Buffer
	if err := WriteCSV(&text, tab, nil); err != nil {
		t.Fatal(err)
	}
	got, err := ReadCSV(&text, CSVOptions{Name: tab.Name})
	if err != nil {
		t.Fatal(err)
	}
	return got
}
