package lifetime

import (
	"bufio"
	"errors"
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
