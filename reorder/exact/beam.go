package exact

import (
	"cmp"
	"math/bits"
	"slices"
)

// beam looks for an order of a part within a budget, forward or back in time:
// of the states with as many operators in them it keeps those with the least
// live bytes, as many as it is wide. States settle as those of a search do.
type beam struct {
	net    *network
	part   *part
	back   bool
	budget int64
	width  int

	levels [][]beamState // by operators taken
	free   []*walk
	paths  []path
	picks  []pick
	work   int64
	states int64
}

// beamState is a state and how it was come to.
type beamState struct {
	w    *walk
	path int32 // index in paths, or -1
}

// path is a sequence of operators: the last, and the path to it.
type path struct{ op, rest int32 }

// pick is a step from a state.
type pick struct {
	bytes int64
	from  int32 // state of the level
	op    int32
}

// walkBytes returns roughly what a walk takes.
func (net *network) walkBytes() int { return 24*net.n + 8*len(net.size) + 500 }

// run returns the operators of the part in an order within the budget, or nil
// if it finds none or over says that it is to end.
func (b *beam) run(over func() bool) []int32 {
	w := newWalk(b.net, b.back)
	if b.back {
		for i := b.net.n - 1; i >= b.part.hi; i-- {
			w.take(int32(i))
		}
		w.goal = b.part.lo
	} else {
		for i := range b.part.lo {
			w.take(int32(i))
		}
		w.goal = b.part.hi
	}
	size := b.part.hi - b.part.lo
	b.levels = make([][]beamState, size+1)
	b.add(w, -1)
	for k := range size {
		if over() {
			return nil
		}
		b.trim(k)
		b.expand(k)
		for _, s := range b.levels[k] {
			b.free = append(b.free, s.w)
		}
		b.levels[k] = nil
	}
	if len(b.levels[size]) == 0 {
		return nil
	}
	var order []int32
	for at := b.levels[size][0].path; at >= 0; at = b.paths[at].rest {
		order = append(order, b.paths[at].op)
	}
	if !b.back {
		slices.Reverse(order)
	}
	return order
}

// add settles a state that was come to by a path and puts it on its level.
func (b *beam) add(w *walk, at int32) {
	w.trail = w.trail[:0]
	w.settle(b.budget)
	for _, v := range w.trail {
		b.paths = append(b.paths, path{v, at})
		at = int32(len(b.paths) - 1)
	}
	b.work += int64(b.net.n)/64 + int64(len(w.trail)) + 1
	b.states++
	k := w.count - b.part.lo
	if b.back {
		k = b.part.hi - w.count
	}
	b.levels[k] = append(b.levels[k], beamState{w, at})
}

// trim keeps the best states of a level, each once.
func (b *beam) trim(k int) {
	list := b.levels[k]
	slices.SortStableFunc(list, func(s, t beamState) int { return cmp.Compare(s.w.bytes, t.w.bytes) })
	words := (b.net.n + 63) / 64
	seen := newStates(words, &memory{8 * words * (len(list) + perChunk) * 2})
	kept := list[:0]
	for _, s := range list {
		if len(kept) < b.width && !seen.has(s.w.in) {
			seen.add(s.w.in)
			kept = append(kept, s)
		} else {
			b.free = append(b.free, s.w)
		}
	}
	b.levels[k] = kept
}

// expand makes the most promising steps from the states of a level: twice as
// many as the beam is wide, since several lead to the same state.
func (b *beam) expand(k int) {
	b.picks = b.picks[:0]
	for from, s := range b.levels[k] {
		for i, word := range s.w.ready {
			for ; word != 0; word &= word - 1 {
				v := int32(i<<6 + bits.TrailingZeros64(word))
				if s.w.through(v) <= b.budget {
					b.picks = append(b.picks, pick{s.w.bytes + s.w.net[v], int32(from), v})
				}
			}
		}
	}
	slices.SortFunc(b.picks, func(p, q pick) int {
		return cmp.Or(cmp.Compare(p.bytes, q.bytes), cmp.Compare(p.from, q.from), cmp.Compare(p.op, q.op))
	})
	for _, p := range b.picks[:min(len(b.picks), 2*b.width)] {
		s := b.levels[k][p.from]
		w := b.copy(s.w)
		w.take(p.op)
		b.paths = append(b.paths, path{p.op, s.path})
		b.add(w, int32(len(b.paths)-1))
	}
}

// copy returns a copy of a walk, without its trail.
func (b *beam) copy(w *walk) *walk {
	if len(b.free) == 0 {
		b.free = append(b.free, &walk{network: w.network})
	}
	c := b.free[len(b.free)-1]
	b.free = b.free[:len(b.free)-1]
	c.back, c.count, c.goal, c.bytes = w.back, w.count, w.goal, w.bytes
	c.in, c.ready = append(c.in[:0], w.in...), append(c.ready[:0], w.ready...)
	c.left, c.rest, c.wait = append(c.left[:0], w.left...), append(c.rest[:0], w.rest...), append(c.wait[:0], w.wait...)
	c.net, c.cost = append(c.net[:0], w.net...), append(c.cost[:0], w.cost...)
	c.trail, c.work = c.trail[:0], 0
	return c
}
