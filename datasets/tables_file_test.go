package datasets

import (
	"bytes"
	"errors"
	"io/fs"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/arenalab/arenalab/lifetime"
)

func TestSyntheticRoundTrip(t *testing.T) {
	for _, f := range Synthetics() {
		want, err := f.Generate(50, 7)
		if err != nil {
			t.Fatal(err)
		}
		var text bytes.Buffer
		if err := WriteSynthetic(&text, want); err != nil {
			t.Fatal(err)
		}
		got, err := ReadSynthetic(&text, lifetime.CSVOptions{Name: want.Table.Name})
		if err != nil {
			t.Fatal(err)
		}
		if got.Optimum != want.Optimum {
			t.Errorf("%s: optimum %d read, %d written", f.Name, got.Optimum, want.Optimum)
		}
		if diff := cmp.Diff(want.Table, got.Table); diff != "" {
			t.Errorf("%s: %s", f.Name, diff)
		}
	}
}

func TestReadSynthetic(t *testing.T) {
	const rows = "id,lower,upper,size\na,0,2,4\nb,1,3,5\n"
	for _, tt := range []struct {
		name, text string
		optimum    int64
		err        string // part of it, "" if none
		line       int
	}{
		{"none", rows, 0, "", 0},
		{"plain", "# optimum: 9\n" + rows, 9, "", 0},
		{"mark, carriage returns, blank line, no blanks", "\xef\xbb\xbf#optimum:12\r\n\r\n# more\r\n" + rows, 12, "", 0},
		{"after the header", "id,lower,upper,size\n# optimum: 9\na,0,2,4\n", 0, "", 0},
		{"below the load", "# optimum: 8\n" + rows, 0, "optimum of 8 bytes stated, 9 are live at once", 0},
		{"not a number", "# a\n# optimum: many\n" + rows, 0, "not a positive number", 2},
		{"not positive", "# optimum: 0\n" + rows, 0, "not a positive number", 1},
		{"twice", "# optimum: 9\n# optimum: 9\n" + rows, 0, "a second optimum", 2},
		{"a fault counts the comments", "# optimum: 9\n" + rows + "c,1\n", 0, "fields", 5},
		{"comments without end", strings.Repeat("# a comment\n", 10000) + rows, 0, "bytes of comments", 0},
		{"a comment longer than any buffer", "# optimum: 9\n#" + strings.Repeat("x", 100000) + "\n" + rows, 9, "", 0},
		{"empty", "", 0, "no header", 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, err := ReadSynthetic(strings.NewReader(tt.text), lifetime.CSVOptions{Name: "x.csv"})
			if tt.err == "" {
				if err != nil {
					t.Fatal(err)
				}
				if s.Optimum != tt.optimum {
					t.Errorf("optimum %d, want %d", s.Optimum, tt.optimum)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), tt.err) || !strings.Contains(err.Error(), "x.csv") {
				t.Fatalf("error %v, want %q of x.csv", err, tt.err)
			}
			var fault *lifetime.Fault
			if errors.As(err, &fault) != (tt.line > 0) || (fault != nil && fault.Line != tt.line) {
				t.Errorf("fault %+v, want line %d", fault, tt.line)
			}
		})
	}
}

// TestTablesAreReadable reads what is embedded, without regard to generators.
func TestTablesAreReadable(t *testing.T) {
	names, err := fs.Glob(Tables(), "*.csv")
	if err != nil || len(names) == 0 {
		t.Fatal(names, err)
	}
	for _, name := range names {
		data, err := fs.ReadFile(Tables(), name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := ReadSynthetic(bytes.NewReader(data), lifetime.CSVOptions{Name: name}); err != nil {
			t.Error(err)
		}
		if len(data) > 8<<10 {
			t.Errorf("%s: %d bytes are embedded in every program", name, len(data))
		}
	}
}

func TestGenerateRefuses(t *testing.T) {
	for _, f := range Synthetics() {
		for _, n := range []int{-1, f.Least - 1, mostBuffers + 1} {
			if _, err := f.Generate(n, 0); err == nil {
				t.Errorf("%s makes a table of %d buffers", f.Name, n)
			}
		}
	}
}
