package reorder

import (
	"cmp"
	"slices"
	"strings"
)

// hierarchy holds the sequences and groups of a graph.
type hierarchy struct {
	*part
	*budget
	sequences []sequence
	in        []int // by operator: its sequence
	groups    []group
	key       []bool // scratch
}

// sequence is operators each of which nothing but the one before leads to.
type sequence struct {
	ops        []int
	most, live int64 // bytes live during and after it, above those before
	group      int   // or -1
	next       []int // sequences
	before     []int
}

// group is sequences of which all but the last lead only to others of it.
type group struct {
	node
	nodes   []node // its sequences
	outside [][]int32
	plans   map[string]*[2]plan
	gone    bool
}

func newHierarchy(p *part, b *budget) *hierarchy {
	h := &hierarchy{part: p, budget: b, in: make([]int, len(p.ops))}
	h.join()
	for s := range h.sequences {
		if h.concatenates(s) {
			h.gather(s)
		}
	}
	return h
}

// join appends operators to the sequence of the one they wait for, if that
// leads only to them and running on takes no more bytes and leaves no more.
func (h *hierarchy) join() {
	for i := range h.ops {
		c := &h.costs[i]
		during, after := c.makes+c.transient, c.makes-c.frees
		if len(c.replaces.others) == 0 {
			during -= c.replaces.size
		}
		if len(h.pred[i]) == 1 && len(h.succ[h.pred[i][0]]) == 1 {
			s := &h.sequences[h.in[h.pred[i][0]]]
			if s.live+during <= s.most && after <= 0 {
				s.ops = append(s.ops, i)
				s.live += after
				h.in[i] = h.in[h.pred[i][0]]
				continue
			}
		}
		h.in[i] = len(h.sequences)
		h.sequences = append(h.sequences, sequence{ops: []int{i}, most: during, live: after, group: -1})
	}
	for i := range h.ops {
		for _, p := range h.pred[i] {
			if a, b := h.in[p], h.in[i]; a != b && !slices.Contains(h.sequences[a].next, b) {
				h.sequences[a].next = append(h.sequences[a].next, b)
				h.sequences[b].before = append(h.sequences[b].before, a)
			}
		}
	}
}

func (h *hierarchy) concatenates(s int) bool {
	for _, i := range h.sequences[s].ops {
		name := strings.TrimPrefix(h.m.Subgraph.Ops[h.ops[i]].Name(), "CUSTOM:")
		if strings.HasPrefix(strings.ToLower(name), "concat") {
			return true
		}
	}
	return false
}

// gather makes a group of a sequence and those that lead only to it, unless
// they belong to another or are fewer than three.
func (h *hierarchy) gather(last int) {
	if h.sequences[last].group >= 0 {
		return
	}
	g := len(h.groups)
	members := []int{last}
	h.sequences[last].group = g
	for at := 0; at < len(members); at++ {
		for _, s := range h.sequences[members[at]].before {
			x := &h.sequences[s]
			if x.group < 0 && !slices.ContainsFunc(x.next, func(k int) bool { return h.sequences[k].group != g }) {
				x.group = g
				members = append(members, s)
			}
		}
	}
	if len(members) < 3 {
		for _, s := range members {
			h.sequences[s].group = -1
		}
		return
	}
	h.groups = append(h.groups, h.group(g, members))
}

func (h *hierarchy) group(g int, members []int) group {
	// Reverse post-order, from the sequences that nothing in the group leads to.
	slices.Sort(members)
	var post []int
	seen := make(map[int]bool, len(members))
	var walk func(s int)
	walk = func(s int) {
		if seen[s] || h.sequences[s].group != g {
			return
		}
		seen[s] = true
		for _, k := range h.sequences[s].next {
			walk(k)
		}
		post = append(post, s)
	}
	for _, s := range slices.Backward(members) {
		walk(s)
	}
	slices.Reverse(post)
	out := group{plans: map[string]*[2]plan{}}
	for _, s := range post {
		out.ops = append(out.ops, h.sequences[s].ops...)
		out.nodes = append(out.nodes, h.node(h.sequences[s].ops, -1))
	}
	out.node = h.node(out.ops, g)
	out.outside = h.outside(out.ops)
	return out
}

// node returns the operators as something to run whole.
func (h *hierarchy) node(ops []int, g int) node {
	n := node{ops: ops, group: g}
	for _, i := range ops {
		for _, p := range h.pred[i] {
			if !slices.Contains(ops, int(p)) && !slices.Contains(n.needs, p) {
				n.needs = append(n.needs, p)
			}
		}
	}
	return n
}

// outside returns the operators outside that share values with those inside, by
// value: which of them have run decides what dies inside.
func (h *hierarchy) outside(ops []int) (lists [][]int32) {
	var seen []int
	for _, i := range ops {
		for _, v := range h.m.Ops[h.ops[i]].Reads {
			if slices.Contains(seen, v) {
				continue
			}
			seen = append(seen, v)
			var others []int32
			for _, r := range h.m.Values[v].Readers {
				if !slices.Contains(ops, r) {
					others = append(others, int32(r))
				}
			}
			if len(others) > 0 {
				lists = append(lists, others)
			}
		}
	}
	return lists
}

// nodes returns the groups that are left and the sequences of no group, by
// their first operators.
func (h *hierarchy) nodes() (list []node) {
	for g := range h.groups {
		if !h.groups[g].gone {
			list = append(list, h.groups[g].node)
		}
	}
	for s := range h.sequences {
		if x := &h.sequences[s]; x.group < 0 || h.groups[x.group].gone {
			list = append(list, h.node(x.ops, -1))
		}
	}
	slices.SortFunc(list, func(a, b node) int { return cmp.Compare(a.ops[0], b.ops[0]) })
	return list
}

// dissolve takes apart the groups that make what is live at the peak of the
// order, and those that follow them. It reports whether there were any.
func (h *hierarchy) dissolve(order []int) (found bool) {
	place := make([]int, len(order))
	for k, i := range order {
		place[i] = k
	}
	live := h.m.Live(order)
	top := slices.Max(append([]int64{0}, live...))
	for v := range h.m.Values {
		x := &h.m.Values[v]
		if x.Maker < 0 {
			continue
		}
		end := len(order) - 1
		if !x.Kept {
			end = place[x.Maker]
			for _, r := range x.Readers {
				end = max(end, place[r])
			}
		}
		if slices.Contains(live[place[x.Maker]:end+1], top) {
			found = h.release(x.Maker) || found
		}
	}
	for k, i := range order {
		if live[k] == top {
			found = h.release(i) || found
		}
	}
	return found
}

// release takes the group of an operator apart, and those that follow it.
func (h *hierarchy) release(op int) (found bool) {
	g := h.sequences[h.in[op]].group
	if g < 0 {
		return false
	}
	list := []int{g}
	for _, i := range h.groups[g].ops {
		for _, k := range h.succ[i] {
			if other := h.sequences[h.in[k]].group; other >= 0 {
				list = append(list, other)
			}
		}
	}
	for _, g := range list {
		found = found || !h.groups[g].gone
		h.groups[g].gone = true
	}
	return found
}
