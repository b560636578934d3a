package lifetime

import (
	"bufio"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// expectedTable is a row of TABLES.tsv.
type expectedTable struct{ buffers, sum, load int64 }

// TestTables reads every table of the data folder, and compares it with the
// figures recorded there.
func TestTables(t *testing.T) {
	root := os.Getenv("ARENALAB_DATA")
	if root == "" {
		t.Skip("ARENALAB_DATA is not set: no tables to read")
	}
	expected := readExpected(t, filepath.Join(root, "TABLES.tsv"))
	files, err := filepath.Glob(filepath.Join(root, "tables", "*.csv"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no tables in %s: %v", root, err)
	}
	for _, file := range files {
		name := filepath.Base(file)
		t.Run(name, func(t *testing.T) {
			want, ok := expected[name]
			if !ok {
				t.Fatal("TABLES.tsv has no row for this file")
			}
			delete(expected, name)
			tab := readTable(t, file)
			got := expectedTable{int64(len(tab.Buffers)), tab.Naive(), tab.Load()}
			if got != want {
				t.Errorf("got %+v, want %+v", got, want)
			}
		})
	}
	for name := range expected {
		t.Errorf("TABLES.tsv has a row for %s, which is not in the folder", name)
	}
}

// TestPeerPlans checks the plans that planners of other projects made of the
// tables: they are safe, and with one buffer moved they are only if no pair of
// buffers says otherwise.
func TestPeerPlans(t *testing.T) {
	root := os.Getenv("ARENALAB_DATA")
	if root == "" {
		t.Skip("ARENALAB_DATA is not set: no plans to check")
	}
	files, err := filepath.Glob(filepath.Join(root, "peers", "offsets", "*.txt"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no plans in %s: %v", root, err)
	}
	verdicts := map[bool]int{}
	for _, file := range files {
		parts := strings.Split(filepath.Base(file), ".") // TABLE.ALGORITHM.ALIGNMENT.txt, dots in TABLE
		n := len(parts)
		align, err := strconv.ParseInt(parts[n-2], 10, 64)
		if err != nil {
			t.Fatal(file, err)
		}
		tab := readTable(t, filepath.Join(root, "tables", strings.Join(parts[:n-3], ".")+".csv"))
		for i := range tab.Buffers {
			tab.Buffers[i].Align = align
		}
		p := NewPlan(tab, readOffsets(t, file))
		if err := Check(tab, p); err != nil {
			t.Errorf("%s: %v", file, err)
		}
		r := rand.New(rand.NewPCG(uint64(len(file)), 0))
		for range 10 {
			i := r.IntN(len(p.Offsets))
			old := p.Offsets[i]
			p.Offsets[i] = p.Offsets[r.IntN(len(p.Offsets))]
			moved := NewPlan(tab, p.Offsets)
			err := Check(tab, moved)
			if want := pairsApart(tab, moved.Offsets); (err == nil) != want {
				t.Errorf("%s: buffer %d moved to %d: pairs are apart %v, Check says %v", file, i, p.Offsets[i], want, err)
			}
			verdicts[err == nil]++
			p.Offsets[i] = old
		}
	}
	if verdicts[true] < 10 || verdicts[false] < 10 {
		t.Errorf("verdicts %v: the test does not tell", verdicts)
	}
}

// pairsApart compares all pairs; it looks at no gaps.
func pairsApart(tab *Table, offsets []int64) bool {
	for i := range tab.Buffers {
		for j := range i {
			a, b := &tab.Buffers[i], &tab.Buffers[j]
			if a.Lower < b.Upper && b.Lower < a.Upper && offsets[i] < offsets[j]+b.Size && offsets[j] < offsets[i]+a.Size {
				return false
			}
		}
	}
	return true
}

func readOffsets(t *testing.T, file string) []int64 {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var offsets []int64
	for word := range strings.FieldsSeq(string(text)) {
		v, err := strconv.ParseInt(word, 10, 64)
		if err != nil {
			t.Fatal(file, err)
		}
		offsets = append(offsets, v)
	}
	return offsets
}

// readTable reads a table that may be invalid, but must be readable.
func readTable(t *testing.T, file string) *Table {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	tab, err := ReadCSV(f, CSVOptions{Name: filepath.Base(file)})
	if tab == nil {
		t.Fatal(err)
	}
	if err != nil {
		var fault *Fault
		if !errors.As(err, &fault) || fault.Line == 0 {
			t.Errorf("error without a line: %v", err)
		}
		t.Log(err)
	}
	if valid := tab.Validate(); (valid == nil) != (err == nil) {
		t.Errorf("ReadCSV says %v, Validate %v", err, valid)
	}
	return tab
}

func readExpected(t *testing.T, file string) map[string]expectedTable {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	expected := map[string]expectedTable{}
	var columns []string
	for lines := bufio.NewScanner(f); lines.Scan(); {
		fields := strings.Split(lines.Text(), "\t")
		if columns == nil {
			columns = fields
			continue
		}
		row := map[string]string{}
		for i, name := range columns {
			row[name] = fields[i]
		}
		figure := func(name string) int64 {
			v, err := strconv.ParseInt(row[name], 10, 64)
			if err != nil {
				t.Fatalf("%s: %s: %v", file, row["file"], err)
			}
			return v
		}
		expected[row["file"]] = expectedTable{figure("buffers"), figure("sum_bytes"), figure("peak_load_bytes")}
	}
	return expected
}
