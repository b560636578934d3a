package strategies

// PyTorch Inductor keeps a pool as a tree that is split in time and in space by
// turns. A buffer, the largest first, goes down the tree to a slot that is large
// enough and free throughout its life, and splits what it leaves of it off; if
// there is none it goes on top of all.
//
// Complexity: O(n d log n), d the depth of the tree, at most n; the part of it
// that grew on top is only climbed, from where a buffer does not fit. The original
// walks it down first and looks at each member of a slot.
//
// Reference: class AllocationPools and the splits in it,
// torch/_inductor/codegen/memory_planning.py, the package torch 2.15.0, with
// memory_planning=True, memory_pool="combined"; both are off by default.
//
// Rule, to the byte: by size, then life, both descending. A split in time holds
// members that are never live together. A buffer that meets none of them takes
// all of the slot, if it fits, or else a part, and the rest becomes the right
// side of a split in space; one that meets a single member is passed on to it;
// one that meets more finds no room there. A split in space tries its left side
// first. Only the rightmost slot may grow. A slot is reckoned as large as the
// largest member is said to be; since the left side is rounded up and the right
// one is not made smaller by it, that may be more than it takes. Offsets follow
// from what lies in the tree at the end.
//
// Departures: the pool has the largest alignment of any buffer for all its
// splits; the original has 64, and so is followed on tables with that alignment.
// Life is counted in steps of the table. The pool steps over buffers with fixed
// offsets, which the original does not know. Outputs share the pool, sizes are
// static, buffers of size zero are left out. A buffer with gaps is taken to be
// live all its life.

import (
	"cmp"
	"context"
	"slices"

	"github.com/arenalab/arenalab/lifetime"
)

type inductor struct{}

func (inductor) Info() Info {
	return Info{
		Name:       "inductor-pools",
		Title:      "PyTorch Inductor: pools",
		Summary:    "largest first, down a tree of slots split by turns in time and space",
		Reference:  "class AllocationPools, torch/_inductor/codegen/memory_planning.py, torch 2.15.0",
		Complexity: "O(n d log n), d <= n the depth of the tree",
		Key:        "size, life, both descending; ties by row",
		RowOrder:   true,
	}
}

func (inductor) Plan(ctx context.Context, t *lifetime.Table, o Options) (*lifetime.Plan, error) {
	if o.Ties.Rule == TiesLibstdcxx {
		o.Ties.Rule = TiesNative // not sorted by a C++ library
	}
	m := method{order: sorting{key: inductorKey}, whole: true}
	return m.run(ctx, t, o, pool)
}

func inductorKey(*lifetime.Table) func(a, b *item) int {
	return func(a, b *item) int {
		return cmp.Or(cmp.Compare(b.size, a.size), cmp.Compare(b.upper-b.lower, a.upper-a.lower))
	}
}

// pool puts the items into one tree.
func pool(ctx context.Context, p *placement) (*lifetime.Plan, error) {
	if len(p.items) == 0 {
		return lifetime.NewPlan(p.table, p.offsets), nil
	}
	tree := poolTree{
		align: 1, slots: make([]slot, 1, 2*len(p.items)+1),
		levels: make([]poolLevel, 1), live: newSkyline(rank(p.items)),
	}
	for k := range p.items {
		tree.align = max(tree.align, p.items[k].align)
	}
	for k := range p.items {
		if k%checkEvery == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		tree.add(int32(k), &p.items[k])
	}
	sizes := tree.measure(p.items)
	base := p.newPile().put(sizes[len(sizes)-1], tree.align)
	for i, l := range tree.levels {
		tree.locate(p, l.members, base)
		if i > 0 {
			tree.locate(p, l.right, base+lifetime.AlignUp(sizes[i-1], tree.align))
		}
	}
	return lifetime.NewPlan(p.table, p.offsets), nil
}

// poolTree is the tree of a pool. Each buffer that goes on top of all makes all
// that there was the left side of a split in space, and itself the right one. The
// chain of those splits is not walked: it is a list of levels, the root last.
type poolTree struct {
	align  int64
	slots  []slot // those at 2i+1 and 2i+2 are the sides of the split in space number i
	levels []poolLevel
	rich   []int32 // the levels from 1 up with members, ascending
	known  int     // hints of the levels below this one are right
	live   *skyline
}

