package graph

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestReadBuffer(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "weights.bin"), []byte("0123456789"), 0o666); err != nil {
		t.Fatal(err)
	}
	const data = "abcdef"
	m := &Model{
		Name: "m", Path: filepath.Join(dir, "m.tflite"), FileBytes: int64(len(data)), Weights: strings.NewReader(data),
		Buffers: []Buffer{
			{}, {Offset: 2, Size: 3}, {Offset: 5, Size: 2}, {Offset: -1, Size: 2}, {Offset: 1 << 62, Size: 1 << 62},
			{Offset: 8, Size: 2, External: "weights.bin"}, {Offset: 9, Size: 2, External: "weights.bin"},
			{Size: 1, External: "../weights.bin"}, {Size: 1, External: "/etc/passwd"}, {Size: 1, External: "none.bin"},
			{Size: 6},
		},
	}
	for i, want := range []string{
		"", "cde", "!2 bytes at offset 5 lie outside", "!lie outside", "!lie outside",
		"89", "!2 bytes at offset 9 lie outside the file of 10", "!not below the folder", "!not below the folder", "!none.bin",
		"abcdef",
	} {
		got, err := m.ReadBuffer(i)
		if fault, bad := strings.CutPrefix(want, "!"); bad {
			if err == nil || !strings.Contains(err.Error(), fault) {
				t.Errorf("buffer %d: %q, %v; want an error with %q", i, got, err, fault)
			}
			continue
		}
		if err != nil || string(got) != want {
			t.Errorf("buffer %d: %q, %v; want %q", i, got, err, want)
		}
	}
	for _, i := range []int{-1, len(m.Buffers)} {
		if _, err := m.ReadBuffer(i); err == nil {
			t.Errorf("buffer %d exists", i)
		}
	}
	m.Weights = strings.NewReader("abc") // shorter than it says
	if _, err := m.ReadBuffer(10); err == nil || !strings.Contains(err.Error(), "unexpected EOF") {
		t.Errorf("short read: %v", err)
	}
	m.Weights = nil
	if _, err := m.ReadBuffer(1); err == nil {
		t.Error("no data: no error")
	}
}
