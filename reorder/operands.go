package reorder

import (
	"errors"
	"slices"

	"github.com/arenalab/arenalab/graph"
)

// operands is a subgraph as XLA sees one: operators with operands in the
// sequence of their positions, and one more operator at the end that takes the
// results of the graph. Control edges are apart.
type operands struct {
	data    [][]int // by operator: makers of what it reads, by first position, once each
	control [][]int // by operator: those it waits for although it reads nothing of theirs, ascending
	users   []int   // by operator: how many operators read its results, the one at the end included
	results []int   // makers of results of the graph, in the sequence of those, once each
	nodes   int     // operators, graph inputs, constants and variables that are read, and the one at the end
}

func newOperands(m *graph.Memory) (*operands, error) {
	s, n := m.Subgraph, len(m.Ops)
	if len(s.Ops) != n {
		return nil, errors.New("memory of other operators than those of its subgraph")
	}
	x := &operands{data: make([][]int, n), control: make([][]int, n), users: make([]int, n), nodes: n + 1}
	most := 0
	for i, before := range m.Before {
		most += len(s.Ops[i].Inputs) + len(before)
	}
	all, seen := make([]int, 0, most), slices.Repeat([]int{-1}, n) // by operator: the last that has it as an operand
	cut := func(start int) []int { return all[start:len(all):len(all)] }
	for i, before := range m.Before {
		start := len(all)
		for _, t := range s.Ops[i].Inputs {
			if t < 0 || s.Producer[t] < 0 || seen[s.Producer[t]] == i {
				continue
			}
			p := s.Producer[t]
			seen[p] = i
			x.users[p]++
			all = append(all, p)
		}
		x.data[i], start = cut(start), len(all)
		for _, p := range before {
			if seen[p] != i {
				all = append(all, p)
			}
		}
		x.control[i] = cut(start)
	}
	for _, t := range s.Outputs {
		if p := s.Producer[t]; p >= 0 && seen[p] < n {
			seen[p] = n
			x.users[p]++
			x.results = append(x.results, p)
		}
	}
	for t, readers := range s.Consumers {
		if s.Producer[t] < 0 && len(readers) > 0 {
			x.nodes++
		}
	}
	return x, nil
}

// unread returns the operators whose results nobody reads and that are no
// result of the graph.
func (x *operands) unread() []int {
	var list []int
	for i, n := range x.users {
		if n == 0 {
			list = append(list, i)
		}
	}
	return list
}
