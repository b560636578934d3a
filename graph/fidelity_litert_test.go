package graph_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/arenalab/arenalab/datasets"
	"github.com/arenalab/arenalab/graph"
	"github.com/arenalab/arenalab/graph/tflite"
)

// litertRecording is a line of testdata/litert_*.jsonl, which record_litert.py
// writes and documents.
type litertRecording struct {
	Model, SHA256, Version, Error string
	Blocks                        [][]int64
}

func litertRecordings(t *testing.T, name string) map[string]litertRecording {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]litertRecording{}
	lines := bufio.NewScanner(bytes.NewReader(data))
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		var r litertRecording
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			t.Fatal(err)
		}
		out[r.SHA256] = r
	}
	return out
}

// memory is where a tensor lies in a recording.
type memory struct {
	block         int
	offset, bytes int64
}

func (r *litertRecording) memory() map[int]memory {
	out := map[int]memory{}
	for b, list := range r.Blocks {
		for i := 0; i+2 < len(list); i += 3 {
			out[int(list[i])] = memory{b, list[i+1], list[i+2]}
		}
	}
	return out
}

// compareLiteRT plans the model as the runtime does and returns how the plan
// differs from the recording: every tensor of the table, aliases and
// temporaries included, has its recorded size, and all lie in one block at the
// planned distances. Temporaries are recognised by what is left over.
func compareLiteRT(t *testing.T, m *graph.Model, r *litertRecording, p graph.Profile) string {
	t.Helper()
	l, plan := plan(t, m, p, "litert")
	where := r.memory()
	s := m.Subgraphs[0]
	var shift int64
	block := -1
	check := func(t int, name string, offset, bytes int64) string {
		at, ok := where[t]
		switch {
		case !ok && len(s.Tensors[t].Shape) == 0:
			return "" // a scalar, which cannot be seen
		case !ok:
			return fmt.Sprintf("tensor %d %q is not in memory", t, name)
		case at.bytes != bytes:
			return fmt.Sprintf("tensor %d %q has %d bytes, not %d", t, name, at.bytes, bytes)
		case block < 0:
			block, shift = at.block, at.offset-offset
		case at.block != block || at.offset-offset != shift:
			return fmt.Sprintf("tensor %d %q is at %d of block %d, not at %d of block %d", t, name, at.offset, at.block, offset+shift, block)
		}
		delete(where, t)
		return ""
	}
	var scratch [][2]int64
	for i, ref := range l.Refs {
		b := &l.Table.Buffers[i]
		if len(ref.Tensors) == 0 {
			scratch = append(scratch, [2]int64{plan.Offsets[i], b.Size})
		}
		for _, x := range ref.Tensors {
			if why := check(x.Tensor, s.Tensors[x.Tensor].Name, plan.Offsets[i], s.Tensors[x.Tensor].Bytes); why != "" {
				return why
			}
		}
	}
	outside := map[int]graph.Reason{}
	for _, o := range l.Outside {
		outside[o.Tensor.Tensor] = o.Reason
	}
	var rest [][2]int64
	for x, at := range where {
		switch {
		case x >= len(s.Tensors) && (block < 0 || at.block == block):
			rest = append(rest, [2]int64{at.offset - shift, at.bytes})
		case x < len(s.Tensors) && outside[x] == "":
			return fmt.Sprintf("tensor %d %q is not planned", x, s.Tensors[x].Name)
		}
	}
	return compareScratch(scratch, rest)
}

// compareScratch takes away what is in both lists. What is left of the second
// may be in persistent memory that happens to be next to the arena.
func compareScratch(want, got [][2]int64) string {
	for _, w := range want {
		i := slices.Index(got, w)
		if i < 0 {
			return fmt.Sprintf("no working memory of %d bytes at %d among %v", w[1], w[0], got)
		}
		got = slices.Delete(got, i, i+1)
	}
	return ""
}

// TestAddressesOfLiteRT compares the tables of the profile litert, and the
// plans of the strategy of that name, with the addresses that the real
// interpreter gave the tensors of the embedded models.
func TestAddressesOfLiteRT(t *testing.T) {
	records := litertRecordings(t, "litert_zoo.jsonl")
	same, compared := 0, 0
	for _, member := range datasets.Embedded() {
		data, err := fs.ReadFile(datasets.Models(), member.File)
		if err != nil {
			t.Fatal(err)
		}
		m, err := tflite.Decode(data, member.File)
		if err != nil {
			t.Fatal(err)
		}
		r, ok := records[m.Hash]
		if !ok || r.Error != "" {
			t.Errorf("%s: no addresses were recorded: run record_litert.py %s", member.File, r.Error)
			continue
		}
		compared++
		if why := compareLiteRT(t, m, &r, mustProfile(t, "litert")); why != "" {
			t.Errorf("%s: %s", member.File, why)
			continue
		}
		same++
	}
	t.Logf("%d of %d embedded models: every address as in LiteRT", same, compared)
}

// TestAddressesOfLiteRTCorpus is the same for models in circulation. Models
// with a dynamic operator are compared as far as the runtime plans them before
// it runs.
func TestAddressesOfLiteRTCorpus(t *testing.T) {
	root := os.Getenv("ARENALAB_DATA")
	if root == "" {
		t.Skip("ARENALAB_DATA is not set: no models to compare with their recordings")
	}
	records := litertRecordings(t, "litert_corpus.jsonl")
	var files []string
	for _, pattern := range []string{"models/*.tflite", "golden/*.tflite"} {
		more, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, more...)
	}
	static, dynamic := tally{}, tally{}
	for _, file := range files {
		m, err := tflite.Read(file)
		if err != nil {
			continue
		}
		r, ok := records[m.Hash]
		if !ok || r.Error != "" {
			continue
		}
		p, count := mustProfile(t, "litert"), &static
		if len(m.DynamicOps(0)) > 0 {
			p.StaticOnly, count = true, &dynamic
		}
		count.of++
		why := compareLiteRT(t, m, &r, p)
		if why == "" {
			count.same++
			continue
		}
		t.Errorf("%s (%s): %s", filepath.Base(file), m.Hash[:12], why)
	}
	t.Logf("%v of the models without, %v of those with dynamic operators: every address as in LiteRT", static, dynamic)
}

type tally struct{ same, of int }

func (t tally) String() string { return fmt.Sprintf("%d of %d", t.same, t.of) }