// poolLevel is a slot of the chain. Beside its members it holds, from level 1 up, a
// split in space of the level below and the right side. What is live in a level
// is so in those above: the skyline has, for each step, the lowest level that is
// live, as its distance from noLevel.
type poolLevel struct {
	members, right int32 // slots
	hint           int64
}

const noLevel = 1 << 40

// add finds room for the item.
func (tree *poolTree) add(k int32, it *item) {
	at, done := tree.descend(k, it)
	for !done && at+1 < len(tree.levels) {
		at++
		done = tree.put(tree.levels[at].right, k, it, at+1 == len(tree.levels))
		tree.known = min(tree.known, at)
	}
	if !done {
		at = len(tree.levels)
		n := int32(len(tree.slots))
		tree.slots = append(tree.slots, slot{}, slot{hint: it.size, lives: []slotRun{{it.lower, it.upper, k}}})
		tree.levels = append(tree.levels, poolLevel{members: n, right: n + 1})
	}
	tree.live.raise(it.lower, it.upper, noLevel-int64(at))
}

// descend goes from the root to the level at which the item does not go on to
// the one below, and reports whether it found room there.
func (tree *poolTree) descend(k int32, it *item) (at int, done bool) {
	lowest := len(tree.levels) // that is live with the item
	if high := tree.live.highest(it.lower, it.upper); high > 0 {
		lowest = int(noLevel - high)
	}
	for i := len(tree.rich) - 1; i >= 0 && int(tree.rich[i]) >= lowest; i-- {
		at := int(tree.rich[i])
		l := &tree.levels[at]
		if !tree.slots[l.members].meets(it) {
			continue
		}
		if lowest < at || tree.slots[l.right].meets(it) {
			return at, false
		}
		tree.known = min(tree.known, at)
		return at, tree.put(l.members, k, it, at+1 == len(tree.levels))
	}
	if lowest == 0 {
		tree.known = 0
		return 0, tree.put(0, k, it, len(tree.levels) == 1)
	}
	at = lowest - 1
	tree.settle(at)
	l := &tree.levels[at]
	if at > 0 && len(tree.slots[l.members].lives) == 0 {
		i, _ := slices.BinarySearch(tree.rich, int32(at))
		tree.rich = slices.Insert(tree.rich, i, int32(at))
	}
	tree.take(l.members, k, it, l.hint)
	tree.known = min(tree.known, at)
	return at, true
}

// settle sets the hints of the levels up to the given one.
func (tree *poolTree) settle(at int) {
	for ; tree.known <= at; tree.known++ {
		l := &tree.levels[tree.known]
		l.hint = tree.slots[l.members].hint
		if tree.known > 0 {
			below := lifetime.AlignUp(tree.levels[tree.known-1].hint, tree.align)
			l.hint = max(l.hint, below+tree.slots[l.right].hint)
		}
	}
}

// slot is a split in time. One without members is empty space.
type slot struct {
	hint    int64     // bytes, as the splits reckon
	lives   []slotRun // ascending, apart
	size    int64     // bytes it takes in the end
	located bool
}

// slotRun is a part of the life of a member: an item, or, as -1-i, the split in
// space number i.
type slotRun struct {
	lower, upper int64
	member       int32
}

// met returns the runs [from, to) of the slot that the item meets.
func (s *slot) met(it *item) (from, to int) {
	from, high := 0, len(s.lives)
	for from < high {
		if mid := (from + high) / 2; s.lives[mid].upper <= it.lower {
			from = mid + 1
		} else {
			high = mid
		}
	}
	for to = from; to < len(s.lives) && s.lives[to].lower < it.upper; to++ {
	}
	return from, to
}

func (s *slot) meets(it *item) bool {
	from, to := s.met(it)
	return from < to
}

