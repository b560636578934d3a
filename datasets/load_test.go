package datasets_test

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/arenalab/arenalab/datasets"
	"github.com/arenalab/arenalab/graph"
	"github.com/arenalab/arenalab/graph/tflite"
	"github.com/google/go-cmp/cmp"
)

const tableCSV = "id,lower,upper,size\na,0,2,10\nb,1,3,20\n"

// tinyModel returns the bytes of a model of one operator.
func tinyModel(t *testing.T) string {
	t.Helper()
	tensor := func(name string) tflite.Tensor {
		return tflite.Tensor{Name: name, Type: graph.Float32, Shape: []int32{1, 4}}
	}
	f := tflite.File{Subgraphs: []tflite.Subgraph{{
		Tensors: []tflite.Tensor{tensor("in"), tensor("out")},
		Inputs:  []int{0}, Outputs: []int{1},
		Ops: []tflite.Op{{Code: tflite.OpRelu, Inputs: []int{0}, Outputs: []int{1}}},
	}}}
	data, err := f.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// tree writes files below a new folder and returns it.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		p := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(p), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// describe says in words what was loaded.
func describe(s *datasets.Set) []string {
	var got []string
	for in := range s.All() {
		what := "nothing"
		switch {
		case in.Err != nil:
			what = "error"
		case in.Model != nil && in.Table == nil:
			what = "model"
		case in.Table != nil && in.Model == nil:
			what = "table"
		}
		got = append(got, in.Name+" "+what)
	}
	return got
}

const graphText = "# a cell\n\ni in 8\no out 8\nn Relu r out in\n"

func TestLoadFolder(t *testing.T) {
	dir := tree(t, map[string]string{
		"kws.tflite":         tinyModel(t),
		"b/kws.tflite":       tinyModel(t),
		"b/late.CSV":         tableCSV,
		"b/late.tflite":      "no model at all",
		"a/c/deep.lite":      tinyModel(t),
		"a/readme.md":        "# hello",
		"a/labels.txt":       "cat",
		"a/cell.txt":         graphText,
		"b/cell.graph":       "#\n",
		".git/x.tflite":      tinyModel(t),
		"a/.hidden.csv":      tableCSV,
		"z/late.tflite":      tinyModel(t),
		"z/folder.csv/x.csv": "id,lower,upper,size\na,5,1,10\n",
	})
	s := datasets.Load([]string{dir}, datasets.LoadOptions{})
	base := filepath.Base(dir)
	want := []string{
		"deep model", "a/cell model", "b/cell error", "b/kws model", "b/late.CSV table", "b/late.tflite error",
		base + "/kws model", "x error", "z/late model",
	}
	if d := cmp.Diff(want, describe(s)); d != "" {
		t.Errorf("loaded (-want +got):\n%s", d)
	}
	if s.Skipped != (datasets.Skipped{Hidden: 2, Other: 2}) {
		t.Errorf("skipped %+v", s.Skipped)
	}
	if got := s.Skipped.String(); got != "skipped 2 hidden files or folders, 2 files that are no models, graphs or tables" {
		t.Errorf("in words: %q", got)
	}
	if s.Len() != len(want) || len(s.Names()) != len(want) {
		t.Errorf("%d files, %d names, want %d", s.Len(), len(s.Names()), len(want))
	}
	for in := range s.All() {
		if in.Err != nil && !strings.Contains(in.Err.Error(), in.Path) {
			t.Errorf("error %q does not name the file %s", in.Err, in.Path)
		}
		if len(in.Hash) != 64 {
			t.Errorf("%s: hash %q", in.Name, in.Hash)
		}
		if in.Model != nil && (in.Model.Name != in.Name || in.Model.Path != in.Path) {
			t.Errorf("%s: the model is called %q of %q", in.Name, in.Model.Name, in.Model.Path)
		}
	}
}

func TestLoadNamedFiles(t *testing.T) {
	dir := tree(t, map[string]string{
		"weights.bin":  tinyModel(t),
		"rows.txt":     tableCSV,
		"rows2":        tableCSV,
		"ops":          graphText,
		".hidden.csv":  tableCSV,
		"garbage.data": "\x00\x01\x02",
		"model.csv":    tinyModel(t),
	})
	at := func(name string) string { return filepath.Join(dir, name) }
	s := datasets.Load([]string{
		at("weights.bin"), at("rows.txt"), at("rows2"), at("ops"), at(".hidden.csv"), at("garbage.data"), at("model.csv"),
		at("rows.txt"), "-",
	}, datasets.LoadOptions{Stdin: strings.NewReader(tableCSV)})
	want := []string{"weights model", "rows table", "rows2 table", "ops model", ".hidden table", "garbage error", "model error", "stdin table"}
	for range 2 { // standard input is remembered
		if d := cmp.Diff(want, describe(s)); d != "" {
			t.Errorf("loaded (-want +got):\n%s", d)
		}
	}
	if s.Skipped.Twice != 1 {
		t.Errorf("skipped %+v, want one file named twice", s.Skipped)
	}
}

func TestLoadClosed(t *testing.T) {
	for _, closed := range []bool{false, true} {
		s := datasets.Load([]string{"-"}, datasets.LoadOptions{Closed: closed, Stdin: strings.NewReader(tableCSV)})
		want := int64(2)
		if closed {
			want = 3
		}
		if got := s.At(0).Table.Buffers[0].Upper; got != want {
			t.Errorf("closed %v: life ends at %d, want %d", closed, got, want)
		}
	}
}

// What a comment says of the optimum is passed on; free text is no fault.
func TestLoadOptimum(t *testing.T) {
	for comment, want := range map[string]int64{
		"":                                  0,
		"# optimum: 7\n":                    7,
		"# family: x, seed 1\n#optimum:7\n": 7,
		"# optimum: unknown\n":              0,
		"# optimum: 7\n# optimum: 8\n":      0,
		"# optimum: -7\n":                   0,
	} {
		s := datasets.Load([]string{"-"}, datasets.LoadOptions{Stdin: strings.NewReader(comment + tableCSV)})
		if in := s.At(0); in.Err != nil || in.Optimum != want {
			t.Errorf("%q: optimum %d, error %v, want %d", comment, in.Optimum, in.Err, want)
		}
	}
	stated := 0
	for in := range datasets.LoadFS(datasets.Tables(), []string{"."}, datasets.LoadOptions{}).All() {
		if in.Optimum > 0 {
			stated++
		}
	}
	if stated == 0 {
		t.Error("no embedded table states its optimum")
	}
}

func TestLoadErrors(t *testing.T) {
	dir := tree(t, map[string]string{"empty/.keep": "", "text/a.md": "a", "text/b.md": "b"})
	if err := os.Mkdir(filepath.Join(dir, "void"), 0o777); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"empty":   "skipped 1 hidden",
		"text":    "operator graphs (.graph, .txt) and lifetime tables (.csv) in it: skipped 2 files",
		"void":    "the folder is empty",
		"missing": "no such file",
	} {
		p := filepath.Join(dir, name)
		s := datasets.Load([]string{p}, datasets.LoadOptions{})
		if s.Len() != 1 {
			t.Errorf("%s: %d inputs, want one that tells the error", name, s.Len())
			continue
		}
		err := s.At(0).Err
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), p) {
			t.Errorf("%s: error %v, want one with %q that names the path", name, err, want)
		}
	}
}

