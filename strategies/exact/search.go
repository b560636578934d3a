package exact

// outcome is how a search ended.
type outcome uint8

const (
	open  outcome = iota // out of nodes or stopped
	fits                 // all is placed
	unfit                // proven: nothing fits
)

// component is a run of sections that no unplaced life leaves.
type component struct {
	lo, hi int32
	slack  int64 // of its tightest section
}

// run searches at the capacity from the root.
func (e *engine) run(capacity int64) outcome {
	if !e.start(capacity) {
		return unfit
	}
	return e.branch(0, int32(e.p.m), 0, int32(e.p.m))
}

// solve decides all buffers of sections [lo, hi), which are connected.
func (e *engine) solve(lo, hi int32) outcome {
	e.nodes++
	if e.nodes > e.limit {
		return open
	}
	if e.nodes&63 == 0 && e.halt != nil && e.halt() {
		e.halted = true
		return open
	}
	mark := len(e.trail)
	b := e.choose(lo, hi)
	switch b {
	case noBuffer:
		for s := lo; s < hi; s++ {
			if e.count[s] > 0 { // what waits, with nothing left to rest on
				e.undo(mark)
				return unfit
			}
		}
		return fits
	case deadEnd:
		e.undo(mark)
		return unfit
	}
	var key uint64
	if e.seen != nil {
		key = e.hash(lo, hi)
		if e.seen.has(key) {
			e.undo(mark)
			return unfit
		}
	}
	for b >= 0 {
		here := len(e.trail)
		own := e.p.spansOf(b)
		if e.place(b) {
			if out := e.branch(lo, hi, own[0].lo, own[len(own)-1].hi); out != unfit {
				return out
			}
		}
		e.undo(here)
		if !e.postpone(b) {
			break
		}
		b = e.choose(lo, hi)
	}
	e.undo(mark)
	if e.seen != nil {
		e.seen.add(key)
	}
	return unfit
}

// branch solves what is left of sections [lo, hi) part by part, if placing a
// buffer that lived in [from, to) took it apart. Parts are independent: if one
// does not fit, the rest need not be tried.
func (e *engine) branch(lo, hi, from, to int32) outcome {
	whole := true
	for s := from; s+1 < to; s++ {
		if e.cross[s] == 0 {
			whole = false
			break
		}
	}
	if whole {
		return e.solve(lo, hi)
	}
	bottom := len(e.stack)
	start := lo
	for s := lo; s < hi; s++ {
		if s+1 < hi && e.cross[s] != 0 {
			continue
		}
		c := component{start, s + 1, never}
		for q := start; q <= s; q++ {
			if e.count[q] > 0 {
				c.slack = min(c.slack, e.ceil-e.rest[q]-e.low[q])
			}
		}
		start = s + 1
		if c.slack == never {
			continue
		}
		e.stack = append(e.stack, c)
		for k := len(e.stack) - 1; k > bottom && e.stack[k-1].slack > c.slack; k-- {
			e.stack[k-1], e.stack[k] = e.stack[k], e.stack[k-1]
		}
	}
	out := fits
	for k := bottom; k < len(e.stack) && out == fits; k++ {
		c := e.stack[k]
		out = e.solve(c.lo, c.hi)
	}
	e.stack = e.stack[:bottom]
	return out
}

// memory holds the hashes of states from which nothing fits, at one capacity.
// It grows with what it is told up to its limit, and then forgets what another
// state overwrites.
type memory struct {
	slot []uint64
	used int
}

const (
	memoryFirst = 1 << 10
	memoryMost  = 1 << 20
)

func newMemory() *memory { return &memory{slot: make([]uint64, memoryFirst)} }

func (m *memory) has(key uint64) bool { return m.slot[key&uint64(len(m.slot)-1)] == key }

func (m *memory) add(key uint64) {
	if m.used > len(m.slot)/2 && len(m.slot) < memoryMost {
		old := m.slot
		m.slot, m.used = make([]uint64, 4*len(old)), 0
		for _, k := range old {
			if k != 0 {
				m.add(k)
			}
		}
	}
	if at := &m.slot[key&uint64(len(m.slot)-1)]; *at != key {
		if *at == 0 {
			m.used++
		}
		*at = key
	}
}

func (m *memory) clear() {
	clear(m.slot)
	m.used = 0
}

// hash is of what the future of sections [lo, hi) depends on: the unplaced
// buffers, their least offsets, and which of them wait.
func (e *engine) hash(lo, hi int32) uint64 {
	var sum uint64
	for s := lo; s < hi; s++ {
		for _, m := range e.members(s) {
			b := m.buffer
			if e.p.spansOf(b)[0].lo != s {
				continue
			}
			v := uint64(e.r[b])<<1 | uint64(rank(e.waitAt[b] >= 0))
			if len(e.p.clashesOf(b)) > 0 {
				v += e.stand(b)
			}
			sum += mix(v ^ mix(uint64(b)+0x9e3779b97f4a7c15))
		}
	}
	return sum | 1 // 0 is an empty slot
}

// mix is the finalizer of SplitMix64 (Steele, Lea and Flood, 2014).
func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
