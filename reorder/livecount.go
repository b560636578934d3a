package reorder

import "github.com/arenalab/arenalab/graph"

// liveCount counts the bytes that are live as operators run one by one. It is
// Memory.Live, a step at a time and over and over.
type liveCount struct {
	m     *graph.Memory
	size  []int64 // by value
	uses  []int32 // by value: its readers, and one more if it is kept
	left  []int32 // by value: those still to come
	now   int64   // bytes live before the next operator, First aside
	start int64   // that at the start
	first bool    // no operator has run
}

func newLiveCount(m *graph.Memory) *liveCount {
	n := len(m.Values)
	l := &liveCount{m: m, size: make([]int64, n), uses: make([]int32, n), left: make([]int32, n), start: m.Base}
	for v := range m.Values {
		x := &m.Values[v]
		l.size[v], l.uses[v] = x.Size, int32(len(x.Readers))
		if x.Kept {
			l.uses[v]++
		}
		if x.Maker < 0 {
			l.start += x.Size
		}
	}
	l.reset()
	return l
}

// reset goes back to the start.
func (l *liveCount) reset() {
	copy(l.left, l.uses)
	l.now, l.first = l.start, true
}

// run runs operator i and returns the bytes live meanwhile.
func (l *liveCount) run(i int) int64 {
	op := &l.m.Ops[i]
	for _, v := range op.Makes {
		l.now += l.size[v]
	}
	bytes := l.now + op.Transient
	if l.first {
		bytes += l.m.First
		l.first = false
	}
	if v := op.Replaces; v >= 0 && l.left[v] == 1 {
		bytes -= l.size[v]
	}
	for _, v := range op.Reads {
		if l.left[v]--; l.left[v] == 0 {
			l.now -= l.size[v]
		}
	}
	return bytes
}
