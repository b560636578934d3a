package datasets

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/arenalab/arenalab/graph"
	"github.com/arenalab/arenalab/graph/tflite"
)

// small sizes a network so that a test builds it at once.
func small(b Builder, resolution int) Params {
	return Params{Resolution: resolution, Width: 8, Depth: min(b.Defaults.Depth, 4), Classes: 5}
}

// read decodes what a builder made.
func read(t *testing.T, b Builder, p Params) (*graph.Model, []byte) {
	t.Helper()
	data, err := b.Build(p)
	if err != nil {
		t.Fatal(err)
	}
	return mustDecode(t, b.Name, data), data
}

func mustDecode(t *testing.T, name string, data []byte) *graph.Model {
	t.Helper()
	m, err := tflite.Decode(data, name)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestBuildersAtAnyResolution(t *testing.T) {
	for _, b := range Zoo() {
		for _, resolution := range []int{1, 7, 32, 65, b.MinSize} {
			if resolution < max(b.MinSize, 1) {
				continue
			}
			for _, quantised := range []bool{false, true} {
				if quantised && !b.Int8 {
					continue
				}
				t.Run(fmt.Sprintf("%s/%d/int8=%v", b.Name, resolution, quantised), func(t *testing.T) {
					p := small(b, resolution)
					p.Quantized, p.Batch = quantised, 2
					m, data := read(t, b, p)
					if again, _ := b.Build(p); !bytes.Equal(again, data) {
						t.Error("two builds differ")
					}
					checkModel(t, b, m, p)
				})
			}
		}
	}
}

func checkModel(t *testing.T, b Builder, m *graph.Model, p Params) {
	t.Helper()
	main := m.Subgraphs[0]
	if len(main.Inputs) != 1 {
		t.Fatalf("%d inputs", len(main.Inputs))
	}
	in := &main.Tensors[main.Inputs[0]]
	if columns := b.Filled(p).Columns; in.Shape[0] != int32(p.Batch) || in.Shape[1] != int32(p.Resolution) ||
		columns > 0 && in.Shape[2] != int32(columns) {
		t.Errorf("input of shape %v for batch %d, resolution %d", in.Shape, p.Batch, p.Resolution)
	}
	if int8 := in.Type == graph.Int8; int8 != p.Quantized {
		t.Errorf("input is %v", in.Type)
	}
	if len(m.Signatures) != 1 || len(m.Signatures[0].Outputs) != len(main.Outputs) {
		t.Errorf("signatures %+v", m.Signatures)
	}
	for _, s := range m.Subgraphs {
		for i := range s.Tensors {
			x := &s.Tensors[i]
			if x.Constant && m.Buffers[x.Buffer].Size != x.Bytes {
				t.Errorf("%s tensor %s: %d bytes of data for a size of %d", s.Name, x.Name, m.Buffers[x.Buffer].Size, x.Bytes)
			}
			if p.Quantized && x.Type == graph.Float32 {
				t.Errorf("%s tensor %s is float32 in an int8 model", s.Name, x.Name)
			}
		}
		for i := range s.Ops {
			if name := s.Ops[i].Name(); strings.HasPrefix(name, "BUILTIN:") {
				t.Errorf("%s operator %d has no name: %s", s.Name, i, name)
			}
		}
	}
}

func TestSeedChangesWeightsOnly(t *testing.T) {
	b, _ := Lookup("resnet")
	p := small(b, 32)
	m1, d1 := read(t, b, p)
	p.Seed = 2
	m2, d2 := read(t, b, p)
	if bytes.Equal(d1, d2) {
		t.Error("another seed gives the same file")
	}
	if len(d1) != len(d2) || len(m1.Subgraphs[0].Ops) != len(m2.Subgraphs[0].Ops) {
		t.Error("another seed gives another network")
	}
}

func TestBuildersRefuse(t *testing.T) {
	for _, tc := range []struct {
		builder string
		params  Params
		want    string
	}{
		{"resnet", Params{Resolution: -1}, "resolution -1 is not in 1..8192"},
		{"resnet", Params{Width: -5}, "width -5"},
		{"resnet", Params{Depth: 1 << 30}, "depth"},
		{"resnet", Params{Classes: -1}, "classes"},
		{"resnet", Params{Batch: 1 << 20}, "batch"},
		{"resnet", Params{Width: 4096, Depth: 256}, "needs more than 512 MiB of constants"},
		{"randwire-ws", Params{Width: 4096, Depth: 256}, "needs more than 512 MiB"},
		{"densenet", Params{Width: 4096, Depth: 256}, "needs more than 512 MiB"},
		{"lstm", Params{Width: 4096, Depth: 256}, "needs more than 512 MiB"},
		{"unet", Params{Resolution: 8192, Batch: 64}, "is above 2 GiB"},
		{"mobilenet-v1", Params{Depth: 14}, "depth 14 is not in 1..13"},
		{"lstm", Params{Quantized: true}, "lstm: has no int8 form"},
		{"lstm", Params{Columns: 2}, "lstm: reads a sequence, which has no columns"},
		{"unet", Params{Columns: 9000}, "columns 9000 is not in 1..8192"},
		{"inception-v3", Params{Resolution: 74}, "resolution 74 is not in 75..8192"},
	} {
		b, ok := Lookup(tc.builder)
		if !ok {
			t.Fatalf("no builder %s", tc.builder)
		}
		if _, err := b.Build(tc.params); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s %+v: %v, want %q", tc.builder, tc.params, err, tc.want)
		}
	}
}

