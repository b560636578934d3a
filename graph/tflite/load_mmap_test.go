//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package tflite

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/arenalab/arenalab/graph"
)

// TestShrinkingFile: a file that is cut while it is mapped is an error, not
// the end of the program.
func TestShrinkingFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m.tflite")
	write(t, path, append(smallModel().bytes(), make([]byte, 1<<20)...))
	data, release, err := loadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	if err := os.Truncate(path, 0); err != nil {
		t.Fatal(err)
	}
	m, err := guard(path, func() (*graph.Model, error) { return Decode(data, "m") })
	if m != nil || err == nil || !strings.Contains(err.Error(), "became shorter") {
		t.Errorf("got %v, %v", m, err)
	}
}

func TestGuardPassesPanics(t *testing.T) {
	defer func() {
		if recover() != "mine" {
			t.Error("a panic that is no fault was swallowed")
		}
	}()
	guard("", func() (*graph.Model, error) { panic("mine") })
}
