package datasets

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// build makes a network of the set.
func build(t *testing.T, m Member) []byte {
	t.Helper()
	b, ok := Lookup(m.Builder)
	if !ok {
		t.Fatalf("%s: no builder %q", m.File, m.Builder)
	}
	data, err := b.Build(m.Params)
	if err != nil {
		t.Fatalf("%s: %v", m.File, err)
	}
	return data
}

func TestSetIsWhatTheBuildersBuild(t *testing.T) {
	var names []string
	total := 0
	for _, m := range Embedded() {
		data := build(t, m)
		names = append(names, m.File)
		total += len(data)
		path := filepath.Join("models", m.File)
		if *update {
			if err := os.WriteFile(path, data, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		committed, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(committed, data) {
			t.Errorf("%s differs from what its builder makes: run go test -update", m.File)
		}
	}
	if !slices.IsSorted(names) {
		t.Errorf("the set is not sorted by file")
	}
	if total > 10_000_000 {
		t.Errorf("the set has %d bytes, more than 10 MB", total)
	}
	entries, err := os.ReadDir("models")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !slices.Contains(names, e.Name()) {
			t.Errorf("models/%s is not in the set", e.Name())
		}
	}
}
