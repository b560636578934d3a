package datasets

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/arenalab/arenalab/graph"
)

// A sketch is what reading the built file gives, but for data and its places,
// and for what only kernels need.
func TestSketchIsTheBuiltNetwork(t *testing.T) {
	for _, b := range Zoo() {
		for _, quantised := range []bool{false, b.Int8} {
			t.Run(fmt.Sprintf("%s/int8=%v", b.Name, quantised), func(t *testing.T) {
				p := small(b, max(b.MinSize, 40))
				p.Quantized = quantised
				built, _ := read(t, b, p)
				sketch, err := b.Sketch(p)
				if err != nil {
					t.Fatal(err)
				}
				for _, s := range built.Subgraphs {
					for i := range s.Tensors {
						s.Tensors[i].Buffer, s.Tensors[i].Quant = 0, nil
					}
					for i := range s.Ops {
						s.Ops[i].Version = 0 // chosen by the writer
						s.Ops[i].Attributes = graph.Attributes{}
					}
				}
				if diff := cmp.Diff(built.Subgraphs, sketch.Subgraphs, cmpopts.EquateEmpty()); diff != "" {
					t.Errorf("built, sketched:\n%s", diff)
				}
				if diff := cmp.Diff(built.Signatures, sketch.Signatures); diff != "" {
					t.Errorf("signatures built, sketched:\n%s", diff)
				}
			})
		}
	}
}

func TestSketchRefuses(t *testing.T) {
	b, _ := Lookup("unet")
	if _, err := b.Sketch(Params{Depth: 11}); err == nil {
		t.Error("no error for a depth that Build refuses")
	}
}

// A published size costs no weights.
func BenchmarkSketch(b *testing.B) {
	builder, _ := Lookup("inception-v3")
	b.ReportAllocs()
	for b.Loop() {
		if _, err := builder.Sketch(Params{}); err != nil {
			b.Fatal(err)
		}
	}
}
