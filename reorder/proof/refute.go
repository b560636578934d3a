package proof

import (
	"fmt"
	"math"

	"github.com/arenalab/arenalab/graph"
)

// refuted returns what follows from a budget that no order keeps within.
func (c *checker) refuted(b *Bound) (int64, error) {
	switch {
	case b.Root == nil:
		return 0, fmt.Errorf("there is no refutation")
	case b.Kind == Precedence && b.Root.Cases != nil:
		return 0, fmt.Errorf("it goes by cases, so it is of kind %s", Tree)
	case b.Budget < 0 || b.Budget > limit:
		return 0, fmt.Errorf("a budget of %d bytes is out of range", b.Budget)
	}
	if err := c.node(b.Root, b.Budget); err != nil {
		return 0, fmt.Errorf("budget of %d bytes: %w", b.Budget, err)
	}
	unit := unit(c.m)
	return (b.Budget/unit + 1) * unit, nil
}

// node verifies that no order with the precedences known so far keeps within
// the budget.
func (c *checker) node(n *Node, budget int64) error {
	if n == nil {
		return fmt.Errorf("a case is missing")
	}
	mark := c.net.mark()
	defer c.net.undo(mark)
	for k, l := range n.Lines {
		if err := c.line(l, budget); err != nil {
			return fmt.Errorf("line %d: %w", k, err)
		}
	}
	if n.Cases == nil {
		return c.leaf(n, budget)
	}
	return c.cases(n.Cases, budget)
}

// leaf verifies that one operator, or whichever of a set is the first or the
// last, is over the budget.
func (c *checker) leaf(n *Node, budget int64) error {
	if len(n.Set) > 0 {
		bytes, err := c.set(n.Set, n.Last, budget+1)
		if err == nil && bytes <= budget {
			err = fmt.Errorf("one of the set can be the first or last of it: %d bytes", bytes)
		}
		return err
	}
	if err := c.known(n.Over); err != nil {
		return err
	}
	if bytes := c.least(n.Over, nil, nil, budget+1); bytes <= budget {
		return fmt.Errorf("operator %d can run within it: %d bytes", n.Over, bytes)
	}
	return nil
}

func (c *checker) line(l Line, budget int64) error {
	if err := c.known(l.Op); err != nil {
		return err
	}
	if err := c.known(l.Other); err != nil {
		return err
	}
	if l.Op == l.Other {
		return fmt.Errorf("operator %d is compared with itself", l.Op)
	}
	other := []int{l.Other}
	if l.After {
		if bytes := c.least(l.Op, nil, other, budget+1); bytes <= budget {
			return fmt.Errorf("operator %d can run before %d within it: %d bytes", l.Op, l.Other, bytes)
		}
		c.net.precede(l.Other, l.Op)
		return nil
	}
	if bytes := c.least(l.Op, other, nil, budget+1); bytes <= budget {
		return fmt.Errorf("operator %d can run after %d within it: %d bytes", l.Op, l.Other, bytes)
	}
	c.net.precede(l.Op, l.Other)
	return nil
}

func (c *checker) cases(s *Cases, budget int64) error {
	if err := c.known(s.A); err != nil {
		return err
	}
	if err := c.known(s.B); err != nil {
		return err
	}
	if s.A == s.B {
		return fmt.Errorf("operator %d is compared with itself", s.A)
	}
	for _, side := range []struct {
		first, second int
		node          *Node
	}{{s.A, s.B, s.AFirst}, {s.B, s.A, s.BFirst}} {
		mark := c.net.mark()
		c.net.precede(side.first, side.second)
		err := c.node(side.node, budget)
		c.net.undo(mark)
		if err != nil {
			return fmt.Errorf("with %d before %d: %w", side.first, side.second, err)
		}
	}
	return nil
}

// unit returns the greatest number of bytes of which all sizes are multiples.
func unit(m *graph.Memory) int64 {
	var g int64
	add := func(size int64) {
		for size != 0 {
			g, size = size, g%size
		}
	}
	add(m.Base)
	add(m.First)
	add(m.Floor)
	for i := range m.Values {
		add(m.Values[i].Size)
	}
	for i := range m.Ops {
		add(m.Ops[i].Transient)
	}
	return max(g, 1)
}

// infinite stands for what no set of operators allows.
const infinite = math.MaxInt64
