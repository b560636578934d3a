package datasets

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"
)

// The tables of the README between these marks are written by the tests.
const readme = "README.md"

func TestReadmeTables(t *testing.T) {
	text, err := os.ReadFile(readme)
	if err != nil {
		t.Fatal(err)
	}
	want := between(t, text, "models", modelTable(t))
	want = between(t, want, "zoo", zooTable())
	if bytes.Equal(text, want) {
		return
	}
	if !*update {
		t.Fatalf("the tables of %s are not those of the models: run go test -update", readme)
	}
	if err := os.WriteFile(readme, want, 0o644); err != nil {
		t.Fatal(err)
	}
}

// between replaces what lies between the marks of that name.
func between(t *testing.T, text []byte, name, table string) []byte {
	t.Helper()
	start, end := "<!-- "+name+" -->\n", "<!-- end of "+name+" -->"
	before, rest, found := strings.Cut(string(text), start)
	_, after, ended := strings.Cut(rest, end)
	if !found || !ended {
		t.Fatalf("%s has no marks of %s", readme, name)
	}
	return []byte(before + start + table + end + after)
}

func modelTable(t *testing.T) string {
	var b strings.Builder
	b.WriteString("| file | builder | type | resolution, width, depth | operators | tensors in memory | bytes |\n")
	b.WriteString("|---|---|---|---|--:|--:|--:|\n")
	for _, m := range Embedded() {
		data := build(t, m) // the embedded file may be about to be rewritten
		builder, _ := Lookup(m.Builder)
		p := builder.Filled(m.Params)
		ops, tensors := 0, 0
		for _, s := range mustDecode(t, m.File, data).Subgraphs {
			ops += len(s.Ops)
			for i := range s.Tensors {
				if !s.Tensors[i].Constant {
					tensors++
				}
			}
		}
		kind := "float32"
		if p.Quantized {
			kind = "int8"
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %d, %d, %d | %d | %d | %d |\n",
			m.File, m.Builder, kind, p.Resolution, p.Width, p.Depth, ops, tensors, len(data))
	}
	return b.String()
}

func zooTable() string {
	var b strings.Builder
	b.WriteString("| builder | what | resolution; width; depth | defaults | int8 | published in |\n")
	b.WriteString("|---|---|---|---|---|---|\n")
	for _, z := range Zoo() {
		int8 := "no"
		if z.Int8 {
			int8 = "yes"
		}
		d := z.Defaults
		fmt.Fprintf(&b, "| %s | %s | %s | %d; %d; %d | %s | %s |\n",
			z.Name, z.Summary, z.Meaning, d.Resolution, d.Width, d.Depth, int8, z.Reference)
	}
	return b.String()
}
