package graph

import (
	"fmt"
	"slices"
)

// Memory says what the operators of a subgraph need of the arena of a runtime
// in whatever order they run. It is what orders are chosen and judged by:
// while operator v runs after the set S of operators has run, there are live
//
//	Base
//	+ the values that operators of S made or that are there from the start,
//	  and that are kept or have a reader outside S
//	+ the values v makes, and its Transient
//	- the value v replaces, if all other readers of that are in S.
//
// At the first operator First is added. The peak of an order is the most bytes
// live at an operator, or Floor. It equals Table.Load of the lifetimes that
// NewLifetimes returns for the order, but for what Loose names.
type Memory struct {
	Model    *Model
	Subgraph *Subgraph
	Profile  Profile

	Ops    []MemoryOp
	Values []Value
	Before [][]int // by operator: those that must run before it, ascending

	Base  int64 // bytes live throughout
	First int64 // bytes live at the first operator only: graph inputs that nothing reads
	Floor int64 // bytes live at some moment whatever the order, before the first operator or after the last

	// Loose says why the true peak of an order may be another than Peak says, so
	// that nothing can be proven of it; "" if it is exact.
	Loose string
}

// MemoryOp is what an operator needs.
type MemoryOp struct {
	Reads     []int // values, ascending, once each
	Makes     []int // values, ascending
	Transient int64 // bytes live only while it runs: working memory, results that nothing reads, subgraphs it calls
	Replaces  int   // value whose place its first result may take, or -1; that result is of the same size
}

// Value is a tensor, or several in one place, in the arena.
type Value struct {
	Size    int64 // bytes, as the profile rounds them
	Maker   int   // operator, or -1 if it is there from the start
	Readers []int // operators, ascending, once each; none only if it is kept
	Kept    bool  // lives to the end
	Tensor  int   // that it holds first
}

// NewMemory returns what subgraph s of m needs on a runtime described by p.
// O(n log n) in the size of the subgraph, plus what calls lead to.
func NewMemory(m *Model, s *Subgraph, p Profile) (*Memory, error) {
	if s.Index >= len(m.Subgraphs) || m.Subgraphs[s.Index] != s {
		return nil, fmt.Errorf("%s: subgraph %d is not one of the model", m.Name, s.Index)
	}
	if len(s.Before) != len(s.Ops) || len(s.Producer) != len(s.Tensors) || len(s.Consumers) != len(s.Tensors) {
		return nil, fmt.Errorf("%s: subgraph %d %q is not linked", m.Name, s.Index, s.Name)
	}
	if err := p.Validate(); err != nil {
		return nil, err
	}
	flat := p // without what depends on the order
	flat.Offline = false
	if p.InPlace == InPlaceLastUse {
		flat.InPlace = ""
	}
	b := newBuilder(m, s, flat)
	x := b.open(s, Stored(s))
	b.walk(x, false)
	kept := make([]bool, len(s.Tensors))
	for t := range kept {
		kept[t] = x.lives[t].end >= forever
	}
	b.close()
	b.rows()
	if err := b.out.Table.Validate(); err != nil {
		return nil, fmt.Errorf("%s: subgraph %d: %w", m.Name, s.Index, err)
	}
	a := memoryBuilder{b: b, x: x, kept: kept, out: &Memory{
		Model: m, Subgraph: s, Profile: p, Ops: make([]MemoryOp, len(s.Ops)), Before: s.Before,
	}}
	a.build()
	if p.StaticOnly && x.stop < len(x.ops) {
		a.out.Loose = "what is planned depends on the operators before the first whose shape is computed at run time"
	}
	if p.InPlace == InPlaceLastUse {
		a.replacements()
	}
	return a.out, nil
}

// memoryBuilder turns the rows of a table into values.
type memoryBuilder struct {
	b     *builder
	x     *sub
	kept  []bool // by tensor
	out   *Memory
	start []int64 // by operator: its first step; one more for the end of the last
	extra []int64 // by step: bytes that live only during the operator
	value []int   // by tensor: its value, or -1
	held  [][]int // by tensor: those whose readers are its own
}

