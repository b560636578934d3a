package strategies

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/arenalab/arenalab/internal/gcd"
	"github.com/arenalab/arenalab/lifetime"
)

// ejector is the state of one search. Buffers are numbered in an order that
// does not depend on that of the rows: first those that can be moved, then the
// fixed ones. Those without bytes are left out.
type ejector struct {
	ctx       context.Context
	table     *lifetime.Table
	start     *lifetime.Plan
	budget    int64
	decisions int64
	stopped   bool

	index   []int // by number: the position in the table
	size    []int64
	align   []int64
	fixed   []bool
	first   []int32 // by number: the first of its pieces; one entry more than numbers
	pieces  []ejectPiece
	life    []int64 // by number: sections in which it is live
	movable int
	idle    int64 // the end of the highest buffer without bytes

	floor int64 // no smaller target is tried
	unit  int64 // of sizes and offsets, so of arenas

	space   ejectBuckets
	offsets []int64 // by number, -1 while it is out
	out     []int32 // a stack of what is to be placed
	best    choice
	arena   int64   // of the best plan
	found   []int64 // its offsets, by number

	weights [2][]int64 // by ejectWeights
	weight  []int64    // those in use
	penalty []int64
	dearest int64 // the most a penalty may be
	hard    int64 // the price of fixed buffers, above the sum of all others

	near            ranges
	ends, endsSpare []ender
	upward          []int32 // scratch: movable buffers in order of address
	random          *rand.PCG
	word            uint64
	bits            int
}

// ejectWeights says what the weights of buffers go with.
type ejectWeights int

const (
	areaWeights ejectWeights = iota
	evenWeights
)

// newEjector takes the start, which must be a safe plan.
func newEjector(t *lifetime.Table, start *lifetime.Plan, lower int64, seed uint64) *ejector {
	s := &ejector{table: t, start: start, random: rand.NewPCG(seed, 0)}
	s.number()
	s.cutPieces()
	n := len(s.index)
	s.offsets, s.found = make([]int64, n), make([]int64, n)
	s.floor, s.unit = lower, 0
	for i, at := range s.index {
		s.found[i] = start.Offsets[at]
		s.arena = max(s.arena, s.found[i]+s.size[i])
		s.floor = max(s.floor, s.size[i])
		s.unit = gcd.Of(s.unit, s.size[i])
		if s.align[i] > 1 {
			s.unit = gcd.Of(s.unit, s.align[i])
		}
		if s.fixed[i] {
			s.floor = max(s.floor, s.found[i]+s.size[i])
			s.unit = gcd.Of(s.unit, s.found[i])
		}
	}
	for i := range s.pieces {
		s.unit = gcd.Of(gcd.Of(s.unit, s.pieces[i].low), s.pieces[i].high)
	}
	s.unit = max(s.unit, 1)
	s.floor += (s.unit - s.floor%s.unit) % s.unit
	s.arena, s.floor = max(s.arena, s.idle), max(s.floor, s.idle)
	s.weigh()
	s.load()
	return s
}

// number puts the buffers in order and copies what is needed of them.
func (s *ejector) number() {
	var items, pins []item
	for i := range s.table.Buffers {
		b := &s.table.Buffers[i]
		switch it := (item{b.Size, b.Alignment(), b.Lower, b.Upper, i}); {
		case b.Size == 0:
			s.idle = max(s.idle, s.start.Offsets[i])
		case b.Fixed != nil:
			pins = append(pins, it)
		default:
			items = append(items, it)
		}
	}
	s.movable = len(items)
	sortItems(s.table, items, byBirth(), Ties{})
	sortItems(s.table, pins, byBirth(), Ties{})
	for _, it := range append(items, pins...) {
		s.index = append(s.index, it.index)
		s.size = append(s.size, it.size)
		s.align = append(s.align, it.align)
		s.fixed = append(s.fixed, len(s.fixed) >= s.movable)
	}
}

// cutPieces fills in the pieces and the space for them.
func (s *ejector) cutPieces() {
	pieces, from := indexPieces(s.table)
	births := make([]int64, len(pieces))
	for i := range pieces {
		births[i] = pieces[i].Lower
	}
	c := newClock(births)
	s.pieces = make([]ejectPiece, 0, len(pieces))
	s.life = make([]int64, len(s.index))
	for i, at := range s.index {
		s.first = append(s.first, int32(len(s.pieces)))
		for _, p := range pieces[from[at]:from[at+1]] {
			q := ejectPiece{low: p.Low, high: p.High, from: c.section(p.Lower), to: c.section(p.Upper), owner: int32(i)}
			s.pieces = append(s.pieces, q)
			s.life[i] += int64(q.to - q.from)
		}
	}
	s.first = append(s.first, int32(len(s.pieces)))
	s.space = newEjectBuckets(s.pieces, int32(len(c.births)))
}

// load places all as in the best plan.
func (s *ejector) load() {
	for i := range s.index {
		s.put(int32(i), s.found[i])
	}
}