// put finds room for the item in the slot. The last slot may grow.
func (tree *poolTree) put(at, k int32, it *item, last bool) bool {
	s := &tree.slots[at]
	if !last && it.size > s.hint {
		return false
	}
	from, to := s.met(it)
	if from == to {
		tree.take(at, k, it, s.hint)
		return true
	}
	member := s.lives[from].member
	if member >= 0 {
		return false
	}
	for i := from + 1; i < to; i++ {
		if s.lives[i].member != member {
			return false
		}
	}
	left := 2*(-1-member) + 1
	fits := it.size <= tree.slots[left].hint && tree.put(left, k, it, false)
	if !fits && !tree.put(left+1, k, it, last) {
		return false
	}
	s = &tree.slots[at] // put may have moved them
	s.hint = max(s.hint, tree.hint(left))
	s.extend(from, to, slotRun{it.lower, it.upper, member})
	return true
}

// take makes the item a member of the slot, which it does not meet and which
// has the given bytes.
func (tree *poolTree) take(at, k int32, it *item, bytes int64) {
	member, size := k, it.size
	if rest := bytes - size; rest > 0 {
		left := int32(len(tree.slots))
		member = -1 - (left-1)/2
		tree.slots = append(tree.slots,
			slot{hint: size, lives: []slotRun{{it.lower, it.upper, k}}},
			slot{hint: rest})
		size = tree.hint(left)
	}
	// If the slot has to grow, there is no member that has to grow along: it
	// would have been placed before, and so be as large as the item.
	s := &tree.slots[at]
	s.hint = max(s.hint, size)
	from, to := s.met(it)
	s.extend(from, to, slotRun{it.lower, it.upper, member})
}

// hint returns the bytes of a split in space, given its left side.
func (tree *poolTree) hint(left int32) int64 {
	return lifetime.AlignUp(tree.slots[left].hint, tree.align) + tree.slots[left+1].hint
}

// extend replaces the runs [from, to), all of the same member, by one that
// covers them and r, and those of the member that this touches.
func (s *slot) extend(from, to int, r slotRun) {
	if from < to {
		r.lower, r.upper = min(r.lower, s.lives[from].lower), max(r.upper, s.lives[to-1].upper)
		if from+1 == to && r == s.lives[from] {
			return // covered before: most of the time
		}
	}
	if from > 0 && s.lives[from-1].member == r.member && s.lives[from-1].upper == r.lower {
		from--
		r.lower = s.lives[from].lower
	}
	if to < len(s.lives) && s.lives[to].member == r.member && s.lives[to].lower == r.upper {
		r.upper = s.lives[to].upper
		to++
	}
	if from+1 == to {
		s.lives[from] = r
		return
	}
	s.lives = slices.Replace(s.lives, from, to, r)
}

// measure sets the sizes of all slots, and returns those of the levels.
func (tree *poolTree) measure(items []item) []int64 {
	sizes := make([]int64, len(tree.levels))
	for i, l := range tree.levels {
		sizes[i] = tree.sizeOf(l.members, items)
		if i > 0 {
			below := lifetime.AlignUp(sizes[i-1], tree.align)
			sizes[i] = max(sizes[i], below+tree.sizeOf(l.right, items))
		}
	}
	return sizes
}

func (tree *poolTree) sizeOf(at int32, items []item) int64 {
	size := int64(0)
	for _, r := range tree.slots[at].lives {
		if r.member >= 0 {
			size = max(size, items[r.member].size)
			continue
		}
		left := 2*(-1-r.member) + 1
		if tree.slots[left].size == 0 { // no side on the left is empty
			tree.sizeOf(left, items)
			tree.sizeOf(left+1, items)
		}
		size = max(size, lifetime.AlignUp(tree.slots[left].size, tree.align)+tree.slots[left+1].size)
	}
	tree.slots[at].size = size
	return size
}

// locate sets the offsets of all items in the slot, which begins at base.
func (tree *poolTree) locate(p *placement, at int32, base int64) {
	tree.slots[at].located = true
	for _, r := range tree.slots[at].lives {
		if r.member >= 0 {
			p.offsets[p.items[r.member].index] = base
			continue
		}
		if left := 2*(-1-r.member) + 1; !tree.slots[left].located {
			tree.locate(p, left, base)
			tree.locate(p, left+1, base+lifetime.AlignUp(tree.slots[left].size, tree.align))
		}
	}
}
