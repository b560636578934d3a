package reorder

import (
	"math/bits"
	"slices"
)

// branches returns the order of parts that do not wait for each other, but may
// share values.
func (c *composer) branches(ops []int, parts [][]int) chain {
	var all []chain
	for _, t := range teams(parts, c.sharedBy(ops, parts)) {
		all = append(all, c.team(parts, t))
	}
	return merge(all)
}

// team is parts that share values, directly or not.
type team struct {
	members []int // parts
	values  []sharedValue
}

// all returns the operators of the parts, ascending.
func (t *team) all(parts [][]int) (ops []int) {
	for _, p := range t.members {
		ops = append(ops, parts[p]...)
	}
	slices.Sort(ops)
	return ops
}

// teams puts parts together that share values.
func teams(parts [][]int, values []sharedValue) (list []team) {
	number := make([]int, len(parts))
	for p := range number {
		number[p] = p
	}
	for _, x := range values {
		for _, p := range x.parts {
			from, to := max(number[p], number[x.parts[0]]), min(number[p], number[x.parts[0]])
			for k := range number {
				if number[k] == from {
					number[k] = to
				}
			}
		}
	}
	place := make([]int, len(parts))
	for p, n := range number {
		if n == p {
			place[p] = len(list)
			list = append(list, team{})
		}
		t := &list[place[n]]
		t.members = append(t.members, p)
	}
	for _, x := range values {
		t := &list[place[number[x.parts[0]]]]
		t.values = append(t.values, x)
	}
	return list
}

// sharedValue is a value that may be freed in several parts.
type sharedValue struct {
	value int
	parts []int // by last reader
}

// sharedBy finds the values that may be freed in several of the parts.
func (c *composer) sharedBy(ops []int, parts [][]int) (values []sharedValue) {
	part := make(map[int]int, len(ops))
	for p, list := range parts {
		for _, i := range list {
			part[i] = p
		}
	}
	for _, i := range ops {
		for _, v := range c.m.Ops[i].Reads {
			ends := c.ends[v]
			if len(ends) == 0 || ends[0] != i {
				continue
			}
			x := sharedValue{value: v}
			split, all := false, true
			for _, e := range ends {
				p, inside := part[e]
				all = all && inside
				split = split || p != part[i]
				x.parts = append(x.parts, p)
			}
			if all && split {
				values = append(values, x)
			}
		}
	}
	return values
}

// team returns the order of parts that share values. If these are not read by
// the first operators of the parts, or by too many, all states are gone through;
// if there are too many of those too, the values are taken to be freed by their
// last readers of the stored order.
func (c *composer) team(parts [][]int, t team) chain {
	if len(t.members) == 1 {
		return c.order(parts[t.members[0]])
	}
	if heads, ok := c.heads(parts, t); ok {
		number := make([]int, len(parts))
		tails := make([]chain, len(t.members))
		for k, p := range t.members {
			number[p] = k
			if len(parts[p]) > 1 {
				tails[k] = c.order(parts[p][1:])
			}
		}
		for _, x := range t.values {
			for k, p := range x.parts {
				x.parts[k] = number[p]
			}
		}
		return c.begin(heads, tails, t.values)
	}
	values := make([]int, len(t.values))
	for k, x := range t.values {
		values[k] = x.value
	}
	if best, ok := c.whole(t.all(parts), values); ok {
		return best
	}
	c.exact = false
	var chains []chain
	for _, p := range t.members {
		chains = append(chains, c.order(parts[p]))
	}
	return merge(chains)
}

// heads returns the first operators of the parts, if all of each part runs
// after its first and that alone may be the last to read shared values.
func (c *composer) heads(parts [][]int, t team) (heads []int, ok bool) {
	if len(t.members) > sharedBranches {
		return nil, false
	}
	for _, p := range t.members {
		head := parts[p][0]
		for _, k := range parts[p][1:] {
			if !c.of(c.after, head).has(k) {
				return nil, false
			}
		}
		heads = append(heads, head)
	}
	for _, x := range t.values {
		for k, e := range c.ends[x.value] {
			if parts[x.parts[k]][0] != e {
				return nil, false
			}
		}
	}
	return heads, true
}

// begin returns the order of branches that share values: whatever the set of
// those that have not begun, one begins, and goes on beside the others.
func (c *composer) begin(heads []int, tails []chain, values []sharedValue) chain {
	best := make([]chain, 1<<len(heads))
	var choice []chain
	for set := 1; set < len(best); set++ {
		if !c.step() {
			c.exact = false
		}
		choice = choice[:0]
		for k, head := range heads {
			if set>>k&1 == 0 {
				continue
			}
			for _, x := range values {
				c.last[x.value] = -1
				if lastOf(x.parts, set, k) {
					c.last[x.value] = head
				}
			}
			next := chain{job(c.m, c.last, head)}.then(merge([]chain{tails[k], best[set&^(1<<k)]}))
			choice = append(choice, next)
		}
		best[set] = c.choose(choice)
	}
	return best[len(best)-1]
}

// lastOf reports whether part k, of those in the set, is the last one left.
func lastOf(parts []int, set, k int) bool {
	var of int
	for _, p := range parts {
		of |= 1 << p
	}
	return bits.OnesCount(uint(of&set)) == 1 && of&set == 1<<k
}

// choose returns the order that can take the place of all others, or if there
// is none one of the least peak.
func (c *composer) choose(list []chain) chain {
	best := 0
	for k := range list {
		if !list[best].dominates(list[k]) {
			best = k // no earlier one can take the place of all
		}
	}
	for _, other := range list {
		if list[best].dominates(other) {
			continue
		}
		c.exact = false
		for k := range list {
			if list[k].peak() < list[best].peak() {
				best = k
			}
		}
		break
	}
	return list[best]
}
