// Package notebooks has no code: its test keeps the notebooks in order.
package notebooks

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

type notebook struct {
	Format int `json:"nbformat"`
	Cells  []struct {
		Type    string            `json:"cell_type"`
		Source  []string          `json:"source"`
		Outputs []json.RawMessage `json:"outputs"`
	} `json:"cells"`
}

// TestNotebooksAreClean checks that every notebook is one, is committed
// without outputs, and reads only what the repository holds.
func TestNotebooksAreClean(t *testing.T) {
	for _, path := range all(t) {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var nb notebook
		if err := json.Unmarshal(data, &nb); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		if nb.Format != 4 || len(nb.Cells) == 0 {
			t.Errorf("%s: format %d with %d cells", path, nb.Format, len(nb.Cells))
		}
		for i, c := range nb.Cells {
			if len(c.Outputs) > 0 {
				t.Errorf("%s: cell %d has outputs; clear them before committing", path, i)
			}
			for _, line := range c.Source {
				if _, rest, ok := strings.Cut(line, `"../results/`); ok {
					name, _, _ := strings.Cut(rest, `"`)
					if _, err := os.Stat(filepath.Join("..", "results", name)); err != nil {
						t.Errorf("%s: cell %d reads a file that is not there: %v", path, i, err)
					}
				}
			}
		}
	}
}

// TestNotebooksRun executes every notebook where Jupyter is installed.
func TestNotebooksRun(t *testing.T) {
	jupyter, err := exec.LookPath("jupyter")
	if err != nil {
		t.Skip("jupyter is not installed: notebooks are not executed")
	}
	for _, path := range all(t) {
		cmd := exec.Command(jupyter, "nbconvert", "--to", "notebook", "--execute", "--output-dir", t.TempDir(), path)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", path, err, out)
		}
	}
}

func all(t *testing.T) []string {
	t.Helper()
	paths, err := filepath.Glob("*.ipynb")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no notebooks: %v", err)
	}
	return paths
}
