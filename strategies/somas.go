package strategies

// SOMAS, of MindSpore, takes the largest tensor first, in two ways: into one
// arena, or into a stack of blocks, each as large as the tensor that opened it,
// in which the others find holes. It tries both with the smallest and with the
// lowest hole and prefers the blocks unless the arena is much smaller.
//
// Complexity: O(n^2) in the worst case. The original is O(n^2 log n). A trial
// ends as soon as it is too large to be taken.
//
// Reference: SomasSolverPre::Solving, SomasSolverCore and FootPrint::findFirst,
// mindspore/ccsrc/backend/common/somas/somas_solver_{pre,core,alg}.cc,
// mindspore-ai/mindspore at commits 2e3e5d123b2f and 047be2dd1395.
//
// Rule, to the byte: graph outputs first, then size descending, then row. Blocks
// are asked in the order of their making; the first with a hole is taken. Tried
// are blocks with the smallest hole, blocks with the lowest, the arena with the
// smallest, the arena with the lowest; a later one must be smaller, and an arena
// by more than 100 MiB if the best so far are blocks. Variables, which live
// for good, are stacked on top at the end.
//
// Departures: the second order of the original, by a flag for what may reuse the
// peak, is the first on tables, which have no such flag. Groups that must lie
// side by side and streams that run at once are not in tables either. Sizes are
// rounded up to the alignment of the table; the runtime's own is 512. Fixed
// offsets, which the original does not know, are obstacles from the start; a
// buffer with gaps is taken to use all its bytes all its life.

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"

	"github.com/arenalab/arenalab/lifetime"
)

const somasReference = "SomasSolverPre::Solving and FootPrint::findFirst, mindspore/ccsrc/backend/common/somas, mindspore-ai/mindspore at 2e3e5d123b2f and 047be2dd1395"

// somasSaving is by how many bytes an arena must be smaller than blocks.
const somasSaving = 100 << 20

// somas is the whole solver or, with single set, one of its members.
type somas struct {
	single bool
	blocks bool
	rule   rule
}

func (s somas) Info() Info {
	i := Info{
		Name:       "somas",
		Title:      "MindSpore SOMAS",
		Summary:    "largest first, into blocks or one arena: its choice of four plans",
		Reference:  somasReference,
		Complexity: "O(n^2) worst case, near O(n log n) on networks",
		Key:        "outputs, size descending; ties by row",
		RowOrder:   true,
	}
	if s.single {
		i.Name = "somas-blocks"
		i.Title = "MindSpore SOMAS, blocks"
		i.Summary = "largest first, into the smallest hole of the first block with one"
		if s.rule == lowestGap {
			i.Name += "-lowest"
			i.Title += ", lowest hole"
			i.Summary = "largest first, into the lowest hole of the first block with one"
		}
	}
	return i
}

func (s somas) Plan(ctx context.Context, t *lifetime.Table, o Options) (*lifetime.Plan, error) {
	ctx, cancel := limit(ctx, o)
	defer cancel()
	if s.single {
		return s.plan(ctx, t, o, math.MaxInt64)
	}
	var best *lifetime.Plan
	blocks := true // the best so far are blocks
	load := t.Load()
	for _, member := range []somas{
		{blocks: true, rule: smallestGap}, {blocks: true, rule: lowestGap},
		{rule: smallestGap}, {rule: lowestGap},
	} {
		most := int64(math.MaxInt64)
		if best != nil {
			most = best.Arena - 1
			if blocks && !member.blocks {
				most -= somasSaving
			}
		}
		plan, err := member.plan(ctx, t, o, most)
		switch {
		case errors.Is(err, errHigh):
			continue
		case err != nil && best != nil && ctx.Err() != nil:
			return best, nil
		case err != nil:
			return nil, err
		}
		best, blocks = plan, member.blocks
		if best.Arena <= load {
			break
		}
	}
	return best, nil
}

// plan runs one member as long as its arena is not above the given bytes; if it
// is, the error is errHigh.
func (s somas) plan(ctx context.Context, t *lifetime.Table, o Options, most int64) (*lifetime.Plan, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	p, err := prepare(&method{rule: s.rule, order: somasOrder(), whole: true, rounds: true, blocks: s.blocks}, t, o)
	if err != nil {
		return nil, err
	}
	lasting := func(it item) bool { return t.Buffers[it.index].Kind == lifetime.Variable }
	var last []item
	for _, it := range p.items {
		if lasting(it) {
			last = append(last, it)
		}
	}
	slices.SortFunc(last, func(a, b item) int { return cmp.Compare(a.index, b.index) })
	p.items = slices.DeleteFunc(p.items, lasting)
	if err := p.fillUpTo(ctx, most); err != nil {
		return nil, err
	}
	p.stack(last)
	plan := lifetime.NewPlan(t, p.offsets)
	if plan.Arena > most {
		return nil, errHigh
	}
	return plan, nil
}

// stack lays the items end to end on top of all others.
func (p *placement) stack(last []item) {
	top := int64(0)
	for i := range p.table.Buffers {
		if p.table.Buffers[i].Size > 0 {
			it := p.item(i)
			top = max(top, p.offsets[i]+it.size)
		}
	}
	for _, it := range last {
		p.offsets[it.index] = lifetime.AlignUp(top, it.align)
		top = p.offsets[it.index] + it.size
	}
}

func somasOrder() sorting {
	return sorting{key: somasKey, columns: func(t *lifetime.Table) []column {
		return []column{func(it *item) uint64 {
			if t.Buffers[it.index].Kind == lifetime.Output {
				return 0
			}
			return 1
		}, sizeColumn}
	}}
}

func somasKey(t *lifetime.Table) func(a, b *item) int {
	return func(a, b *item) int {
		out, other := t.Buffers[a.index].Kind == lifetime.Output, t.Buffers[b.index].Kind == lifetime.Output
		if out != other {
			if out {
				return -1
			}
			return 1
		}
		return cmp.Compare(b.size, a.size)
	}
}
