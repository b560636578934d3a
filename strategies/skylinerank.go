package strategies

import (
	"math"
	"math/bits"
)

// skyKey is a number by which items are ranked, ascending.
type skyKey uint8

const (
	skyBySize      skyKey = iota // the larger first
	skyByLife                    // the longer first
	skyByStart                   // the earlier born first
	skyByEnd                     // the later to die first
	skyByArea                    // the most size times life first
	skyByMost                    // the most bytes live at some section of its life first
	skyByLive                    // the most bytes live over its life, added up, first
	skyByOctave                  // the larger first, sizes between powers of 2 being equal
	skyByOctaves                 // the larger first, sizes between powers of 4 being equal
	skyByLifeFours               // the longer first, lives between powers of 4 being equal
	skyKeys                      // how many there are
)

// skyRanker ranks the items of a table.
type skyRanker struct {
	table       *skyTable
	most        []int64   // by item, see skyByMost; filled on first use
	live        []float64 // by section: load added up; filled on first use
	refs, spare []ref
	rank        []int32
}

func newSkyRanker(t *skyTable) *skyRanker {
	n := len(t.items)
	return &skyRanker{table: t, refs: make([]ref, n), spare: make([]ref, n), rank: make([]int32, n)}
}

// order returns the items in order of the keys, ties in order of birth. The
// slice is valid until the next call.
func (r *skyRanker) order(keys ...skyKey) []ref {
	for i := range r.refs {
		r.refs[i].pos = int32(i)
	}
	for k := len(keys) - 1; k >= 0; k-- {
		r.sortBy(keys[k])
	}
	return r.refs
}

// ranks returns the rank of each item in that order. The slice is valid until
// the next call.
func (r *skyRanker) ranks(keys ...skyKey) []int32 {
	for k, x := range r.order(keys...) {
		r.rank[x.pos] = int32(k)
	}
	return r.rank
}

// sortBy orders the references by the key and keeps the order of equals.
func (r *skyRanker) sortBy(key skyKey) {
	r.prepare(key)
	low, high := uint64(math.MaxUint64), uint64(0)
	sorted, last := true, uint64(0)
	for i := range r.refs {
		k := r.value(key, r.refs[i].pos)
		r.refs[i].key = k
		sorted = sorted && k >= last
		last = k
		low, high = min(low, k), max(high, k)
	}
	if sorted {
		return
	}
	for i := range r.refs {
		r.refs[i].key -= low
	}
	if len(r.refs) > skyInsertion {
		radixSort(r.refs, r.spare, high-low)
		return
	}
	for i, x := range r.refs {
		for ; i > 0 && r.refs[i-1].key > x.key; i-- {
			r.refs[i] = r.refs[i-1]
		}
		r.refs[i] = x
	}
}

// skyInsertion is the number of items up to which insertion sorts them faster.
const skyInsertion = 64

func (r *skyRanker) value(key skyKey, i int32) uint64 {
	it := &r.table.items[i]
	life := uint64(it.hi - it.lo)
	switch key {
	case skyBySize:
		return ^uint64(it.size)
	case skyByLife:
		return ^life
	case skyByStart:
		return uint64(it.lo)
	case skyByEnd:
		return ^uint64(it.hi)
	case skyByArea:
		return ^math.Float64bits(float64(it.size) * float64(life))
	case skyByMost:
		return ^uint64(r.most[i])
	case skyByLive:
		return ^math.Float64bits(r.live[it.hi] - r.live[it.lo])
	case skyByOctave:
		return ^uint64(bits.Len64(uint64(it.size)))
	case skyByOctaves:
		return ^(uint64(bits.Len64(uint64(it.size))) / 2)
	default:
		return ^(uint64(bits.Len64(life)-1) / 2)
	}
}

// prepare fills in what the key needs.
func (r *skyRanker) prepare(key skyKey) {
	switch {
	case key == skyByMost && r.most == nil:
		r.most = mostLive(r.table)
	case key == skyByLive && r.live == nil:
		r.live = make([]float64, r.table.sections+1)
		for s, live := range r.table.load {
			r.live[s+1] = r.live[s] + float64(live)
		}
	}
}

// mostLive returns for each item the most bytes live in a section of its life.
// O(n log n): the levels hold the most of runs of 1, 2, 4 sections.
func mostLive(t *skyTable) []int64 {
	tree := make([]int64, 2*t.sections)
	copy(tree[t.sections:], t.load)
	for v := t.sections - 1; v > 0; v-- {
		tree[v] = max(tree[2*v], tree[2*v+1])
	}
	out := make([]int64, len(t.items))
	for i := range t.items {
		it := &t.items[i]
		most := int64(0)
		for l, r := int(it.lo)+t.sections, int(it.hi)+t.sections; l < r; l, r = l/2, r/2 {
			if l&1 == 1 {
				most = max(most, tree[l])
				l++
			}
			if r&1 == 1 {
				r--
				most = max(most, tree[r])
			}
		}
		out[i] = most
	}
	return out
}
