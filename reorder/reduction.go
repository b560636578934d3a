package reorder

import "slices"

// reduction makes operators that are to be gone through in full fewer: those
// that read no value in question are put together to the segments of their
// order, which no other order of them could better.
type reduction struct {
	*composer
	nodes []reduced
	open  map[int]bool  // values in question: several nodes may be the last to read them
	ends  map[int]bool  // operators that may be
	at    map[int]int32 // by such operator: its node
}

// reduced is an operator or a segment of several.
type reduced struct {
	segment
	op     int // if it is one, or -1
	before []int32
}

// whole returns the order of operators that are not taken apart, or only to put
// some of them together, if they have few enough states. The values are those
// that several of the operators may be the last to read, whatever their parts.
func (c *composer) whole(ops []int, values []int) (chain, bool) {
	if !c.shared {
		return nil, false
	}
	r := reduction{composer: c, open: map[int]bool{}, ends: map[int]bool{}, at: map[int]int32{}}
	if values == nil {
		r.raw(ops)
	} else {
		r.question(values)
		r.add(ops)
	}
	best, ok := dominant(r.part(), r.ropes(), c.budget)
	for v := range r.open {
		c.last[v] = c.ends[v][len(c.ends[v])-1] // as stored
	}
	return best, ok
}

// question adds values to those in question.
func (r *reduction) question(values []int) {
	for _, v := range values {
		r.open[v] = true
		r.last[v] = -1
		for _, e := range r.composer.ends[v] {
			r.ends[e] = true
		}
	}
}

func (r *reduction) touches(ops []int) bool {
	return slices.ContainsFunc(ops, func(i int) bool { return r.ends[i] })
}

// add adds operators, ascending, and returns the first and last nodes.
func (r *reduction) add(ops []int) (first, last []int32) {
	switch {
	case !r.touches(ops):
		return r.chain(r.order(ops))
	case len(ops) == 1:
		return r.raw(ops)
	}
	if parts := r.series(ops); len(parts) > 1 {
		return r.stretches(parts)
	}
	parts := r.parallel(ops)
	if len(parts) == 1 {
		return r.raw(ops)
	}
	values := slices.DeleteFunc(r.sharedBy(ops, parts), func(x sharedValue) bool { return r.open[x.value] })
	for _, t := range teams(parts, values) {
		var a, b []int32
		if all := t.all(parts); !r.touches(all) {
			a, b = r.chain(r.composer.team(parts, t))
			first, last = append(first, a...), append(last, b...)
			continue
		}
		for _, x := range t.values {
			r.question([]int{x.value})
		}
		for _, p := range t.members {
			a, b = r.add(parts[p])
			first, last = append(first, a...), append(last, b...)
		}
	}
	return first, last
}

// stretches adds parts that run one after the other.
func (r *reduction) stretches(parts [][]int) (first, last []int32) {
	var before chain // put together, not added yet
	link := func(a, b []int32) {
		if first == nil {
			first = a
		}
		for _, k := range a {
			r.nodes[k].before = append(r.nodes[k].before, last...)
		}
		last = b
	}
	for _, part := range parts {
		if !r.touches(part) {
			before = before.then(r.order(part))
			continue
		}
		if before != nil {
			link(r.chain(before))
			before = nil
		}
		link(r.add(part))
	}
	if before != nil {
		link(r.chain(before))
	}
	return first, last
}

// chain adds segments, one after the other.
func (r *reduction) chain(c chain) (first, last []int32) {
	for k, s := range c {
		n := reduced{segment: s, op: -1}
		if k > 0 {
			n.before = []int32{int32(len(r.nodes) - 1)}
		}
		r.nodes = append(r.nodes, n)
	}
	return []int32{int32(len(r.nodes) - len(c))}, []int32{int32(len(r.nodes) - 1)}
}

// raw adds operators as they are, and the values that only they may be the last
// to read.
func (r *reduction) raw(ops []int) (first, last []int32) {
	inside := make(map[int]bool, len(ops))
	for _, i := range ops {
		inside[i] = true
	}
	for _, i := range ops {
		for _, v := range r.m.Ops[i].Reads {
			ends := r.composer.ends[v]
			if len(ends) > 0 && !slices.ContainsFunc(ends, func(e int) bool { return !inside[e] }) {
				r.question([]int{v})
			}
		}
	}
	needed := make(map[int]bool, len(ops))
	for _, i := range ops {
		n := reduced{op: i}
		for _, p := range r.m.Before[i] {
			if inside[p] {
				n.before = append(n.before, r.at[p])
				needed[p] = true
			}
		}
		if n.before == nil {
			first = append(first, int32(len(r.nodes)))
		}
		r.at[i] = int32(len(r.nodes))
		r.nodes = append(r.nodes, n)
	}
	for _, i := range ops {
		if !needed[i] {
			last = append(last, r.at[i])
		}
	}
	return first, last
}

// part returns the nodes as something to run, with what each adds.
func (r *reduction) part() *part {
	n := len(r.nodes)
	p := &part{
		m: r.m, ops: make([]int, n), words: (n + 63) / 64,
		pred: make([][]int32, n), succ: make([][]int32, n), costs: make([]partOp, n),
	}
	for k := range r.nodes {
		x := &r.nodes[k]
		p.pred[k] = x.before
		if x.op >= 0 {
			x.segment = job(r.m, r.last, x.op)
			for _, v := range r.m.Ops[x.op].Reads {
				if !r.open[v] || !slices.Contains(r.composer.ends[v], x.op) {
					continue
				}
				l := lastRead{size: r.m.Values[v].Size}
				for _, e := range r.composer.ends[v] {
					if e != x.op {
						l.others = append(l.others, r.at[e])
					}
				}
				p.costs[k].last = append(p.costs[k].last, l)
				if v == r.m.Ops[x.op].Replaces {
					p.costs[k].replaces = l
				}
			}
		}
		p.costs[k].makes, p.costs[k].frees = x.hill, x.hill-x.net
	}
	return p
}

// ropes returns the operators of each node.
func (r *reduction) ropes() []*rope {
	list := make([]*rope, len(r.nodes))
	for k := range r.nodes {
		list[k] = r.nodes[k].ops
	}
	return list
}
