package reorder

// HMCOS orders a hierarchy: operators joined to sequences where running on is
// never worse, sequences gathered to groups that end in a concatenation. The
// programme over sets runs groups whole, each in an order that depends only on
// which of its inputs die in it. Then the groups at the peak are dissolved, and
// it runs again below the peak it had, until there is nothing to dissolve.
//
// Complexity: O(2^k k) for k groups and sequences, as often as groups dissolve;
// here levels are of bounded width.
//
// Reference: Z. Wang, C. Wan, Y. Chen, Z. Lin, H. Jiang, L. Qiao, "Hierarchical
// memory-constrained operator scheduling of neural architecture search
// networks", DAC 2022, doi:10.1145/3489517.3530472; wzh99/HMCOS at commit
// cf547ee.
//
// Departures: the original's order differs from run to run, as its hash maps go
// by addresses; here everything goes by stored order. Of a level with too many
// sets those of the least peak stay. Groups take only what leads nowhere else,
// seen from all ends of the graph, not from its first input and output, and
// nothing that follows their concatenation. The first budget is the peak of the
// stored order. Several results, control edges and the profile's own rules for
// results in the place of operands count.

import (
	"context"
	"slices"

	"github.com/arenalab/arenalab/graph"
)

type hmcos struct{}

const (
	hmcosSteps = 3_000_000 // nodes run after a set, and 64 nodes looked at
	hmcosLevel = 1_024     // sets kept of a level
	hmcosInner = 256       // and of one within a group
)

func (hmcos) Info() Info {
	return Info{
		Name:       "hmcos",
		Title:      "HMCOS (Wang et al.)",
		Summary:    "programme over a hierarchy of sequences and cells, cells at the peak dissolved round by round",
		Reference:  "Z. Wang et al., Hierarchical memory-constrained operator scheduling of neural architecture search networks, DAC 2022, doi:10.1145/3489517.3530472",
		Complexity: "O(2^k k), k groups and sequences; levels of bounded width",
	}
}

func (hmcos) Order(ctx context.Context, m *graph.Memory, o Options) (graph.Order, error) {
	if err := begin(ctx, m); err != nil {
		return graph.Order{}, err
	}
	h := newHierarchy(wholePart(m), newBudget(ctx, o, hmcosSteps))
	best := graph.Stored(m.Subgraph).Ops
	peak := m.Peak(best)
	for !h.ended {
		nodes := h.nodes()
		found := h.search(nodes, make(opset, h.words), h.start, peak, hmcosLevel)
		if found != nil && m.Peak(found) < peak {
			best, peak = found, m.Peak(found)
		}
		if !h.dissolve(best) {
			break
		}
	}
	return graph.Order{Name: "hmcos", Ops: best}, nil
}

// node is what the programme runs whole: a sequence or a group.
type node struct {
	ops   []int   // in an order that can be executed
	needs []int32 // operators outside that must have run
	group int     // or -1
}

// search runs nodes after a set of operators, level by level, and returns the
// operators in the order of the least peak found, nil if none is within the
// budget of bytes or the steps end.
func (h *hierarchy) search(nodes []node, set opset, live, budget int64, width int) []int {
	now, next := newStates(h.words), newStates(h.words)
	now.find(set)
	now.live[0], now.peak[0] = live, 0
	var past []level
	run := make(opset, h.words)
	for done := range nodes {
		before := h.left
		for s := range now.len() {
			at := now.set(s)
			for k := range nodes {
				if k%64 == 0 && !h.step() {
					return nil
				}
				if n := &nodes[k]; !at.has(n.ops[0]) && at.hasAll(n.needs) {
					if !h.step() {
						return nil
					}
					copy(run, at)
					h.reach(now, next, s, nodes, k, run, budget)
				}
			}
		}
		if next.len() == 0 {
			return nil
		}
		next.narrow(h.affordable(width, before-h.left, now.len(), len(nodes)-done))
		past = append(past, level{slices.Clone(next.from), slices.Clone(next.op)})
		now, next = next, now
		next.reset()
	}
	return h.replay(nodes, past, set, live)
}

