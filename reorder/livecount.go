package reorder

import "github.com/arenalab/arenalab/graph"

// liveCount counts the bytes that are live as operators run one by one. It is
// Memory.Live, a step at a time and over and over.
type liveCount struct {
	m     *graph.Memory
	left  []int32 // by value: operators still to read it
	now   int64   // bytes live before the next operator, First aside
	start int64   // that at the start
	first bool    // no operator has run
}

func newLiveCount(m *graph.Memory) *liveCount {
	l := &liveCount{m: m, left: make([]int32, len(m.Values)), start: m.Base}
	for v := range m.Values {
		if m.Values[v].Maker < 0 {
			l.start += m.Values[v].Size
		}
	}
	l.reset()
	return l
}

// reset goes back to the start.
func (l *liveCount) reset() {
	for v := range l.left {
		l.left[v] = int32(len(l.m.Values[v].Readers))
	}
	l.now, l.first = l.start, true
}

// run runs operator i and returns the bytes live meanwhile.
func (l *liveCount) run(i int) int64 {
	op := &l.m.Ops[i]
	for _, v := range op.Makes {
		l.now += l.m.Values[v].Size
	}
	bytes := l.now + op.Transient
	if l.first {
		bytes += l.m.First
		l.first = false
	}
	if v := op.Replaces; v >= 0 && l.left[v] == 1 {
		bytes -= l.m.Values[v].Size
	}
	for _, v := range op.Reads {
		if l.left[v]--; l.left[v] == 0 && !l.m.Values[v].Kept {
			l.now -= l.m.Values[v].Size
		}
	}
	return bytes
}
