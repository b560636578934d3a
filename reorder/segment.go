package reorder

import (
	"cmp"
	"slices"
)

// Orders as hills and valleys. If what an operator adds to the live bytes does
// not depend on what ran before, an order is a walk over hills, the bytes live
// while operators run, and valleys, those between them. Independent orders are
// best interleaved whole segments at a time, each from one valley over a hill to
// the next that matters: first those that lower the live bytes, the lowest hill
// first, then those that raise them, the highest fall behind the hill first.
//
// References: J. W. H. Liu, "An application of generalized tree pebbling to
// sparse matrix factorization", SIAM Journal on Algebraic and Discrete Methods
// 8(3), 1987, pages 375-395, doi:10.1137/0608031; H. M. Abdel-Wahab, T. Kameda,
// "Scheduling to minimize maximum cumulative cost subject to series-parallel
// precedence constraints", Operations Research 26(1), 1978, pages 141-158,
// doi:10.1287/opre.26.1.141.

// segment is a stretch of an order.
type segment struct {
	hill int64 // most bytes live within, above those before it
	net  int64 // bytes live after it, above those before it
	ops  *rope
}

// rope is a sequence of operators that is joined in constant time.
type rope struct {
	left, right *rope // both or none
	op          int
	least       int // of its operators
}

func jobSegment(op int, during, after int64) segment {
	return segment{max(during, after, 0), after, &rope{op: op, least: op}}
}

func (s segment) then(t segment) segment {
	return segment{max(s.hill, s.net+t.hill), s.net + t.net, joinRopes(s.ops, t.ops)}
}

// joinRopes returns one after the other; the first may be nil.
func joinRopes(a, b *rope) *rope {
	if a == nil {
		return b
	}
	return &rope{left: a, right: b, least: min(a.least, b.least)}
}

// order compares segments by when they are best run.
func (s segment) order(t segment) int {
	grows, other := s.net > 0, t.net > 0
	switch {
	case grows && other:
		return cmp.Compare(t.hill-t.net, s.hill-s.net)
	case grows:
		return 1
	case other:
		return -1
	}
	return cmp.Compare(s.hill, t.hill)
}

// chain is an order in segments, ascending by when they are best run.
type chain []segment

// push appends a segment. What then stands before its turn is joined with what
// it has to wait for.
func (c chain) push(s segment) chain {
	for len(c) > 0 && c[len(c)-1].order(s) >= 0 {
		s = c[len(c)-1].then(s)
		c = c[:len(c)-1]
	}
	return append(c, s)
}

// then returns c and then d.
func (c chain) then(d chain) chain {
	for k, s := range d {
		n := len(c)
		if c = c.push(s); len(c) == n+1 { // the rest ascends already
			return append(c, d[k+1:]...)
		}
	}
	return c
}

// merge interleaves chains that do not depend on each other.
func merge(chains []chain) chain {
	if len(chains) == 1 {
		return chains[0]
	}
	var all chain
	for _, c := range chains {
		all = append(all, c...)
	}
	slices.SortStableFunc(all, func(a, b segment) int {
		return cmp.Or(a.order(b), cmp.Compare(a.ops.least, b.ops.least))
	})
	return all
}

// peak returns the most bytes live, above those before the chain.
func (c chain) peak() (peak int64) {
	var live int64
	for _, s := range c {
		peak = max(peak, live+s.hill)
		live += s.net
	}
	return peak
}

// ops returns the operators in order.
func (c chain) ops(n int) []int {
	list := make([]int, 0, n)
	var stack []*rope
	for _, s := range c {
		stack = append(stack[:0], s.ops)
		for len(stack) > 0 {
			r := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			if r.left == nil {
				list = append(list, r.op)
				continue
			}
			stack = append(stack, r.right, r.left)
		}
	}
	return list
}

// dominates reports whether c can take the place of d, an order of the same
// operators, whatever runs between their segments: whether one can walk along
// both at once, forwards, so that the bytes of c are never more.
func (c chain) dominates(d chain) bool {
	a := c.levels()
	held := make([]bool, len(a)) // places in a that the walk may be at
	held[0] = true
	for _, most := range d.levels() {
		for i := range a {
			held[i] = (held[i] || i > 0 && held[i-1]) && a[i] <= most
		}
	}
	return held[len(a)-1]
}

// levels returns the bytes in the valleys and on the hills, in turn.
func (c chain) levels() []int64 {
	out := make([]int64, 1, 2*len(c)+1)
	var live int64
	for _, s := range c {
		out = append(out, live+s.hill, live+s.net)
		live += s.net
	}
	return out
}
