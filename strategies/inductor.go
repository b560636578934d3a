package strategies

// PyTorch Inductor keeps a pool as a tree that is split in time and in space by
// turns. A buffer, the largest first, goes down the tree to a slot that is large
// enough and free throughout its life, and splits what it leaves of it off; if
// there is none it goes on top of all.
//
// Complexity: O(n d log n), d the depth of the tree, at most n. The original
// looks at each member of a slot, O(n^2) and more.
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
	tree := poolTree{align: 1, slots: make([]slot, 1, 2*len(p.items)+1)}
	for k := range p.items {
		tree.align = max(tree.align, p.items[k].align)
	}
	for k := range p.items {
		if k%checkEvery == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if it := &p.items[k]; !tree.put(0, int32(k), it, true) {
			tree.cap(int32(k), it)
		}
	}
	tree.measure(p.items)
	size := tree.slots[0].size
	tree.locate(p, 0, p.newPile().put(size, tree.align))
	return lifetime.NewPlan(p.table, p.offsets), nil
}

// poolTree is the tree of a pool: slot 0 is the root, and those at 2i+1 and 2i+2
// are the sides of the split in space number i.
type poolTree struct {
	align int64
	slots []slot
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

// put finds room for the item in the slot. The last slot may grow.
func (tree *poolTree) put(at, k int32, it *item, last bool) bool {
	s := &tree.slots[at]
	if !last && it.size > s.hint {
		return false
	}
	from, _ := slices.BinarySearchFunc(s.lives, it.lower, func(r slotRun, step int64) int { return cmp.Compare(r.upper, step+1) })
	to := from
	for ; to < len(s.lives) && s.lives[to].lower < it.upper; to++ {
		if s.lives[to].member != s.lives[from].member {
			return false
		}
	}
	if from < to {
		member := s.lives[from].member
		if member >= 0 {
			return false
		}
		left := 2*(-1-member) + 1
		if !tree.put(left, k, it, false) && !tree.put(left+1, k, it, last) {
			return false
		}
		s = &tree.slots[at] // put may have moved them
		s.hint = max(s.hint, tree.hint(left))
		s.extend(from, to, slotRun{it.lower, it.upper, member})
		return true
	}
	member := k
	switch rest := s.hint - it.size; {
	case rest > 0:
		left := int32(len(tree.slots))
		member = -1 - (left-1)/2
		tree.slots = append(tree.slots,
			slot{hint: it.size, lives: []slotRun{{it.lower, it.upper, k}}},
			slot{hint: rest})
		s = &tree.slots[at]
		s.hint = max(s.hint, tree.hint(left))
	case rest < 0:
		// There is no member that has to grow along: it would have been placed
		// before, and so be as large as the item.
		s.hint = it.size
	}
	s.extend(from, to, slotRun{it.lower, it.upper, member})
	return true
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
	}
	if from > 0 && s.lives[from-1].member == r.member && s.lives[from-1].upper == r.lower {
		from--
		r.lower = s.lives[from].lower
	}
	if to < len(s.lives) && s.lives[to].member == r.member && s.lives[to].lower == r.upper {
		r.upper = s.lives[to].upper
		to++
	}
	s.lives = slices.Replace(s.lives, from, to, r)
}

// cap splits the pool in space: all that it holds, and the item on top.
func (tree *poolTree) cap(k int32, it *item) {
	left := int32(len(tree.slots))
	root := tree.slots[0]
	tree.slots = append(tree.slots, root, slot{hint: it.size, lives: []slotRun{{it.lower, it.upper, k}}})
	all := slot{hint: tree.hint(left)}
	lives := append(slices.Clone(root.lives), slotRun{it.lower, it.upper, 0})
	slices.SortFunc(lives, func(a, b slotRun) int { return cmp.Compare(a.lower, b.lower) })
	for _, r := range lives {
		r.member = -1 - (left-1)/2
		if n := len(all.lives); n > 0 && all.lives[n-1].upper >= r.lower {
			all.lives[n-1].upper = max(all.lives[n-1].upper, r.upper)
		} else {
			all.lives = append(all.lives, r)
		}
	}
	tree.slots[0] = all
}

// measure sets the sizes of all slots.
func (tree *poolTree) measure(items []item) {
	tree.sizeOf(0, items)
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