// affordable returns how many states of a level, at most width, let the levels
// to come end in half of the steps left, if a state costs what it did.
func (h *hierarchy) affordable(width int, steps int64, states, levels int) int {
	if h.left < 0 {
		return width
	}
	each := max(steps/int64(states), 1)
	return int(max(1, min(int64(width), h.left/2/int64(levels)/each)))
}

// reach runs node k after state s, whose set run holds.
func (h *hierarchy) reach(now, next *states, s int, nodes []node, k int, run opset, budget int64) {
	_, top, after := h.run(&nodes[k], run, now.live[s], now.peak[s])
	peak := max(now.peak[s], top)
	if peak > budget {
		return
	}
	if to, _ := next.find(run); peak < next.peak[to] {
		next.live[to] = after
		next.peak[to], next.from[to], next.op[to] = peak, int32(s), int32(k)
	}
}

// replay returns the operators of the nodes on the way to the last state.
func (h *hierarchy) replay(nodes []node, past []level, set opset, live int64) (ops []int) {
	path := make([]int32, len(past))
	at := int32(0)
	for k := len(past) - 1; k >= 0; k-- {
		path[k] = past[k].op[at]
		at = past[k].from[at]
	}
	var peak int64
	run := slices.Clone(set)
	for _, k := range path {
		list, top, after := h.run(&nodes[k], run, live, peak)
		ops = append(ops, list...)
		peak, live = max(peak, top), after
	}
	return ops
}

// run adds a node to the set and returns its order, the most bytes live during
// it and those after it. The order of a group is the one at hand, unless that
// raises the peak.
func (h *hierarchy) run(n *node, set opset, live, peak int64) (ops []int, top, after int64) {
	if n.group < 0 {
		top, after = h.runAll(n.ops, set, live)
		return n.ops, top, after
	}
	plans := h.plans(n, set)
	p := &plans[0]
	if live+p.top > peak {
		if plans[1].ops == nil {
			plans[1] = h.improve(n, set, *p)
		}
		p = &plans[1]
	}
	for _, i := range n.ops {
		set.add(i)
	}
	return p.ops, live + p.top, live + p.net
}

// runAll runs operators one by one and adds them to the set.
func (h *hierarchy) runAll(ops []int, set opset, live int64) (top, after int64) {
	for _, i := range ops {
		during, net := h.part.run(set, i)
		top = max(top, live+during)
		live += net
		set.add(i)
	}
	return top, live
}

// plan is an order of a group and the bytes live during and after it, above
// those before.
type plan struct {
	ops      []int
	top, net int64
}

// plans returns those of a group after the set: the order at hand, and a better
// one if it was asked for.
func (h *hierarchy) plans(n *node, set opset) *[2]plan {
	g := &h.groups[n.group]
	key := h.key[:0]
	for _, readers := range g.outside {
		key = append(key, set.hasAll(readers))
	}
	h.key = append(key, h.part.first > 0 && !slices.ContainsFunc(set, func(w uint64) bool { return w != 0 }))
	name := bytesOf(h.key)
	p := g.plans[name]
	if p == nil {
		p = &[2]plan{{ops: n.ops}}
		p[0].top, p[0].net = h.runAll(n.ops, slices.Clone(set), 0)
		g.plans[name] = p
	}
	return p
}

// bytesOf names a list of bits.
func bytesOf(bits []bool) string {
	out := make([]byte, (len(bits)+7)/8)
	for k, b := range bits {
		if b {
			out[k/8] |= 1 << (k % 8)
		}
	}
	return string(out)
}

// improve looks for a better order of the sequences of a group after the set.
func (h *hierarchy) improve(n *node, set opset, p plan) plan {
	found := h.search(h.groups[n.group].nodes, set, 0, p.top-1, hmcosInner)
	if found == nil {
		return p
	}
	q := plan{ops: found}
	q.top, q.net = h.runAll(found, slices.Clone(set), 0)
	return q
}
