package strategies

// ExecuTorch's greedy planner gives each tensor, the largest first, the first
// block in which nothing is ever live with it, or else the first in which it fits
// above all that is, or else a block of its own. Its naive planner lays all
// tensors end to end.
//
// Complexity: O(n^2) in the worst case, as of the original; naive O(n).
//
// Reference: greedy, pick_shared_obj and naive, exir/memory_planning.py, the
// package executorch 1.5.1.
//
// Rule, to the byte: sizes are rounded up to the alignment, the runtime's own
// being 16. Tensors are sorted by the size rounded to 16, ascending and stably,
// and taken from the last: of equal ones the last row first. A block is as large
// as its first tensor for ever. A tensor that meets some in a block is put at
// the highest end of those, no hole is looked for. Blocks are laid end to end in
// the order of their creation.
//
// Departures: the original iterates over a set, whose order a table replaces by
// rows. Tensors that are stored in another's memory, several memories and the
// arenas of submodules are not known to a table. Sizes are rounded to the
// alignment of each before they are sorted, so that alignments may differ, and
// offsets within a block are aligned. Blocks step over buffers with fixed
// offsets. A buffer with gaps is taken to be live all its life.

import (
	"cmp"
	"context"
	"math/bits"
	"slices"

	"github.com/arenalab/arenalab/lifetime"
)

type executorch struct{ naive bool }

func (s executorch) Info() Info {
	if s.naive {
		return Info{
			Name:       "executorch-naive",
			Title:      "ExecuTorch: naive",
			Summary:    "all tensors end to end, sizes rounded up to the alignment",
			Reference:  "naive, exir/memory_planning.py, executorch 1.5.1",
			Complexity: "O(n)",
			Key:        "by row",
			RowOrder:   true,
		}
	}
	return Info{
		Name:       "executorch-greedy",
		Title:      "ExecuTorch: greedy",
		Summary:    "largest first, the first block with room, or else a new one",
		Reference:  "greedy and pick_shared_obj, exir/memory_planning.py, executorch 1.5.1",
		Complexity: "O(n^2) worst case",
		Key:        "size rounded up, descending; ties by row, the last first",
		RowOrder:   true,
	}
}

func (s executorch) Plan(ctx context.Context, t *lifetime.Table, o Options) (*lifetime.Plan, error) {
	if o.Ties.Rule == TiesLibstdcxx {
		o.Ties.Rule = TiesNative // not sorted by a C++ library
	}
	m := method{order: sorting{key: executorchKey, native: lastAddedFirst}, whole: true, rounds: true}
	do := shelve
	if s.naive {
		m.order = sorting{key: byRow}
		do = line
	}
	return m.run(ctx, t, o, do)
}

func executorchKey(t *lifetime.Table) func(a, b *item) int {
	unit := func(it *item) int64 { return lifetime.AlignUp(t.Buffers[it.index].Size, 16) }
	return func(a, b *item) int {
		return cmp.Or(cmp.Compare(b.size, a.size), cmp.Compare(unit(b), unit(a)))
	}
}

func byRow(*lifetime.Table) func(a, b *item) int {
	return func(a, b *item) int { return cmp.Compare(a.index, b.index) }
}

// line lays the items end to end.
func line(_ context.Context, p *placement) (*lifetime.Plan, error) {
	pile := p.newPile()
	for k := range p.items {
		it := &p.items[k]
		p.offsets[it.index] = pile.put(it.size, it.align)
	}
	return lifetime.NewPlan(p.table, p.offsets), nil
}

// shelf is a block: its tensors, and how high they fill it step by step.
type shelf struct {
	size, align int64
	runs        []shelfRun // ascending, apart, ends above 0
	members     []int32
}

// shelfRun says how high a block is filled in the steps [lower, upper).
type shelfRun struct{ lower, upper, end int64 }

// meet returns the runs that the item meets and the highest end among them.
func (s *shelf) meet(it *item) (from, to int, end int64) {
	for high := len(s.runs); from < high; {
		if mid := int(uint(from+high) >> 1); s.runs[mid].upper <= it.lower {
			from = mid + 1
		} else {
			high = mid
		}
	}
	for to = from; to < len(s.runs) && s.runs[to].lower < it.upper; to++ {
		end = max(end, s.runs[to].end)
	}
	return from, to, end
}

