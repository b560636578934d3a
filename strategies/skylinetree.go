package strategies

import "math"

// skyTree finds the best-ranked item, not yet placed, whose life lies within a
// segment. Each node of a static tree with eight children a node, a line of
// cache, holds the least end and the least rank below it; the leaves are the
// items in order of birth, so that those born in a segment are a range.
type skyTree struct {
	levels [][]skyNode // leaves first
	memory []skyNode
}

// skyNode has the least of each; both are noEnd if nothing is left below.
type skyNode struct{ end, rank int32 }

const (
	noEnd   = math.MaxInt32
	fanBits = 3
	fan     = 1 << fanBits
)

// reset fills the tree with all items, rank being by item.
func (t *skyTree) reset(items []skyItem, rank []int32) {
	if t.levels == nil {
		t.allocate(len(items))
	}
	leaves := t.levels[0]
	for i := range items {
		leaves[i] = skyNode{items[i].hi, rank[i]}
	}
	for k := 1; k < len(t.levels); k++ {
		below, level := t.levels[k-1], t.levels[k]
		for i := range level {
			level[i] = least(below, i)
		}
	}
}

// allocate makes room for n leaves; each level but the last is a multiple of
// fan nodes long.
func (t *skyTree) allocate(n int) {
	var lengths []int
	total := 0
	for {
		n = (n + fan - 1) &^ (fan - 1)
		lengths = append(lengths, n)
		total += n
		if n <= fan {
			break
		}
		n /= fan
	}
	t.memory = make([]skyNode, total)
	for i := range t.memory {
		t.memory[i] = skyNode{noEnd, noEnd}
	}
	rest := t.memory
	for _, n := range lengths {
		t.levels = append(t.levels, rest[:n:n])
		rest = rest[n:]
	}
}

// least returns what node i of the level above holds. Beyond the last there is
// nothing below.
func least(below []skyNode, i int) skyNode {
	out := skyNode{noEnd, noEnd}
	if i*fan >= len(below) {
		return out
	}
	for _, c := range below[i*fan : i*fan+fan] {
		out.end, out.rank = min(out.end, c.end), min(out.rank, c.rank)
	}
	return out
}

// remove takes an item out.
func (t *skyTree) remove(i int32) {
	t.levels[0][i] = skyNode{noEnd, noEnd}
	for k := 1; k < len(t.levels); k++ {
		i >>= fanBits
		n := least(t.levels[k-1], int(i))
		if n == t.levels[k][i] {
			return
		}
		t.levels[k][i] = n
	}
}

// find returns the item of the least rank among those numbered [from, to) that
// end at the section or before; -1 if there is none.
func (t *skyTree) find(from, to, end int32) int32 {
	q := skyQuery{t, end, noEnd, -1}
	for k := 0; from < to; k++ {
		level := t.levels[k]
		if to-from <= fan || k+1 == len(t.levels) {
			q.look(level, k, from, to)
			break
		}
		if up := (from + fan - 1) &^ (fan - 1); up > from {
			q.look(level, k, from, up)
			from = up
		}
		if down := to &^ (fan - 1); down < to {
			q.look(level, k, down, to)
			to = down
		}
		from, to = from>>fanBits, to>>fanBits
	}
	return q.found
}

// skyQuery is a find under way.
type skyQuery struct {
	t     *skyTree
	end   int32
	rank  int32 // of the best so far
	found int32
}

// look searches below the nodes [from, to), at most fan of them, of the level,
// the best-ranked first.
func (q *skyQuery) look(level []skyNode, k int, from, to int32) {
	if k == 0 {
		for i, n := range level[from:to] {
			if n.end <= q.end && n.rank < q.rank {
				q.rank, q.found = n.rank, from+int32(i)
			}
		}
		return
	}
	nodes := level[from:to]
	seen := uint32(0)
	for {
		best, at := q.rank, -1
		for i, n := range nodes {
			if n.end <= q.end && n.rank < best && seen>>i&1 == 0 {
				best, at = n.rank, i
			}
		}
		if at < 0 {
			return
		}
		seen |= 1 << at
		below := (from + int32(at)) << fanBits
		q.look(q.t.levels[k-1], k-1, below, below+fan)
	}
}
