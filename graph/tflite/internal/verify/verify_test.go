package verify

import (
	"os"
	"path/filepath"
	"testing"
)

func TestTmp(t *testing.T) {
	fs, _ := filepath.Glob(os.Getenv("ARENALAB_DATA") + "/*/*.tflite")
	for _, f := range fs {
		b, _ := os.ReadFile(f)
		if err := Model(b); err != nil {
			t.Log(filepath.Base(f), err)
		}
	}
}
