package executor

import (
	"cmp"
	"slices"

	"github.com/arenalab/arenalab/lifetime"
)

// FromTable returns the program of a valid table without a graph: each buffer
// is written at its first step, and read in the middle and at the last step of
// its life. Where a gap begins, the bytes outside of its window are read for
// the last time at the step before and then given up; the bytes of the window
// stay, and where the gap ends the others are written anew.
// O(n log n) in the number of buffers and gaps.
func FromTable(t *lifetime.Table) *Program {
	b := tableBuilder{p: &Program{table: t}}
	b.p.values = make([]value, 0, len(t.Buffers))
	b.events = make([]event, 0, 3*len(t.Buffers))
	for i := range t.Buffers {
		if t.Buffers[i].Size > 0 {
			b.buffer(i)
		}
	}
	b.schedule()
	return b.p
}

type tableBuilder struct {
	p      *Program
	events []event
	held   []segment // of the current buffer, ascending by address
	buf    int
}

// event is a write or a read at a time.
type event struct {
	time  int64
	reads bool
	a     access
}

// segment is a part of a value that is still needed.
type segment struct {
	value     int32
	low, high int64
	born      int64
}

func (b *tableBuilder) buffer(i int) {
	buf := &b.p.table.Buffers[i]
	b.buf = i
	at := buf.Lower
	for _, g := range buf.Gaps {
		if at < g.Lower {
			b.hold(at, 0, buf.Size)
		}
		if w := g.Keep; w != nil {
			b.hold(g.Lower, w.Lower, w.Upper)
		} else {
			b.hold(g.Lower, 0, 0)
		}
		at = g.Upper
	}
	if at < buf.Upper {
		b.hold(at, 0, buf.Size)
	}
	b.hold(buf.Upper, 0, 0)
}

// hold says that from the given time on the bytes [low, high) of the buffer
// are needed and no others.
func (b *tableBuilder) hold(time, low, high int64) {
	kept := b.held[:0]
	for _, s := range b.held {
		b.release(s, time, s.low, min(s.high, low))
		b.release(s, time, max(s.low, high), s.high)
		s.low, s.high = max(s.low, low), min(s.high, high)
		if s.low < s.high {
			kept = append(kept, s)
		}
	}
	b.held = kept
	if low >= high {
		return
	}
	if len(b.held) == 0 {
		b.fresh(time, 0, low, high)
		return
	}
	if first := b.held[0].low; low < first {
		b.fresh(time, 0, low, first)
	}
	if last := b.held[len(b.held)-1].high; last < high {
		b.fresh(time, len(b.held), last, high)
	}
}

// fresh writes a new value and inserts it as the i-th segment held.
func (b *tableBuilder) fresh(time int64, i int, low, high int64) {
	n := uint64(len(b.p.values))
	v := b.p.newValue(value{
		key: mix(tagTable, n), buffer: int32(b.buf), tensor: -1, low: low, high: high,
	})
	b.held = slices.Insert(b.held, i, segment{v, low, high, time})
	b.events = append(b.events, event{time, false, access{value: v, tensor: -1, low: low, high: high}})
}

// release reads the bytes [low, high) of a segment for the last time before
// the given time, and once more half way.
func (b *tableBuilder) release(s segment, time, low, high int64) {
	if low >= high {
		return
	}
	a := access{value: s.value, tensor: -1, purpose: Promise, low: low, high: high}
	last := time - 1
	if mid := s.born + (last-s.born)/2; s.born < mid && mid < last {
		b.events = append(b.events, event{mid, true, a})
	}
	b.events = append(b.events, event{last, true, a})
}

// schedule turns the events into steps: at each time first all writes, then
// all reads, so that whatever is live at the step is seen together.
func (b *tableBuilder) schedule() {
	p := b.p
	slices.SortStableFunc(b.events, func(x, y event) int {
		if c := cmp.Compare(x.time, y.time); c != 0 || x.reads == y.reads {
			return c
		}
		if y.reads {
			return -1
		}
		return 1
	})
	p.accesses = make([]access, 0, len(b.events))
	for i, e := range b.events {
		if i == 0 || e.time != b.events[i-1].time {
			p.begin(e.time, 0, NoOp)
		}
		if e.reads {
			p.verify(e.a)
			continue
		}
		p.values[e.a.value].step = int32(len(p.steps) - 1)
		p.write(e.a)
	}
}
