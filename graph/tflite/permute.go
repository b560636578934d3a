package tflite

import (
	"errors"
	"fmt"
	"slices"

	flatbuffers "github.com/google/flatbuffers/go"

	"github.com/arenalab/arenalab/graph"
)

// ErrPinned reports a file whose parts refer to each other in a way that does
// not survive another order.
var ErrPinned = errors.New("the file cannot be put into another order")

// Permute returns the bytes of a model whose operators run, and whose tensors
// are numbered, as the orders of its subgraphs say; a subgraph without one
// stays as it is. Nothing else changes: the file has the same length, weights,
// options, names and metadata, and computes the same. Only an offline plan of
// the arena, which holds for one order alone, is emptied: its tensors are left
// to the runtime.
//
// The model is the one that Decode returns for the data; the data are not
// changed. Order.Apart has no place in a file.
func Permute(data []byte, m *graph.Model, orders map[int]graph.Order) ([]byte, error) {
	for i, o := range orders {
		if i < 0 || i >= len(m.Subgraphs) {
			return nil, fmt.Errorf("%s: order %s is of subgraph %d of %d", m.Name, o.Name, i, len(m.Subgraphs))
		}
		if err := m.Subgraphs[i].CheckOrder(o); err != nil {
			return nil, fmt.Errorf("%s: subgraph %d: %w", m.Name, i, err)
		}
	}
	for _, x := range m.Metadata {
		if x.Name == "model_control_dependencies" {
			return nil, fmt.Errorf("%s: %w: metadata %q names operators by number", m.Name, ErrPinned, x.Name)
		}
	}
	p := permuter{buf: slices.Clone(data), done: map[flatbuffers.UOffsetT]bool{}}
	root := flatbuffers.Table{Bytes: p.buf, Pos: flatbuffers.GetUOffsetT(p.buf)}
	for i, o := range orders {
		p.subgraph(p.element(root, modelSubgraphs, i), o)
	}
	if err := p.signatures(root, orders); err != nil {
		return nil, fmt.Errorf("%s: %w", m.Name, err)
	}
	if m.Offline != nil && moves(orders) {
		p.unplan(root, m)
	}
	again, err := Decode(p.buf, m.Name)
	if err != nil {
		return nil, fmt.Errorf("%s: put into another order: %w", m.Name, err)
	}
	if again.Offline != nil && again.Offline.Planned() > 0 && moves(orders) {
		return nil, fmt.Errorf("%s: %w: its offline plan lies outside the file", m.Name, ErrPinned)
	}
	if err := sameComputation(m, again, orders); err != nil {
		return nil, err
	}
	return p.buf, nil
}

// moves reports whether the orders change anything.
func moves(orders map[int]graph.Order) bool {
	for _, o := range orders {
		if !slices.IsSorted(o.Ops) || !slices.IsSorted(o.Numbers) {
			return true
		}
	}
	return false
}

// The slots of tables, as the schema numbers their fields.
const (
	modelSubgraphs  = 8
	modelBuffers    = 12
	modelMetadata   = 16
	modelSignatures = 18

	subgraphTensors   = 4
	subgraphInputs    = 6
	subgraphOutputs   = 8
	subgraphOperators = 10

	operatorInputs        = 6
	operatorOutputs       = 8
	operatorIntermediates = 20

	signatureInputs   = 4
	signatureOutputs  = 6
	signatureSubgraph = 12
	mapTensor         = 6

	metadataName   = 4
	metadataBuffer = 6
	bufferData     = 4
)

// permuter changes a file that has been verified in place.
type permuter struct {
	buf  []byte
	done map[flatbuffers.UOffsetT]bool // vectors that were renumbered, as tables may share them
}

// vector returns where the elements of a vector field are, and how many; 0, 0
// if the field is absent.
func (p *permuter) vector(t flatbuffers.Table, slot flatbuffers.VOffsetT) (flatbuffers.UOffsetT, int) {
	o := flatbuffers.UOffsetT(t.Offset(slot))
	if o == 0 {
		return 0, 0
	}
	return t.Vector(o), t.VectorLen(o)
}

// element returns a table in a vector field.
func (p *permuter) element(t flatbuffers.Table, slot flatbuffers.VOffsetT, i int) flatbuffers.Table {
	at, _ := p.vector(t, slot)
	return flatbuffers.Table{Bytes: p.buf, Pos: t.Indirect(at + flatbuffers.UOffsetT(i)*flatbuffers.SizeUOffsetT)}
}

func (p *permuter) subgraph(s flatbuffers.Table, o graph.Order) {
	p.move(s, subgraphOperators, o.Ops)
	if o.Numbers == nil {
		return
	}
	from := make([]int, len(o.Numbers))
	for t, n := range o.Numbers {
		from[n] = t
	}
	p.move(s, subgraphTensors, from)
	p.number(s, subgraphInputs, o.Numbers)
	p.number(s, subgraphOutputs, o.Numbers)
	_, n := p.vector(s, subgraphOperators)
	for i := range n {
		op := p.element(s, subgraphOperators, i)
		for _, slot := range []flatbuffers.VOffsetT{operatorInputs, operatorOutputs, operatorIntermediates} {
			p.number(op, slot, o.Numbers)
		}
	}
}

