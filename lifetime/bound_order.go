package lifetime

import (
	"errors"
	"fmt"
)

// checkTree verifies that every leaf of the tree is a contradiction.
//
// Of each item the checker keeps the range of offsets that the decisions above
// leave it; see narrow. Two items that share a step, each taking all its bytes
// there, have one of the two orders in every plan, so that a node with both
// misses none. Windows kept in gaps are left aside: less is then in the way.
//
// References: J. Carlier and E. Pinson, "An algorithm for solving the job-shop
// problem", Management Science 35, 1989: a section is a machine, an offset the
// start of a job.
func (e *excerpt) checkTree(tree []Branch, w *work) error {
	o := newOrders(e, w)
	if o == nil {
		return ErrCheckWork
	}
	rest, err := o.refute(tree, e.flips())
	if w.left < 0 {
		return ErrCheckWork
	}
	if err == nil && len(rest) > 0 {
		err = fmt.Errorf("%d nodes are left over", len(rest))
	}
	if err != nil {
		return fmt.Errorf("node %d of the tree: %w", len(tree)-len(rest), err)
	}
	return nil
}

// flips reports whether turning a plan upside down gives another one.
func (e *excerpt) flips() bool {
	for i := range e.items {
		if it := &e.items[i]; it.fixed >= 0 || it.step != 1 || it.end != e.high {
			return false
		}
	}
	return !e.windows
}

// orders are the decisions down to a node, and what follows from them.
type orders struct {
	e        *excerpt
	n        int
	head     []int64 // lowest offset
	tail     []int64 // highest offset
	below    []bool  // i * n + j: i ends where j begins, or lower
	pairs    [][2]int
	meets    []bool
	sections [][]int
	sum      []int64 // units of each section
	trail    []undo
	w        *work
}

// undo is an entry of one of the arrays of orders, as it was.
type undo struct {
	array byte // 'h', 't', 'b'
	at    int
	value int64
}

// newOrders returns the root, or nil if there are too many items.
func newOrders(e *excerpt, w *work) *orders {
	n := len(e.items)
	o := &orders{e: e, n: n, below: make([]bool, n*n), meets: make([]bool, n*n), w: w}
	for i := range e.items {
		it := &e.items[i]
		head, tail := int64(0), it.top()
		if it.fixed >= 0 {
			head, tail = it.fixed, it.fixed
		}
		o.head, o.tail = append(o.head, head), append(o.tail, tail)
	}
	for _, section := range e.sections {
		if !w.spend(len(section) * len(section)) {
			return nil
		}
		var whole []int
		var sum int64
		for _, s := range section {
			if s.low == 0 && s.high == e.items[s.item].size {
				whole = append(whole, s.item)
				sum += s.high
			}
		}
		o.sections, o.sum = append(o.sections, whole), append(o.sum, sum)
		for a, i := range whole {
			for _, j := range whole[:a] {
				if !o.meets[i*n+j] {
					o.meets[i*n+j], o.meets[j*n+i] = true, true
					o.pairs = append(o.pairs, [2]int{i, j})
				}
			}
		}
	}
	return o
}

var (
	errOpen = errors.New("no contradiction")
	errEnds = errors.New("the tree ends early")
)

// refute reads a subtree and checks it under the decisions made. It returns the
// nodes after it.
func (o *orders) refute(tree []Branch, flip bool) ([]Branch, error) {
	if len(tree) == 0 {
		return nil, errEnds
	}
	root, rest := tree[0], tree[1:]
	mark := len(o.trail)
	defer o.back(mark)
	switch {
	case !o.narrow():
		return skip(tree, flip)
	case root.IsLeaf():
		return tree, errOpen
	}
	i, err := o.e.find(root.Below)
	if err != nil {
		return tree, err
	}
	j, err := o.e.find(root.Above)
	if err != nil {
		return tree, err
	}
	if !o.meets[i*o.n+j] {
		return tree, fmt.Errorf("buffers %d and %d are never wholly live together", root.Below, root.Above)
	}
	if o.below[i*o.n+j] || o.below[j*o.n+i] { // so that no tree is deeper than there are pairs
		return tree, fmt.Errorf("the order of buffers %d and %d is decided already", root.Below, root.Above)
	}
	if rest, err = o.branch(i, j, rest); err != nil || flip {
		return rest, err
	}
	return o.branch(j, i, rest)
}

// branch refutes that i is below j.
func (o *orders) branch(i, j int, tree []Branch) ([]Branch, error) {
	mark := len(o.trail)
	defer o.back(mark)
	if !o.decide(i, j) {
		return skip(tree, false)
	}
	return o.refute(tree, false)
}

// skip reads a subtree of what is refuted already.
func skip(tree []Branch, flip bool) ([]Branch, error) {
	for open := 1; open > 0; tree = tree[1:] {
		if len(tree) == 0 {
			return nil, errEnds
		}
		switch {
		case tree[0].IsLeaf():
			open--
		case flip: // the root has one subtree
		default:
			open++
		}
		flip = false
	}
	return tree, nil
}

// back undoes all changes since the mark.
func (o *orders) back(mark int) {
	for k := len(o.trail) - 1; k >= mark; k-- {
		switch u := o.trail[k]; u.array {
		case 'h':
			o.head[u.at] = u.value
		case 't':
			o.tail[u.at] = u.value
		default:
			o.below[u.at] = false
		}
	}
	o.trail = o.trail[:mark]
}

// decide puts i below j, and what is below i below what is above j. It returns
// false if that is a circle.
func (o *orders) decide(i, j int) bool {
	n := o.n
	o.w.spend(n)
	for a := range n {
		if a != i && !o.below[a*n+i] || o.below[a*n+j] {
			continue // not below, or so is all above j already
		}
		for b := range n {
			if (b == j || o.below[j*n+b]) && !o.below[a*n+b] {
				if a == b || o.below[b*n+a] {
					return false
				}
				o.trail = append(o.trail, undo{'b', a*n + b, 0})
				o.below[a*n+b] = true
			}
		}
	}
	return true
}

// raise and lower narrow the offsets of an item to those from v on, or up to v.
func (o *orders) raise(i int, v int64) (changed bool) {
	step := o.e.items[i].step
	if v = (v + step - 1) / step * step; v <= o.head[i] {
		return false
	}
	o.trail = append(o.trail, undo{'h', i, o.head[i]})
	o.head[i] = v
	return true
}

func (o *orders) lower(i int, v int64) (changed bool) {
	if v = floorDiv(v, o.e.items[i].step) * o.e.items[i].step; v >= o.tail[i] {
		return false
	}
	o.trail = append(o.trail, undo{'t', i, o.tail[i]})
	o.tail[i] = v
	return true
}
