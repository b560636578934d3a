package joint

import (
	"slices"

	"github.com/arenalab/arenalab/graph"
)

// livesBuilder finds what the lives of rows depend on.
type livesBuilder struct {
	*lives
	start                 []int32 // by operator: its first step as stored; one more for the end of the last
	input                 []bool  // by tensor
	value                 []int   // by tensor that a value holds first, else -1
	row                   []int32 // by tensor that a row holds first, else -1
	making, reading, pass [][]int32
}

// newLives prepares the orders of a subgraph.
func newLives(m *graph.Memory) (*lives, error) {
	flat := m.Profile
	flat.Offline, flat.Order = false, ""
	if flat.InPlace == graph.InPlaceLastUse {
		flat.InPlace = ""
	}
	lt, err := graph.NewLifetimes(m.Model, m.Subgraph, graph.Stored(m.Subgraph), flat)
	if err != nil {
		return nil, err
	}
	n, rows := len(m.Ops), len(lt.Refs)
	l := &lives{
		m: m, size: make([]int64, rows), rows: make([]int32, rows), length: make([]int32, n),
		kept: make([]bool, rows), within: make([][2]int32, rows),
		gives: slices.Repeat([]int32{-1}, n), takes: slices.Repeat([]int32{-1}, n),
		lower: make([]int32, rows), upper: make([]int32, rows), root: make([]int32, rows),
		renumbered: make([]int32, 0, rows),
	}
	tensors := len(m.Subgraph.Tensors)
	b := &livesBuilder{
		lives: l, input: make([]bool, tensors),
		value: slices.Repeat([]int{-1}, tensors), row: slices.Repeat([]int32{-1}, tensors),
		making: make([][]int32, n), reading: make([][]int32, n), pass: make([][]int32, n),
	}
	b.steps(lt.Steps)
	b.build(lt)
	l.place = slices.Repeat([]int32{int32(max(n-1, 0))}, int(l.end)+2)
	clear(l.place[:l.entry])
	l.load = make([]int64, l.end+3)
	return l, nil
}

// steps finds when operators begin as stored and how long they take.
func (b *livesBuilder) steps(steps []graph.Step) {
	n, own := len(b.length), b.m.Subgraph.Index
	b.start = make([]int32, n+1)
	b.end = int32(len(steps))
	if k := len(steps) - 1; k >= 0 && steps[k].Subgraph == graph.Nowhere {
		b.end--
	}
	b.start[n], b.entry = b.end, b.end
	for t := b.end - 1; t >= 0; t-- {
		switch {
		case t == b.end-1 && steps[t] == (graph.Step{Subgraph: own, Op: graph.Exit}):
			b.start[n], b.entry = t, t
		case steps[t].Subgraph == own && steps[t].Op >= 0:
			b.start[steps[t].Op], b.entry = t, t
		}
	}
	for i := range b.length {
		b.length[i] = b.start[i+1] - b.start[i]
	}
}

func (b *livesBuilder) build(lt *graph.Lifetimes) {
	s := b.m.Subgraph
	for _, t := range s.Inputs {
		b.input[t] = true
	}
	for v := range b.m.Values {
		b.value[b.m.Values[v].Tensor] = v
	}
	for k := range lt.Refs {
		r, buf, ref := int32(k), &lt.Table.Buffers[k], &lt.Refs[k]
		b.rows[r], b.size[r] = r, buf.Size
		b.lower[r], b.upper[r] = int32(buf.Lower), int32(buf.Upper)
		switch {
		case len(ref.Tensors) > 0 && ref.Tensors[0].Subgraph == s.Index:
			b.tensor(r, ref)
		case len(ref.Tensors) > 0 && ref.Tensors[0].Subgraph < s.Index:
			b.before = append(b.before, r)
			b.passing(r)
		default:
			b.after = append(b.after, r)
			b.passing(r)
		}
	}
	b.makes, b.reads, b.passes = newLists(b.making), newLists(b.reading), newLists(b.pass)
	for i := range b.m.Ops {
		v := b.m.Ops[i].Replaces
		if v < 0 || len(s.Ops[i].Outputs) == 0 {
			continue
		}
		out, in := b.row[s.Ops[i].Outputs[0]], b.row[b.m.Values[v].Tensor]
		if out >= 0 && in >= 0 {
			b.gives[i], b.takes[i] = out, in
		}
	}
}

// tensor adds a row of the subgraph.
func (b *livesBuilder) tensor(r int32, ref *graph.Ref) {
	s, t := b.m.Subgraph, ref.Tensors[0].Tensor
	maker := s.Producer[t]
	b.row[t] = r
	switch {
	case s.Tensors[t].Variable || b.lower[r] >= b.end:
		b.others = append(b.others, r)
		return
	case maker < 0 && !b.input[t]:
		b.others = append(b.others, r)
		b.passing(r)
		return
	case maker < 0:
		b.inputs = append(b.inputs, r)
	default:
		b.making[maker] = append(b.making[maker], r)
	}
	v := b.value[t]
	if v < 0 {
		return // nothing reads it
	}
	b.kept[r] = b.m.Values[v].Kept
	for _, i := range b.m.Values[v].Readers {
		b.reading[i] = append(b.reading[i], r)
	}
}

// passing adds a row that lives while an operator runs. A row that does not
// lives as it does in the table.
func (b *livesBuilder) passing(r int32) {
	i, found := slices.BinarySearch(b.start, b.lower[r])
	if !found {
		i--
	}
	if i >= 0 && i < len(b.length) && b.upper[r] <= b.start[i+1] {
		b.within[r] = [2]int32{b.lower[r] - b.start[i], b.upper[r] - b.start[i]}
		b.pass[i] = append(b.pass[i], r)
	}
}