func TestZooIsSortedAndDescribed(t *testing.T) {
	list := Zoo()
	if !slices.IsSortedFunc(list, func(a, b Builder) int { return strings.Compare(a.Name, b.Name) }) {
		t.Error("not sorted by name")
	}
	for i, b := range list {
		if i > 0 && list[i-1].Name == b.Name {
			t.Errorf("two builders of name %s", b.Name)
		}
		if b.Title == "" || b.Summary == "" || b.Reference == "" || b.Meaning == "" || b.Build == nil {
			t.Errorf("%s is not fully described", b.Name)
		}
		if d := b.Defaults; d.Resolution == 0 || d.Width == 0 || d.Depth == 0 || d.Classes == 0 {
			t.Errorf("%s: defaults %+v", b.Name, d)
		}
	}
	if _, ok := Lookup("no-such-net"); ok {
		t.Error("Lookup finds what is not there")
	}
}

// The figures are those of Pisarchyk and Lee 2020, arXiv:2001.03288, table 1:
// tensors other than the graph input, float32, no alignment.
func TestMobileNetFigures(t *testing.T) {
	for _, tc := range []struct {
		builder     string
		tensors     int
		naive, load float64 // MiB
	}{
		{"mobilenet-v1", 30, 19.248, 4.594},
		{"mobilenet-v2", 65, 26.313, 5.742},
	} {
		b, _ := Lookup(tc.builder)
		m, _ := read(t, b, Params{})
		s := m.Subgraphs[0]
		live := make([]int64, len(s.Ops))
		var tensors int
		var naive int64
		for i, first := range s.Producer {
			if first < 0 {
				continue
			}
			tensors++
			naive += s.Tensors[i].Bytes
			last := max(first, slices.Max(append([]int{0}, s.Consumers[i]...)))
			for at := first; at <= last; at++ {
				live[at] += s.Tensors[i].Bytes
			}
		}
		mib := func(n int64) string { return fmt.Sprintf("%.3f", float64(n)/(1<<20)) }
		if tensors != tc.tensors || mib(naive) != fmt.Sprintf("%.3f", tc.naive) || mib(slices.Max(live)) != fmt.Sprintf("%.3f", tc.load) {
			t.Errorf("%s: %d tensors, naive %s, load %s; want %d, %.3f, %.3f",
				tc.builder, tensors, mib(naive), mib(slices.Max(live)), tc.tensors, tc.naive, tc.load)
		}
	}
}

func TestGenotypesUseEveryState(t *testing.T) {
	for name, c := range map[string]cell{
		"nasnet normal": nasNetAGenotype.normal, "nasnet reduce": nasNetAGenotype.reduce,
		"amoebanet normal": amoebaNetAGenotype.normal, "amoebanet reduce": amoebaNetAGenotype.reduce,
		"pnasnet": pnasNet5Cell, "darts normal": dartsV2Genotype.normal, "darts reduce": dartsV2Genotype.reduce,
	} {
		used := map[int]bool{}
		for i, n := range c.nodes {
			for _, e := range []edge{n.a, n.b} {
				if e.from < 0 || e.from >= i+2 {
					t.Errorf("%s: node %d reads state %d", name, i, e.from)
				}
				used[e.from] = true
			}
		}
		for _, state := range c.concat {
			used[state] = true
		}
		for state := range len(c.nodes) + 2 {
			if !used[state] {
				t.Errorf("%s: state %d is never used", name, state)
			}
		}
	}
}

func TestWattsStrogatz(t *testing.T) {
	for seed := range uint64(20) {
		for _, count := range []int{1, 2, 3, 5, 32} {
			reads := wattsStrogatz(rand.New(rand.NewPCG(seed, 0)), count, 4, 0.75)
			edges := 0
			for b, list := range reads {
				edges += len(list)
				if !slices.IsSorted(list) || len(slices.Compact(slices.Clone(list))) != len(list) {
					t.Errorf("node %d reads %v", b, list)
				}
				if len(list) > 0 && (list[0] < 0 || list[len(list)-1] >= b) {
					t.Errorf("node %d reads %v", b, list)
				}
			}
			if count >= 5 && edges != 2*count {
				t.Errorf("%d nodes have %d edges, want %d: moving an edge keeps their number", count, edges, 2*count)
			}
		}
	}
}
