package graph

import "fmt"

// Order is a sequence in which the operators of a subgraph run.
type Order struct {
	Name string // of the algorithm that made it
	Ops  []int  // operator indices, each once
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
// before one it depends on.
func (s *Subgraph) CheckOrder(o Order) error {
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
