package graph

import (
	"fmt"
	"slices"

	"github.com/arenalab/arenalab/lifetime"
)

// NewLifetimes returns the lifetime table of subgraph s of m when its operators
// run in order o on a runtime described by p. Rows are in tensor order. The
// order must be one that CheckOrder accepts. Subgraphs that s calls are not
// part of the table; a note names them. O(size of the subgraph).
func NewLifetimes(m *Model, s *Subgraph, o Order, p Profile) (*Lifetimes, error) {
	if s.Index >= len(m.Subgraphs) || m.Subgraphs[s.Index] != s {
		return nil, fmt.Errorf("%s: subgraph %d is not one of the model", m.Name, s.Index)
	}
	if err := s.CheckOrder(o); err != nil {
		return nil, fmt.Errorf("%s: subgraph %d: %w", m.Name, s.Index, err)
	}
	if err := p.Validate(); err != nil {
		return nil, err
	}
	b := builder{m: m, s: s, p: p}
	b.steps(o)
	b.lives(o)
	b.rows()
	b.notes()
	if err := b.out.Table.Validate(); err != nil {
		return nil, fmt.Errorf("%s: subgraph %d: %w", m.Name, s.Index, err)
	}
	return &b.out, nil
}

// life is the half-open interval of a tensor; born < 0 if nothing makes it.
type life struct{ born, end int64 }

type builder struct {
	m      *Model
	s      *Subgraph
	p      Profile
	out    Lifetimes
	lifeOf []life
	kind   []lifetime.Kind
}

// steps lays out the time axis: entry if the profile has one, the operators,
// and the exit if the profile has one or there would be no step at all.
func (b *builder) steps(o Order) {
	if b.p.EntryStep {
		b.out.Steps = append(b.out.Steps, Step{b.s.Index, Entry})
	}
	for _, i := range o.Ops {
		b.out.Steps = append(b.out.Steps, Step{b.s.Index, i})
	}
	if b.p.ExitStep || len(b.out.Steps) == 0 {
		b.out.Steps = append(b.out.Steps, Step{b.s.Index, Exit})
	}
}

// lives finds the life of every tensor. All intervals of runtimes are closed,
// so the step of the last reader is included.
func (b *builder) lives(o Order) {
	s, end := b.s, int64(len(b.out.Steps))
	b.lifeOf = make([]life, len(s.Tensors))
	b.kind = make([]lifetime.Kind, len(s.Tensors))
	for t := range b.lifeOf {
		b.lifeOf[t].born = -1
	}
	for _, t := range s.Inputs {
		b.lifeOf[t] = life{0, 1}
		b.kind[t] = lifetime.Input
	}
	for at, step := range b.out.Steps {
		if step.Op < 0 {
			continue
		}
		for _, t := range s.Ops[step.Op].Outputs {
			b.lifeOf[t] = life{int64(at), int64(at) + 1}
			if b.p.KeepUnread && len(s.Consumers[t]) == 0 {
				b.lifeOf[t].end = end
			}
		}
		for _, t := range s.Ops[step.Op].Workspace {
			b.lifeOf[t] = life{int64(at), int64(at) + 1}
			b.kind[t] = lifetime.Scratch
		}
		for _, t := range s.Ops[step.Op].Inputs {
			if t >= 0 {
				b.lifeOf[t].end = max(b.lifeOf[t].end, int64(at)+1)
			}
		}
	}
	if b.p.KeepInputs {
		for _, t := range s.Inputs {
			b.lifeOf[t].end = end
		}
	}
	for _, t := range s.Outputs {
		b.lifeOf[t].end = end
		b.kind[t] = lifetime.Output
	}
	for t := range s.Tensors {
		if s.Tensors[t].Variable {
			b.lifeOf[t] = life{0, end}
			b.kind[t] = lifetime.Variable
		}
	}
}

// rows turns the tensors that lie in the arena into buffers.
func (b *builder) rows() {
	s := b.s
	b.out.Table = &lifetime.Table{Name: b.m.Name}
	for t := range s.Tensors {
		tensor := &s.Tensors[t]
		ref := TensorRef{s.Index, t}
		if reason := b.outside(tensor); reason != "" {
			b.out.Outside = append(b.out.Outside, Outside{ref, reason})
			if reason == IsVariable {
				b.out.PersistentBytes += max(b.p.Round(tensor.Bytes), 0)
			}
			continue
		}
		name := tensor.Name
		if name == "" {
			name = fmt.Sprintf("t%d", t)
		}
		b.out.Table.Buffers = append(b.out.Table.Buffers, lifetime.Buffer{
			Name:  name,
			Size:  b.p.Round(tensor.Bytes),
			Align: max(b.p.Align, 1),
			Lower: b.lifeOf[t].born,
			Upper: b.lifeOf[t].end,
			Kind:  b.kind[t],
		})
		b.out.Refs = append(b.out.Refs, Ref{Tensors: []TensorRef{ref}})
	}
}

// outside says why a tensor takes no room in the arena, or "".
func (b *builder) outside(t *Tensor) Reason {
	switch {
	case t.Constant:
		return IsConstant
	case b.lifeOf[t.Index].born < 0:
		return IsUnused
	case t.Bytes == NoSize:
		return IsUnsized
	case t.Bytes == 0:
		return IsEmpty
	case t.Variable && !b.p.Variables:
		return IsVariable
	}
	return ""
}

// notes says where the table is not the whole truth.
func (b *builder) notes() {
	s := b.s
	note := func(format string, args ...any) {
		b.out.Notes = append(b.out.Notes, fmt.Sprintf(format, args...))
	}
	unknown, first := 0, -1
	for _, ref := range b.out.Refs {
		if t := ref.Tensors[0].Tensor; s.Tensors[t].Unknown() {
			if unknown++; first < 0 {
				first = t
			}
		}
	}
	if unknown > 0 {
		note("tensors with unknown dimensions, planned at their stored shape: %d, the first tensor %d %q %v",
			unknown, first, s.Tensors[first].Name, s.Tensors[first].Signature)
	}
	if dynamic := b.m.DynamicOps(s.Index); len(dynamic) > 0 {
		note("operators that compute a shape at run time: %d, the first operator %d %s; a runtime's static plan ends there, what follows is planned at stored shapes",
			len(dynamic), dynamic[0], s.Ops[dynamic[0]].Name())
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
	var callees []int
	for i := range s.Ops {
		callees = append(callees, s.Ops[i].Callees...)
	}
	if slices.Sort(callees); len(callees) > 0 {
		note("calls subgraphs, which are planned apart: %v", slices.Compact(callees))
	}
}