func TestUnreadableIsAnInput(t *testing.T) {
	if os.Geteuid() == 0 || runtime.GOOS == "windows" {
		t.Skip("permissions do not bind this user")
	}
	dir := tree(t, map[string]string{"a.csv": tableCSV, "b.csv": tableCSV})
	if err := os.Chmod(filepath.Join(dir, "a.csv"), 0); err != nil {
		t.Fatal(err)
	}
	s := datasets.Load([]string{dir}, datasets.LoadOptions{})
	if d := cmp.Diff([]string{"a error", "b table"}, describe(s)); d != "" {
		t.Errorf("loaded (-want +got):\n%s", d)
	}
}

// A file that goes away between Load and All is an input with an error.
func TestFileVanishes(t *testing.T) {
	dir := tree(t, map[string]string{"a.tflite": tinyModel(t), "b.csv": tableCSV, "c.csv": tableCSV})
	s := datasets.Load([]string{dir}, datasets.LoadOptions{})
	for _, name := range []string{"a.tflite", "b.csv"} {
		if err := os.Remove(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	if d := cmp.Diff([]string{"a error", "b error", "c table"}, describe(s)); d != "" {
		t.Errorf("loaded (-want +got):\n%s", d)
	}
}

func TestLoadFS(t *testing.T) {
	fsys := fstest.MapFS{
		"models/a.tflite": {Data: []byte(tinyModel(t))},
		"models/b.tflite": {Data: []byte(tinyModel(t)[:100])},
		"models/notes.md": {Data: []byte("x")},
		"tables/a.csv":    {Data: []byte(tableCSV)},
	}
	s := datasets.LoadFS(fsys, []string{"models", "tables/a.csv"}, datasets.LoadOptions{})
	if d := cmp.Diff([]string{"models/a model", "b error", "tables/a table"}, describe(s)); d != "" {
		t.Errorf("loaded (-want +got):\n%s", d)
	}
	if s := datasets.LoadFS(fsys, []string{"none"}, datasets.LoadOptions{}); s.Len() != 1 || s.At(0).Err == nil {
		t.Error("no error for a folder that is not there")
	}
	if s.Skipped.Other != 1 {
		t.Errorf("skipped %+v", s.Skipped)
	}
}

func TestAllCanStop(t *testing.T) {
	dir := tree(t, map[string]string{"a.csv": tableCSV, "b.csv": tableCSV})
	s := datasets.Load([]string{dir}, datasets.LoadOptions{})
	for in := range s.All() {
		if in.Name != "a" {
			t.Errorf("read %s after the loop had ended", in.Name)
		}
		break
	}
}

func TestNamesAreUnique(t *testing.T) {
	dir := tree(t, map[string]string{
		"stdin.csv": tableCSV, "a/x/m.csv": tableCSV, "b/x/m.csv": tableCSV, "x/m.csv": tableCSV, "m.csv": tableCSV,
		"m": tableCSV, "x/m.tflite": "",
	})
	s := datasets.Load([]string{"-", filepath.Join(dir, "m"), dir}, datasets.LoadOptions{})
	names := s.Names()
	slices.Sort(names)
	if n := len(slices.Compact(slices.Clone(names))); n != 8 {
		t.Errorf("%d different names of 8: %q", n, names)
	}
}
