package executor

import (
	"context"
	"slices"
)

// labels is a memory that knows of each byte which value was written there
// last: an ordered map from the start of a range to its value. As the plan is
// known before the run, addresses are replaced by their rank among all starts
// and ends of values, and the set of starts is a bit tree over ranks.
type labels struct {
	cuts      []int64 // the addresses, ascending
	low, high []int32 // by value: the ranks of its first byte and of its end
	starts    bitTree // the ranks at which a range starts; 0 always does
	who       []int32 // by rank in starts: the value there, -1 for none
}

// fault is a read that finds a wrong byte.
type fault struct {
	step, access int
	offset       int64 // in the arena, of the first wrong byte
	writer       int32 // value that was written there last; -1 in real memory
}

// run executes the program and returns the first fault, or nil.
func (l *labels) run(ctx context.Context, p *Program, offsets []int64) (*fault, error) {
	l.prepare(p, offsets)
	for i := range p.steps {
		if i&255 == 0 {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
		}
		st := &p.steps[i]
		for a := st.pre; a < st.end; a++ {
			acc := &p.accesses[a]
			if st.write <= a && a < st.post {
				l.write(acc.value)
				continue
			}
			off := offsets[p.values[acc.value].buffer]
			if at, who := l.read(acc, off); at >= 0 {
				return &fault{i, a, at, who}, nil
			}
		}
	}
	return nil, nil
}

func (l *labels) prepare(p *Program, offsets []int64) {
	l.cuts = l.cuts[:0]
	for i := range p.values {
		v := &p.values[i]
		off := offsets[v.buffer]
		l.cuts = append(l.cuts, off+v.low, off+v.high)
	}
	slices.Sort(l.cuts)
	l.cuts = slices.Compact(l.cuts)
	l.low = slices.Grow(l.low[:0], len(p.values))[:len(p.values)]
	l.high = slices.Grow(l.high[:0], len(p.values))[:len(p.values)]
	for i := range p.values {
		v := &p.values[i]
		off := offsets[v.buffer]
		l.low[i], l.high[i] = int32(l.rank(off+v.low)), int32(l.rank(off+v.high))
	}
	l.who = slices.Grow(l.who[:0], len(l.cuts))[:len(l.cuts)]
	l.starts.reset(len(l.cuts))
	if len(l.cuts) > 0 {
		l.starts.add(0)
		l.who[0] = -1
	}
}

// rank returns the index of the last cut at or below the address.
func (l *labels) rank(address int64) int {
	i, found := slices.BinarySearch(l.cuts, address)
	if !found {
		i--
	}
	return i
}

// write labels the bytes of the value. Each write adds at most two starts and
// each start is removed once, so writes are O(log n) amortised.
func (l *labels) write(v int32) {
	low, high := int(l.low[v]), int(l.high[v])
	if !l.starts.has(high) {
		l.who[high] = l.who[l.starts.before(high)]
		l.starts.add(high)
	}
	for s := l.starts.after(low); s < high; s = l.starts.after(s) {
		l.starts.remove(s)
	}
	l.starts.add(low)
	l.who[low] = v
}

// read returns the address of the first byte of the access that does not have
// its value, and the value that is there; or -1. The offset is that of the
// buffer.
func (l *labels) read(a *access, off int64) (at int64, who int32) {
	low, high := off+a.low, off+a.high
	s := int(l.low[a.value])
	if l.cuts[s] != low {
		s = l.rank(low)
	}
	if !l.starts.has(s) {
		s = l.starts.before(s)
	}
	for s >= 0 && l.cuts[s] < high {
		if l.who[s] != a.value {
			return max(l.cuts[s], low), l.who[s]
		}
		s = l.starts.after(s)
	}
	return -1, -1
}
