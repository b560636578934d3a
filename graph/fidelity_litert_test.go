package graph_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"github.com/arenalab/arenalab/graph"
)

// litertRecording is a line of testdata/litert_*.jsonl, which record_litert.py
// writes and documents.
type litertRecording struct {
	Model, SHA256, Version, Error string
	Blocks                        [][]int64
	Called                        map[int][][]int64
}

// memory is where a tensor lies in a recording.
type memory struct {
	block         int
	offset, bytes int64
}

func memoryOf(blocks [][]int64) map[int]memory {
	out := map[int]memory{}
	for b, list := range blocks {
		for i := 0; i+2 < len(list); i += 3 {
			out[int(list[i])] = memory{b, list[i+1], list[i+2]}
		}
	}
	return out
}

// compareLiteRT plans the subgraph as the runtime does and returns how the plan
// differs from the recording: every tensor of the table, aliases and
// temporaries included, has its recorded size, and all lie in one block at the
// planned distances. Temporaries are recognised by what is left over.
func compareLiteRT(t *testing.T, m *graph.Model, index int, blocks [][]int64, p graph.Profile) string {
	t.Helper()
	l, plan := planSubgraph(t, m, index, p, "litert")
	where := memoryOf(blocks)
	s := m.Subgraphs[index]
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
			size := s.Tensors[x.Tensor].Bytes
			if n, ok := l.Sizes[x]; ok && !(p.StaticOnly && s.Ops[s.Producer[x.Tensor]].Code == graph.OpReshape) {
				size = n
			}
			if why := check(x.Tensor, s.Tensors[x.Tensor].Name, plan.Offsets[i], size); why != "" {
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
// interpreter gave the tensors of models. Those with a dynamic operator are
// compared as far as the runtime plans them before it runs.
func TestAddressesOfLiteRT(t *testing.T) {
	hash := func(r *litertRecording) string { return r.SHA256 }
	called := 0
	compare := func(t *testing.T, m *graph.Model, r *litertRecording, p graph.Profile) outcome {
		why := compareLiteRT(t, m, 0, r.Blocks, p)
		for i := 1; i < len(m.Subgraphs) && why == ""; i++ {
			if blocks, ok := r.Called[i]; ok {
				why = compareLiteRT(t, m, i, blocks, p)
				called++
			}
		}
		if why != "" {
			t.Errorf("%s (%.12s): %s", m.Name, m.Hash, why)
		}
		return verdict(why == "")
	}
	t.Run("zoo", func(t *testing.T) {
		records := recordings(t, "litert_zoo.jsonl", hash)
		compareAll(t, embedded(t), func(m *graph.Model) outcome {
			r, ok := records[m.Hash]
			if !ok || r.Error != "" {
				t.Errorf("%s: no addresses were recorded: run record_litert.py %s", m.Name, r.Error)
				return unknown
			}
			return compare(t, m, &r, mustProfile(t, "litert"))
		})
		if called == 0 {
			t.Error("no called subgraph was compared")
		}
		t.Logf("%d called subgraphs", called)
	})
	t.Run("operators", func(t *testing.T) {
		records := recordings(t, "litert_ops.jsonl", hash)
		compareAll(t, models(t, filepath.Join("testdata", "ops")), func(m *graph.Model) outcome {
			r, ok := records[m.Hash]
			if !ok || r.Error != "" {
				t.Errorf("%s: no addresses were recorded: run record_litert.py %s", m.Name, r.Error)
				return unknown
			}
			return compare(t, m, &r, mustProfile(t, "litert"))
		})
	})
	records := recordings(t, "litert_corpus.jsonl", hash)
	for _, dynamic := range []bool{false, true} {
		name := "corpus"
		if dynamic {
			name = "corpus with dynamic operators"
		}
		t.Run(name, func(t *testing.T) {
			p := mustProfile(t, "litert")
			p.StaticOnly = dynamic
			compareAll(t, corpus(t), func(m *graph.Model) outcome {
				r, ok := records[m.Hash]
				if !ok || r.Error != "" || len(m.DynamicOps(0)) > 0 != dynamic {
					return unknown
				}
				return compare(t, m, &r, p)
			})
		})
	}
}
