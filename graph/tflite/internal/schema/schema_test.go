package schema

import (
	"bytes"
	"go/format"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestGenerated makes sure that the committed code is that of planning.fbs,
// where the compiler it was made with is installed.
func TestGenerated(t *testing.T) {
	version, err := exec.Command("flatc", "--version").Output()
	if err != nil || !strings.Contains(string(version), "2.0.8") {
		t.Skipf("flatc 2.0.8 is not installed: %s", bytes.TrimSpace(version))
	}
	dir := t.TempDir()
	if out, err := exec.Command("flatc", "--go", "--gen-onefile", "--go-namespace", "schema",
		"-o", dir, "planning.fbs").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	const name = "planning_generated.go"
	fresh, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	if fresh, err = format.Source(fresh); err != nil {
		t.Fatal(err)
	}
	committed, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(fresh, committed) {
		t.Errorf("%s is not what planning.fbs gives: run go generate", name)
	}
}
