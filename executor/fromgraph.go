package executor

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/arenalab/arenalab/graph"
)

// FromGraph returns the program of a linked subgraph that runs in the given
// order, with tensors in the buffers of the table. Who accesses what and when
// comes from the graph; the table only says which buffer holds which tensor,
// and what it promises to keep how long.
//
// It is an error if the steps of the table are not those of the order, if a
// tensor does not fit into its buffer, if something is read before it is
// written, or if the table does not let a buffer live when the graph accesses
// it (*LifetimeError).
//
// Buffers that no operator of the subgraph writes (scratch memory, unused
// tensors, tensors of other subgraphs) are written by what runs at their first
// step. O(n log n) in the size of the graph and the table.
func FromGraph(s *graph.Subgraph, o graph.Order, lt *graph.Lifetimes) (*Program, error) {
	b, err := newGraphBuilder(s, lt)
	if err == nil {
		err = b.checkSteps(o)
	}
	if err == nil {
		err = b.run()
	}
	if err != nil {
		return nil, fmt.Errorf("subgraph %d, order %s: %w", s.Index, o.Name, err)
	}
	if len(b.late) > 0 {
		return nil, fmt.Errorf("subgraph %d, order %s: %w", s.Index, o.Name, errors.Join(b.late...))
	}
	return b.p, nil
}

// maxLate ends the list of lifetime errors.
const maxLate = 16

type graphBuilder struct {
	p    *Program
	s    *graph.Subgraph
	lt   *graph.Lifetimes
	last int // time
	over int // the last time at which something runs

	home  []int32  // by tensor: its buffer, or -1
	now   []int32  // by tensor in the arena: its present value, or -1
	outer []uint64 // by tensor outside of the arena: the key of what it holds
	held  []int32  // by buffer: the value written last, or -1
	born  []int64  // by buffer: the time of that
	given []bool   // by buffer: the graph writes it
	births,
	deaths []int // buffers by the time of their birth, if the graph does not write them, and death

	read     []int32 // by tensor: step of the last read, to read each but once
	writing  []int32 // by buffer: step of the last write
	verified []int   // by value: the number of values when it was last seen intact
	late     []error
}

func newGraphBuilder(s *graph.Subgraph, lt *graph.Lifetimes) (*graphBuilder, error) {
	if len(s.Producer) != len(s.Tensors) {
		return nil, errors.New("subgraph is not linked")
	}
	if len(lt.Refs) != len(lt.Table.Buffers) {
		return nil, fmt.Errorf("%d references for %d buffers", len(lt.Refs), len(lt.Table.Buffers))
	}
	n, m := len(s.Tensors), len(lt.Refs)
	b := &graphBuilder{
		p: &Program{table: lt.Table, graph: s}, s: s, lt: lt, last: max(len(lt.Steps)-1, 0),
		home: minusOnes(n), now: minusOnes(n), outer: make([]uint64, n), read: minusOnes(n),
		held: minusOnes(m), born: make([]int64, m), given: make([]bool, m), writing: minusOnes(m),
	}
	for i := range b.outer {
		b.outer[i] = mix(tagConstant, uint64(i))
	}
	for b.over = b.last; b.over > 0 && lt.Steps[b.over].Subgraph == graph.Nowhere; b.over-- {
	}
	if err := b.place(); err != nil {
		return nil, err
	}
	for i := range lt.Refs {
		buf := &lt.Table.Buffers[i]
		if buf.Size == 0 {
			continue
		}
		b.deaths = append(b.deaths, i)
		if !b.given[i] {
			if buf.Lower < 0 || buf.Lower > int64(b.last) {
				return nil, fmt.Errorf("buffer %d %q is born at step %d of %d", i, buf.Name, buf.Lower, len(lt.Steps))
			}
			b.births = append(b.births, i)
		}
	}
	slices.SortStableFunc(b.births, func(x, y int) int {
		return cmp.Compare(lt.Table.Buffers[x].Lower, lt.Table.Buffers[y].Lower)
	})
	slices.SortStableFunc(b.deaths, func(x, y int) int { return cmp.Compare(b.death(x), b.death(y)) })
	return b, nil
}

func minusOnes(n int) []int32 {
	s := make([]int32, n)
	for i := range s {
		s[i] = -1
	}
	return s
}

// death returns the last time at which the table keeps the buffer.
func (b *graphBuilder) death(buf int) int64 {
	return min(b.lt.Table.Buffers[buf].Upper-1, int64(b.last))
}

// place finds the buffer of each tensor.
func (b *graphBuilder) place() error {
	written := make([]bool, len(b.s.Tensors))
	for _, t := range b.s.Inputs {
		written[t] = true
	}
	for i, ref := range b.lt.Refs {
		for _, r := range ref.Tensors {
			if r.Subgraph != b.s.Index {
				continue
			}
			if r.Tensor < 0 || r.Tensor >= len(b.s.Tensors) {
				return fmt.Errorf("buffer %d holds tensor %d of %d", i, r.Tensor, len(b.s.Tensors))
			}
			t := &b.s.Tensors[r.Tensor]
			if size := b.lt.Table.Buffers[i].Size; t.Bytes > size && b.lt.Sizes[r] != size {
				return fmt.Errorf("tensor %d %q of %d bytes does not fit into buffer %d of %d bytes",
					r.Tensor, t.Name, t.Bytes, i, size)
			}
			if b.home[r.Tensor] >= 0 {
				return fmt.Errorf("tensor %d %q is in buffers %d and %d", r.Tensor, t.Name, b.home[r.Tensor], i)
			}
			b.home[r.Tensor] = int32(i)
			if written[r.Tensor] || t.Variable || b.s.Producer[r.Tensor] >= 0 {
				b.given[i] = true
			}
		}
	}
	return nil
}

// bytes returns the bytes of a tensor that are in the arena; 0 if it is not.
func (b *graphBuilder) bytes(t int) int64 {
	switch {
	case b.home[t] < 0:
		return 0
	case b.s.Tensors[t].Bytes == graph.NoSize:
		return b.lt.Table.Buffers[b.home[t]].Size
	}
	if n, ok := b.lt.Sizes[graph.TensorRef{Subgraph: b.s.Index, Tensor: t}]; ok {
		return n
	}
	return b.s.Tensors[t].Bytes
}

// checkSteps compares the steps of the table with the order.
func (b *graphBuilder) checkSteps(o graph.Order) error {
	at := 0
	for t, st := range b.lt.Steps {
		if st.Op < graph.Exit {
			return fmt.Errorf("step %d of the table is neither an operator nor the caller: %d", t, st.Op)
		}
		if st.Subgraph != b.s.Index || st.Op < 0 {
			continue
		}
		if at == len(o.Ops) || o.Ops[at] != st.Op {
			return fmt.Errorf("operator %d at step %d of the table is not that of the order", st.Op, t)
		}
		if st.Op >= len(b.s.Ops) {
			return fmt.Errorf("operator %d at step %d of the table is out of range", st.Op, t)
		}
		at++
	}
	if at != len(o.Ops) || at != len(b.s.Ops) {
		return fmt.Errorf("table has steps for %d operators, the order has %d, the subgraph %d", at, len(o.Ops), len(b.s.Ops))
	}
	return nil
}
