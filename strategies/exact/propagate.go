package exact

// head is an unplaced member of a section: its least offset and its size.
type head struct {
	r, size int64
	buffer  int32
}

// settle propagates to a fix-point. False: nothing fits.
func (e *engine) settle() bool {
	for {
		switch {
		case e.stale.any:
			e.stale.any = false
			for w := range e.stale.word {
				for s := e.stale.take(w); s >= 0; s = e.stale.take(w) {
					e.refresh(s)
				}
			}
			e.wake = true
		case e.tight.any:
			e.tight.any = false
			for w := range e.tight.word {
				for s := e.tight.take(w); s >= 0; s = e.tight.take(w) {
					if !e.checkSection(s) {
						e.weight[s]++
						return e.fail()
					}
				}
			}
		case e.wake:
			e.wake = false
			if len(e.waiting) > 0 && !e.support() || len(e.hung) > 0 && e.hangs() {
				return e.fail()
			}
		default:
			return true
		}
	}
}

// refresh finds the least offset and the least end of a section anew; of equal
// ones the first buffer's, for the order of the members has a history.
func (e *engine) refresh(s int32) {
	low, next := int64(never), int64(never)
	lowArg, nextArg := int32(-1), int32(-1)
	lowest, size, waitAt := e.r, e.p.size, e.waitAt
	for _, m := range e.members(s) {
		b := m.buffer
		r := lowest[b]
		if r < low || r == low && b < lowArg {
			low, lowArg = r, b
		}
		if end := r + size[b]; end <= next && waitAt[b] < 0 && (end < next || b < nextArg) {
			next, nextArg = end, b
		}
	}
	if low != e.low[s] || lowArg != e.lowArg[s] {
		e.trail = append(e.trail, change{changeLow | uint32(s), e.lowArg[s], e.low[s]})
		e.low[s], e.lowArg[s] = low, lowArg
	}
	if next != e.next[s] || nextArg != e.nextArg[s] {
		e.trail = append(e.trail, change{changeNext | uint32(s), e.nextArg[s], e.next[s]})
		e.next[s], e.nextArg[s] = next, nextArg
	}
}

// ceiling returns the highest end that an unplaced member of s may have.
func (e *engine) ceiling(s int32) int64 {
	if !e.p.padded {
		return e.ceil
	}
	var top int64
	for _, m := range e.members(s) {
		top = max(top, e.dead[m.buffer])
	}
	return top
}

// checkSection bounds what the section still needs. Its members are jobs on
// one machine, least offsets their release dates:
//
//   - the lowest of them must be one whose r leaves room for all; any other
//     lies above the least end of such a first one;
//   - for each r, the members that start there or later fit between r and the
//     ceiling.
func (e *engine) checkSection(s int32) bool {
	if e.p.parts != nil {
		return e.checkParts(s)
	}
	all := e.members(s)
	if len(all) == 0 {
		return true
	}
	limit := e.ceiling(s) - e.rest[s]
	first := int64(never)
	heads := e.heads[:0]
	lowest, sizes := e.r, e.p.size
	for _, m := range all {
		r, size := lowest[m.buffer], sizes[m.buffer]
		if r <= limit {
			first = min(first, r+size)
			continue
		}
		heads = append(heads, head{r, size, m.buffer})
	}
	switch {
	case len(heads) == len(all):
		return false
	case len(heads) == 0:
		return true
	}
	var sum int64
	for i := range heads {
		h := heads[i]
		if h.r < first {
			if !e.raise(h.buffer, first) {
				return false
			}
			h.r = e.r[h.buffer]
		}
		sum += h.size
		k := i
		for ; k > 0 && heads[k-1].r > h.r; k-- {
			heads[k] = heads[k-1]
		}
		heads[k] = h
	}
	top := limit + e.rest[s]
	for i := range heads {
		if heads[i].r+sum > top {
			return false
		}
		sum -= heads[i].size
	}
	return true
}

// support raises the waiting buffers to where they can rest: on a neighbour
// that does not wait, or on a waiting one that is supported itself. Buffers are
// settled in ascending order of offset, as in Dijkstra's algorithm, so that
// none supports itself around a circle.
func (e *engine) support() bool {
	p := e.p
	if p.parts != nil {
		return e.supportParts()
	}
	n := len(e.waiting)
	queue, value := e.queue[:n], e.value[:n]
	copy(queue, e.waiting)
	for i, b := range queue {
		v := int64(never)
		for _, sp := range p.spansOf(b) {
			for _, end := range e.next[sp.lo:sp.hi] {
				v = min(v, end)
			}
		}
		value[i] = v
	}
	for k := range queue {
		best, at := int64(never), -1
		for i := k; i < n; i++ {
			if v := max(value[i], e.r[queue[i]]); v < best {
				best, at = v, i
			}
		}
		if at < 0 {
			return false
		}
		b := queue[at]
		queue[k], queue[at] = b, queue[k]
		value[k], value[at] = value[at], value[k]
		if !e.raise(b, best) {
			return false
		}
		e.spread(b, e.r[b]+p.size[b], queue[k+1:], value[k+1:])
	}
	e.wake = false
	return true
}

// spread lets buffer b with the given end support others of the queue.
func (e *engine) spread(b int32, end int64, queue []int32, value []int64) {
	p := e.p
	own := p.spansOf(b)
	if len(own) == 1 {
		lo, hi := own[0].lo, own[0].hi
		for i, c := range queue {
			if value[i] <= end {
				continue
			}
			for _, sp := range p.spansOf(c) {
				if sp.lo < hi && lo < sp.hi {
					value[i] = end
					break
				}
			}
		}
		return
	}
	for i, c := range queue {
		if value[i] > end && meet(own, p.spansOf(c)) {
			value[i] = end
		}
	}
}

func meet(a, b []span) bool {
	for _, x := range a {
		for _, y := range b {
			if x.lo < y.hi && y.lo < x.hi {
				return true
			}
		}
	}
	return false
}
