package bound

import "math/bits"

// set is a set of operators.
type set []uint64

func newSet(n int) set { return make(set, (n+63)/64) }

func (s set) has(i int32) bool { return s[i>>6]>>(i&63)&1 != 0 }
func (s set) add(i int32)      { s[i>>6] |= 1 << (i & 63) }

func (s set) remove(i int32) { s[i>>6] &^= 1 << (i & 63) }

func (s set) unite(t set) {
	for k, w := range t {
		s[k] |= w
	}
}

func (s set) meets(t set) bool {
	for k, w := range t {
		if s[k]&w != 0 {
			return true
		}
	}
	return false
}

// within reports whether all of s is in t.
func (s set) within(t set) bool {
	for k, w := range s {
		if w&^t[k] != 0 {
			return false
		}
	}
	return true
}

func (s set) equal(t set) bool {
	for k, w := range s {
		if w != t[k] {
			return false
		}
	}
	return true
}

// each calls fn for the members, ascending.
func (s set) each(fn func(i int32)) {
	for k, w := range s {
		for ; w != 0; w &= w - 1 {
			fn(int32(k<<6 + bits.TrailingZeros64(w)))
		}
	}
}

// relation says which operators run before which: those of the graph, and pairs
// that were added. It is transitively closed.
type relation struct {
	n      int
	before []set // by operator
	after  []set
	pairs  [][2]int32 // that were added: the first before the second
}

func newRelation(f *Finder) *relation {
	n := len(f.m.Ops)
	r := &relation{n: n, before: slab(n), after: slab(n)}
	for _, v := range f.topo {
		for _, u := range f.before[v] {
			r.before[v].unite(r.before[u])
			r.before[v].add(u)
		}
	}
	for k := n - 1; k >= 0; k-- {
		u := f.topo[k]
		for _, v := range f.after[u] {
			r.after[u].unite(r.after[v])
			r.after[u].add(v)
		}
	}
	return r
}

// slab returns n empty sets in one piece of memory.
func slab(n int) []set {
	words := (n + 63) / 64
	memory, sets := make(set, n*words), make([]set, n)
	for i := range sets {
		sets[i] = memory[i*words : (i+1)*words : (i+1)*words]
	}
	return sets
}

func (r *relation) clone() *relation {
	c := &relation{n: r.n, before: slab(r.n), after: slab(r.n)}
	for i := range r.n {
		copy(c.before[i], r.before[i])
		copy(c.after[i], r.after[i])
	}
	c.pairs = append(c.pairs, r.pairs...)
	return c
}

// apart reports whether neither of two operators is known to run before the other.
func (r *relation) apart(u, v int32) bool {
	return u != v && !r.before[v].has(u) && !r.after[v].has(u)
}

// add adds that u runs before v, which are apart.
func (r *relation) add(u, v int32) {
	r.pairs = append(r.pairs, [2]int32{u, v})
	earlier, later := r.before[u], r.after[v]
	later.each(func(x int32) {
		r.before[x].unite(earlier)
		r.before[x].add(u)
	})
	earlier.each(func(x int32) {
		r.after[x].unite(later)
		r.after[x].add(v)
	})
	r.before[v].unite(earlier)
	r.before[v].add(u)
	r.after[u].unite(later)
	r.after[u].add(v)
}
