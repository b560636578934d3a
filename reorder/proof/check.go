package proof

import (
	"fmt"
	"math"
	"slices"

	"github.com/arenalab/arenalab/graph"
)

// Check verifies that b bounds m.Peak of every order from below. It computes
// all that the witness claims anew. It wraps ErrUnproven if the bound is not
// proven, and refuses a memory that is Loose, since its peak is not exact.
//
// Bounds that no cut takes part in are checked in O(n + m), each cut and each
// line of a refutation with one maximum flow in a network of the size of the
// subgraph.
func Check(m *graph.Memory, b *Bound) error {
	if err := usable(m); err != nil {
		return err
	}
	c := checker{m: m, net: newNetwork(m)}
	proven, err := c.value(b)
	switch {
	case err != nil:
		return fmt.Errorf("%w: %s: %w", ErrUnproven, b.Kind, err)
	case b.Value > proven:
		return fmt.Errorf("%w: %s: the witness gives %d bytes, %d claimed", ErrUnproven, b.Kind, proven, b.Value)
	}
	return nil
}

// usable reports why nothing can be proven of a memory.
func usable(m *graph.Memory) error {
	if m.Loose != "" {
		return fmt.Errorf("nothing can be proven of the peak of orders: %s", m.Loose)
	}
	var sum int64
	add := func(size int64) bool {
		sum += size
		return size < 0 || sum < 0 || sum > limit
	}
	bad := add(m.Base) || add(m.First) || add(m.Floor)
	for i := range m.Values {
		bad = bad || add(m.Values[i].Size)
	}
	for i := range m.Ops {
		bad = bad || add(m.Ops[i].Transient)
	}
	if bad {
		return fmt.Errorf("sizes are negative, or more than %d bytes together", int64(limit))
	}
	for i := range m.Ops {
		op := &m.Ops[i]
		if op.Replaces >= 0 && !slices.Contains(op.Reads, op.Replaces) {
			return fmt.Errorf("operator %d replaces value %d, which it does not read", i, op.Replaces)
		}
	}
	return nil
}

// limit is what all sizes may add up to.
const limit = math.MaxInt64 / 8

type checker struct {
	m   *graph.Memory
	net *network
}

// value returns the bytes that the witness proves.
func (c *checker) value(b *Bound) (int64, error) {
	switch b.Kind {
	case Floor:
		return c.m.Floor, nil
	case Operator:
		if err := c.known(b.Op); err != nil {
			return 0, err
		}
		return c.alone(b.Op), nil
	case Ends:
		return c.end(b.Last)
	case Cut:
		if err := c.known(b.Op); err != nil {
			return 0, err
		}
		return c.feasible(c.least(b.Op, nil, nil, math.MaxInt64))
	case Set:
		bytes, err := c.set(b.Ops, b.Last, infinite)
		if err != nil {
			return 0, err
		}
		return c.feasible(bytes)
	case Precedence, Tree:
		return c.refuted(b)
	}
	return 0, fmt.Errorf("unknown kind %q", b.Kind)
}

func (c *checker) known(op int) error {
	if op < 0 || op >= len(c.m.Ops) {
		return fmt.Errorf("there is no operator %d among %d", op, len(c.m.Ops))
	}
	return nil
}

// feasible turns what least returns into a value: there is always a set that
// has run before an operator, unless operators wait for each other.
func (c *checker) feasible(bytes int64) (int64, error) {
	if bytes == infinite {
		return 0, fmt.Errorf("no set of operators can have run: some wait for each other")
	}
	return bytes, nil
}

// alone returns what is live at an operator whatever else is.
func (c *checker) alone(v int) int64 {
	op := &c.m.Ops[v]
	sum := c.own(v)
	for _, x := range op.Reads {
		if x != op.Replaces {
			sum += c.m.Values[x].Size
		}
	}
	for x := range c.m.Values {
		if val := &c.m.Values[x]; val.Maker < 0 && val.Kept && x != op.Replaces && !slices.Contains(op.Reads, x) {
			sum += val.Size
		}
	}
	return sum
}

// own returns what an operator adds to the bytes that are live when it starts,
// with what is there throughout.
func (c *checker) own(v int) int64 {
	sum := c.m.Base + c.m.Ops[v].Transient
	for _, x := range c.m.Ops[v].Makes {
		sum += c.m.Values[x].Size
	}
	return sum
}

// end returns the least bytes live at the first operator, or the last, over
// those that can be.
func (c *checker) end(last bool) (int64, error) {
	inner := make([]bool, len(c.m.Ops)) // it has a predecessor, or a successor
	for v, before := range c.m.Before {
		for _, u := range before {
			if last {
				inner[u] = true
			} else {
				inner[v] = true
			}
		}
	}
	least := int64(infinite)
	for v := range c.m.Ops {
		if inner[v] {
			continue
		}
		sum := c.own(v)
		for x := range c.m.Values {
			if c.lives(x, v, last) {
				sum += c.m.Values[x].Size
			}
		}
		if !last {
			sum += c.m.First
		}
		least = min(least, sum)
	}
	if least == infinite {
		return 0, fmt.Errorf("no operator can be the first or the last")
	}
	return least, nil
}

// lives reports whether a value that v does not make is live while v runs,
// before all other operators or after all others.
func (c *checker) lives(x, v int, last bool) bool {
	val := &c.m.Values[x]
	if val.Maker == v || !last && val.Maker >= 0 {
		return false
	}
	kept := val.Kept
	var others, mine bool
	for _, r := range val.Readers {
		if r == v {
			mine = true
		} else {
			others = true
		}
	}
	if c.m.Ops[v].Replaces == x {
		kept, mine = false, false
	}
	return kept || mine || others && !last
}

// set returns the least cut over those operators of a list that can be its
// first, or its last, to run; it is infinite if none can. From enough on, any
// value will do.
func (c *checker) set(ops []int, last bool, enough int64) (int64, error) {
	if len(ops) == 0 {
		return 0, fmt.Errorf("the set is empty")
	}
	for k, v := range ops {
		if err := c.known(v); err != nil {
			return 0, err
		}
		if k > 0 && v <= ops[k-1] {
			return 0, fmt.Errorf("operators are not ascending: %d after %d", v, ops[k-1])
		}
	}
	least := enough
	others := make([]int, 0, len(ops))
	for k, v := range ops {
		others = append(append(others[:0], ops[:k]...), ops[k+1:]...)
		if last {
			least = min(least, c.least(v, others, nil, least))
		} else {
			least = min(least, c.least(v, nil, others, least))
		}
	}
	return least, nil
}
