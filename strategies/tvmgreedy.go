package strategies

// TVM's greedy planners put each buffer above the highest end of the placed
// buffers it conflicts with, and look for no hole between them: the largest
// first, or the one with the most conflicts first.
//
// Complexity: O(n log n). The original is O(n c), c the conflicts of a buffer.
//
// Reference: class GreedySize and class GreedyConflicts,
// src/tir/usmp/algo/greedy.cc, apache/tvm at commit 08c3cb1499b3.
//
// Rule, to the byte: by size, then conflicts, all descending, or by conflicts,
// then size; equal ones by name descending, compared byte by byte. Every buffer
// of the table counts as a conflict, those without bytes as well.
//
// Departures: the original raises the end of the conflicting buffer to the
// alignment of that one, and so misplaces a buffer with a larger alignment; here
// it is raised to the alignment of the buffer to be placed. One pool without a
// limit holds all. Fixed offsets, which the original does not know, are
// obstacles from the start, and nothing is put below them. A buffer with gaps is
// taken to be live all its life.

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/arenalab/arenalab/lifetime"
)

type tvmGreedy struct {
	conflicts bool // the key begins with the conflicts
}

func (s tvmGreedy) Info() Info {
	info := Info{
		Name:       "tvm-greedy-by-size",
		Title:      "TVM USMP: greedy by size",
		Summary:    "largest first, above all placed buffers that it conflicts with",
		Reference:  "class GreedySize, src/tir/usmp/algo/greedy.cc, apache/tvm at 08c3cb1499b3",
		Complexity: "O(n log n)",
		Key:        "size, conflicts, name, all descending; ties by row",
		RowOrder:   true,
	}
	if s.conflicts {
		info.Name = "tvm-greedy-by-conflicts"
		info.Title = "TVM USMP: greedy by conflicts"
		info.Summary = "most conflicts first, above all placed buffers that it conflicts with"
		info.Reference = strings.Replace(info.Reference, "GreedySize", "GreedyConflicts", 1)
		info.Key = "conflicts, size, name, all descending; ties by row"
	}
	return info
}

func (s tvmGreedy) Plan(ctx context.Context, t *lifetime.Table, o Options) (*lifetime.Plan, error) {
	key := tvmSizeKey
	if s.conflicts {
		key = tvmConflictKey
	}
	m := method{order: sorting{key: key}, whole: true}
	return m.run(ctx, t, o, heap)
}

func tvmSizeKey(t *lifetime.Table) func(a, b *item) int {
	conflicts := wholeConflicts(t)
	return func(a, b *item) int {
		return cmp.Or(
			cmp.Compare(b.size, a.size),
			cmp.Compare(conflicts[b.index], conflicts[a.index]),
			strings.Compare(t.Buffers[b.index].Name, t.Buffers[a.index].Name),
		)
	}
}

func tvmConflictKey(t *lifetime.Table) func(a, b *item) int {
	conflicts := wholeConflicts(t)
	return func(a, b *item) int {
		return cmp.Or(
			cmp.Compare(conflicts[b.index], conflicts[a.index]),
			cmp.Compare(b.size, a.size),
			strings.Compare(t.Buffers[b.index].Name, t.Buffers[a.index].Name),
		)
	}
}

// wholeConflicts returns how many others each buffer of the table meets, gaps
// ignored.
func wholeConflicts(t *lifetime.Table) []int {
	n := len(t.Buffers)
	births, ends := make([]int64, n), make([]int64, n)
	for i := range t.Buffers {
		births[i], ends[i] = t.Buffers[i].Lower, t.Buffers[i].Upper
	}
	slices.Sort(births)
	slices.Sort(ends)
	counts := make([]int, n)
	for i := range t.Buffers {
		begun, _ := slices.BinarySearch(births, t.Buffers[i].Upper) // before its end
		gone, _ := slices.BinarySearch(ends, t.Buffers[i].Lower+1)  // by its start
		counts[i] = begun - gone - 1
	}
	return counts
}

// heap places the items in order, each above all that it meets.
func heap(ctx context.Context, p *placement) (*lifetime.Plan, error) {
	all := slices.Clone(p.items)
	for _, i := range p.pinned {
		if it := p.item(i); it.size > 0 {
			all = append(all, it)
		}
	}
	s := newSkyline(rank(all))
	for k := len(p.items); k < len(all); k++ {
		it := &all[k]
		s.raise(it.lower, it.upper, p.offsets[it.index]+it.size)
	}
	for k := range p.items {
		if k%checkEvery == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		it := &all[k]
		at := lifetime.AlignUp(s.highest(it.lower, it.upper), it.align)
		p.offsets[it.index] = at
		s.raise(it.lower, it.upper, at+it.size)
	}
	return lifetime.NewPlan(p.table, p.offsets), nil
}

// skyline holds the highest end at every step, as a tree over the steps.
type skyline struct {
	leaves int64
	some   []int64 // by node: the highest end in some step below it
	every  []int64 // by node: what all steps below it have reached
}

func newSkyline(steps int) *skyline {
	leaves := int64(1)
	for leaves < int64(steps) {
		leaves *= 2
	}
	return &skyline{leaves, make([]int64, 2*leaves), make([]int64, 2*leaves)}
}

// raise lifts all steps in [lower, upper) to the end at least.
func (s *skyline) raise(lower, upper, end int64) {
	for l, r := lower+s.leaves, upper+s.leaves; l < r; l, r = l/2, r/2 {
		if l%2 == 1 {
			s.lift(l, end)
			l++
		}
		if r%2 == 1 {
			r--
			s.lift(r, end)
		}
	}
}

func (s *skyline) lift(node, end int64) {
	s.every[node] = max(s.every[node], end)
	for ; node > 0; node /= 2 {
		s.some[node] = max(s.some[node], end)
	}
}

// highest returns the highest end in the steps [lower, upper).
func (s *skyline) highest(lower, upper int64) int64 {
	end := int64(0)
	for l, r := lower+s.leaves, upper+s.leaves; l < r; l, r = l/2, r/2 {
		if l%2 == 1 {
			end = max(end, s.some[l])
			l++
		}
		if r%2 == 1 {
			r--
			end = max(end, s.some[r])
		}
	}
	// What a node above has reached, all steps below it have.
	for l, r := lower+s.leaves, upper-1+s.leaves; l > 0; l, r = l/2, r/2 {
		end = max(end, s.every[l], s.every[r])
	}
	return end
}
