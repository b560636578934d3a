package bound

// witness is a set of operators that can have run when an operator runs, and
// the bytes at it then. It shows of each operator that it can be among those
// that have, or that it can be among the others.
type witness struct {
	set   set
	bytes int64
	seen  int // pairs of the relation that it is known to agree with
}

// poolBytes is what all pools may take, roughly, and poolMost what one may hold.
const (
	poolBytes = 64 << 20
	poolMost  = 60
)

// poolSize returns how many witnesses are kept for each of n operators.
func poolSize(n int) int {
	each := (n+63)/64*8 + 40
	return max(4, min(poolMost, poolBytes/(each*max(n, 1))))
}

// store adds a witness of v; the oldest makes room.
func (p *Propagation) store(v int32, w witness) {
	pool := p.pools[v]
	if len(pool) >= p.keep {
		copy(pool, pool[1:])
		pool = pool[:len(pool)-1]
	}
	p.pools[v] = append(pool, w)
}

// review drops the witnesses of v that are not possible any longer, and reports
// whether v must be looked at: unless it is possible with less than the given
// bytes, or they show all that could be asked.
func (p *Propagation) review(v int32, least int64) bool {
	copy(p.outside, p.rel.after[v])
	p.outside.add(v)
	pool := p.pools[v]
	for k := range pool {
		if pool[k].bytes < least && p.valid(v, &pool[k]) {
			return false
		}
	}
	clear(p.canIn)
	clear(p.canOut)
	kept := pool[:0]
	for _, w := range pool {
		if p.valid(v, &w) {
			kept = append(kept, w)
			p.allow(w.set)
		}
	}
	clear(pool[len(kept):])
	p.pools[v] = kept
	return len(kept) == 0 || !p.shown(v)
}

// valid reports whether the operators of a witness of v can be those that have
// run, within the budget.
func (p *Propagation) valid(v int32, w *witness) bool {
	p.work.Done += int64(len(w.set)) / 4
	return w.bytes <= p.budget && p.rel.before[v].within(w.set) && !w.set.meets(p.outside) && p.agrees(w)
}

// agrees reports whether a set holds the first of each pair that it holds the
// second of.
func (p *Propagation) agrees(w *witness) bool {
	for _, q := range p.rel.pairs[w.seen:] {
		if w.set.has(q[1]) && !w.set.has(q[0]) {
			return false
		}
	}
	w.seen = len(p.rel.pairs)
	return true
}

// allow notes what a set shows to be possible.
func (p *Propagation) allow(s set) {
	for k, w := range s {
		p.canIn[k] |= w
		p.canOut[k] |= ^w
	}
}

// shown reports whether each operator that is free to run before or after v is
// known to be possible on both sides.
func (p *Propagation) shown(v int32) bool {
	before, after := p.rel.before[v], p.rel.after[v]
	for k := range before {
		all := ^uint64(0)
		if k == len(before)-1 && p.rel.n&63 != 0 {
			all = 1<<(p.rel.n&63) - 1
		}
		open := all &^ (before[k] | after[k])
		if int(v)>>6 == k {
			open &^= 1 << (v & 63)
		}
		if open&^(p.canIn[k]&p.canOut[k]) != 0 {
			return false
		}
	}
	return true
}