func (a *memoryBuilder) build() {
	s, steps := a.x.s, a.b.out.Steps
	a.start, a.extra = make([]int64, len(s.Ops)+1), make([]int64, len(steps))
	a.start[len(s.Ops)] = int64(len(steps))
	for t := len(steps) - 1; t >= 0; t-- {
		if steps[t].Subgraph == Nowhere || steps[t] == (Step{s.Index, Exit}) {
			a.start[len(s.Ops)] = int64(t)
		}
		if steps[t].Subgraph == s.Index && steps[t].Op >= 0 {
			a.start[steps[t].Op] = int64(t)
		}
	}
	a.value = slices.Repeat([]int{-1}, len(s.Tensors))
	a.held = make([][]int, len(s.Tensors))
	for t, root := range a.x.root {
		a.held[root] = append(a.held[root], t)
	}
	for i := range a.out.Ops {
		a.out.Ops[i].Replaces = -1
	}
	var entry, nowhere int64
	for r := range a.b.out.Refs {
		row, ref := &a.b.out.Table.Buffers[r], &a.b.out.Refs[r]
		switch {
		case a.b.nowhere >= 0 && row.Lower >= a.b.nowhere:
			nowhere += row.Size
		case len(ref.Tensors) > 0 && ref.Tensors[0].Subgraph == s.Index:
			entry += a.tensor(ref, row.Size)
		default:
			a.passing(row.Lower, row.Upper, row.Size)
		}
	}
	for i := range s.Ops {
		var most int64
		for t := a.start[i]; t < a.start[i+1]; t++ {
			most = max(most, a.extra[t])
		}
		a.out.Ops[i].Transient += most
	}
	a.floor(entry, nowhere)
}

// tensor adds the row of a tensor of the subgraph. It returns the bytes that
// are there from the start.
func (a *memoryBuilder) tensor(ref *Ref, size int64) (entry int64) {
	root := ref.Tensors[0].Tensor
	var readers []int
	for _, t := range a.held[root] {
		readers = append(readers, a.x.s.Consumers[t]...)
	}
	return a.add(root, readers, size)
}

func (a *memoryBuilder) add(root int, readers []int, size int64) (entry int64) {
	s := a.x.s
	maker := s.Producer[root]
	switch {
	case s.Tensors[root].Variable:
		a.out.Base += size
		return size
	case maker < 0 && !slices.Contains(s.Inputs, root): // working memory that the file names
		a.passing(a.x.lives[root].born, a.x.lives[root].end, size)
		return 0
	}
	slices.Sort(readers)
	readers = slices.Compact(readers)
	if len(readers) == 0 && !a.kept[root] {
		if maker >= 0 {
			a.out.Ops[maker].Transient += size
			return 0
		}
		if !a.b.p.EntryStep {
			a.out.First += size
		}
		return size
	}
	v := len(a.out.Values)
	a.out.Values = append(a.out.Values, Value{Size: size, Maker: maker, Readers: readers, Kept: a.kept[root], Tensor: root})
	a.value[root] = v
	if maker >= 0 {
		a.out.Ops[maker].Makes = append(a.out.Ops[maker].Makes, v)
	} else {
		entry = size
	}
	for _, i := range readers {
		a.out.Ops[i].Reads = append(a.out.Ops[i].Reads, v)
	}
	return entry
}

// passing adds bytes that live while an operator runs: its working memory, or
// what belongs to a subgraph that it calls.
func (a *memoryBuilder) passing(lower, upper, size int64) {
	i, found := slices.BinarySearch(a.start, lower)
	if !found {
		i--
	}
	if i < 0 || i >= len(a.x.s.Ops) || upper > a.start[i+1] {
		a.out.Loose = "subgraphs that several operators call keep tensors from one call to the next"
	}
	for t := max(lower, 0); t < min(upper, int64(len(a.extra))); t++ {
		a.extra[t] += size
	}
}

// floor finds what is live before and after all operators.
func (a *memoryBuilder) floor(entry, nowhere int64) {
	out := a.out
	exit := out.Base
	for _, v := range out.Values {
		if v.Kept {
			exit += v.Size
		}
	}
	out.Floor = max(nowhere, exit)
	if a.b.p.EntryStep || len(out.Ops) == 0 {
		out.Floor = max(out.Floor, entry)
	}
}

// replacements finds what results may take the place of.
func (a *memoryBuilder) replacements() {
	for i := range a.out.Ops {
		op := &a.x.s.Ops[i]
		if t := a.b.replaces(a.x, op); t >= 0 && a.value[t] >= 0 {
			a.out.Ops[i].Replaces = a.value[t]
		}
	}
}