// move puts the tables of a vector into another sequence: first that which was
// from[0].
func (p *permuter) move(t flatbuffers.Table, slot flatbuffers.VOffsetT, from []int) {
	at, n := p.vector(t, slot)
	if p.done[at] || n == 0 {
		return
	}
	p.done[at] = true
	place := func(i int) flatbuffers.UOffsetT { return at + flatbuffers.UOffsetT(i)*flatbuffers.SizeUOffsetT }
	target := make([]flatbuffers.UOffsetT, n)
	for i := range target {
		target[i] = t.Indirect(place(i))
	}
	for i, k := range from {
		flatbuffers.WriteUOffsetT(p.buf[place(i):], target[k]-place(i))
	}
}

// number replaces the tensors in a vector by their numbers.
func (p *permuter) number(t flatbuffers.Table, slot flatbuffers.VOffsetT, numbers []int) {
	at, n := p.vector(t, slot)
	if p.done[at] {
		return
	}
	p.done[at] = true
	for i := range n {
		word := p.buf[at+flatbuffers.UOffsetT(i)*flatbuffers.SizeInt32:]
		if tensor := flatbuffers.GetInt32(word); tensor >= 0 {
			flatbuffers.WriteInt32(word, int32(numbers[tensor]))
		}
	}
}

// signatures renumbers the arguments and results of entry points.
func (p *permuter) signatures(root flatbuffers.Table, orders map[int]graph.Order) error {
	_, n := p.vector(root, modelSignatures)
	for i := range n {
		s := p.element(root, modelSignatures, i)
		numbers := orders[int(s.GetUint32Slot(signatureSubgraph, 0))].Numbers
		if numbers == nil {
			continue
		}
		for _, slot := range []flatbuffers.VOffsetT{signatureInputs, signatureOutputs} {
			_, args := p.vector(s, slot)
			for k := range args {
				if err := p.argument(p.element(s, slot, k), numbers); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// argument renumbers the tensor of an entry point. Tensor 0 may not be written
// down, as it is the default.
func (p *permuter) argument(t flatbuffers.Table, numbers []int) error {
	o := flatbuffers.UOffsetT(t.Offset(mapTensor))
	switch {
	case o == 0 && numbers[0] != 0:
		return fmt.Errorf("%w: a signature has no room for another number of tensor 0", ErrPinned)
	case o == 0 || p.done[t.Pos]:
		return nil
	}
	p.done[t.Pos] = true
	word := p.buf[t.Pos+o:]
	flatbuffers.WriteUint32(word, uint32(numbers[flatbuffers.GetUint32(word)]))
	return nil
}

// unplan leaves the tensors of an offline plan to the runtime.
func (p *permuter) unplan(root flatbuffers.Table, m *graph.Model) {
	for i, x := range m.Metadata {
		if x.Name != offlineName {
			continue
		}
		meta := p.element(root, modelMetadata, i)
		buffer := p.element(root, modelBuffers, int(meta.GetUint32Slot(metadataBuffer, 0)))
		at, n := p.vector(buffer, bufferData)
		const head = 12 // version, subgraph, number of offsets
		for k := head; k+4 <= n; k += 4 {
			flatbuffers.WriteInt32(p.buf[at+flatbuffers.UOffsetT(k):], graph.Online)
		}
	}
}

// sameComputation checks that operators and tensors are those that the orders
// ask for.
func sameComputation(m, again *graph.Model, orders map[int]graph.Order) error {
	for i, s := range m.Subgraphs {
		o, ok := orders[i]
		if !ok {
			o = graph.Stored(s)
		}
		number := func(list []int) []int {
			out := slices.Clone(list)
			for k, t := range out {
				if t >= 0 && o.Numbers != nil {
					out[k] = o.Numbers[t]
				}
			}
			return out
		}
		u := again.Subgraphs[i]
		if !slices.Equal(number(s.Inputs), u.Inputs) || !slices.Equal(number(s.Outputs), u.Outputs) {
			return fmt.Errorf("%s: subgraph %d: its arguments are not what they were", m.Name, i)
		}
		for at, k := range o.Ops {
			x, y := &s.Ops[k], &u.Ops[at]
			if x.Name() != y.Name() || !slices.Equal(number(x.Inputs), y.Inputs) || !slices.Equal(number(x.Outputs), y.Outputs) {
				return fmt.Errorf("%s: subgraph %d: operator %d %s is not what it was", m.Name, i, k, x.Name())
			}
		}
	}
	return nil
}
