package exact

import "math/bits"

// walk is a set of operators that have run, closed under what must run before,
// and all that depends on it. It goes forward, from few operators to more, or
// back, and can undo what it did. What it takes to look at a step is kept up to
// date: taking operator v leads through bytes + cost[v] to bytes + net[v].
type walk struct {
	*network
	back bool

	in    []uint64 // operators that have run
	ready []uint64 // operators that can be taken next
	count int      // operators in it
	goal  int      // how many there are in the state where settling ends
	bytes int64    // live between operators

	left  []int32 // by value: readers that have not run
	rest  []int32 // by value: exclusive or of these
	wait  []int32 // by operator: how many others keep it from being taken
	net   []int64
	cost  []int64
	trail []int32 // what was taken, in this order
	work  int64   // steps taken and undone
}

// newWalk returns the empty walk, or the full one if it goes back.
func newWalk(nw *network, back bool) *walk {
	words := (nw.n + 63) / 64
	w := &walk{
		network: nw, back: back, in: make([]uint64, words), ready: make([]uint64, words), bytes: nw.start,
		left: make([]int32, len(nw.size)), rest: make([]int32, len(nw.size)),
		wait: make([]int32, nw.n), net: make([]int64, nw.n), cost: make([]int64, nw.n),
	}
	for x := range nw.size {
		for _, r := range nw.readers.of(int32(x)) {
			w.left[x]++
			w.rest[x] ^= r
		}
	}
	for i := range int32(nw.n) {
		w.wait[i] = int32(len(nw.before.of(i)))
		w.net[i], w.cost[i] = nw.made[i], nw.made[i]+nw.passing[i]
		for _, x := range nw.reads.of(i) {
			if w.left[x] == 1 {
				w.last(x, i)
			}
		}
		if w.wait[i] == 0 {
			w.ready[i>>6] |= 1 << (i & 63)
		}
	}
	w.goal = nw.n
	if back {
		w.turn()
		w.goal = 0
	}
	return w
}

// last notes that operator r is the only one that still reads value x.
func (w *walk) last(x, r int32) {
	w.net[r] -= w.size[x]
	if w.replaces[r] == x {
		w.cost[r] -= w.size[x]
	}
}

// turn makes the walk a full one that goes back.
func (w *walk) turn() {
	w.count = w.n
	clear(w.ready)
	for x := range w.size {
		w.left[x] = 0
		if w.maker[x] < 0 {
			w.bytes -= w.size[x]
		}
	}
	for i := range int32(w.n) {
		w.in[i>>6] |= 1 << (i & 63)
		w.bytes += w.lasting[i]
		w.wait[i] = int32(len(w.after.of(i)))
		w.net[i], w.cost[i] = -w.made[i], w.passing[i]
		for _, x := range w.reads.of(i) {
			w.net[i] += w.size[x]
			if w.replaces[i] != x {
				w.cost[i] += w.size[x]
			}
		}
		if w.wait[i] == 0 {
			w.ready[i>>6] |= 1 << (i & 63)
		}
	}
}

// through returns the bytes live while operator v runs, which is ready.
func (w *walk) through(v int32) int64 {
	bytes := w.bytes + w.cost[v]
	if w.first > 0 && (!w.back && w.count == 0 || w.back && w.count == 1) {
		bytes += w.first
	}
	return bytes
}

// take adds operator v to those that have run, or takes it back.
func (w *walk) take(v int32) {
	w.work++
	w.trail = append(w.trail, v)
	w.bytes += w.net[v]
	w.in[v>>6] ^= 1 << (v & 63)
	w.ready[v>>6] ^= 1 << (v & 63)
	if w.back {
		w.count--
		w.revive(v)
	} else {
		w.count++
		w.consume(v)
	}
}

func (w *walk) consume(v int32) {
	for _, x := range w.reads.of(v) {
		w.left[x]--
		w.rest[x] ^= v
		if w.left[x] == 1 {
			w.last(x, w.rest[x])
		}
	}
	for _, i := range w.after.of(v) {
		if w.wait[i]--; w.wait[i] == 0 {
			w.ready[i>>6] |= 1 << (i & 63)
		}
	}
}

func (w *walk) revive(v int32) {
	for _, x := range w.reads.of(v) {
		if w.left[x]++; w.left[x] == 1 {
			w.others(x, v, -w.size[x])
		}
	}
	for _, i := range w.before.of(v) {
		if w.wait[i]--; w.wait[i] == 0 {
			w.ready[i>>6] |= 1 << (i & 63)
		}
	}
}

// others adds bytes to what taking back a reader of x other than v revives.
func (w *walk) others(x, v int32, bytes int64) {
	for _, r := range w.readers.of(x) {
		if r == v {
			continue
		}
		w.net[r] += bytes
		if w.replaces[r] != x {
			w.cost[r] += bytes
		}
	}
}

// undo undoes what was taken last until the trail has the length.
func (w *walk) undo(length int) {
	for k := len(w.trail) - 1; k >= length; k-- {
		v := w.trail[k]
		if w.back {
			w.undoBack(v)
		} else {
			w.undoForward(v)
		}
		w.bytes -= w.net[v]
		w.in[v>>6] ^= 1 << (v & 63)
		w.ready[v>>6] |= 1 << (v & 63)
	}
	w.work += int64(len(w.trail) - length)
	w.trail = w.trail[:length]
}

func (w *walk) undoForward(v int32) {
	w.count--
	for _, i := range w.after.of(v) {
		if w.wait[i] == 0 {
			w.ready[i>>6] &^= 1 << (i & 63)
		}
		w.wait[i]++
	}
	for _, x := range w.reads.of(v) {
		if w.left[x] == 1 {
			r := w.rest[x]
			w.net[r] += w.size[x]
			if w.replaces[r] == x {
				w.cost[r] += w.size[x]
			}
		}
		w.left[x]++
		w.rest[x] ^= v
	}
}

func (w *walk) undoBack(v int32) {
	w.count++
	for _, i := range w.before.of(v) {
		if w.wait[i] == 0 {
			w.ready[i>>6] &^= 1 << (i & 63)
		}
		w.wait[i]++
	}
	for _, x := range w.reads.of(v) {
		if w.left[x] == 1 {
			w.others(x, v, w.size[x])
		}
		w.left[x]--
	}
}

// settle takes every operator that can run within the budget and leaves no
// more bytes live than there are. No order within the budget is lost by that:
// what an operator adds to the live bytes falls as more operators have run, so
// if it adds nothing now, it adds nothing at any moment of an order that
// continues from here, and running it now makes every later moment no dearer.
//
// The value that a later operator may replace does not upset this: that the
// operator has run can only make it the last reader. Back in time it does not
// either: with u the operator, taken back now rather than later, and q one that
// is taken back in between, count the live bytes without q as a reader of what
// it replaces. This count, too, falls by no more at a smaller set, and equals
// the other where q has run.
func (w *walk) settle(budget int64) {
	for again := w.count != w.goal; again; {
		again = false
		for k, word := range w.ready {
			for ; word != 0; word &= word - 1 {
				v := int32(k<<6 + bits.TrailingZeros64(word))
				if w.net[v] > 0 || w.through(v) > budget {
					continue
				}
				if w.take(v); w.count == w.goal {
					return
				}
				again = true
			}
		}
	}
}
