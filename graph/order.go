package graph

import (
	"fmt"
	"slices"
)

// Order is a sequence in which the operators of a subgraph run, with what else
// can be chosen of a file without changing what it computes.
type Order struct {
	Name string // of the algorithm that made it
	Ops  []int  // operator indices, each once

	// Numbers are those of the tensors, each of 0 to n-1 once, if they are to
	// be stored in another sequence than that of the file: Numbers[t] takes the
	// place of t. Runtimes break ties by them. nil: as in the file.
	Numbers []int
	// Apart lists operators whose results do not lie on top of an operand,
	// although the rules of the profile allow it; ascending.
	Apart []int
}

// Stored returns the order of the file.
func Stored(s *Subgraph) Order {
	o := Order{Name: "stored", Ops: make([]int, len(s.Ops))}
	for i := range o.Ops {
		o.Ops[i] = i
	}
	return o
}

// CheckOrder reports whether the order runs every operator once and none
// before one it depends on, and numbers every tensor once if it numbers them.
func (s *Subgraph) CheckOrder(o Order) error {
	if o.Numbers != nil {
		if err := s.checkNumbers(o); err != nil {
			return err
		}
	}
	for k, i := range o.Apart {
		if i < 0 || i >= len(s.Ops) || k > 0 && i <= o.Apart[k-1] {
			return fmt.Errorf("order %s: operators to be kept apart are not ascending indices: %d", o.Name, i)
		}
	}
	if len(o.Ops) != len(s.Ops) {
		return fmt.Errorf("order %s has %d of %d operators", o.Name, len(o.Ops), len(s.Ops))
	}
	done := make([]bool, len(s.Ops))
	for at, i := range o.Ops {
		switch {
		case i < 0 || i >= len(s.Ops):
			return fmt.Errorf("order %s: operator %d at position %d is out of range", o.Name, i, at)
		case done[i]:
			return fmt.Errorf("order %s: operator %d %s runs twice", o.Name, i, s.Ops[i].Name())
		}
		for _, p := range s.Before[i] {
			if !done[p] {
				return fmt.Errorf("order %s: operator %d %s runs before operator %d %s, which it needs",
					o.Name, i, s.Ops[i].Name(), p, s.Ops[p].Name())
			}
		}
		done[i] = true
	}
	return nil
}

func (s *Subgraph) checkNumbers(o Order) error {
	if len(o.Numbers) != len(s.Tensors) {
		return fmt.Errorf("order %s numbers %d of %d tensors", o.Name, len(o.Numbers), len(s.Tensors))
	}
	taken := make([]bool, len(o.Numbers))
	for t, n := range o.Numbers {
		if n < 0 || n >= len(taken) || taken[n] {
			return fmt.Errorf("order %s: number %d of tensor %d is out of range or taken", o.Name, n, t)
		}
		taken[n] = true
	}
	return nil
}

// isApart reports whether the operator keeps its results apart.
func (o Order) isApart(op int) bool {
	_, found := slices.BinarySearch(o.Apart, op)
	return found
}

// number returns that of a tensor.
func (o Order) number(tensor int) int {
	if o.Numbers == nil {
		return tensor
	}
	return o.Numbers[tensor]
}

// byNumber returns the tensors of a subgraph in the sequence of their numbers.
func (o Order) byNumber(tensors int) []int {
	list := make([]int, tensors)
	for t := range list {
		if o.Numbers == nil {
			list[t] = t
		} else {
			list[o.Numbers[t]] = t
		}
	}
	return list
}
