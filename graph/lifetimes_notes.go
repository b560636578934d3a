package graph

import (
	"fmt"
	"slices"
)

// notes says where the table is not the whole truth.
func (b *builder) notes() {
	s := b.s
	note := func(format string, args ...any) {
		b.out.Notes = append(b.out.Notes, fmt.Sprintf(format, args...))
	}
	unknown, first := 0, -1
	for _, ref := range b.out.Refs {
		for _, r := range ref.Tensors {
			if r.Subgraph != s.Index || !s.Tensors[r.Tensor].Unknown() {
				continue
			}
			if unknown++; first < 0 {
				first = r.Tensor
			}
		}
	}
	if unknown > 0 {
		note("tensors with unknown dimensions, planned at their stored shape: %d, the first tensor %d %q %v",
			unknown, first, s.Tensors[first].Name, s.Tensors[first].Signature)
	}
	if dynamic := b.m.DynamicOps(s.Index); len(dynamic) > 0 {
		rest := "what follows is planned at stored shapes"
		if b.p.StaticOnly {
			rest = "what follows is left out"
		}
		note("operators that compute a shape at run time: %d, the first operator %d %s; a runtime's static plan ends there, %s",
			len(dynamic), dynamic[0], s.Ops[dynamic[0]].Name(), rest)
	}
	unsized := 0
	for _, o := range b.out.Outside {
		if o.Reason == IsUnsized {
			unsized++
		}
	}
	if unsized > 0 {
		note("tensors without a static size (string, resource, variant), not in the arena: %d", unsized)
	}
	if len(b.out.Sizes) > 0 {
		note("tensors whose size the runtime computes anew, and not as the file says: %d", len(b.out.Sizes))
	}
	if b.unknownWorkspace != "" {
		note("working memory of some operators is not known and left out, the first %s", b.unknownWorkspace)
	}
	if b.unpinned != "" {
		note("the model's offline plan is not used: %s", b.unpinned)
	}
	b.lendingNotes(note)
	var callees []int
	for i := range s.Ops {
		callees = append(callees, s.Ops[i].Callees...)
	}
	if len(callees) == 0 {
		return
	}
	slices.Sort(callees)
	how := "apart"
	if b.p.Nested {
		how = "together with it"
	}
	note("calls subgraphs %v, which are planned %s", slices.Compact(callees), how)
}
