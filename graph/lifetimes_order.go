package graph

import (
	"cmp"

	"github.com/arenalab/arenalab/internal/libstdcxx"
)

// entry is a tensor that TFLite's ArenaPlanner sorts: a row, something in
// persistent memory, or one that lies in the memory of another.
type entry struct {
	resident
	number int // of the tensor in the runtime, temporaries after those of the file
	size   int64
	life   life // the end is forever if the planner never frees it
	what   entryKind
}

type entryKind uint8

const (
	placed entryKind = iota
	stacked
	aliased
)

// tfliteOrder puts rows and persistent memory into the order in which TFLite's
// ArenaPlanner allocates them: what is there from the first operator on and
// never freed, by number; then by size, descending, and first use. Full ties
// come as std::sort leaves them, which depends on all that is sorted together
// and on the order in which it was collected: operator by operator, within an
// operator as std::unordered_set lists its elements.
func (b *builder) tfliteOrder(rows, kept []resident) (sorted, stack []resident) {
	x := b.subs[b.s.Index]
	byNumber := b.entries(x, rows, kept)
	var list []entry
	for _, set := range b.collect(x) {
		for _, n := range set.Items() {
			if e, ok := byNumber[n]; ok {
				list = append(list, e)
			}
		}
	}
	libstdcxx.Sort(list, func(p, q *entry) bool {
		first := p.life.born == 0 && p.life.end == forever
		other := q.life.born == 0 && q.life.end == forever
		switch {
		case first && other:
			return p.number < q.number
		case first != other:
			return first
		}
		return cmp.Or(cmp.Compare(q.size, p.size), cmp.Compare(p.life.born, q.life.born)) < 0
	})
	for _, e := range list {
		switch e.what {
		case placed:
			sorted = append(sorted, e.resident)
		case stacked:
			stack = append(stack, e.resident)
		}
	}
	return sorted, stack
}

// entries returns what is sorted by its number.
func (b *builder) entries(x *sub, rows, kept []resident) map[int]entry {
	first := x.numbers()
	out := make(map[int]entry, len(rows))
	add := func(r resident, what entryKind) {
		e := entry{resident: r, what: what, size: b.size(r)}
		if r.scratch >= 0 {
			w := &x.scratch[r.scratch]
			e.number, e.life = first[w.op]+w.slot, w.life
		} else {
			e.number, e.life = x.order.number(r.tensor), x.lives[r.tensor]
			if e.life.end >= b.end || what == aliased {
				e.life.end = forever
			}
		}
		out[e.number] = e
	}
	for _, r := range rows {
		add(r, placed)
	}
	for _, r := range kept {
		add(r, stacked)
	}
	for t := range x.root {
		if b.shared(x, t) && b.outside(x, &x.s.Tensors[t]) == "" {
			add(resident{x, t, -1}, aliased)
		}
	}
	return out
}

// numbers returns, by operator, the number of the first tensor that the
// runtime adds for it.
func (x *sub) numbers() []int {
	first := make([]int, len(x.s.Ops))
	next := len(x.s.Tensors)
	for _, made := range []bool{true, false} {
		for _, i := range x.ops {
			a, c := tfliteAdded(x.s, &x.s.Ops[i])
			switch {
			case made && a > 0:
				first[i] = next
				next += a
			case !made && c > 0:
				first[i] = next
				next += c
			}
		}
	}
	return first
}

// collect returns the sets in which the planner keeps what it allocates at
// each operator.
func (b *builder) collect(x *sub) []libstdcxx.IntSet {
	sets := make([]libstdcxx.IntSet, max(len(x.ops), 1))
	for t := range x.s.Tensors {
		if x.s.Tensors[t].Variable {
			sets[0].Add(x.order.number(t))
		}
	}
	for _, t := range x.s.Inputs {
		if !x.dropped(t) {
			sets[0].Add(x.order.number(t))
		}
	}
	first := x.numbers()
	for at, i := range x.ops {
		op := &x.s.Ops[i]
		for _, t := range op.Outputs {
			sets[at].Add(x.order.number(t))
		}
		for _, t := range op.Workspace {
			sets[at].Add(x.order.number(t))
		}
		for _, w := range x.requests(i) {
			sets[at].Add(first[i] + w.slot)
		}
	}
	return sets
}
