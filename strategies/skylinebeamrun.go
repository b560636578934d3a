package strategies

import (
	"context"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
)

// beam follows many skylines at once. All memory is kept between runs.
type beam struct {
	table *skyTable
	twin  []int32  // by item: one before it that is alike in all, -1 if there is none
	hash  []uint64 // by item

	limit int64 // no end may be above it
	width int
	ranks [][]int32 // by rank, then by item
	cost  beamCost

	states, next []beamState
	spare        []beamState
	raised       beamState // the state at hand once its lowest stretch is raised
	moves        []beamMove
	seen         beamSet // what moves lead to
	history      []beamStep

	found beamFound
}

// beamFound is what fits into the lowest stretch of a state.
type beamFound struct {
	items    []int32 // of those alike only the first
	minEnd   int32   // the first end
	maxStart int32   // the last start
}

// beamState is a skyline with what is placed below it.
type beamState struct {
	height []int64  // by section; full where nothing more is to be placed
	final  []int64  // by section: the least end, height and all still to be placed
	placed []uint64 // set of items
	score  int64    // the sum of the costs of final
	hash   uint64   // of the set of items
	last   int32    // placement, in history

	start, end int32 // the lowest stretch; end is 0 if it is not known
}

const full = math.MaxInt64

// beamStep is a placement, with the one before it.
type beamStep struct {
	before int32
	item   int32
	offset int64
}

// beamMove is a placement that is considered.
type beamMove struct {
	score  int64
	turn   int32 // in which it was added
	state  int32
	item   int32
	raised bool // the lowest stretch first, although something fits
}

func newBeam(t *skyTable, r *rand.Rand) *beam {
	b := &beam{table: t, twin: make([]int32, len(t.items)), hash: make([]uint64, len(t.items))}
	last := map[skyItem]int32{}
	for i, it := range t.items {
		b.twin[i] = -1
		if k, ok := last[it]; ok {
			b.twin[i] = k
		}
		last[it] = int32(i)
		b.hash[i] = r.Uint64()
	}
	b.raised = b.fresh()
	return b
}

// beamMemory bounds, in bytes, the states and the history of a run, each.
const beamMemory = 1 << 27

// widest returns the width up to which the memory suffices, at least 1.
func (b *beam) widest() int {
	n := len(b.table.items)
	state := 2 * (16*b.table.sections + n/8 + 1)
	return max(1, min(beamMemory/state, beamMemory/(16*n)))
}

// set prepares a run.
func (b *beam) set(q *beamRecipe, limit int64) {
	b.limit, b.width = limit, q.width
	b.cost.set(b.table, limit, q.power)
	for len(b.ranks) < len(q.orders) {
		b.ranks = append(b.ranks, make([]int32, len(b.table.items)))
	}
	b.ranks = b.ranks[:len(q.orders)]
	for k, order := range q.orders {
		for r, i := range order {
			b.ranks[k][i] = int32(r)
		}
	}
}

// run places all items. It returns the last placement of the best plan within
// the limit, -1 if none was found. It adds the placements to the count and ends
// without a plan once that reaches the budget.
func (b *beam) run(ctx context.Context, count *int64, budget int64) int32 {
	b.history = b.history[:0]
	b.spare = append(b.spare, b.states...)
	b.states = append(b.states[:0], b.root())
	for range b.table.items {
		if *count >= budget || ctx.Err() != nil {
			return -1
		}
		b.moves = b.moves[:0]
		b.seen.reset(2 * len(b.states) * len(b.ranks))
		for k := range b.states {
			b.expand(int32(k))
		}
		if len(b.moves) == 0 {
			return -1
		}
		b.choose()
		*count += int64(len(b.states))
	}
	best, least := int32(-1), int64(full)
	for k := range b.states {
		if top := slices.Max(b.states[k].final); top < least {
			best, least = b.states[k].last, top
		}
	}
	return best
}

// root returns the state with nothing placed.
func (b *beam) root() beamState {
	s := b.fresh()
	clear(s.placed)
	s.score, s.hash, s.last, s.end = 0, 0, -1, 0
	for k, load := range b.table.load {
		s.height[k], s.final[k] = 0, load
		s.score += b.cost.of(load)
	}
	return s
}

// fresh returns a state with memory and anything in it.
func (b *beam) fresh() beamState {
	if k := len(b.spare) - 1; k >= 0 {
		s := b.spare[k]
		b.spare = b.spare[:k]
		return s
	}
	n := b.table.sections
	lines := make([]int64, 2*n)
	return beamState{height: lines[:n:n], final: lines[n:], placed: make([]uint64, (len(b.table.items)+63)/64)}
}

// copy makes s the same as another state.
func (s *beamState) copy(o *beamState) {
	copy(s.height, o.height)
	copy(s.final, o.final)
	copy(s.placed, o.placed)
	s.score, s.hash, s.last = o.score, o.hash, o.last
	s.start, s.end = o.start, o.end
}

func (s *beamState) has(i int32) bool { return s.placed[i/64]>>(i%64)&1 == 1 }

// settle raises the lowest stretch until something fits into it. It returns
// false if an end would come to lie above the limit.
func (b *beam) settle(s *beamState) bool {
	for {
		if s.end == 0 {
			s.descend()
		}
		b.candidates(s)
		if len(b.found.items) > 0 {
			return true
		}
		if !b.raise(s) {
			return false
		}
	}
}

// skip is settle after the lowest stretch of a settled state is raised as well.
func (b *beam) skip(s *beamState) bool {
	return s.neighbour() < full && b.raise(s) && b.settle(s)
}

// raise lifts the lowest stretch to the lower of its neighbours.
func (b *beam) raise(s *beamState) bool {
	to := s.neighbour()
	by := to - s.height[s.start]
	for t := s.start; t < s.end; t++ {
		u := s.final[t]
		if u+by > b.limit {
			return false
		}
		s.score += b.cost.of(u+by) - b.cost.of(u)
		s.height[t], s.final[t] = to, u+by
	}
	s.end = 0
	return true
}

// descend finds the lowest stretch.
func (s *beamState) descend() {
	least := int64(full)
	for _, h := range s.height {
		least = min(least, h)
	}
	start := slices.Index(s.height, least)
	end := start + 1
	for end < len(s.height) && s.height[end] == least {
		end++
	}
	s.start, s.end = int32(start), int32(end)
}

// neighbour returns the lower of the heights beside the lowest stretch.
func (s *beamState) neighbour() int64 {
	out := int64(full)
	if s.start > 0 {
		out = s.height[s.start-1]
	}
	if int(s.end) < len(s.height) {
		out = min(out, s.height[s.end])
	}
	return out
}

// candidates finds what fits into the lowest stretch.
func (b *beam) candidates(s *beamState) {
	f := &b.found
	f.items, f.minEnd, f.maxStart = f.items[:0], noEnd, 0
	from, to := int(b.table.from[s.start]), int(b.table.from[s.end])
	for w := from / 64; w*64 < to; w++ {
		left := ^s.placed[w]
		if w*64 < from {
			left &= ^uint64(0) << (from % 64)
		}
		if to < w*64+64 {
			left &= 1<<(to%64) - 1
		}
		for ; left != 0; left &= left - 1 {
			i := int32(w*64 + bits.TrailingZeros64(left))
			it := &b.table.items[i]
			if it.hi > s.end || b.twin[i] >= 0 && !s.has(b.twin[i]) {
				continue
			}
			f.items = append(f.items, i)
			f.minEnd, f.maxStart = min(f.minEnd, it.hi), max(f.maxStart, it.lo)
		}
	}
}