// add fills the block up to the end throughout the life of the item, which is
// above all that it meets.
func (s *shelf) add(k int32, it *item, end int64) {
	from, to, _ := s.meet(it)
	fresh := make([]shelfRun, 0, 3)
	if from < to && s.runs[from].lower < it.lower {
		r := s.runs[from]
		fresh = append(fresh, shelfRun{r.lower, it.lower, r.end})
	}
	fresh = append(fresh, shelfRun{it.lower, it.upper, end})
	if from < to && s.runs[to-1].upper > it.upper {
		r := s.runs[to-1]
		fresh = append(fresh, shelfRun{it.upper, r.upper, r.end})
	}
	s.runs = slices.Replace(s.runs, from, to, fresh...)
	s.members = append(s.members, k)
	s.align = max(s.align, it.align)
}

// shelve assigns the items to blocks and lays these end to end.
func shelve(ctx context.Context, p *placement) (*lifetime.Plan, error) {
	var shelves []shelf
	inner := make([]int64, len(p.items))
	full := newFullShelves(rank(p.items))
	large := 0 // shelves that have room above some of their members
	for k := range p.items {
		if k%checkEvery == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		it := &p.items[k]
		at := full.free(shelves, it)
		if at < 0 {
			// No member of a shelf is smaller than the item.
			for large < len(shelves) && shelves[large].size-it.size >= it.size {
				large++
			}
			at, inner[k] = above(shelves[:large], it)
		}
		if at < 0 {
			at = len(shelves)
			shelves = append(shelves, shelf{size: it.size})
		}
		shelves[at].add(int32(k), it, inner[k]+it.size)
		full.add(at, it)
	}
	pile := p.newPile()
	for i := range shelves {
		s := &shelves[i]
		at := pile.put(s.size, s.align)
		for _, k := range s.members {
			p.offsets[p.items[k].index] = at + inner[k]
		}
	}
	return lifetime.NewPlan(p.table, p.offsets), nil
}

// above returns the first shelf with room for the item above all that it meets
// there, and where that room begins; -1 and 0 if there is none.
func above(shelves []shelf, it *item) (int, int64) {
	for i := range shelves {
		_, _, end := shelves[i].meet(it)
		if at := lifetime.AlignUp(end, it.align); at+it.size <= shelves[i].size {
			return i, at
		}
	}
	return -1, 0
}

// fullShelves knows which shelves a single member fills throughout a stretch of
// steps, so that few of those are looked at that are not free.
type fullShelves struct {
	shift     uint       // step >> shift is a stretch
	stretches [][]uint64 // sets of shelves, as long as they have to be
}

// shelfStretches is how many stretches there are at most.
const shelfStretches = 2048

// shelfSamples is about how many of the stretches of a life are looked at.
const shelfSamples = 4

func newFullShelves(steps int) *fullShelves {
	f := &fullShelves{}
	for steps>>f.shift >= shelfStretches {
		f.shift++
	}
	f.stretches = make([][]uint64, steps>>f.shift+1)
	return f
}

// add notes that the shelf has a new member.
func (f *fullShelves) add(at int, it *item) {
	first, last := (it.lower+1<<f.shift-1)>>f.shift, it.upper>>f.shift
	for i := first; i < last; i++ {
		set := f.stretches[i]
		for len(set) <= at/64 {
			set = append(set, 0)
		}
		set[at/64] |= 1 << (at % 64)
		f.stretches[i] = set
	}
}

// free returns the first shelf in which the item meets nothing, -1 if there is
// none.
func (f *fullShelves) free(shelves []shelf, it *item) int {
	first, last := it.lower>>f.shift, (it.upper-1)>>f.shift
	step := (last-first)/shelfSamples + 1
	for w := 0; 64*w < len(shelves); w++ {
		full := uint64(0)
		for i := first; i <= last; i += step {
			if set := f.stretches[i]; w < len(set) {
				full |= set[w]
			}
		}
		for open := ^full; open != 0; open &= open - 1 {
			at := 64*w + bits.TrailingZeros64(open)
			if at >= len(shelves) {
				return -1
			}
			if from, to, _ := shelves[at].meet(it); from == to {
				return at
			}
		}
	}
	return -1
}
