package graph_test

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/arenalab/arenalab/graph"
	"github.com/arenalab/arenalab/graph/tflite"
)

// modelRows reads MODELS.tsv of the data set into maps by column name.
func modelRows(t *testing.T) (dir string, rows []map[string]string) {
	t.Helper()
	dir = os.Getenv("ARENALAB_DATA")
	if dir == "" {
		t.Skip("ARENALAB_DATA is not set: no models to check against")
	}
	f, err := os.Open(filepath.Join(dir, "MODELS.tsv"))
	if err != nil {
		t.Skipf("no list of models: %v", err)
	}
	defer f.Close()
	r := csv.NewReader(f)
	r.Comma, r.LazyQuotes = '\t', true
	lines, err := r.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range lines[1:] {
		row := map[string]string{}
		for i, name := range lines[0] {
			row[name] = line[i]
		}
		rows = append(rows, row)
	}
	return dir, rows
}

// maxRefused is the share of models in circulation that may be malformed: the
// reader's own test says which, and why.
const maxRefused = 0.01

// TestPeakLiveBytesOfModels compares the plain profile, and the same with
// inputs kept, with the figures of the list, whose definitions it states. A
// malformed model has no figure to compare.
func TestPeakLiveBytesOfModels(t *testing.T) {
	dir, rows := modelRows(t)
	plain, err := graph.LookupProfile("plain")
	if err != nil {
		t.Fatal(err)
	}
	kept := plain
	kept.Name, kept.KeepInputs = "plain-kept", true
	checked, refused := 0, 0
	for _, row := range rows {
		m, err := tflite.Read(filepath.Join(dir, "models", row["file"]))
		if err != nil {
			t.Logf("refused: %v", err)
			refused++
			continue
		}
		for column, p := range map[string]graph.Profile{
			"peak_live_bytes": plain, "peak_live_bytes_inputs_kept": kept,
		} {
			want, err := strconv.ParseInt(row[column], 10, 64)
			if err != nil {
				continue // the list has no figure
			}
			s := m.Subgraphs[0]
			l, err := graph.NewLifetimes(m, s, graph.Stored(s), p)
			if err != nil {
				t.Errorf("%s: %v", row["file"], err)
				continue
			}
			checked++
			if got := l.Table.Load(); got != want {
				t.Errorf("%s: %s is %d, the list says %d", row["file"], column, got, want)
			}
		}
	}
	if checked == 0 || float64(refused) > maxRefused*float64(len(rows)) {
		t.Errorf("%d figures of %d models checked, %d refused", checked, len(rows), refused)
	}
	t.Logf("%d figures of %d models", checked, len(rows))
}