// weigh makes the weights. They add up to so little that no sum of prices
// overflows, though each piece counts against each, and that a fixed buffer is
// dearer than all others together.
func (s *ejector) weigh() {
	most := int64(1) // pieces of a buffer
	for i := range s.index {
		most = max(most, int64(s.first[i+1]-s.first[i]))
	}
	pins := int64(len(s.pieces)) - int64(s.first[s.movable])
	s.hard = 1 << 62 / (pins*most + 1)
	s.dearest = 1 << 14
	total := float64(s.hard / 4 / s.dearest / most / most)
	s.penalty = make([]int64, len(s.index))
	for kind, of := range [...]func(i int) float64{
		areaWeights: func(i int) float64 { return float64(s.size[i]) * float64(s.life[i]) },
		evenWeights: func(i int) float64 { return 1 },
	} {
		sum := 0.0
		for i := range s.movable {
			sum += of(i)
		}
		w := make([]int64, len(s.index))
		for i := range s.movable {
			w[i] = max(1, int64(of(i)/sum*total))
		}
		s.weights[kind] = w
	}
}

// ejectPatience is how many insertions a target is given at first to bring the
// number of buffers that are out to a new low.
const ejectPatience = 4000

// ejectHalvings is how often the step down is halved before the search starts
// again from half way, with more patience.
const ejectHalvings = 5

// turns returns the weights in the order in which they are used, the next after
// each failure: those by size and life are the better ones on small tables, but
// lead nowhere on some large ones.
func (s *ejector) turns() []ejectWeights {
	const large = 2000 // buffers
	if len(s.index) > large {
		return []ejectWeights{evenWeights, areaWeights}
	}
	return []ejectWeights{areaWeights, areaWeights, areaWeights, evenWeights}
}

// improve lowers the target and tries, until the floor, the budget or the
// context ends it.
func (s *ejector) improve(better func()) {
	patience, shift := int64(ejectPatience), 1
	turns, turn := s.turns(), 0
	for s.arena > s.floor && !s.over() {
		drop := max(1, (s.arena-s.floor)>>shift)
		target := s.arena - drop
		target -= (target - s.floor) % s.unit
		s.weight = s.weights[turns[turn]]
		if s.reach(target, patience) {
			s.settle()
			s.keep()
			better()
			shift = max(shift-1, 0)
			continue
		}
		s.restore()
		turn = (turn + 1) % len(turns)
		if shift++; shift > ejectHalvings || (s.arena-s.floor)>>shift < s.unit {
			shift, patience = 1, min(2*patience, math.MaxInt64/4)
		}
	}
}

// over reports whether the search is to end.
func (s *ejector) over() bool {
	s.stopped = s.stopped || s.decisions >= s.budget || s.ctx.Err() != nil
	return s.stopped
}

// reach takes out what ends above the target and puts it back below, in so far
// as it can.
func (s *ejector) reach(target, patience int64) bool {
	s.out = s.out[:0]
	for i := range s.index {
		s.penalty[i] = 1
		if i < s.movable && s.offsets[i]+s.size[i] > target {
			s.take(int32(i))
			s.out = append(s.out, int32(i))
		}
	}
	fewest, stall := len(s.out), int64(0)
	for len(s.out) > 0 {
		if s.decisions >= s.budget || s.decisions%checkEvery == 0 && s.over() {
			return false
		}
		k := len(s.out) - 1
		if s.draw(4) == 0 {
			k = int(s.draw(uint64(len(s.out))))
		}
		i := s.out[k]
		s.out[k] = s.out[len(s.out)-1]
		s.out = s.out[:len(s.out)-1]
		if !s.insert(i, target) {
			s.out = append(s.out, i)
			return false
		}
		if len(s.out) < fewest {
			fewest, stall = len(s.out), 0
		} else if stall++; stall > patience {
			return false
		}
	}
	return true
}

// settle moves each buffer, from the lowest up, to the lowest offset at which
// it fits; that is never above its own.
func (s *ejector) settle() {
	s.upward = s.upward[:0]
	for i := range s.movable {
		s.upward = append(s.upward, int32(i))
	}
	slices.SortFunc(s.upward, func(a, b int32) int {
		return cmp.Or(cmp.Compare(s.offsets[a], s.offsets[b]), cmp.Compare(a, b))
	})
	for _, i := range s.upward {
		top := s.offsets[i]
		s.take(i)
		s.near.collect(s.space, s.pieces[s.first[i]:s.first[i+1]], s.pieces)
		s.put(i, s.gap(top, s.align[i], ejectLowest))
		s.decisions++
	}
}

// keep makes the placed buffers the best plan.
func (s *ejector) keep() {
	s.arena = s.idle
	copy(s.found, s.offsets)
	for i, at := range s.found {
		s.arena = max(s.arena, at+s.size[i])
	}
}

// restore goes back to the best plan.
func (s *ejector) restore() {
	for i, at := range s.found {
		if s.offsets[i] >= 0 && s.offsets[i] != at {
			s.take(int32(i))
		}
	}
	for i, at := range s.found {
		if s.offsets[i] < 0 {
			s.put(int32(i), at)
		}
	}
}

// plan returns the best plan. Buffers without bytes are where the start has
// them.
func (s *ejector) plan() *lifetime.Plan {
	offsets := slices.Clone(s.start.Offsets)
	for i, at := range s.index {
		offsets[at] = s.found[i]
	}
	return lifetime.NewPlan(s.table, offsets)
}
